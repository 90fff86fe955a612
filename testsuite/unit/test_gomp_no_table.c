// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libgomp where its release has no table: linked without the tables, but for this one.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gomp_libraries.h"

static const struct layout_group groups[] = { { "GCC 99", 99, 99 } };
const struct layout_history gomp_history = { .groups = groups, .num_groups = 1 };
const struct layout_release gomp_releases[] = { { .release = 99, .exports = 1 } };
const size_t gomp_release_count = 1;

static void check_refused(struct elf_target *target, const char *path)
{
	(void)path;
	expect_refusal(target, ompd_rc_incompatible, "no layout of libgomp of GCC");
}

static void test_refused(void **state)
{
	(void)state;
	for_each_library(check_refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
