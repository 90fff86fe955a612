// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of threads that LLVM's runtime knows no more: their structures were given back, and the
// memory still holds what it held. Another thread of the system may have the identifier by then.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"

enum { BRIEFLY = 1000 };

static ompd_address_space_handle_t *space;

// ---- A thread that does what it is told ------------------------------------------------------

enum step { UNKNOWN, CREATED, IN_A_REGION, AFTER_A_REGION, ENDED };

struct thread {
	pthread_t id;
	_Atomic uint64_t worker; // the other thread of its region
	atomic_int wanted, reached;
};

static void reach(struct thread *self, int step)
{
	atomic_store(&self->reached, step);
	while (atomic_load(&self->wanted) <= step)
		usleep(BRIEFLY);
}

// A function of its own: Clang's code asks at the beginning of one which thread it is, and the runtime
// knows the thread from then on.
__attribute__((noinline)) static void enter_a_region(struct thread *self)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			atomic_store(&self->worker, (uint64_t)pthread_self());
#pragma omp barrier
		if (omp_get_thread_num() == 0)
			reach(self, IN_A_REGION);
	}
}

static void *run(void *argument)
{
	struct thread *self = argument;

	reach(self, CREATED);
	enter_a_region(self);
	reach(self, AFTER_A_REGION);
	return NULL;
}

static void create(struct thread *thread)
{
	*thread = (struct thread){ .wanted = CREATED };
	assert_int_equal(pthread_create(&thread->id, NULL, run, thread), 0);
}

static void proceed(struct thread *thread, enum step step)
{
	atomic_store(&thread->wanted, step);
	if (step == ENDED)
		assert_int_equal(pthread_join(thread->id, NULL), 0);
	while (step != ENDED && atomic_load(&thread->reached) != (int)step)
		usleep(BRIEFLY);
}

// ---- Questions -------------------------------------------------------------------------------

static ompd_rc_t find(uint64_t id, ompd_thread_handle_t **ret)
{
	return ompd_get_thread_handle(space, ompd_thread_id_pthread, sizeof(id), &id, ret);
}

static ompd_thread_handle_t *found(uint64_t id)
{
	ompd_thread_handle_t *thread;

	assert_int_equal(find(id, &thread), ompd_rc_ok);
	return thread;
}

static ompd_rc_t ask_region(ompd_thread_handle_t *thread, ompd_ext_parallel_info *info)
{
	ompd_parallel_handle_t *region;
	ompd_rc_t rc = ompd_get_curr_parallel_handle(thread, &region);

	if (rc != ompd_rc_ok)
		return rc;
	assert_int_equal(ompd_ext_get_parallel_info(region, info), ompd_rc_ok);
	assert_int_equal(ompd_rel_parallel_handle(region), ompd_rc_ok);
	return rc;
}

static void check_in_region(ompd_thread_handle_t *thread, uint32_t kind)
{
	ompd_ext_parallel_info info;

	assert_int_equal(ask_region(thread, &info), ompd_rc_ok);
	assert_int_equal(info.kind, kind);
}

static void check_left(ompd_thread_handle_t *thread)
{
	ompd_ext_parallel_info info;
	ompd_task_handle_t *task;
	ompd_word_t state;
	uint64_t id;

	assert_int_equal(ask_region(thread, &info), ompd_rc_unavailable);
	assert_int_equal(ompd_get_curr_task_handle(thread, &task), ompd_rc_unavailable);
	assert_int_equal(ompd_get_state(thread, &state, NULL), ompd_rc_unavailable);
	assert_int_equal(ompd_get_thread_id(thread, ompd_thread_id_pthread, sizeof(id), &id),
			 ompd_rc_unavailable);
}

// An old handle is that of the new thread if the runtime took the same memory for it.
static void check_left_or_same(ompd_thread_handle_t *old, ompd_thread_handle_t *now)
{
	int differ;

	assert_int_equal(ompd_thread_handle_compare(old, now, &differ), ompd_rc_ok);
	if (differ)
		check_left(old);
}

static void release(ompd_thread_handle_t *thread)
{
	assert_int_equal(ompd_rel_thread_handle(thread), ompd_rc_ok);
}

// ---- Tests -----------------------------------------------------------------------------------

static void ended_thread(void **state)
{
	struct thread first, second;
	ompd_thread_handle_t *old, *worker, *now;
	ompd_word_t worker_state;

	(void)state;
	create(&first);
	proceed(&first, IN_A_REGION);
	old = found((uint64_t)first.id);
	worker = found(first.worker);
	check_in_region(old, ompd_ext_parallel_region);
	check_in_region(worker, ompd_ext_parallel_region);
	proceed(&first, AFTER_A_REGION);
	check_in_region(old, ompd_ext_parallel_initial);
	proceed(&first, ENDED);
	check_left(old);
	assert_int_equal(find((uint64_t)first.id, &now), ompd_rc_unavailable);
	assert_int_equal(ompd_get_state(worker, &worker_state, NULL), ompd_rc_ok);
	assert_int_equal(worker_state, ompt_state_idle);

	create(&second);
	proceed(&second, CREATED);
	if (!pthread_equal(first.id, second.id))
		print_message("no other thread got the same identifier\n");
	check_left(old);
	assert_int_equal(find((uint64_t)second.id, &now), ompd_rc_unavailable);
	proceed(&second, IN_A_REGION);
	now = found((uint64_t)second.id);
	check_in_region(now, ompd_ext_parallel_region);
	check_left_or_same(old, now);
	proceed(&second, ENDED);
	check_left(old);
	check_left(now);
	release(now);
	release(worker);
	release(old);
}

__attribute__((noinline)) static uint64_t find_worker(void)
{
	uint64_t worker = 0;

#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		worker = (uint64_t)pthread_self();
	return worker;
}

__attribute__((noinline)) static void check_anew(ompd_thread_handle_t *old)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		ompd_thread_handle_t *now = found((uint64_t)pthread_self());

		check_in_region(now, ompd_ext_parallel_region);
		check_left_or_same(old, now);
		release(now);
	}
}

// The runtime gives back all that it has, and begins anew. It does so while it knows no other thread
// of the program.
static void ended_runtime(void **state)
{
	const uint64_t self = (uint64_t)pthread_self(), other = find_worker();
	ompd_thread_handle_t *old, *worker, *now;

	(void)state;
	old = found(self);
	worker = found(other);
	check_in_region(old, ompd_ext_parallel_initial);
	assert_int_equal(omp_pause_resource_all(omp_pause_hard), 0);
	check_left(worker);
	check_left(old);
	assert_int_equal(find(self, &now), ompd_rc_unavailable);
	assert_int_equal(find(other, &now), ompd_rc_unavailable);
	check_left(worker);
	check_left(old);
	check_anew(old);
	release(worker);
	release(old);
}

static int open_space(void **state)
{
	(void)state;
	omp_get_max_threads();
	return host_open(&plain_callbacks, &space);
}

static int close_space(void **state)
{
	(void)state;
	return host_close(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ended_thread),
		cmocka_unit_test(ended_runtime),
	};

	alarm(100); // what does not come to be
	return cmocka_run_group_tests(tests, open_space, close_space);
}
