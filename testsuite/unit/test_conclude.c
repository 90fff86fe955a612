// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conclusions about what a thread does from what was found out about it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "wait/evidence.h"

#define SITE(kind, state, function)                                  \
	{                                                            \
		ompd_ext_wait_##kind, STATE_##state, 0x900, function \
	}
#define CALL(...) .has_call = true, .call = SITE(__VA_ARGS__)
#define ON(kind, state) \
	.futex = 0x5000, .has_futex_site = true, .futex_site = SITE(kind, state, NULL)
#define SYMBOL(symbol, offset) .futex = 0x5008, .futex_symbol = { symbol, offset, NULL }

#define SETS_LOCK CALL(lock, LOCK, "omp_set_lock")
#define AT_BARRIER CALL(barrier, BARRIER_EXPLICIT, "GOMP_barrier")
#define AT_CRITICAL CALL(critical, CRITICAL, "GOMP_critical_start")
#define IN_PARALLEL CALL(parallel, OVERHEAD, "GOMP_parallel")
#define IN_TASK CALL(task, OVERHEAD, "GOMP_task")
#define IN_END CALL(none, OVERHEAD, "GOMP_critical_end")
#define LOOP_END CALL(barrier_workshare, BARRIER_WORKSHARE, "GOMP_loop_end")
#define ON_BARRIER ON(barrier, BARRIER)
#define ON_TASKWAIT ON(taskwait, TASKWAIT)
#define ON_POOL ON(idle, IDLE)
#define ON_RUNTIME_LOCK ON(runtime_lock, OVERHEAD)

#define UNSEEN .recorded = STATE_UNKNOWN
#define IN_RUNTIME .in_runtime = true, .level = 1
#define FOUND IN_RUNTIME, UNSEEN
#define RECORDED(name) IN_RUNTIME, .recorded = STATE_##name

/** Evidence, and what follows from it. */
struct row {
	struct evidence evidence;
	int64_t state;
	const char *title; // of the wait; NULL: it waits for nothing
	const char *function;
	const char *symbol;
	uint64_t address;
	const char *reason; // why the state is unknown
};

static const struct row rows[] = {
	// The user's code.
	{ .evidence = { UNSEEN }, .state = STATE_WORK_SERIAL },
	{ .evidence = { UNSEEN, .level = 2 }, .state = STATE_WORK_PARALLEL },
	{ .evidence = { .recorded = STATE_WORK_PARALLEL, .level = 1 },
	  .state = STATE_WORK_PARALLEL },
	{ .evidence = { UNSEEN, .level = 1, .is_outside = true },
	  .state = STATE_UNKNOWN,
	  .reason = "outside the program's code: starting or ending" },
	{ .evidence = { .recorded = STATE_WORK_PARALLEL, .level = 1, .is_outside = true },
	  .state = STATE_UNKNOWN,
	  .reason = "outside the program's code: starting or ending" },
	{ .evidence = { .recorded = STATE_IDLE, .level = 1, .is_outside = true },
	  .state = STATE_IDLE,
	  .title = "idle in pool" },
	{ .evidence = { UNSEEN, .is_unseen = true },
	  .state = STATE_UNKNOWN,
	  .reason = "stack unknown" },
	// A wait is recorded, but the handler of a signal runs. Without any frame nothing contradicts it.
	{ .evidence = { .recorded = STATE_BARRIER, .level = 1, .in_users_code = true },
	  .state = STATE_WORK_PARALLEL },
	{ .evidence = { .recorded = STATE_TASKWAIT, .in_users_code = true },
	  .state = STATE_WORK_SERIAL },
	{ .evidence = { .recorded = STATE_TASKWAIT, .level = 1 }, .state = STATE_TASKWAIT },
	// An assertion of the runtime, or a lock that is none.
	{ .evidence = { FOUND, SETS_LOCK, .has_failed = true },
	  .state = STATE_UNKNOWN,
	  .reason = "the runtime failed here" },
	{ .evidence = { RECORDED(BARRIER), AT_BARRIER, .has_failed = true },
	  .state = STATE_UNKNOWN,
	  .reason = "the runtime failed here" },
	// Locks.
	{ .evidence = { FOUND, SETS_LOCK, SYMBOL("locks", 8) },
	  .state = STATE_LOCK,
	  .title = "lock 0x5008",
	  .function = "omp_set_lock",
	  .address = 0x5008 },
	{ .evidence = { FOUND, SETS_LOCK, SYMBOL("locks", 8), .is_users = true },
	  .state = STATE_LOCK,
	  .title = "lock locks+8",
	  .function = "omp_set_lock",
	  .symbol = "locks+8",
	  .address = 0x5008 },
	{ .evidence = { FOUND, SETS_LOCK, SYMBOL("locks", 8), .is_users = true,
			.name.symbol = "locks[2]" },
	  .state = STATE_LOCK,
	  .title = "lock locks[2]",
	  .function = "omp_set_lock",
	  .symbol = "locks[2]",
	  .address = 0x5008 },
	{ .evidence = { FOUND, SETS_LOCK },
	  .state = STATE_LOCK,
	  .title = "lock",
	  .function = "omp_set_lock" },
	{ .evidence = { FOUND, SYMBOL("mylock", 0), .is_users = true },
	  .state = STATE_LOCK,
	  .title = "lock mylock",
	  .symbol = "mylock",
	  .address = 0x5008 },
	{ .evidence = { FOUND, SETS_LOCK, .futex = 0x5008, .name.variable = "this->lock_" },
	  .state = STATE_LOCK,
	  .title = "lock this->lock_ (0x5008)",
	  .function = "omp_set_lock",
	  .address = 0x5008 },
	// Mutexes of the C library: the state is OpenMP's.
	{ .evidence = { UNSEEN, .level = 1, .lock = { WAIT_PTHREAD_MUTEX, 0x6000 } },
	  .state = STATE_WORK_PARALLEL,
	  .title = "mutex 0x6000",
	  .address = 0x6000 },
	{ .evidence = { UNSEEN, .level = 1, .lock = { WAIT_PTHREAD_MUTEX, 0x6000 },
			.name.symbol = "table" },
	  .state = STATE_WORK_PARALLEL,
	  .title = "mutex table",
	  .symbol = "table",
	  .address = 0x6000 },
	// Critical constructs.
	{ .evidence = { FOUND, AT_CRITICAL, SYMBOL(".gomp_critical_user_Table", 0),
			.is_users = true },
	  .state = STATE_CRITICAL,
	  .title = "critical Table",
	  .function = "GOMP_critical_start",
	  .symbol = "Table",
	  .address = 0x5008 },
	{ .evidence = { FOUND, AT_CRITICAL, ON(critical, CRITICAL) },
	  .state = STATE_CRITICAL,
	  .title = "critical",
	  .function = "GOMP_critical_start",
	  .address = 0x5000 },
	{ .evidence = { FOUND, AT_CRITICAL, SYMBOL(".gomp_critical_user_Table.var", 0),
			.is_users = true },
	  .state = STATE_CRITICAL,
	  .title = "critical Table",
	  .function = "GOMP_critical_start",
	  .symbol = "Table",
	  .address = 0x5008 },
	{ .evidence = { FOUND, AT_CRITICAL, SYMBOL("gomp_critical_user_[var]", 0),
			.is_users = true },
	  .state = STATE_CRITICAL,
	  .title = "critical",
	  .function = "GOMP_critical_start",
	  .address = 0x5008 },
	{ .evidence = { FOUND, SYMBOL(".gomp_critical_user_Table", 0), .is_users = true },
	  .state = STATE_CRITICAL,
	  .title = "critical Table",
	  .symbol = "Table",
	  .address = 0x5008 },
	{ .evidence = { FOUND, .futex = 0x5008, .is_users = true },
	  .state = STATE_MUTEX,
	  .title = "lock or critical 0x5008",
	  .address = 0x5008 },
	{ .evidence = { FOUND, IN_END, .futex = 0x5008, .is_from_jump = true },
	  .state = STATE_MUTEX,
	  .title = "lock or critical 0x5008",
	  .address = 0x5008 },
	// Neither is guessed.
	{ .evidence = { FOUND, .futex = 0x7f0000 },
	  .state = STATE_UNKNOWN,
	  .reason = "asleep on 0x7f0000 (use unknown)" },
	{ .evidence = { FOUND, IN_PARALLEL, .futex = 0x77 },
	  .state = STATE_UNKNOWN,
	  .reason = "in GOMP_parallel, asleep on 0x77 (use unknown)" },
	{ .evidence = { FOUND, SETS_LOCK, ON_BARRIER },
	  .state = STATE_UNKNOWN,
	  .reason = "called omp_set_lock (lock), but sleeps on that of a barrier" },
	{ .evidence = { FOUND },
	  .state = STATE_UNKNOWN,
	  .reason = "in the runtime, called from an unknown place" },
	{ .evidence = { FOUND, .in_no_users_code = true },
	  .state = STATE_UNKNOWN,
	  .reason = "in the runtime, not called from the program's code" },
	// Barriers.
	{ .evidence = { FOUND, AT_BARRIER, ON_BARRIER },
	  .state = STATE_BARRIER_EXPLICIT,
	  .title = "barrier",
	  .function = "GOMP_barrier",
	  .address = 0x5000 },
	{ .evidence = { FOUND, AT_BARRIER, ON_RUNTIME_LOCK },
	  .state = STATE_BARRIER_EXPLICIT,
	  .title = "barrier",
	  .function = "GOMP_barrier",
	  .address = 0x5000 },
	{ .evidence = { FOUND, IN_PARALLEL, ON_BARRIER, .after_user_code = true },
	  .state = STATE_BARRIER_PARALLEL,
	  .title = "end of region",
	  .function = "GOMP_parallel",
	  .address = 0x5000 },
	{ .evidence = { FOUND, ON_BARRIER, .after_user_code = true },
	  .state = STATE_BARRIER_PARALLEL,
	  .title = "end of region",
	  .address = 0x5000 },
	{ .evidence = { FOUND, IN_PARALLEL, ON_BARRIER },
	  .state = STATE_BARRIER,
	  .title = "barrier",
	  .function = "GOMP_parallel",
	  .address = 0x5000 },
	{ .evidence = { FOUND, ON_BARRIER },
	  .state = STATE_BARRIER,
	  .title = "barrier",
	  .address = 0x5000 },
	// In the runtime.
	{ .evidence = { FOUND, IN_TASK, ON_RUNTIME_LOCK },
	  .state = STATE_OVERHEAD,
	  .title = "runtime's lock",
	  .function = "GOMP_task",
	  .address = 0x5000 },
	{ .evidence = { FOUND, IN_TASK, ON_TASKWAIT },
	  .state = STATE_TASKWAIT,
	  .title = "taskwait",
	  .function = "GOMP_task",
	  .address = 0x5000 },
	{ .evidence = { FOUND, IN_END }, .state = STATE_OVERHEAD },
	{ .evidence = { FOUND, IN_PARALLEL }, .state = STATE_OVERHEAD },
	{ .evidence = { FOUND, ON_POOL },
	  .state = STATE_IDLE,
	  .title = "idle in pool",
	  .address = 0x5000 },
	{ .evidence = { RECORDED(IDLE) }, .state = STATE_IDLE, .title = "idle in pool" },
	{ .evidence = { FOUND, IN_PARALLEL, ON_POOL },
	  .state = STATE_OVERHEAD }, // it fetches the others
	// A recorded wait counts most; the place may tell more.
	{ .evidence = { RECORDED(TASKWAIT), AT_BARRIER, ON_BARRIER },
	  .state = STATE_TASKWAIT,
	  .title = "taskwait",
	  .address = 0x5000 },
	{ .evidence = { RECORDED(BARRIER_EXPLICIT), AT_BARRIER },
	  .state = STATE_BARRIER_EXPLICIT,
	  .title = "barrier",
	  .function = "GOMP_barrier" },
	{ .evidence = { RECORDED(TASKWAIT), IN_TASK, ON_TASKWAIT, .for_dependences = true },
	  .state = STATE_TASKWAIT,
	  .title = "dependences",
	  .function = "GOMP_task",
	  .address = 0x5000 },
	{ .evidence = { RECORDED(BARRIER), LOOP_END },
	  .state = STATE_BARRIER_WORKSHARE,
	  .title = "end of worksharing",
	  .function = "GOMP_loop_end" },
	{ .evidence = { RECORDED(BARRIER_IMPLEMENTATION), LOOP_END },
	  .state = STATE_BARRIER_IMPLEMENTATION,
	  .title = "end of worksharing",
	  .function = "GOMP_loop_end" },
	{ .evidence = { RECORDED(BARRIER_IMPLICIT), IN_PARALLEL, .after_user_code = true },
	  .state = STATE_BARRIER_PARALLEL,
	  .title = "end of region",
	  .function = "GOMP_parallel" },
	{ .evidence = { RECORDED(LOCK), AT_CRITICAL, .wait_id = 0x7000 },
	  .state = STATE_CRITICAL,
	  .title = "critical",
	  .function = "GOMP_critical_start",
	  .address = 0x7000 },
	{ .evidence = { RECORDED(CRITICAL), SETS_LOCK, .wait_id = 0x7000 },
	  .state = STATE_LOCK,
	  .title = "lock 0x7000",
	  .function = "omp_set_lock",
	  .address = 0x7000 },
	// A wait that is not recorded. Overhead is what the runtime is in; work it cannot be.
	{ .evidence = { RECORDED(WORK_PARALLEL), AT_CRITICAL },
	  .state = STATE_CRITICAL,
	  .title = "critical",
	  .function = "GOMP_critical_start" },
	{ .evidence = { RECORDED(OVERHEAD), IN_TASK }, .state = STATE_OVERHEAD },
	{ .evidence = { RECORDED(OVERHEAD) }, .state = STATE_OVERHEAD },
	{ .evidence = { RECORDED(WORK_PARALLEL) },
	  .state = STATE_UNKNOWN,
	  .reason = "in the runtime, called from an unknown place" },
	// Routines that do not wait.
	{ .evidence = { UNSEEN, .in_runtime = true, .in_routine = true },
	  .state = STATE_WORK_SERIAL },
	{ .evidence = { RECORDED(WORK_PARALLEL), .in_routine = true },
	  .state = STATE_WORK_PARALLEL },
	{ .evidence = { RECORDED(OVERHEAD), .in_routine = true }, .state = STATE_WORK_PARALLEL },
	{ .evidence = { RECORDED(TASKWAIT), .in_routine = true },
	  .state = STATE_TASKWAIT,
	  .title = "taskwait" },
	{ .evidence = { FOUND, .in_routine = true, .futex = 0x5008 },
	  .state = STATE_UNKNOWN,
	  .reason = "asleep on 0x5008 (use unknown)" },
};

static void assert_text(size_t row, const char *told, const char *wanted)
{
	if (told && wanted ? strcmp(told, wanted) != 0 : told != wanted)
		fail_msg("row %zu: \"%s\", not \"%s\"", row, told ? told : "none",
			 wanted ? wanted : "none");
}

static void test_conclusions(void **state)
{
	struct process process = { 0 };
	struct runtime runtime = { .process = &process };
	struct thread thread = { .runtime = &runtime };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct verdict verdict = { .evidence = rows[i].evidence, .state = STATE_UNKNOWN };

		conclude(&thread, &verdict);
		const struct wait *wait = verdict.wait;
		if (verdict.state != rows[i].state)
			fail_msg("row %zu: state %#lx, not %#lx", i, (unsigned long)verdict.state,
				 (unsigned long)rows[i].state);
		assert_text(i, verdict.reason, rows[i].reason);
		assert_text(i, wait ? wait->title : NULL, rows[i].title);
		assert_text(i, wait ? wait->function : NULL, rows[i].function);
		assert_text(i, wait ? wait->symbol : NULL, rows[i].symbol);
		assert_int_equal(wait ? wait->address : 0, rows[i].address);
	}
	arena_deinit(&process.arena);
}

static void test_routines(void **state)
{
	static const char *const routines[] = { "omp_get_thread_num", "omp_in_final_",
						"__kmpc_end_master", "omp_get_level@plt" };
	static const char *const others[] = { "omp_set_lock", "omp_fulfill_event",
					      "__kmpc_barrier" };

	(void)state;
	for (size_t i = 0; i < sizeof(routines) / sizeof(*routines); i++)
		assert_true(is_routine(routines[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(is_routine(others[i]));
	assert_false(is_routine(NULL));
}

static void test_kinds(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind <= ompd_ext_wait_barrier_teams; kind++) {
		assert_string_not_equal(wait_kind(kind)->name, "unknown");
		for (uint32_t other = 0; other < kind; other++)
			assert_string_not_equal(wait_kind(kind)->name, wait_kind(other)->name);
	}
	assert_string_equal(wait_kind(ompd_ext_wait_barrier_teams + 1)->name, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conclusions),
		cmocka_unit_test(test_routines),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
