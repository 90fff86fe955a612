// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops a thread at every instruction while it records events of each kind. Whatever a reader is
// shown then must be as before the event, or as after it, or missing; never a mixture. A second part
// lets a signal handler record at every instruction.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_runtime.h"
#include "snapshot.h"

#define MAX_SEEN 4096
#define ROUNDS 5	     // the ring wraps
#define MAX_INSTRUCTIONS 150 // then the clock may be compared with the system's, which is long
#define LOCK 0x1000
#define OTHER_LOCK 0x2000
#define NEST_LOCK 0x3000
#define HANDLER_LOCK 0x9000

static volatile uint64_t scene; // the child counts its scenes
static uint64_t stop_at;
static ompt_data_t initial, implicit, inner, parallel, inner_parallel, task, child_task;

/** Begin the next scene. */
static void mark(void)
{
	if (++scene == stop_at)
		raise(SIGSTOP);
}

#define SCENE(...)           \
	do {                 \
		mark();      \
		__VA_ARGS__; \
	} while (0)

/** Send events of each kind, from within an initial task. */
static void play(void)
{
	const ompt_dependence_t dependences[] = { { { 0x7000 }, ompt_dependence_type_in },
						  { { 0x7008 }, ompt_dependence_type_out } };
	ompt_dispatch_chunk_t chunk = { 10, 20 };

	SCENE(omp.parallel_begin(&initial, NULL, &parallel, 2, ompt_parallel_team, CODE(1)));
	SCENE(omp.implicit_task(ompt_scope_begin, &parallel, &implicit, 2, 0, ompt_task_implicit));
	SCENE(omp.work(ompt_work_loop, ompt_scope_begin, &parallel, &implicit, 100, CODE(2)));
	SCENE(omp.dispatch(&parallel, &implicit, ompt_dispatch_ws_loop_chunk,
			   (ompt_data_t){ .ptr = &chunk }));
	SCENE(omp.work(ompt_work_loop, ompt_scope_end, &parallel, &implicit, 100, CODE(2)));
	SCENE(omp.acquire(ompt_mutex_lock, 0, 0, LOCK, CODE(3)));
	SCENE(omp.acquired(ompt_mutex_lock, LOCK, CODE(3)));
	SCENE(omp.acquire(ompt_mutex_critical, 0, 0, OTHER_LOCK, CODE(4)));
	SCENE(omp.acquired(ompt_mutex_critical, OTHER_LOCK, CODE(4)));
	SCENE(omp.acquire(ompt_mutex_nest_lock, 0, 0, NEST_LOCK, CODE(5)));
	SCENE(omp.acquired(ompt_mutex_nest_lock, NEST_LOCK, CODE(5)));
	SCENE(omp.nest_lock(ompt_scope_begin, NEST_LOCK, CODE(6)));
	SCENE(omp.released(ompt_mutex_lock, LOCK, CODE(7)));
	SCENE(omp.nest_lock(ompt_scope_end, NEST_LOCK, CODE(8)));
	SCENE(omp.released(ompt_mutex_critical, OTHER_LOCK, CODE(9)));
	SCENE(omp.lock_destroy(ompt_mutex_nest_lock, NEST_LOCK, CODE(10)));
	SCENE(omp.task_create(&implicit, NULL, &task, ompt_task_explicit, 1, CODE(11)));
	SCENE(omp.dependences(&task, dependences, 2));
	SCENE(omp.sync(ompt_sync_region_barrier_explicit, ompt_scope_begin, &parallel, &implicit,
		       CODE(12)));
	SCENE(omp.wait(ompt_sync_region_barrier_explicit, ompt_scope_begin, &parallel, &implicit,
		       CODE(12)));
	SCENE(omp.task_schedule(&implicit, ompt_task_switch, &task));
	SCENE(omp.task_create(&task, NULL, &child_task, ompt_task_explicit, 0, CODE(13)));
	SCENE(omp.sync(ompt_sync_region_taskwait, ompt_scope_begin, &parallel, &task, CODE(14)));
	SCENE(omp.wait(ompt_sync_region_taskwait, ompt_scope_begin, &parallel, &task, CODE(14)));
	SCENE(omp.task_schedule(&task, ompt_task_switch, &child_task));
	SCENE(omp.parallel_begin(&child_task, NULL, &inner_parallel, 1, 0, CODE(15)));
	SCENE(omp.implicit_task(ompt_scope_begin, &inner_parallel, &inner, 1, 0,
				ompt_task_implicit));
	SCENE(omp.implicit_task(ompt_scope_end, NULL, &inner, 1, 0, ompt_task_implicit));
	SCENE(omp.parallel_end(&inner_parallel, &child_task, 0, CODE(15)));
	SCENE(omp.task_schedule(&child_task, ompt_task_complete, &task));
	SCENE(omp.wait(ompt_sync_region_taskwait, ompt_scope_end, &parallel, &task, CODE(14)));
	SCENE(omp.sync(ompt_sync_region_taskwait, ompt_scope_end, &parallel, &task, CODE(14)));
	SCENE(omp.task_schedule(&task, ompt_task_complete, &implicit));
	SCENE(omp.wait(ompt_sync_region_barrier_explicit, ompt_scope_end, &parallel, &implicit,
		       CODE(12)));
	SCENE(omp.sync(ompt_sync_region_barrier_explicit, ompt_scope_end, &parallel, &implicit,
		       CODE(12)));
	SCENE(omp.sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin, &parallel,
		       &implicit, CODE(18)));
	SCENE(omp.sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, &parallel,
		       &implicit, CODE(18)));
	SCENE(omp.masked(ompt_scope_begin, &parallel, &implicit, CODE(16)));
	SCENE(omp.masked(ompt_scope_end, &parallel, &implicit, CODE(16)));
	SCENE(omp.cancel(&implicit, ompt_cancel_loop | ompt_cancel_activated, CODE(17)));
	SCENE(omp.implicit_task(ompt_scope_end, NULL, &implicit, 2, 0, ompt_task_implicit));
	SCENE(omp.parallel_end(&parallel, &initial, 0, CODE(1)));
}

/** Print what is wrong, and end. */
static void fail(const char *what)
{
	fprintf(stderr, "scene %llu: %s\n", (unsigned long long)scene, what);
	exit(1);
}

#define REQUIRE(condition)                \
	do {                              \
		if (!(condition))         \
			fail(#condition); \
	} while (0)

/** Check whether two things are alike in every byte. */
#define ALIKE(a, b) (!memcmp(&(a), &(b), sizeof(a)))

/** Check the events that a reader is shown in the middle. */
static void check_events(const struct snapshot *before, const struct snapshot *middle,
			 const struct snapshot *after)
{
	REQUIRE(middle->thread.head >= before->thread.head);
	REQUIRE(middle->thread.head <= after->thread.head);
	for (uint64_t i = middle->first_event; i < middle->thread.head; i++) {
		const struct record_event *event = event_at(middle, i);
		bool as_before = i >= before->first_event && i < before->thread.head &&
				 ALIKE(*event, *event_at(before, i));
		bool as_after = i >= after->first_event && i < after->thread.head &&
				ALIKE(*event, *event_at(after, i));

		REQUIRE(as_before || as_after);
	}
}

/** Check holds and waits. */
static void check_mutexes(const struct snapshot *before, const struct snapshot *middle,
			  const struct snapshot *after)
{
	const struct record_wait *wait = &middle->thread.wait;
	const struct record_wait *acquire = &middle->thread.acquire;

	for (int i = 0; i < SNAPSHOT_HOLDS; i++) {
		const struct record_hold *hold = &middle->holds[i];

		if (hold->kind) {
			REQUIRE(ALIKE(*hold, before->holds[i]) || ALIKE(*hold, after->holds[i]));
			REQUIRE(!acquire->kind || acquire->object != hold->object);
		} else {
			REQUIRE(!before->holds[i].kind || !after->holds[i].kind ||
				!ALIKE(before->holds[i], after->holds[i]));
		}
	}
	REQUIRE(!wait->kind || ALIKE(*wait, before->thread.wait) ||
		ALIKE(*wait, after->thread.wait));
	REQUIRE(!acquire->kind || ALIKE(*acquire, before->thread.acquire) ||
		ALIKE(*acquire, after->thread.acquire));
	REQUIRE(middle->thread.lost_holds == 0);
}

/** Check whether a level is that of a snapshot, but for a barrier that is not known now. */
static bool is_level(const struct record_level *level, const struct snapshot *snapshot, uint32_t i)
{
	struct record_level expected;

	if (i >= snapshot->thread.num_levels)
		return false;
	expected = snapshot->levels[i];
	if (!level->barrier) {
		expected.barrier = 0;
		expected.barrier_code = level->barrier_code;
	}
	return ALIKE(*level, expected);
}

/** Check levels and tasks. */
static void check_tasks(const struct snapshot *before, const struct snapshot *middle,
			const struct snapshot *after)
{
	REQUIRE(middle->thread.num_levels == before->thread.num_levels ||
		middle->thread.num_levels == after->thread.num_levels);
	for (uint32_t i = 0; i < middle->thread.num_levels; i++)
		REQUIRE(is_level(&middle->levels[i], before, i) ||
			is_level(&middle->levels[i], after, i));
	REQUIRE(middle->thread.task == before->thread.task ||
		middle->thread.task == after->thread.task);
	for (int i = 0; i < SNAPSHOT_TASKS; i++) {
		const struct record_task *shown = &middle->tasks[i];

		if (shown->id)
			REQUIRE(ALIKE(*shown, before->tasks[i]) || ALIKE(*shown, after->tasks[i]));
		else
			REQUIRE(!before->tasks[i].id || !ALIKE(before->tasks[i], after->tasks[i]));
	}
}

/** Check what was shown during a scene. */
static void check_seen(const struct snapshot *seen, int number, const struct snapshot *before,
		       const struct snapshot *after)
{
	for (int i = 0; i < number; i++) {
		const struct snapshot *middle = &seen[i];

		if (before->recorded)
			REQUIRE(middle->recorded);
		else if (!middle->recorded)
			continue;
		check_events(before, middle, after);
		check_mutexes(before, middle, after);
		check_tasks(before, middle, after);
	}
}

/** Read a variable of the child. */
static uint64_t peek(pid_t child, const volatile void *address)
{
	return (uint64_t)ptrace(PTRACE_PEEKDATA, child, (void *)(uintptr_t)address, NULL);
}

/** Step through the child to its end. */
static void step_through(pid_t child)
{
	struct snapshot *seen = calloc(MAX_SEEN, sizeof(*seen));
	struct snapshot before = { 0 };
	int number = 0, status;
	uint64_t at = 0, steps = 0, shown = 0;

	REQUIRE(seen);
	for (;;) {
		REQUIRE(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0);
		REQUIRE(waitpid(child, &status, 0) == child);
		if (!WIFSTOPPED(status))
			break;
		REQUIRE(WSTOPSIG(status) == SIGTRAP);
		steps++;
		scene = peek(child, &scene);
		REQUIRE(number < MAX_SEEN && take_snapshot(child, &seen[number]));
		if (scene != at) {
			check_seen(seen, number, &before, &seen[number]);
			before = seen[number];
			number = 0;
			at = scene;
		} else if (number == 0 || memcmp(&seen[number], &seen[number - 1], sizeof(*seen))) {
			number++;
			shown++;
		}
	}
	REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	REQUIRE(at > ROUNDS * 40);
	REQUIRE(before.thread.head > SNAPSHOT_EVENTS);
	printf("%llu steps, %llu pictures\n", (unsigned long long)steps, (unsigned long long)shown);
	free(seen);
}

/** Record as the first thread does, and all events some times. */
static void run_watched(void)
{
	start_fake_runtime();
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		exit(3);
	raise(SIGSTOP);
	SCENE(omp.thread_begin(ompt_thread_initial, &(ompt_data_t){ 0 }));
	SCENE(omp.implicit_task(ompt_scope_begin, NULL, &initial, 1, 0, ompt_task_initial));
	for (int i = 0; i < ROUNDS; i++)
		play();
	SCENE(omp.implicit_task(ompt_scope_end, NULL, &initial, 1, 0, ompt_task_initial));
	SCENE(omp.thread_end(NULL));
	mark();
	_exit(0);
}

/** Record a critical region in a signal handler. */
static void handle(int signal_number)
{
	(void)signal_number;
	omp.acquire(ompt_mutex_critical, 0, 0, HANDLER_LOCK, CODE(100));
	omp.acquired(ompt_mutex_critical, HANDLER_LOCK, CODE(101));
	omp.released(ompt_mutex_critical, HANDLER_LOCK, CODE(102));
}

/** Check what is left after a round with signals: nothing, and events that are whole. */
static void check_quiet(void)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));
	uint64_t time = 0;

	if (!snapshot || !take_snapshot(0, snapshot))
		_exit(4);
	for (int i = 0; i < SNAPSHOT_HOLDS; i++)
		REQUIRE(!snapshot->holds[i].kind);
	for (int i = 0; i < SNAPSHOT_TASKS; i++)
		REQUIRE(!snapshot->tasks[i].id);
	REQUIRE(!snapshot->thread.lost_holds);
	REQUIRE(!snapshot->thread.wait.kind && !snapshot->thread.acquire.kind);
	REQUIRE(snapshot->thread.num_levels == 1);
	for (uint64_t i = snapshot->first_event; i < snapshot->thread.head; i++) {
		const struct record_event *event = event_at(snapshot, i);
		bool handlers = event->object == HANDLER_LOCK;

		REQUIRE(event->kind > RECORD_NOTHING && event->kind < RECORD_KINDS);
		REQUIRE(event->time >= time);
		REQUIRE(handlers == (event->code >= (uint64_t)(uintptr_t)CODE(100)));
		time = event->time;
	}
	free(snapshot);
}

/** Run two rounds for a parent that sends a signal in a scene of the second. */
static void run_interrupted(uint64_t wanted)
{
	struct sigaction action = { .sa_handler = handle };

	start_fake_runtime();
	sigaction(SIGUSR1, &action, NULL);
	omp.thread_begin(ompt_thread_initial, &(ompt_data_t){ 0 });
	omp.implicit_task(ompt_scope_begin, NULL, &initial, 1, 0, ompt_task_initial);
	play();
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		exit(3);
	stop_at = scene + wanted;
	play();
	check_quiet();
	_exit(0);
}

/** Send a signal at that instruction of that scene; return false if the scene has fewer. */
static bool interrupt(uint64_t wanted, uint64_t instruction)
{
	pid_t child = fork();
	uint64_t first;
	bool within = true;
	int status;

	if (child == 0)
		run_interrupted(wanted);
	REQUIRE(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	first = peek(child, &scene);
	for (uint64_t i = 0; i < instruction && within; i++) {
		REQUIRE(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0);
		REQUIRE(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
		within = peek(child, &scene) == first;
	}
	REQUIRE(ptrace(PTRACE_CONT, child, NULL, within ? SIGUSR1 : 0) == 0);
	REQUIRE(waitpid(child, &status, 0) == child);
	REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return within;
}

/** Run both parts. */
int main(int argc, char **argv)
{
	// Each instruction of these scenes gets a signal: acquired, released, create, wait, schedule.
	static const uint64_t interrupted[] = { 7, 13, 17, 20, 25 };
	uint64_t signals = 0;
	pid_t child;

	(void)argv;
	setenv("OMPDBG_RECORD", "ring=4K", 1);
	unsetenv("OMP_TOOL_LIBRARIES");
	unsetenv("OMP_TOOL");
	if (argc == 1) {
		int status;

		child = fork();
		if (child == 0)
			run_watched();
		REQUIRE(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
		step_through(child);
		return 0;
	}
	for (size_t i = 0; i < sizeof(interrupted) / sizeof(*interrupted); i++)
		for (uint64_t at = 0; at < MAX_INSTRUCTIONS && interrupt(interrupted[i], at); at++)
			signals++;
	REQUIRE(signals > 200);
	printf("%llu signals\n", (unsigned long long)signals);
	return 0;
}
