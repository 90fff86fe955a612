// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_display_env() prints variables that no getter returns (env.c of libgomp). Between two calls
// to a function of stdio it does nothing but prepare one line: if the line's text is known, and
// one variable of the right width is read for it, then it is that line's variable.

#include <string.h>

#include "layout/code_memory.h"
#include "layout/gomp_library.h"

enum {
	FUNCTION_MAX = 8192, // bytes looked at
	VARIABLES_MAX = 8,   // read for one line
	TEXT_MAX = 32,
	PAGE = 4096,
	ADDRESS_MIN = 0x10000, // numbers are smaller
	NEAR = 1 << 28,	       // more than any file has
};

/** A line, and the variable that it shows. */
struct display {
	const char *text; // part of what is printed
	enum gomp_global global;
	unsigned int width;
	bool behind; // the text is printed first, and then the variable looked at
};

static const struct display displays[] = {
	{ "GOMP_STACKSIZE = ", GOMP_GLOBAL_stacksize, 8, false },
	{ "GOMP_SPINCOUNT = ", GOMP_GLOBAL_gomp_spin_count_var, 8, false },
	{ "OMP_DISPLAY_AFFINITY = ", GOMP_GLOBAL_gomp_display_affinity_var, 1, false },
	{ "OMP_TARGET_OFFLOAD = ", GOMP_GLOBAL_gomp_target_offload_var, 4, true },
	// Only GCC 12 shows the variable itself; later releases say "[host]" and show another.
	{ "  OMP_WAIT_POLICY = ", GOMP_GLOBAL_wait_policy, 4, false },
};

/** A line of the text, from the code since the last call. */
struct line {
	const struct display *display; // whose text it has
	unsigned int count;
	struct code_reference reads[VARIABLES_MAX];
};

// The texts lie close together: one page of them at a time.
struct texts {
	const struct target *target;
	uint64_t page; // 0: none yet
	char bytes[PAGE + 1];
};

static const char *read_text(struct texts *texts, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE - 1);

	if (page != texts->page) {
		texts->page = 0;
		if (target_read(texts->target, page, texts->bytes, PAGE) != ompd_rc_ok)
			return NULL;
		texts->page = page;
	}
	return texts->bytes + (address - page);
}

// The texts are in the same file as the code; other numbers only look like addresses. Nothing is
// read there: debuggers tell their users of it, and LLVM's plug-in for GDB does not survive it.
static bool is_near(uint64_t pc, uint64_t address)
{
	return address - pc < NEAR || pc - address < NEAR;
}

static const struct display *find_display(struct texts *texts, uint64_t address)
{
	char across[TEXT_MAX];
	const char *text = across;

	if (address < ADDRESS_MIN)
		return NULL;
	if (address % PAGE <= PAGE - TEXT_MAX)
		text = read_text(texts, address);
	else if (target_read_string(texts->target, address, across, TEXT_MAX) != ompd_rc_ok)
		text = NULL;
	if (!text)
		return NULL;
	if (text != across) {
		memcpy(across, text, TEXT_MAX - 1);
		across[TEXT_MAX - 1] = '\0';
		text = across;
	}
	for (size_t i = 0; i < sizeof(displays) / sizeof(displays[0]); i++)
		if (strstr(text, displays[i].text))
			return &displays[i];
	return NULL;
}

// The one variable of that width which the line reads; 0 if there is none or several.
static uint64_t find_variable(const struct line *line, unsigned int width, uint64_t stream)
{
	uint64_t found = 0;

	if (line->count == VARIABLES_MAX)
		return 0;
	for (unsigned int i = 0; i < line->count; i++) {
		const struct code_reference *read = &line->reads[i];

		if (read->width != width || read->address == stream ||
		    read->address < ADDRESS_MIN || read->address == found)
			continue;
		if (found)
			return 0;
		found = read->address;
	}
	return found;
}

static void take(struct gomp_layout *layout, const struct display *display, const struct line *line,
		 uint64_t stream)
{
	uint64_t *global = &layout->global[display->global];

	if (!*global)
		*global = find_variable(line, display->width, stream);
}

static void note(struct line *line, const struct code_reference *reference)
{
	if (line->count < VARIABLES_MAX)
		line->reads[line->count++] = *reference;
}

static void scan(const struct gomp_library *library, struct gomp_layout *layout, uint64_t begin)
{
	const struct display *last = NULL; // of the line before
	struct line line = { .display = NULL };
	struct texts texts = { .target = library->target };
	struct code_instruction instruction;
	struct code_reader reader;
	uint64_t stream = 0;

	code_memory_init(&reader, library->target);
	// In a static program the stream is a variable that each line reads.
	if (target_symbol(library->target, "stderr", NULL, &stream) != ompd_rc_ok)
		stream = 0;
	for (uint64_t pc = begin; pc < begin + FUNCTION_MAX; pc = code_end(&instruction)) {
		if (code_decode(&reader, pc, &instruction) != CODE_OK)
			break;
		const struct code_reference reference = code_reference(&instruction);

		if (reference.kind == CODE_VARIABLE_READ) {
			note(&line, &reference);
		} else if (reference.kind == CODE_VARIABLE_ADDRESS) {
			const struct display *display =
				is_near(pc, reference.address) ?
					find_display(&texts, reference.address) :
					NULL;

			if (display)
				line.display = display;
		} else if (reference.kind == CODE_FUNCTION_CALL) {
			if (last && last->behind)
				take(layout, last, &line, stream);
			if (line.display && !line.display->behind)
				take(layout, line.display, &line, stream);
			last = line.display;
			memset(&line, 0, sizeof(line));
		}
	}
}

void gomp_display_globals(const struct gomp_library *library, struct gomp_layout *layout)
{
	uint64_t address;

	if (gomp_library_symbol(library, "omp_display_env", &address) == ompd_rc_ok)
		scan(library, layout, address);
}
