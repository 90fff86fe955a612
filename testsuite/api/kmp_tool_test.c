// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is its own tool (OMPT): states, frames, tool data, and on top of which task one
// runs, which LLVM's runtime keeps then.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"
#include "ompt_tool.h"

// ---- The tests -------------------------------------------------------------------------------

static ompd_address_space_handle_t *space;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

struct here {
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
};

static void open_here(struct here *here)
{
	uint64_t self = (uint64_t)pthread_self();

	pthread_mutex_lock(&turn);
	assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self,
						&here->thread),
			 ompd_rc_ok);
	assert_int_equal(ompd_get_curr_parallel_handle(here->thread, &here->parallel), ompd_rc_ok);
	assert_int_equal(ompd_get_curr_task_handle(here->thread, &here->task), ompd_rc_ok);
}

static void close_here(struct here *here)
{
	ompd_rel_task_handle(here->task);
	ompd_rel_parallel_handle(here->parallel);
	ompd_rel_thread_handle(here->thread);
	pthread_mutex_unlock(&turn);
}

static void check_data(void *handle, ompd_scope_t scope, uint64_t expected)
{
	ompd_address_t pointer = { 0, 0 };
	ompd_word_t value = 0;

	assert_int_equal(ompd_get_tool_data(handle, scope, &value, &pointer), ompd_rc_ok);
	assert_int_equal(value, expected);
	assert_int_equal(pointer.address, expected);
}

static void check_state(ompd_thread_handle_t *thread, ompd_word_t expected)
{
	ompd_wait_id_t wait = 0;
	ompd_word_t state = -1;

	assert_int_equal(ompd_get_state(thread, &state, &wait), ompd_rc_ok);
	assert_int_equal(state, expected);
}

static void data_and_states(void **state)
{
	(void)state;
#pragma omp parallel num_threads(3)
	{
		struct here here;

		open_here(&here);
		check_data(here.thread, ompd_scope_thread, tool_thread);
		check_data(here.parallel, ompd_scope_parallel, tool_newest_region);
		check_data(here.task, ompd_scope_task, tool_task);
		check_state(here.thread, ompt_state_work_parallel);
		close_here(&here);
	}
#pragma omp parallel if (0)
#pragma omp parallel if (0)
	{
		ompd_parallel_handle_t *outer;
		ompd_task_handle_t *parent;
		struct here here;

		open_here(&here);
		check_data(here.parallel, ompd_scope_parallel, tool_newest_region);
		check_data(here.task, ompd_scope_task, tool_task);
		assert_int_equal(ompd_get_enclosing_parallel_handle(here.parallel, &outer),
				 ompd_rc_ok);
		assert_int_equal(ompd_get_generating_task_handle(here.task, &parent), ompd_rc_ok);
		// Numbers are given in the order: region, task, region, task.
		check_data(outer, ompd_scope_parallel, tool_newest_region - 2);
		check_data(parent, ompd_scope_task, tool_task - 2);
		ompd_rel_parallel_handle(outer);
		ompd_rel_task_handle(parent);
		close_here(&here);
	}
}

static void frames(void **state)
{
	(void)state;
#pragma omp parallel num_threads(2)
	{
		ompd_frame_info_t leave = { { 0, 0 }, 0 }, enter = { { 0, 0 }, 0 };
		uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);
		struct here here;

		open_here(&here);
		assert_int_equal(ompd_get_task_frame(here.task, &leave, &enter), ompd_rc_ok);
		// Above this frame, on the same stack; and the task has called nothing of OpenMP.
		assert_in_range(leave.frame_address.address, stack, stack + 4096);
		assert_int_not_equal(leave.frame_flag, 0);
		assert_int_equal(enter.frame_address.address, 0);
		close_here(&here);
	}
}

#ifdef __x86_64__
// What Clang makes of a task that is not deferred. Some frames the runtime takes from the register
// that its caller has left as it was.
struct location {
	int32_t reserved, flags, reserved_2, length;
	const char *source;
};

int32_t __kmpc_global_thread_num(struct location *location);
void *__kmpc_omp_task_alloc(struct location *location, int32_t gtid, int32_t flags, size_t size,
			    size_t shareds, int32_t (*entry)(int32_t gtid, void *task));
void __kmpc_omp_task_begin_if0(struct location *location, int32_t gtid, void *task);
void __kmpc_omp_task_complete_if0(struct location *location, int32_t gtid, void *task);

// The same with another value in the frame pointer's register.
void begin_task_with(struct location *location, int32_t gtid, void *task, uintptr_t frame_pointer);
__asm__("	.text\n"
	"begin_task_with:\n"
	"	push %rbp\n"
	"	mov %rcx, %rbp\n"
	"	call __kmpc_omp_task_begin_if0@PLT\n"
	"	pop %rbp\n"
	"	ret\n");

static int32_t nothing(int32_t gtid, void *task)
{
	(void)gtid;
	(void)task;
	return 0;
}

static void check_frame_pointer(uintptr_t frame_pointer, ompd_rc_t expected)
{
	static struct location location = { .flags = 2, .source = ";unknown;unknown;0;0;;" };
	int32_t gtid = __kmpc_global_thread_num(&location);
	void *task = __kmpc_omp_task_alloc(&location, gtid, 1, 40, 0, nothing);
	ompd_frame_info_t leave = { { 0, 7 }, 0 }, enter = { { 0, 7 }, 0 };
	ompd_task_handle_t *outer;
	struct here here;

	begin_task_with(&location, gtid, task, frame_pointer);
	open_here(&here);
	assert_int_equal(ompd_get_task_frame(here.task, &leave, &enter), expected);
	assert_int_equal(leave.frame_address.address, expected == ompd_rc_ok ? frame_pointer : 7);
	assert_int_equal(ompd_get_generating_task_handle(here.task, &outer), ompd_rc_ok);
	leave.frame_address.address = enter.frame_address.address = 7;
	assert_int_equal(ompd_get_task_frame(outer, &leave, &enter), expected);
	assert_int_equal(enter.frame_address.address, expected == ompd_rc_ok ? frame_pointer : 7);
	ompd_rel_task_handle(outer);
	close_here(&here);
	__kmpc_omp_task_complete_if0(&location, gtid, task);
}

static void *check_frame_pointers(void *other_stack)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t on_heap = (uintptr_t)space;

	check_frame_pointer(here, ompd_rc_ok);
	check_frame_pointer(1, ompd_rc_unavailable);
	check_frame_pointer(UINTPTR_MAX, ompd_rc_unavailable);
	check_frame_pointer(on_heap, ompd_rc_unavailable);
	check_frame_pointer((uintptr_t)pthread_self(), ompd_rc_unavailable);
	if (other_stack)
		check_frame_pointer((uintptr_t)other_stack, ompd_rc_unavailable);
	return NULL;
}

// In the first thread, one on a stack of glibc's, and one on a stack of the program's.
static void frame_pointers(void **state)
{
	static char stack[1 << 18] __attribute__((aligned(64)));
	char *frame = __builtin_frame_address(0);
	pthread_attr_t attributes;
	pthread_t thread;

	(void)state;
	check_frame_pointers(NULL);
	assert_int_equal(pthread_create(&thread, NULL, check_frame_pointers, frame), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(pthread_attr_init(&attributes), 0);
	assert_int_equal(pthread_attr_setstack(&attributes, stack, sizeof(stack)), 0);
	assert_int_equal(pthread_create(&thread, &attributes, check_frame_pointers, frame), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attributes);
#pragma omp parallel num_threads(3)
	check_frame_pointers(omp_get_thread_num() ? frame : NULL);
}
#endif

static void scheduling(void **state)
{
	(void)state;
#pragma omp parallel num_threads(2)
#pragma omp master
	{
		uint64_t implicit = tool_task;

#pragma omp task if (0)
		{
			ompd_task_handle_t *below;
			struct here here;

			open_here(&here);
			check_data(here.task, ompd_scope_task, tool_newest_task);
			assert_int_equal(ompd_get_scheduling_task_handle(here.task, &below),
					 ompd_rc_ok);
			check_data(below, ompd_scope_task, implicit);
			ompd_rel_task_handle(below);
			close_here(&here);
		}
	}
}

// ---- What a thread waits for, as it tells itself in a signal handler --------------------------

static int (*tools_state)(uint64_t *wait_id);
static omp_lock_t lock;
static pthread_t waiter;
static int told_state;
static uint64_t told_wait;
static atomic_int told;

void tool_starts(lookup_function lookup)
{
	tools_state = (int (*)(uint64_t *))lookup("ompt_get_state");
}

static void tell(int number)
{
	(void)number;
	told_state = tools_state(&told_wait);
	atomic_store(&told, 1);
}

static void check_waiter(void)
{
	ompd_thread_handle_t *thread;
	ompd_wait_id_t wait = 0;
	ompd_word_t state = 0;

	assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, sizeof(waiter),
						&waiter, &thread),
			 ompd_rc_ok);
	while (state != ompt_state_wait_lock) {
		usleep(1000);
		assert_int_equal(ompd_get_state(thread, &state, &wait), ompd_rc_ok);
	}
	pthread_kill(waiter, SIGUSR1);
	while (!atomic_load(&told))
		usleep(1000);
	assert_int_equal(ompd_get_state(thread, &state, &wait), ompd_rc_ok);
	assert_int_equal(state, told_state);
	assert_int_equal(wait, told_wait);
	assert_int_not_equal(wait, 0);
	ompd_rel_thread_handle(thread);
}

static void wait_ids(void **state)
{
	struct sigaction action = { .sa_handler = tell, .sa_flags = SA_RESTART };

	(void)state;
	assert_non_null(tools_state);
	sigaction(SIGUSR1, &action, NULL);
	omp_init_lock(&lock);
	omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			waiter = pthread_self();
#pragma omp barrier
		if (omp_get_thread_num() == 1) {
			omp_set_lock(&lock);
		} else {
			check_waiter();
		}
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
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
		cmocka_unit_test(data_and_states), cmocka_unit_test(frames),
#ifdef __x86_64__
		cmocka_unit_test(frame_pointers),
#endif
		cmocka_unit_test(scheduling),	   cmocka_unit_test(wait_ids),
	};

	alarm(100); // a failure in one thread leaves the others at a barrier
	return cmocka_run_group_tests(tests, open_space, close_space);
}
