// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a thread is waited for that was asked to stop.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stop_wait.h"

enum { MANY = 1000000, FEW = 100 };

/** Look so often at a thread in a state. @return the looks after which the wait has an end. */
static int64_t look(struct stop_wait *wait, int64_t looks, char state, int64_t waits)
{
	int64_t i = 0;

	while (i < looks && stop_wait_note(wait, state, waits))
		i++;
	return i;
}

// It stops when a processor is free for it.
static void test_busy_machine(void **state)
{
	struct stop_wait wait = { 0 };

	(void)state;
	assert_int_equal(look(&wait, MANY, 'R', 7), MANY);
	assert_int_equal(look(&wait, MANY, 'S', 7), MANY);
	assert_int_equal(look(&wait, MANY, 't', 7), MANY);
}

static void test_one_long_wait(void **state)
{
	struct stop_wait wait = { 0 };

	(void)state;
	assert_in_range(look(&wait, MANY, 'D', 7), FEW, MANY - 1);
}

// A thread that reads a slow disk goes on between its waits.
static void test_many_short_waits(void **state)
{
	struct stop_wait wait = { 0 };

	(void)state;
	for (int64_t i = 0; i < MANY; i += FEW)
		assert_int_equal(look(&wait, FEW, 'D', i), FEW);
	for (int64_t i = 0; i < MANY; i += FEW) {
		assert_int_equal(look(&wait, FEW, 'D', 7), FEW);
		assert_int_equal(look(&wait, 1, 'R', 7), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_machine),
		cmocka_unit_test(test_one_long_wait),
		cmocka_unit_test(test_many_short_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
