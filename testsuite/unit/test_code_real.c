// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoder on functions of libgomp as compilers made them. What each function accesses is
// known from libgomp's sources; where, from the tables that debug information filled.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../code/report_text.h"
#include "layout/layout.h"

enum { LOAD = -1, END = -2, PATH_MAX_FIELDS = 8 };

struct access {
	const char *function;
	char kind;
	int path[PATH_MAX_FIELDS]; // from the thread's struct gomp_thread
};

#define F(s, f) GOMP_FIELD_##s##__##f
#define TS(f) F(gomp_thread, ts), F(gomp_team_state, f)

static const struct access accesses[] = {
	{ "omp_get_thread_num", 'R', { TS(team_id), END } },
	{ "omp_get_num_threads", 'R', { TS(team), END } },
	{ "omp_get_num_threads", 'R', { TS(team), LOAD, F(gomp_team, nthreads), END } },
	{ "omp_get_level", 'R', { TS(level), END } },
	{ "omp_get_max_threads", 'R', { F(gomp_thread, task), END } },
	{ "omp_get_max_threads",
	  'R',
	  { F(gomp_thread, task), LOAD, F(gomp_task, icv), F(gomp_task_icv, nthreads_var), END } },
	{ "omp_get_team_size", 'R', { TS(level), END } },
	{ "omp_get_team_size",
	  'R',
	  { TS(team), LOAD, F(gomp_team, prev_ts), F(gomp_team_state, team), END } },
	{ "omp_get_team_size",
	  'R',
	  { TS(team), LOAD, F(gomp_team, prev_ts), F(gomp_team_state, team), LOAD,
	    F(gomp_team, nthreads), END } },
	{ "omp_in_final", 'R', { F(gomp_thread, task), END } },
	{ "omp_in_final", 'R', { F(gomp_thread, task), LOAD, F(gomp_task, final_task), END } },
	{ "GOMP_single_start", 'W', { TS(single_count), END } },
	{ "GOMP_single_start", 'U', { TS(team), LOAD, F(gomp_team, single_count), END } },
	{ "GOMP_barrier", 'P', { TS(team), LOAD, F(gomp_team, barrier), END } },
};

enum { SLOT_VALUE = -0x200, LIBRARY = 0x1000000 };

/** A function, and slots of the global offset table elsewhere, which all hold the same. */
struct memory {
	uint8_t bytes[CODE_WINDOW];
	size_t size;
};

static bool read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct memory *memory = context;
	const int64_t value = SLOT_VALUE;

	if (address >= LIBRARY && address - LIBRARY <= memory->size &&
	    size <= memory->size - (address - LIBRARY)) {
		memcpy(buffer, memory->bytes + (address - LIBRARY), size);
		return true;
	}
	if (size != sizeof(value))
		return false;
	memcpy(buffer, &value, sizeof(value));
	return true;
}

static void explore(struct memory *memory, struct code_report *report)
{
	static struct code_reader reader;
	const struct code_exploration function = { .entry = LIBRARY,
						   .size = (uint32_t)memory->size };

	code_reader_init(&reader, &code_x86_64,
			 (struct code_memory){ .read = read_memory, .context = memory });
	code_explore(&reader, &function, report);
}

static struct layout_field fields[GOMP_FIELD_COUNT];

static void take_fields_of(unsigned int release)
{
	const struct layout_group *group = layout_group_of(&gomp_history, release);

	assert_non_null(group);
	layout_fill(&gomp_history, group, fields, NULL);
}

// Where the thread's structure starts: omp_get_thread_num has only one access.
static int64_t thread_start(const struct code_report *report)
{
	return report->access[report->count - 1].address.offset[0] -
	       fields[F(gomp_thread, ts)].offset - fields[F(gomp_team_state, team_id)].offset;
}

static bool contains(const struct code_report *report, const struct access *access, int64_t start)
{
	struct code_value expected = { .base = CODE_THREAD };

	expected.offset[0] = start;
	for (const int *field = access->path; *field != END; field++) {
		if (*field == LOAD)
			expected.depth++;
		else
			expected.offset[expected.depth] += fields[*field].offset;
	}
	for (unsigned int i = 0; i < report->count; i++)
		if ("RWUP"[report->access[i].kind] == access->kind &&
		    code_value_equal(&report->access[i].address, &expected))
			return true;
	return false;
}

static unsigned int check(const char *release, const char *function,
			  const struct code_report *report, int64_t start)
{
	unsigned int known = 0;
	char text[1024];

	report_text(report, text, sizeof(text));
	if (!report->complete)
		fail_msg("%s of GCC %s is not understood: %s", function, release, text);
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		if (strcmp(accesses[i].function, function) != 0)
			continue;
		known++;
		if (!contains(report, &accesses[i], start))
			fail_msg("%s of GCC %s, access %u: not in %s", function, release, known,
				 text);
	}
	return known;
}

static size_t parse_hex(const char *hex, uint8_t *bytes)
{
	size_t size = 0;

	for (; hex[0] && hex[1] && size < CODE_WINDOW; hex += 2) {
		const char digits[3] = { hex[0], hex[1], '\0' };

		bytes[size++] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return size;
}

static void test_functions(void **state)
{
	static struct code_report report;
	static struct memory memory;
	const char *path = getenv("OMPDBG_TEST_DATA");
	char line[2048], name[4096];
	unsigned int functions = 0;
	int64_t start = 0;
	FILE *file;

	(void)state;
	snprintf(name, sizeof(name), "%s/gomp_functions.txt", path ? path : "data");
	file = fopen(name, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char release[32], function[64], hex[1024];
		const char *number = release;

		if (line[0] == '#')
			continue;
		assert_int_equal(sscanf(line, "%31s %63s %1023s", release, function, hex), 3);
		if (strncmp(release, "static-", 7) == 0)
			number += 7;
		take_fields_of((unsigned int)strtoul(number, NULL, 10));
		memory.size = parse_hex(hex, memory.bytes);
		explore(&memory, &report);
		if (strcmp(function, "omp_get_thread_num") == 0)
			start = thread_start(&report);
		if (number == release)
			assert_int_equal(start, SLOT_VALUE);
		assert_int_not_equal(check(release, function, &report, start), 0);
		functions++;
	}
	fclose(file);
	assert_in_range(functions, 70, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
