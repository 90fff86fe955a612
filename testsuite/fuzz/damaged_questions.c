// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The questions: every routine of libompd, with handles as a debugger would have them. Answers on
// damaged memory may be wrong; the calls must end soon, return codes of the interface, and leave
// nothing behind.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "damaged_memory.h"
#include "ompd/ompd_ext.h"

enum {
	MAX_TASKS = 20000, // of one enumeration; more means that it does not end
};

struct worst_use worst_use;
double most_seconds_of_call;
static const char *current; // question
static double begun;	    // the call

// ---- One call --------------------------------------------------------------------------------

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", current, what);
	abort();
}

// Read the clock of processor time, which takes as long as many a call.
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void begin(void)
{
	recorded_begin_call();
	if (most_seconds_of_call > 0)
		begun = now();
}

static void check_time(void)
{
	double seconds = most_seconds_of_call > 0 ? now() - begun : 0;

	if (seconds <= most_seconds_of_call)
		return;
	fprintf(stderr, "%s: a call that takes %.0f ms\n", current, 1e3 * seconds);
	abort();
}

static ompd_rc_t end(ompd_rc_t rc)
{
	check_time();
	unsigned long requests = callback_counts.reads + callback_counts.symbols;
	const char *reason = ompd_ext_last_reason();

	if ((int)rc < 0 || rc > ompd_rc_callback_error)
		die("a code that there is not");
	if (!reason || strchr(reason, '\n'))
		die("a reason of several lines");
	if (requests > worst_use.requests) {
		worst_use.requests = requests;
		worst_use.longest = current;
	}
	if (recorded_use.allocated - recorded_use.kept > worst_use.allocated) {
		worst_use.allocated = recorded_use.allocated - recorded_use.kept;
		worst_use.largest = current;
	}
	return rc;
}

#define CALL(call) (begin(), end(call))

// ---- The subject -----------------------------------------------------------------------------

ompd_address_space_handle_t *open_space(void)
{
	ompd_address_space_handle_t *space;

	current = "open_space";
	return CALL(ompd_process_initialize(plain_context(), &space)) == ompd_rc_ok ? space : NULL;
}

void close_space(ompd_address_space_handle_t *space)
{
	current = "close_space";
	CALL(ompd_rel_address_space_handle(space));
}

void subject_open(struct subject *subject, const struct recorded_target *target,
		  ompd_address_space_handle_t *space, uint32_t thread)
{
	uint64_t id = target->threads[thread % target->thread_count].pthread;

	current = "subject_open";
	*subject = (struct subject){ .target = target, .space = space };
	if (!space)
		return;
	if (CALL(ompd_get_thread_handle(subject->space, ompd_thread_id_pthread, 8, &id,
					&subject->thread)) != ompd_rc_ok) {
		subject->thread = NULL;
		return;
	}
	if (CALL(ompd_get_curr_parallel_handle(subject->thread, &subject->parallel)) != ompd_rc_ok)
		subject->parallel = NULL;
	if (CALL(ompd_get_curr_task_handle(subject->thread, &subject->task)) != ompd_rc_ok)
		subject->task = NULL;
	if (subject->parallel &&
	    CALL(ompd_get_enclosing_parallel_handle(subject->parallel, &subject->outer)) !=
		    ompd_rc_ok)
		subject->outer = NULL;
	if (subject->task &&
	    CALL(ompd_get_generating_task_handle(subject->task, &subject->other_task)) !=
		    ompd_rc_ok)
		subject->other_task = NULL;
}

void subject_close(struct subject *subject)
{
	current = "subject_close";
	if (subject->other_task)
		CALL(ompd_rel_task_handle(subject->other_task));
	if (subject->task)
		CALL(ompd_rel_task_handle(subject->task));
	if (subject->outer)
		CALL(ompd_rel_parallel_handle(subject->outer));
	if (subject->parallel)
		CALL(ompd_rel_parallel_handle(subject->parallel));
	if (subject->thread)
		CALL(ompd_rel_thread_handle(subject->thread));
}

// One of the two that a variant chooses.
static ompd_parallel_handle_t *parallel_of(const struct subject *subject, uint32_t variant)
{
	return variant % 2 ? subject->outer : subject->parallel;
}

static ompd_task_handle_t *task_of(const struct subject *subject, uint32_t variant)
{
	return variant % 2 ? subject->other_task : subject->task;
}

// An address that a debugger might ask about.
static uint64_t place_of(const struct subject *subject, uint32_t variant)
{
	const struct recorded_target *target = subject->target;

	if (variant % 2 && target->pointer_count)
		return target->pointers[variant / 2 % target->pointer_count].value;
	return target->place_count ? target->places[variant / 2 % target->place_count] : 1;
}

// ---- Process ---------------------------------------------------------------------------------

#define QUESTION(name) static void name(struct subject *subject, uint32_t variant)

QUESTION(process)
{
	ompd_address_space_handle_t *space = NULL;
	const char *name = NULL;
	ompd_rc_t rc;

	if (CALL(ompd_ext_enumerate_runtimes(variant % 4, &name)) != ompd_rc_ok)
		name = NULL;
	if (!subject->opens)
		return;
	rc = CALL(ompd_ext_process_initialize(plain_context(), name, &space));
	if (rc == ompd_rc_ok)
		CALL(ompd_rel_address_space_handle(space));
}

QUESTION(version)
{
	ompd_ext_layout_info layout = { .size = sizeof(layout) };
	const char *text;
	ompd_word_t word;
	int devices;

	(void)variant;
	CALL(ompd_get_api_version(&word));
	CALL(ompd_get_omp_version(subject->space, &word));
	if (CALL(ompd_get_version_string(&text)) == ompd_rc_ok && !strlen(text))
		die("a version without text");
	if (CALL(ompd_get_omp_version_string(subject->space, &text)) == ompd_rc_ok)
		recorded_free(text);
	CALL(ompd_ext_get_layout_info(subject->space, &layout));
	CALL(ompd_ext_get_state_tracking(subject->space));
	CALL(ompd_ext_get_num_devices(subject->space, &devices));
}

QUESTION(id_kinds)
{
	ompd_thread_id_t *kinds;
	ompd_size_t *sizes;
	int count;

	(void)variant;
	if (CALL(ompd_get_device_thread_id_kinds(subject->space, &kinds, &sizes, &count)) ==
	    ompd_rc_ok) {
		recorded_free(kinds);
		recorded_free(sizes);
	}
}

QUESTION(device)
{
	ompd_address_space_handle_t *device = NULL;
	uint64_t id = variant;

	CALL(ompd_device_initialize(subject->space, plain_context(), 0, 8, &id, &device));
	CALL(ompd_get_device_from_thread(subject->thread, &device));
}

QUESTION(control_variables)
{
	const char *const *variables;

	(void)variant;
	if (CALL(ompd_get_display_control_vars(subject->space, &variables)) == ompd_rc_ok)
		CALL(ompd_rel_display_control_vars(&variables));
}

QUESTION(environment)
{
	static const char *const names[] = { "OMP_NUM_THREADS", "HOME", "", "GOMP_SPINCOUNT" };
	const char *value;

	if (CALL(ompd_ext_get_environment(subject->space, names[variant % 4], &value)) ==
	    ompd_rc_ok)
		recorded_free(value);
}

QUESTION(enumerations)
{
	const char *name;
	ompd_word_t next, more;
	ompd_icv_id_t id;
	ompd_scope_t scope;
	int number, more_number;

	if (CALL(ompd_enumerate_states(subject->space, variant % 0x110, &next, &name, &more)) ==
	    ompd_rc_ok)
		recorded_free(name);
	if (CALL(ompd_enumerate_icvs(subject->space, variant % 70, &id, &name, &scope,
				     &more_number)) == ompd_rc_ok)
		recorded_free(name);
	CALL(ompd_ext_enumerate_mutex_impls(subject->space, (int)(variant % 5), &number, &name,
					    &more_number));
}

// ---- Threads ---------------------------------------------------------------------------------

QUESTION(thread)
{
	const struct recorded_target *target = subject->target;
	const struct recorded_thread *thread = &target->threads[variant / 2 % target->thread_count];
	uint64_t id = variant % 2 ? thread->lwp : thread->pthread;
	ompd_thread_handle_t *handle;
	int same;

	if (CALL(ompd_get_thread_handle(subject->space,
					variant % 2 ? ompd_thread_id_lwp : ompd_thread_id_pthread,
					8, &id, &handle)) != ompd_rc_ok)
		return;
	CALL(ompd_thread_handle_compare(handle, subject->thread, &same));
	CALL(ompd_rel_thread_handle(handle));
}

QUESTION(thread_in_parallel)
{
	ompd_thread_handle_t *handle;

	if (CALL(ompd_get_thread_in_parallel(parallel_of(subject, variant), (int)(variant / 2 % 9),
					     &handle)) == ompd_rc_ok)
		CALL(ompd_rel_thread_handle(handle));
}

QUESTION(thread_id)
{
	uint64_t id;

	CALL(ompd_get_thread_id(subject->thread, variant % 3, 8, &id));
	CALL(ompd_ext_get_handle_id(subject->thread, ompd_scope_thread, &id));
}

QUESTION(all_threads)
{
	ompd_thread_handle_t **handles;
	size_t count;
	ompd_rc_t rc =
		CALL(ompd_ext_get_threads(subject->space, variant % 2 ? NULL : &handles, &count));

	if (variant % 2 || (rc != ompd_rc_ok && rc != ompd_rc_incomplete))
		return;
	for (size_t i = 0; i < count; i++)
		CALL(ompd_rel_thread_handle(handles[i]));
	recorded_free(handles);
}

QUESTION(thread_facts)
{
	ompd_ext_thread_info info;
	uint64_t data, address, size;
	int numbers[8], number;
	size_t count;

	CALL(ompd_ext_get_thread_info(subject->thread, &info));
	CALL(ompd_ext_get_thread_data(subject->thread, &data));
	CALL(ompd_ext_get_thread_num(subject->thread, parallel_of(subject, variant), &number));
	CALL(ompd_ext_get_proc_id(subject->thread, &number));
	CALL(ompd_ext_get_place_num(subject->thread, &number));
	CALL(ompd_ext_get_partition_place_nums(subject->thread, numbers, 8, &count));
	CALL(ompd_ext_get_target_info(subject->thread, &data, &address, &size));
	CALL(ompd_ext_get_task_memory(subject->thread, (int)(variant % 2), &address, &size));
}

QUESTION(state)
{
	ompd_wait_id_t wait;
	ompd_word_t state;

	(void)variant;
	CALL(ompd_get_state(subject->thread, &state, &wait));
}

QUESTION(loop)
{
	ompd_ext_loop_info info;
	int number;

	(void)variant;
	CALL(ompd_ext_get_loop_info(subject->thread, &info));
	CALL(ompd_ext_get_ordered_turn(subject->thread, &number));
}

QUESTION(levels)
{
	static const int levels[] = { 0, 1, 2, 3, 7, 1000000, 0x7fffffff, -1 };
	ompd_ext_ompt_parallel_info parallel;
	ompd_ext_ompt_task_info task;

	CALL(ompd_ext_get_ompt_task_info(subject->thread, levels[variant % 8], &task));
	CALL(ompd_ext_get_ompt_parallel_info(subject->thread, levels[variant % 8], &parallel));
}

// ---- Regions ---------------------------------------------------------------------------------

static void compare_parallel(const struct subject *subject, ompd_rc_t rc,
			     ompd_parallel_handle_t *handle)
{
	uint64_t id;
	int same;

	if (rc != ompd_rc_ok)
		return;
	CALL(ompd_ext_get_handle_id(handle, ompd_scope_parallel, &id));
	CALL(ompd_parallel_handle_compare(handle, subject->parallel, &same));
	CALL(ompd_rel_parallel_handle(handle));
}

QUESTION(parallel)
{
	ompd_parallel_handle_t *handle = NULL;
	ompd_rc_t rc;

	switch (variant % 3) {
	case 0:
		rc = CALL(ompd_get_curr_parallel_handle(subject->thread, &handle));
		break;
	case 1:
		rc = CALL(ompd_get_enclosing_parallel_handle(parallel_of(subject, variant / 3),
							     &handle));
		break;
	default:
		rc = CALL(ompd_get_task_parallel_handle(task_of(subject, variant / 3), &handle));
		break;
	}
	compare_parallel(subject, rc, handle);
}

QUESTION(parallel_facts)
{
	ompd_ext_parallel_info info;
	ompd_ext_barrier_info barrier;

	CALL(ompd_ext_get_parallel_info(parallel_of(subject, variant), &info));
	CALL(ompd_ext_get_barrier_info(parallel_of(subject, variant), &barrier));
}

// ---- Tasks -----------------------------------------------------------------------------------

static void compare_task(const struct subject *subject, ompd_rc_t rc, ompd_task_handle_t *handle)
{
	uint64_t id;
	int same;

	if (rc != ompd_rc_ok)
		return;
	CALL(ompd_ext_get_handle_id(handle, ompd_scope_task, &id));
	CALL(ompd_task_handle_compare(handle, subject->task, &same));
	CALL(ompd_rel_task_handle(handle));
}

QUESTION(task)
{
	ompd_task_handle_t *handle = NULL;
	ompd_rc_t rc;

	switch (variant % 4) {
	case 0:
		rc = CALL(ompd_get_curr_task_handle(subject->thread, &handle));
		break;
	case 1:
		rc = CALL(ompd_get_generating_task_handle(task_of(subject, variant / 4), &handle));
		break;
	case 2:
		rc = CALL(ompd_get_scheduling_task_handle(task_of(subject, variant / 4), &handle));
		break;
	default:
		rc = CALL(ompd_get_task_in_parallel(parallel_of(subject, variant / 4),
						    (int)(variant / 8 % 9), &handle));
		break;
	}
	compare_task(subject, rc, handle);
}

QUESTION(task_facts)
{
	ompd_task_handle_t *task = task_of(subject, variant);
	ompd_frame_info_t frames[2];
	ompd_ext_task_counts counts;
	ompd_ext_task_info info;
	ompd_ext_depend depends[4];
	ompd_address_t function;
	uint64_t ids[4];
	size_t count;

	CALL(ompd_get_task_function(task, &function));
	CALL(ompd_get_task_frame(task, &frames[0], &frames[1]));
	CALL(ompd_ext_get_task_info(task, &info));
	CALL(ompd_ext_get_task_counts(task, &counts));
	CALL(ompd_ext_get_task_depends(task, depends, 4, &count));
	CALL(ompd_ext_get_task_dependers(task, ids, 4, &count));
}

// A task that the enumeration told of, in its region.
static void ask_of_task(struct subject *subject, ompd_parallel_handle_t *parallel,
			const ompd_ext_task_info *info)
{
	ompd_task_handle_t *task, *kept = subject->task;

	if (CALL(ompd_ext_get_task_by_info(parallel, info, &task)) != ompd_rc_ok)
		return;
	subject->task = task;
	task_facts(subject, 0);
	subject->task = kept;
	CALL(ompd_rel_task_handle(task));
}

QUESTION(all_tasks)
{
	ompd_parallel_handle_t *parallel = parallel_of(subject, variant / 2);
	ompd_ext_task_iterator *iterator = NULL;
	ompd_ext_task_info records[8];
	size_t count = 1, total = 0;
	ompd_ext_task_info last = { 0 };
	uint32_t unreached;
	ompd_rc_t rc = variant % 2 ? CALL(ompd_ext_tasks_open_all(subject->space, &iterator)) :
				     CALL(ompd_ext_tasks_open(parallel, &iterator));

	if (rc != ompd_rc_ok)
		return;
	while (count && (rc == ompd_rc_ok || rc == ompd_rc_incomplete)) {
		rc = CALL(ompd_ext_tasks_next(iterator, records, 1 + variant / 4 % 8, &count));
		total += count;
		if (total > MAX_TASKS)
			die("an enumeration without end");
		if (count && (total == count || variant / 32 % 4 == 0))
			last = records[count - 1];
	}
	CALL(ompd_ext_tasks_unreached(iterator, &unreached));
	CALL(ompd_ext_tasks_close(iterator));
	if (last.id && !(variant % 2))
		ask_of_task(subject, parallel, &last);
}

// ---- Variables -------------------------------------------------------------------------------

static void *handle_of_scope(const struct subject *subject, ompd_scope_t scope, uint32_t variant)
{
	switch (scope) {
	case ompd_scope_thread:
		return subject->thread;
	case ompd_scope_parallel:
		return parallel_of(subject, variant);
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		return task_of(subject, variant);
	default:
		return subject->space;
	}
}

QUESTION(variable)
{
	static const ompd_scope_t scopes[] = { ompd_scope_address_space, ompd_scope_thread,
					       ompd_scope_parallel, ompd_scope_implicit_task,
					       ompd_scope_task };
	ompd_scope_t scope = scopes[variant % 5];
	void *handle = handle_of_scope(subject, scope, variant / 5);
	ompd_icv_id_t id = variant / 10 % 64;
	ompd_address_t pointer;
	ompd_word_t value;
	const char *text;

	CALL(ompd_get_icv_from_scope(handle, scope, id, &value));
	if (CALL(ompd_get_icv_string_from_scope(handle, scope, id, &text)) == ompd_rc_ok)
		recorded_free(text);
	CALL(ompd_ext_get_icv(handle, scope, "nest-var", &value));
	CALL(ompd_get_tool_data(handle, scope, &value, &pointer));
}

// Every one of them, of a scope.
QUESTION(variables)
{
	for (uint32_t id = 0; id < 64; id++)
		variable(subject, variant % 10 + 10 * id);
}

// ---- Locks and waits -------------------------------------------------------------------------

QUESTION(lock)
{
	uint64_t place = place_of(subject, variant / 3), in_use[2];
	ompd_ext_lock_info info;

	in_use[0] = place;
	in_use[1] = place_of(subject, variant / 5);
	CALL(ompd_ext_get_lock_info(subject->space, variant % 3, place, &info));
	CALL(ompd_ext_confirm_lock(subject->thread, variant % 3, place, in_use, 2));
}

QUESTION(wait_site)
{
	uint64_t place = place_of(subject, variant), entry;
	ompd_ext_argument argument;
	ompd_ext_wait_site site;

	CALL(ompd_ext_classify_call(subject->space, place, &site));
	CALL(ompd_ext_classify_entry(subject->space, place, &site));
	CALL(ompd_ext_classify_futex(subject->thread, place, &site));
	CALL(ompd_ext_get_call_target(subject->space, place, &entry));
	CALL(ompd_ext_get_lock_argument(subject->space, place, &argument));
}

#define ROW(name, variants)           \
	{                             \
#name, name, variants \
	}
const struct question questions[] = {
	ROW(process, 4),
	ROW(version, 1),
	ROW(id_kinds, 1),
	ROW(device, 1),
	ROW(control_variables, 1),
	ROW(environment, 4),
	ROW(enumerations, 1),
	ROW(thread, 20),
	ROW(thread_in_parallel, 18),
	ROW(thread_id, 3),
	ROW(all_threads, 2),
	ROW(thread_facts, 2),
	ROW(state, 1),
	ROW(loop, 1),
	ROW(levels, 8),
	ROW(parallel, 6),
	ROW(parallel_facts, 2),
	ROW(task, 72),
	ROW(task_facts, 2),
	ROW(all_tasks, 4),
	ROW(variable, 10),
	ROW(variables, 10),
	ROW(lock, 90),
	ROW(wait_site, 60),
};
#undef ROW

const uint32_t question_count = sizeof(questions) / sizeof(questions[0]);

void question_ask(const struct question *question, struct subject *subject, uint32_t variant)
{
	current = question->name;
	question->ask(subject, variant);
}
