// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two runtimes in one process, with teams at the same time. Usage: LIBRARY of runtimes_library.c

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"

static void (*in_region_of_gcc)(int threads, void (*body)(void));
static ompd_address_space_handle_t *gomp, *kmp;
static int asked;

enum { NO_THREAD = -1, LEVEL_0 = 0, LEVEL_1 = 1 };

static int level_of_self(ompd_address_space_handle_t *space, int *thread_num)
{
	uint64_t self = (uint64_t)pthread_self();
	ompd_parallel_handle_t *region, *outer;
	ompd_thread_handle_t *thread;
	int level = LEVEL_0;

	*thread_num = -1;
	ompd_rc_t rc = ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self, &thread);

	if (rc == ompd_rc_unavailable)
		return NO_THREAD;
	assert_int_equal(rc, ompd_rc_ok);
	assert_int_equal(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_thread_num(thread, region, thread_num), ompd_rc_ok);
	if (ompd_get_enclosing_parallel_handle(region, &outer) == ompd_rc_ok) {
		level = LEVEL_1;
		ompd_rel_parallel_handle(outer);
	}
	ompd_rel_parallel_handle(region);
	ompd_rel_thread_handle(thread);
	return level;
}

static void of_gcc_alone(void)
{
	int of_gcc, of_clang;

	assert_int_equal(level_of_self(gomp, &of_gcc), LEVEL_1);
	assert_int_equal(level_of_self(kmp, &of_clang), of_gcc == 0 ? LEVEL_0 : NO_THREAD);
	asked++;
}

// The primary thread of the team of GCC's is one of the team of Clang's.
static void of_both(void)
{
	int of_gcc, of_clang;

	assert_int_equal(level_of_self(gomp, &of_gcc), LEVEL_1);
	assert_int_equal(level_of_self(kmp, &of_clang), of_gcc == 0 ? LEVEL_1 : NO_THREAD);
	if (of_gcc == 0)
		assert_int_equal(of_clang, 0);
	asked++;
}

static void runtimes(void **state)
{
	ompd_address_space_handle_t *first, *none;
	ompd_ext_layout_info info = { .size = sizeof(info) };
	const char *name;
	size_t count = 0;

	(void)state;
	while (ompd_ext_enumerate_runtimes(count, &name) == ompd_rc_ok)
		count++;
	assert_in_range(count, 3, 10);
	assert_int_equal(ompd_ext_process_initialize(plain_context(), "libiomp5", &none),
			 ompd_rc_unavailable);
	assert_int_equal(ompd_ext_process_initialize(plain_context(), "no runtime", &none),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_process_initialize(plain_context(), &first), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_layout_info(first, &info), ompd_rc_ok);
	// The one that the program itself calls.
	assert_string_equal(info.runtime, "libomp");
	assert_int_equal(ompd_rel_address_space_handle(first), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_layout_info(kmp, &info), ompd_rc_ok);
	assert_string_equal(info.runtime, "libomp");
}

static void teams_at_the_same_time(void **state)
{
	(void)state;
	asked = 0;
	in_region_of_gcc(3, of_gcc_alone);
	assert_int_equal(asked, 3);
#pragma omp parallel num_threads(2)
	{
#pragma omp master
		in_region_of_gcc(3, of_both);
	}
	assert_int_equal(asked, 6);
}

static int open_spaces(void **state)
{
	(void)state;
	omp_get_max_threads();
	return ompd_initialize(202111, &plain_callbacks) != ompd_rc_ok ||
	       ompd_ext_process_initialize(plain_context(), "libgomp", &gomp) != ompd_rc_ok ||
	       ompd_ext_process_initialize(plain_context(), "libomp", &kmp) != ompd_rc_ok;
}

static int close_spaces(void **state)
{
	(void)state;
	ompd_rel_address_space_handle(gomp);
	ompd_rel_address_space_handle(kmp);
	ompd_finalize();
	return here_blocks != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runtimes),
		cmocka_unit_test(teams_at_the_same_time),
	};
	// Of its symbols its own runtime's come first.
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;

	if (library)
		in_region_of_gcc =
			(void (*)(int, void (*)(void)))dlsym(library, "in_region_of_gcc");
	if (!in_region_of_gcc)
		return 77;
	alarm(100); // a failure in one thread leaves the others at a barrier
	return cmocka_run_group_tests(tests, open_spaces, close_spaces);
}
