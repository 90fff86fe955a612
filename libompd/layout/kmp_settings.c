// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime has a table of its settings (kmp_settings.cpp): the name of an environment variable,
// a function that parses it and one that prints what holds. What is read by the printing function
// of one setting, and of no other, is that setting's variable. omp_display_env() leads to the
// table, whose contents tell that it is one.

#include <stdio.h>
#include <string.h>

#include "layout/code_memory.h"
#include "layout/kmp_library.h"
#include "target/reason.h"

enum {
	ADDRESS_MIN = 0x10000,	// numbers are smaller
	LIBRARY_SPAN = 1 << 26, // it is smaller
	FUNCTIONS_MAX = 16,	// looked at on the way to the table
	ROW_SIZE = 40,		// four pointers and two ints
	ROW_PRINT = 16,
	ROWS_MIN = 60, // fewer are no table of settings
	ROWS_MAX = 200,
	NAME_MAX_SIZE = 48,
	READS_MAX = 6,
	PAGE = 4096,
};

static const struct setting {
	const char *name;
	enum kmp_global global;
	unsigned int width;
} settings[] = {
	{ "KMP_STACKSIZE", KMP_GLOBAL___kmp_stksize, 8 },
	{ "KMP_LIBRARY", KMP_GLOBAL___kmp_library, 4 },
	{ "KMP_DEVICE_THREAD_LIMIT", KMP_GLOBAL___kmp_max_nth, 4 },
	{ "KMP_TEAMS_THREAD_LIMIT", KMP_GLOBAL___kmp_teams_max_nth, 4 },
	{ "LIBOMP_NUM_HIDDEN_HELPER_THREADS", KMP_GLOBAL___kmp_hidden_helper_threads_num, 4 },
	{ "LIBOMP_USE_HIDDEN_HELPER_TASK", KMP_GLOBAL___kmp_enable_hidden_helper, 4 },
	{ "OMP_AFFINITY_FORMAT", KMP_GLOBAL___kmp_affinity_format, 8 },
	{ "OMP_CANCELLATION", KMP_GLOBAL___kmp_omp_cancellation, 4 },
	{ "OMP_DISPLAY_AFFINITY", KMP_GLOBAL___kmp_display_affinity, 4 },
	{ "OMP_MAX_ACTIVE_LEVELS", KMP_GLOBAL___kmp_dflt_max_active_levels, 4 },
	{ "OMP_MAX_TASK_PRIORITY", KMP_GLOBAL___kmp_max_task_priority, 4 },
	{ "OMP_NUM_TEAMS", KMP_GLOBAL___kmp_nteams, 4 },
	{ "OMP_NUM_THREADS", KMP_GLOBAL___kmp_nested_nth, 8 },
	{ "OMP_TARGET_OFFLOAD", KMP_GLOBAL___kmp_target_offload, 4 },
	{ "OMP_TEAMS_THREAD_LIMIT", KMP_GLOBAL___kmp_teams_thread_limit, 4 },
	{ "OMP_THREAD_LIMIT", KMP_GLOBAL___kmp_cg_max_nth, 4 },
	{ "OMP_TOOL", KMP_GLOBAL___kmp_tool, 4 },
	{ "OMP_TOOL_LIBRARIES", KMP_GLOBAL___kmp_tool_libraries, 8 },
	{ "OMP_TOOL_VERBOSE_INIT", KMP_GLOBAL___kmp_tool_verbose_init, 8 },
};

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

/** Variables that the printing function of a setting reads, in the setting's width. */
struct shown {
	uint64_t address[READS_MAX];
	unsigned int count;
};

struct search {
	const struct kmp_library *library;
	uint64_t function[FUNCTIONS_MAX]; // to look at, and looked at
	unsigned int count;
	uint8_t rows[ROWS_MAX * ROW_SIZE];
	unsigned int row_count;
	uint64_t page; // of the names, which lie close together; 0: none yet
	char text[PAGE + 1];
	struct code_reader reader;
	struct code_report report;
};

static uint64_t row_word(const struct search *search, unsigned int row, unsigned int offset)
{
	return target_uint(search->rows + (size_t)row * ROW_SIZE + offset, 8);
}

// Read as much as there is, up to @p size; 0 if there is nothing.
static size_t read_most(const struct search *search, uint64_t address, void *buffer, size_t size)
{
	for (; size >= 16; size /= 2) {
		if (target_read(search->library->target, address, buffer, size) == ompd_rc_ok)
			return size;
	}
	return 0;
}

// Near its first function. No name is looked for elsewhere, nor read as a string: what looks like
// the address of one may be none, and LLVM's plug-in for GDB does not survive what it cannot read.
static bool is_in_library(const struct search *search, uint64_t address)
{
	uint64_t function = search->function[0];

	return (address > function ? address - function : function - address) < LIBRARY_SPAN;
}

static bool read_name(struct search *search, uint64_t address, char *name)
{
	const struct target *target = search->library->target;
	uint64_t page = address & ~(uint64_t)(PAGE - 1);

	name[NAME_MAX_SIZE - 1] = '\0';
	if (!is_in_library(search, address))
		return false;
	if (address - page > PAGE - NAME_MAX_SIZE)
		return target_read(target, address, name, NAME_MAX_SIZE - 1) == ompd_rc_ok;
	if (page != search->page) {
		search->page = 0;
		if (target_read(target, page, search->text, PAGE) != ompd_rc_ok)
			return false;
		search->page = page;
	}
	memcpy(name, search->text + (address - page), NAME_MAX_SIZE - 1);
	return true;
}

static bool is_setting(const char *name)
{
	static const char *const families[] = { "KMP_", "OMP_", "GOMP_", "LIBOMP_" };

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			return true;
	}
	return false;
}

// Check whether the table is at @p address; then its rows are there.
static bool read_table(struct search *search, uint64_t address)
{
	char name[NAME_MAX_SIZE];
	uint64_t first;

	if (!is_in_library(search, address) || address % 8 ||
	    target_read_pointer(search->library->target, address, &first) != ompd_rc_ok ||
	    !read_name(search, first, name) || !is_setting(name))
		return false;
	size_t size = read_most(search, address, search->rows, sizeof(search->rows));

	search->row_count = 0;
	while ((search->row_count + 1) * (size_t)ROW_SIZE <= size) {
		if (!read_name(search, row_word(search, search->row_count, 0), name) ||
		    !is_setting(name))
			break;
		search->row_count++;
	}
	return search->row_count >= ROWS_MIN;
}

static void add_function(struct search *search, uint64_t address)
{
	for (unsigned int i = 0; i < search->count; i++) {
		if (search->function[i] == address)
			return;
	}
	if (search->count < FUNCTIONS_MAX)
		search->function[search->count++] = address;
}

// Look for the table in a function, and note those that it calls.
static bool find_in(struct search *search, uint64_t begin)
{
	struct code_instruction instruction;

	for (uint64_t pc = begin; pc < begin + CODE_WINDOW; pc = code_end(&instruction)) {
		if (code_decode(&search->reader, pc, &instruction) != CODE_OK)
			break;
		const struct code_reference reference = code_reference(&instruction);
		const bool is_jump = reference.kind == CODE_FUNCTION_JUMP;

		if (reference.kind == CODE_VARIABLE_ADDRESS &&
		    read_table(search, reference.address))
			return true;
		if ((is_jump || reference.kind == CODE_FUNCTION_CALL) && reference.address)
			add_function(search, reference.address);
		if (is_jump && search->count == 2)
			break; // the first function only jumps to what does the work
	}
	return false;
}

static bool find_table(struct search *search)
{
	uint64_t address;

	if (kmp_library_symbol(search->library, "omp_display_env", &address) != ompd_rc_ok)
		return false;
	add_function(search, address);
	for (unsigned int i = 0; i < search->count; i++) {
		if (find_in(search, search->function[i]))
			return true;
	}
	return false;
}

static void look_at(struct search *search, const struct setting *setting, uint64_t print,
		    struct shown *ret)
{
	const struct code_exploration what = { .entry = print, .size = CODE_WINDOW };

	code_explore(&search->reader, &what, &search->report);
	for (unsigned int i = 0; i < search->report.count; i++) {
		const struct code_access *access = &search->report.access[i];
		uint64_t address = (uint64_t)access->address.offset[0];

		if (access->kind != CODE_READ || access->width != setting->width ||
		    access->address.base != CODE_FIXED || access->address.depth != 0 ||
		    address < ADDRESS_MIN)
			continue;
		if (ret->count < READS_MAX)
			ret->address[ret->count] = address;
		ret->count++;
	}
}

static bool shows(const struct shown *shown, uint64_t address)
{
	for (unsigned int i = 0; i < shown->count && i < READS_MAX; i++) {
		if (shown->address[i] == address)
			return true;
	}
	return false;
}

// The one variable that only this setting shows; 0 if there is none, or several.
static uint64_t own_variable(const struct shown *shown, unsigned int setting)
{
	const struct shown *own = &shown[setting];
	uint64_t found = 0;

	if (own->count > READS_MAX)
		return 0;
	for (unsigned int i = 0; i < own->count; i++) {
		bool common = false;

		for (unsigned int other = 0; other < SETTINGS; other++)
			common |= other != setting && shows(&shown[other], own->address[i]);
		if (common)
			continue;
		if (found)
			return 0;
		found = own->address[i];
	}
	return found;
}

static ompd_rc_t take(const struct kmp_library *library, struct kmp_layout *layout,
		      const struct shown *shown)
{
	for (unsigned int i = 0; i < SETTINGS; i++) {
		uint64_t address = own_variable(shown, i);
		uint64_t *global = &layout->global[settings[i].global];

		if (!address)
			continue;
		if (!*global)
			*global = address;
		if (*global == address)
			continue;
		return reason(
			ompd_rc_incompatible,
			"%s of an unknown release: %s is kept at 0x%llx, functions use 0x%llx",
			library->name, settings[i].name, (unsigned long long)address,
			(unsigned long long)*global);
	}
	return ompd_rc_ok;
}

ompd_rc_t kmp_settings_globals(const struct kmp_library *library, struct kmp_layout *layout)
{
	struct search *search = target_alloc(library->target, sizeof(*search));
	struct shown shown[SETTINGS] = { 0 };
	char name[NAME_MAX_SIZE];

	if (!search)
		return ompd_rc_nomem;
	search->library = library;
	code_memory_init(&search->reader, library->target);
	if (find_table(search)) {
		for (unsigned int row = 0; row < search->row_count; row++) {
			if (!read_name(search, row_word(search, row, 0), name))
				continue;
			for (unsigned int i = 0; i < SETTINGS; i++) {
				if (strcmp(settings[i].name, name) == 0)
					look_at(search, &settings[i],
						row_word(search, row, ROW_PRINT), &shown[i]);
			}
		}
	}
	target_free(library->target, search);
	return take(library, layout, shown);
}
