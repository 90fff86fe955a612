// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our header against an LLVM package's: clients built with either can use any library.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "abi.h"

static void headers_agree(void **state)
{
	int rows = 0;

	(void)state;
	for (; abi_ours[rows].name && abi_theirs[rows].name; rows++) {
		assert_string_equal(abi_ours[rows].name, abi_theirs[rows].name);
		if (abi_ours[rows].value != abi_theirs[rows].value)
			fail_msg("%s: %ld, theirs is %ld", abi_ours[rows].name,
				 abi_ours[rows].value, abi_theirs[rows].value);
	}
	assert_null(abi_ours[rows].name);
	assert_null(abi_theirs[rows].name);
	assert_true(rows > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(headers_agree) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
