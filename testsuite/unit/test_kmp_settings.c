// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of LLVM's runtime, found in libraries that do not name them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "kmp_libraries.h"

enum { ROW_PRINT = 16 };

#define LAYOUT_GLOBAL(g) #g,
static const char *const names[KMP_GLOBAL_COUNT] = {
#include "layout/kmp_globals.def"
};

// All are there, no two at one place; where the library has symbols, they say the same. LLVM 13
// has no list of tables of locks that would be known by its fields.
static void check_found(struct elf_target *target)
{
	struct kmp_layout layout;

	open_ok(target, &layout);
	for (unsigned int i = 0; i < KMP_GLOBAL_COUNT; i++) {
		uint64_t symbol = elf_target_find(target, names[i]);

		if (!layout.global[i] && i == KMP_GLOBAL___kmp_i_lock_table &&
		    layout.first_release == 13)
			continue;
		if (!layout.global[i])
			fail_msg("%s is not found", names[i]);
		if (symbol && layout.global[i] != symbol)
			fail_msg("%s is somewhere else", names[i]);
		for (unsigned int k = 0; k < i; k++) {
			if (layout.global[i] == layout.global[k])
				fail_msg("%s and %s are the same", names[i], names[k]);
		}
	}
}

static void test_found(void **state)
{
	(void)state;
	for_each_library(check_found);
}

// Without the way to the table, its variables are not known, and nothing else is amiss.
static void check_no_table(struct elf_target *target)
{
	struct kmp_layout layout;

	elf_target_hide(target, "omp_display_env");
	open_ok(target, &layout);
	assert_int_equal(layout.global[KMP_GLOBAL___kmp_tool_libraries], 0);
	assert_int_equal(layout.global[KMP_GLOBAL___kmp_display_affinity], 0);
	assert_int_not_equal(layout.global[KMP_GLOBAL___kmp_threads], 0);
}

static void test_no_table(void **state)
{
	(void)state;
	for_each_library(check_no_table);
}

// The row of a setting: the word that points to its name.
static uint8_t *find_row(const struct elf_target *target, const char *name)
{
	for (size_t at = 0; at + 40 <= target->size; at += 8) {
		const uint8_t *text;
		uint64_t word;

		memcpy(&word, target->memory + at, sizeof(word));
		text = elf_target_bytes(target, word, strlen(name) + 1);
		if (text && memcmp(text, name, strlen(name) + 1) == 0)
			return target->memory + at;
	}
	fail_msg("no setting %s", name);
	return NULL;
}

// A setting that shows another variable than the functions of the API use is a contradiction.
static void check_other_variable(struct elf_target *target)
{
	uint8_t *cancellation = find_row(target, "OMP_CANCELLATION");
	uint8_t *priority = find_row(target, "OMP_MAX_TASK_PRIORITY");
	uint8_t print[8];

	memcpy(print, cancellation + ROW_PRINT, sizeof(print));
	memcpy(cancellation + ROW_PRINT, priority + ROW_PRINT, sizeof(print));
	memcpy(priority + ROW_PRINT, print, sizeof(print));
	expect_refusal(target, ompd_rc_incompatible, "is kept at");
}

static void test_other_variable(void **state)
{
	(void)state;
	for_each_library(check_other_variable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_other_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
