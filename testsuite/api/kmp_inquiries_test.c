// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is its own tool (OMPT) and its own debugger: in many places, in regions and tasks that
// are nested at random, what OMPT answers there is what OMPD answers from outside, while all other
// threads stand still wherever they happen to be.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"
#include "ompt_tool.h"
#include "standstill.h"

enum { SEEDS = 6, MAX_DEPTH = 4, MAX_LEVEL = 24, MAX_PLACES = 64, LEAST = 5000 };

// ---- OMPT, as far as it is used --------------------------------------------------------------

struct frame {
	union data exit_frame, enter_frame;
	int exit_flags, enter_flags;
};

static struct {
	int (*get_state)(uint64_t *wait_id);
	union data *(*get_thread_data)(void);
	int (*get_parallel_info)(int level, union data **data, int *team_size);
	int (*get_task_info)(int level, int *flags, union data **task_data, struct frame **frame,
			     union data **parallel_data, int *thread_num);
	int (*get_place_num)(void);
	int (*get_proc_id)(void);
	int (*get_task_memory)(void **address, size_t *size, int block);
	int (*get_partition_place_nums)(int size, int *nums);
	int (*get_target_info)(uint64_t *device, uint64_t *target, uint64_t *host_op);
	int (*get_num_devices)(void);
	int (*enumerate_states)(int current, int *next, const char **name);
	int (*enumerate_mutex_impls)(int current, int *next, const char **name);
} ompt;

void tool_starts(lookup_function lookup)
{
#define LOOK_UP(name) ompt.name = (__typeof__(ompt.name))lookup("ompt_" #name)
	LOOK_UP(get_state);
	LOOK_UP(get_thread_data);
	LOOK_UP(get_parallel_info);
	LOOK_UP(get_task_info);
	LOOK_UP(get_place_num);
	LOOK_UP(get_proc_id);
	LOOK_UP(get_task_memory);
	LOOK_UP(get_partition_place_nums);
	LOOK_UP(get_target_info);
	LOOK_UP(get_num_devices);
	LOOK_UP(enumerate_states);
	LOOK_UP(enumerate_mutex_impls);
#undef LOOK_UP
}

// ---- Comparing -------------------------------------------------------------------------------

static ompd_address_space_handle_t *space;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static long comparisons, differences, places, left_out, memories, frames;

static void same(const char *what, int level, uint64_t ours, uint64_t theirs)
{
	comparisons++;
	if (ours == theirs)
		return;
	differences++;
	fprintf(stderr, "%s at level %d: OMPD says %llx, OMPT %llx\n", what, level,
		(unsigned long long)ours, (unsigned long long)theirs);
}

// Of a call of libompd's: what it returned, beside what OMPT lets expect.
static void same_code(const char *what, int level, ompd_rc_t ours, ompd_rc_t theirs)
{
	same(what, level, ours, theirs);
	if (ours != theirs && ours != ompd_rc_ok)
		fprintf(stderr, "  OMPD: %s\n", ompd_ext_last_reason());
}

static void compare_regions(ompd_thread_handle_t *thread)
{
	ompd_ext_ompt_parallel_info info;
	int there = 1;

	for (int level = 0; there && level < MAX_LEVEL; level++) {
		union data *data = NULL;
		int team_size = -1;
		ompd_rc_t rc = ompd_ext_get_ompt_parallel_info(thread, level, &info);

		there = ompt.get_parallel_info(level, &data, &team_size);
		same_code("region", level, rc, there ? ompd_rc_ok : ompd_rc_unavailable);
		if (rc != ompd_rc_ok || !there)
			continue;
		same("known of a region", level, info.known, ompd_ext_ompt_parallel_data);
		same("team size", level, (uint64_t)info.team_size, (uint64_t)team_size);
		same("region's data", level, info.parallel_data, data->value);
	}
}

// The runtime's walk goes wrong below an undeferred task in nested regions of one thread: it leaves
// out the innermost of them, and comes to the others twice (__ompt_get_task_info_internal). Tasks have
// different numbers here.
static bool ompt_repeats_itself(void)
{
	uint64_t seen[MAX_LEVEL];
	union data *data;

	for (int level = 0;
	     level < MAX_LEVEL && ompt.get_task_info(level, NULL, &data, NULL, NULL, NULL);
	     level++) {
		seen[level] = data->value;
		for (int i = 0; i < level; i++) {
			if (seen[i] == seen[level])
				return true;
		}
	}
	return false;
}

enum { IMPLICIT = 2 }; // of ompt_task_flag_t

// LLVM 13 has another thread's number for most tasks below the innermost (corrected in LLVM 14).
static bool ompt_numbers_wrongly(void)
{
	return !dlsym(RTLD_DEFAULT, "__kmpc_scope"); // which LLVM 14 brought, too
}

static bool is_on_stack(uint64_t address)
{
	pthread_attr_t attributes;
	size_t size = 0;
	void *start = NULL;

	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return false;
	pthread_attr_getstack(&attributes, &start, &size);
	pthread_attr_destroy(&attributes);
	return !address || address - (uint64_t)start < size;
}

// The runtime takes some frames from a register in which code without frame pointers keeps anything
// else: OMPT tells what it finds there, OMPD that it is unknown.
static void compare_frames(const ompd_ext_ompt_task_info *info, const struct frame *frame,
			   int level)
{
	bool is_frame = is_on_stack(frame->exit_frame.value) &&
			is_on_stack(frame->enter_frame.value);

	same("known of a task", level, info->known, is_frame ? 31 : 31 & ~ompd_ext_ompt_frame);
	if (!is_frame)
		return;
	frames++;
	same("exit frame", level, info->exit_frame.frame_address.address, frame->exit_frame.value);
	same("enter frame", level, info->enter_frame.frame_address.address,
	     frame->enter_frame.value);
}

static void compare_tasks(ompd_thread_handle_t *thread)
{
	ompd_ext_ompt_task_info info;
	int there = 1;

	places++;
	if (ompt_repeats_itself()) {
		left_out++;
		return;
	}
	for (int level = 0; there && level < MAX_LEVEL; level++) {
		union data *data = NULL, *region = NULL;
		struct frame *frame = NULL;
		int flags = -1, number = -1;
		ompd_rc_t rc = ompd_ext_get_ompt_task_info(thread, level, &info);

		there = ompt.get_task_info(level, &flags, &data, &frame, &region, &number);
		same_code("task", level, rc, there ? ompd_rc_ok : ompd_rc_unavailable);
		if (rc != ompd_rc_ok || !there)
			continue;
		same("task's type", level, info.type, (uint32_t)flags);
		same("task's data", level, info.task_data, data->value);
		same("task's region", level, info.parallel_data, region->value);
		compare_frames(&info, frame, level);
		if (level == 0 || !ompt_numbers_wrongly())
			same("thread number", level, (uint64_t)info.thread_num, (uint64_t)number);
		// Above a worker's implicit task OMPT has the task that encountered the region for
		// which the worker came to the team: perhaps an earlier one.
		if ((info.type & IMPLICIT) && info.thread_num != 0)
			break;
	}
}

static void compare_places(ompd_thread_handle_t *thread)
{
	int theirs[MAX_PLACES], ours[MAX_PLACES], place = -1;
	int count = ompt.get_partition_place_nums(MAX_PLACES, theirs);
	size_t own = 0;

	ompd_ext_get_place_num(thread, &place);
	same("place", 0, (uint64_t)place, (uint64_t)ompt.get_place_num());
	ompd_ext_get_partition_place_nums(thread, ours, MAX_PLACES, &own);
	same("places", 0, own, (uint64_t)count);
	for (size_t i = 0; i < own && i < MAX_PLACES && (int)own == count; i++)
		same("place in a partition", (int)i, (uint64_t)ours[i], (uint64_t)theirs[i]);
}

// Its return value is no help: later releases say 0 whatever they tell.
static void compare_memory(ompd_thread_handle_t *thread)
{
	uint64_t address = 0, size = 0;
	void *theirs = NULL;
	size_t their_size = 0;
	ompd_rc_t rc = ompd_ext_get_task_memory(thread, 0, &address, &size);

	ompt.get_task_memory(&theirs, &their_size, 0);
	same_code("task memory", 0, rc, theirs ? ompd_rc_ok : ompd_rc_unavailable);
	same("address of task memory", 0, address, (uint64_t)theirs);
	same("size of task memory", 0, size, their_size);
	memories += theirs != NULL;
	same("second block", 0, ompd_ext_get_task_memory(thread, 1, &address, &size),
	     ompd_rc_unavailable);
}

// The thread may be moved at any time.
static void compare_processors(ompd_thread_handle_t *thread)
{
	int before, after, own = -1;
	ompd_rc_t rc;

	do {
		before = ompt.get_proc_id();
		rc = ompd_ext_get_proc_id(thread, &own);
		after = ompt.get_proc_id();
	} while (before != after);
	same_code("code of the processor", 0, rc,
		  host_keeps_processors() ? ompd_rc_ok : ompd_rc_unavailable);
	if (rc == ompd_rc_ok)
		same("processor", 0, (uint64_t)own, (uint64_t)after);
}

static void compare_here(void)
{
	uint64_t self = (uint64_t)pthread_self(), data = 0, theirs = 0, unused;
	ompd_thread_handle_t *thread;
	ompd_wait_id_t wait = 0;
	ompd_word_t state = -1;
	int devices = -1;

	pthread_mutex_lock(&turn);
	standstill_begin();
	assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self, &thread),
			 ompd_rc_ok);
	same_code("code of the state", 0, ompd_get_state(thread, &state, &wait), ompd_rc_ok);
	same("state", 0, (uint64_t)state, (uint64_t)ompt.get_state(&theirs));
	same("wait id", 0, wait, theirs);
	same_code("code of thread data", 0, ompd_ext_get_thread_data(thread, &data), ompd_rc_ok);
	same("thread data", 0, data, ompt.get_thread_data()->value);
	same("target", 0, ompd_ext_get_target_info(thread, &unused, &unused, &unused) == 0,
	     ompt.get_target_info(&unused, &unused, &unused) != 0);
	ompd_ext_get_num_devices(space, &devices);
	same("devices", 0, (uint64_t)devices, (uint64_t)ompt.get_num_devices());
	compare_regions(thread);
	compare_tasks(thread);
	compare_places(thread);
	compare_memory(thread);
	compare_processors(thread);
	ompd_rel_thread_handle(thread);
	standstill_end();
	pthread_mutex_unlock(&turn);
}

// ---- Regions and tasks at random -------------------------------------------------------------

static void visit(unsigned int seed, int depth)
{
	unsigned int choice = (unsigned int)rand_r(&seed) % 8;
	unsigned int next = (unsigned int)rand_r(&seed);

	compare_here();
	if (depth == 0)
		return;
	switch (choice) {
	case 0:
	case 1:
#pragma omp parallel num_threads(2)
		visit(next + (unsigned int)omp_get_thread_num(), depth - 1);
		break;
	case 2:
#pragma omp parallel if (0)
		visit(next, depth - 1);
		break;
	case 3:
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(1)
		visit(next, depth - 1);
		break;
	case 4:
#pragma omp task if (0)
		visit(next, depth - 1);
		break;
	case 5:
#pragma omp task final(next % 2) mergeable
		visit(next, depth - 1);
#pragma omp taskwait
		break;
	case 6:
#pragma omp task untied
		visit(next, depth - 1);
#pragma omp task
		visit(next + 1, depth - 1);
#pragma omp taskwait
		break;
	default:
#pragma omp taskgroup
#pragma omp task
		visit(next, depth - 1);
		break;
	}
	compare_here();
}

static void everywhere(void **state)
{
	(void)state;
	compare_here();
	for (unsigned int seed = 0; seed < SEEDS; seed++) {
		visit(seed, MAX_DEPTH);
#pragma omp parallel num_threads(3)
		{
			visit(seed + 100 * (unsigned int)omp_get_thread_num(), MAX_DEPTH);
#pragma omp barrier
			compare_here();
		}
	}
	printf("%ld comparisons, %ld differences; %ld of %ld places left out\n", comparisons,
	       differences, left_out, places);
	assert_true(left_out * 10 < places);
	assert_int_equal(differences, 0);
	assert_true(comparisons >= LEAST);
	assert_true(frames >= places);
	assert_true(memories > 0);
}

// ---- Enumerations ----------------------------------------------------------------------------

static void enumerations(void **state)
{
	const char *theirs, *ours;
	int current = 0, next, own, more = 1, count = 0;
	ompd_word_t own_state, more_states;

	(void)state;
	for (; ompt.enumerate_mutex_impls(current, &next, &theirs); current = next, count++) {
		assert_int_equal(more, 1);
		assert_int_equal(ompd_ext_enumerate_mutex_impls(space, current, &own, &ours, &more),
				 ompd_rc_ok);
		assert_int_equal(own, next);
		assert_string_equal(ours, theirs);
	}
	assert_int_equal(more, 0);
	assert_true(count > 0);
	assert_int_equal(ompd_ext_enumerate_mutex_impls(space, current, &own, &ours, &more),
			 ompd_rc_bad_input);
	// Each state of the runtime's has the same number and name here, which knows more of them.
	current = ompt_state_undefined;
	for (count = 0; ompt.enumerate_states(current, &next, &theirs); current = next) {
		bool found = false;

		own_state = ompt_state_undefined;
		do {
			assert_int_equal(ompd_enumerate_states(space, own_state, &own_state, &ours,
							       &more_states),
					 ompd_rc_ok);
			found |= own_state == next && strcmp(ours, theirs) == 0;
			standstill_free((void *)ours);
		} while (more_states);
		count += found;
		assert_true(found);
	}
	assert_true(count > 10);
}

static int open_space(void **state)
{
	const ompd_callbacks_t callbacks = standstill_callbacks();

	(void)state;
	omp_get_max_threads();
	omp_set_max_active_levels(3);
	return host_open(&callbacks, &space);
}

static int close_space(void **state)
{
	(void)state;
	return host_close(space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everywhere),
		cmocka_unit_test(enumerations),
	};

	alarm(100); // a failure in one thread leaves the others at a barrier
	return cmocka_run_group_tests(tests, open_space, close_space);
}
