// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols by address and by name: whatever the table answers, libdwfl says as well, which goes through all
// symbols at each question.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "internal.h"

#include <cmocka.h>

enum { BIAS = 0x10000000, STEP = 7 };

static const char *const paths[] = { "/proc/self/exe", OTHER_LIBRARY };

static struct target *open_file(const char *path)
{
	const struct target_loaded loaded = {
		.path = path, .opened = path, .address = BIAS, .is_program = true
	};
	struct target_error error;
	struct target *target = target_open_files(&loaded, 1, &error);

	assert_non_null(target);
	assert_int_equal(target->num_files, 1);
	assert_non_null(target->files[0].module);
	return target;
}

/** What was answered so often. */
static size_t answers[SYMBOL_FOUND + 1];

static void check_address(struct mapped_file *file, uint64_t address)
{
	struct target_symbol symbol = { 0 };
	enum symbol_answer answer = symbol_place_at(file, address, &symbol);
	GElf_Off offset;
	GElf_Sym found;
	const char *name =
		dwfl_module_addrinfo(file->module, address, &offset, &found, NULL, NULL, NULL);
	bool is_there = name && *name && (!found.st_size || offset < found.st_size);

	answers[answer]++;
	if (answer == SYMBOL_ABSENT)
		assert_false(is_there);
	if (answer != SYMBOL_FOUND)
		return;
	assert_true(is_there);
	assert_string_equal(symbol.name, name);
	assert_int_equal(symbol.address, address - offset);
}

/** Ask around the beginnings and ends of symbols. */
static void check_addresses(struct target *target)
{
	struct mapped_file *file = &target->files[0];
	int count = dwfl_module_getsymtab(file->module);

	for (int i = 1; i < count; i += STEP) {
		GElf_Addr address;
		GElf_Sym symbol;

		if (!dwfl_module_getsym_info(file->module, i, &symbol, &address, NULL, NULL, NULL))
			continue;
		for (int at = -1; at <= 1; at++) {
			check_address(file, address + (uint64_t)at);
			check_address(file, address + symbol.st_size + (uint64_t)at);
		}
	}
}

static void test_by_address(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct target *target = open_file(paths[i]);

		check_addresses(target);
		target_close(target);
	}
	assert_in_range(answers[SYMBOL_ABSENT], 100, SIZE_MAX);
	assert_in_range(answers[SYMBOL_FOUND], 100, SIZE_MAX);
}

int versioned(void);
int unversioned(void);
int unversioned(void)
{
	return 1;
}
__asm__(".symver unversioned, versioned@@NEW");

static void test_by_name(void **state)
{
	struct target *target = open_file(paths[0]);
	uint64_t first, other;

	(void)state;
	assert_true(target_symbol_named(target, 0, "unversioned", &first));
	assert_true(target_symbol_named(target, 0, "versioned", &other));
	assert_int_equal(first, other);
	assert_true(target_symbol_named(target, 0, "main", &other));
	assert_int_not_equal(first, other);
	assert_false(target_symbol_named(target, 0, "version", &other));
	assert_false(target_symbol_named(target, 0, "versioned1", &other));
	target_close(target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_address),
		cmocka_unit_test(test_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
