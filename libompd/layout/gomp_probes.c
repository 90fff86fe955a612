// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row says: this function of libgomp touches this field, by this way. The rows rest on the
// functions' sources (icv.c, icv-device.c, parallel.c, teams.c, task.c, single.c, loop.c,
// ordered.c, barrier.c, critical.c, atomic.c, affinity-fmt.c, config/linux/bar.c); the offsets
// come from the layout that is being proven.

#include "layout/gomp_probes.h"

#define F(s, f) (GOMP_FIELD_##s##__##f + 1)
#define LOAD PROBE_LOAD
#define TS(f) F(gomp_thread, ts), F(gomp_team_state, f)
#define TEAM(f) TS(team), LOAD, F(gomp_team, f)
#define PREV(f) TEAM(prev_ts), F(gomp_team_state, f)
#define WS(f) TS(work_share), LOAD, F(gomp_work_share, f)
#define TASK(f) F(gomp_thread, task), LOAD, F(gomp_task, f)
#define ICV(f) TASK(icv), F(gomp_task_icv, f)
#define TASKGROUP(f) TASK(taskgroup), LOAD, F(gomp_taskgroup, f)
#define THREAD(n, ...)                                                       \
	{                                                                    \
		.function = n, .base = PROBE_THREAD, .path = { __VA_ARGS__ } \
	}
#define NEEDED(n, what, ...)                                                               \
	{                                                                                  \
		.function = n, .base = PROBE_THREAD, .need = what, .path = { __VA_ARGS__ } \
	}
#define PASSED(n, ...)                                                                       \
	{                                                                                    \
		.function = n, .base = PROBE_THREAD, .passed = true, .path = { __VA_ARGS__ } \
	}
#define ARGUMENT(n, ...)                                                       \
	{                                                                      \
		.function = n, .base = PROBE_ARGUMENT, .path = { __VA_ARGS__ } \
	}
#define FIND(n, g, w, ...)                                                                \
	{                                                                                 \
		.function = n, .base = PROBE_FIND, .global = GOMP_GLOBAL_##g, .width = w, \
		.path = {                                                                 \
			__VA_ARGS__                                                       \
		}                                                                         \
	}
#define FIND_IN(from, to, n, g, w)                                                        \
	{                                                                                 \
		.function = n, .base = PROBE_FIND, .global = GOMP_GLOBAL_##g, .width = w, \
		.first = from, .last = to, .path = {                                      \
			PROBE_END                                                         \
		}                                                                         \
	}
#define AT_ICV(n, f)                                                                        \
	{                                                                                   \
		.function = n, .base = PROBE_GLOBAL, .global = GOMP_GLOBAL_gomp_global_icv, \
		.path = {                                                                   \
			F(gomp_task_icv, f)                                                 \
		}                                                                           \
	}
// A getter of a task's ICV, whose tasks have it from the global ones to start with.
#define ICV_GETTER(n, f, w) THREAD(n, ICV(f)), FIND(n, gomp_global_icv, w, F(gomp_task_icv, f))

const struct gomp_probe gomp_probes[] = {
	// The first row gives the thread-local offset; the others must fit it.
	NEEDED("omp_get_thread_num", NEED_THREAD_NUM, TS(team_id)),
	NEEDED("omp_get_num_threads", NEED_TEAM, TEAM(nthreads)),
	NEEDED("omp_get_level", NEED_LEVEL, TS(level)),
	THREAD("omp_get_active_level", TS(active_level)),
	THREAD("omp_in_parallel", TS(active_level)),
	THREAD("omp_get_team_size", TS(level)),
	THREAD("omp_get_team_size", TS(team)),
	NEEDED("omp_get_team_size", NEED_ANCESTORS, PREV(team), LOAD, F(gomp_team, nthreads)),
	THREAD("omp_get_team_size", PREV(team), LOAD, F(gomp_team, prev_ts),
	       F(gomp_team_state, team)),
	THREAD("omp_get_ancestor_thread_num", TS(level)),
	THREAD("omp_get_ancestor_thread_num", TS(team_id)),
	THREAD("omp_get_ancestor_thread_num", PREV(team_id)),
	THREAD("omp_get_ancestor_thread_num", PREV(team), LOAD, F(gomp_team, prev_ts),
	       F(gomp_team_state, team)),
	THREAD("omp_get_ancestor_thread_num", PREV(team), LOAD, F(gomp_team, prev_ts),
	       F(gomp_team_state, team_id)),

	NEEDED("omp_get_max_threads", NEED_ICV, ICV(nthreads_var)),
	FIND("omp_get_max_threads", gomp_global_icv, 4, F(gomp_task_icv, nthreads_var)),
	FIND("omp_get_max_threads", gomp_global_icv, 8, F(gomp_task_icv, nthreads_var)),
	ICV_GETTER("omp_get_dynamic", dyn_var, 1),
	ICV_GETTER("omp_get_thread_limit", thread_limit_var, 4),
	ICV_GETTER("omp_get_default_device", default_device_var, 4),
	ICV_GETTER("omp_get_proc_bind", bind_var, 1),
	ICV_GETTER("omp_get_max_active_levels", max_active_levels_var, 1),
	FIND_IN(0, 10, "omp_get_max_active_levels", gomp_max_active_levels_var, 4),
	FIND_IN(0, 10, "omp_get_max_active_levels", gomp_max_active_levels_var, 8),
	ICV_GETTER("omp_get_nested", nest_var, 1),
	ICV_GETTER("omp_get_nested", max_active_levels_var, 1),
	NEEDED("GOMP_parallel", NEED_ICV, ICV(thread_limit_var)),
	FIND("GOMP_parallel", gomp_global_icv, 4, F(gomp_task_icv, thread_limit_var)),
	THREAD("omp_get_schedule", ICV(run_sched_var)),
	THREAD("omp_get_schedule", ICV(run_sched_chunk_size)),
	AT_ICV("omp_get_schedule", run_sched_var),
	AT_ICV("omp_get_schedule", run_sched_chunk_size),
	THREAD("omp_set_num_threads", ICV(nthreads_var)),
	AT_ICV("gomp_resolve_num_threads", nthreads_var),
	AT_ICV("gomp_resolve_num_threads", dyn_var),
	THREAD("gomp_resolve_num_threads", F(gomp_thread, thread_pool)),
	THREAD("gomp_resolve_num_threads", F(gomp_thread, thread_pool), LOAD,
	       F(gomp_thread_pool, threads_busy)),

	NEEDED("omp_in_final", NEED_TASK, TASK(final_task)),
	THREAD("omp_in_explicit_task", TASK(kind)),
	ARGUMENT("omp_fulfill_event", F(gomp_task, deferred_p)),
	ARGUMENT("omp_fulfill_event", F(gomp_task, completion_sem)),
	ARGUMENT("omp_fulfill_event", F(gomp_task, detach_team), LOAD, F(gomp_team, task_lock)),
	ARGUMENT("omp_fulfill_event", F(gomp_task, kind)),
	THREAD("GOMP_taskwait", TASK(taskwait)),
	THREAD("GOMP_taskwait", TASK(children_queue), F(priority_queue, t)),
	THREAD("GOMP_taskwait", TASK(children_queue), F(priority_queue, l),
	       F(priority_list, tasks)),
	THREAD("GOMP_taskgroup_start", TASK(taskgroup)),
	THREAD("GOMP_taskgroup_end", TASKGROUP(num_children)),
	THREAD("GOMP_taskgroup_end", TASKGROUP(in_taskgroup_wait)),
	THREAD("GOMP_taskgroup_end", TASKGROUP(taskgroup_queue), F(priority_queue, l),
	       F(priority_list, tasks)),
	THREAD("GOMP_cancel", TASKGROUP(workshare)),
	THREAD("GOMP_cancel", TASKGROUP(cancelled)),
	THREAD("GOMP_cancel", TASKGROUP(prev)),
	THREAD("GOMP_cancel", TEAM(work_share_cancelled)),
	THREAD("GOMP_cancel", TEAM(team_cancelled)),
	THREAD("GOMP_cancel", TEAM(task_lock)),
	THREAD("GOMP_task", TASK(final_task)),
	THREAD("GOMP_task", TEAM(task_count)),

	PASSED("GOMP_barrier", TEAM(barrier)),
	ARGUMENT("gomp_team_barrier_wait", F(gomp_barrier_t, generation)),
	ARGUMENT("gomp_team_barrier_wait", F(gomp_barrier_t, awaited)),
	THREAD("GOMP_single_start", TS(single_count)),
	THREAD("GOMP_single_start", TEAM(single_count)),
	THREAD("GOMP_single_copy_start", WS(next)),
	THREAD("GOMP_single_copy_start", TS(last_work_share), LOAD, F(gomp_work_share, next_ws)),
	THREAD("GOMP_ordered_start", TEAM(ordered_release)),
	THREAD("GOMP_ordered_start", WS(ordered_owner)),
	THREAD("GOMP_loop_ordered_static_next", WS(lock)),
	THREAD("GOMP_loop_static_start", TS(static_trip)),
	THREAD("GOMP_loop_static_start", WS(sched)),
	THREAD("GOMP_loop_static_start", WS(chunk_size)),
	THREAD("GOMP_loop_static_start", WS(end)),
	THREAD("GOMP_loop_static_start", WS(incr)),
	THREAD("GOMP_loop_static_start", WS(next)),

	FIND("omp_get_place_num", gomp_places_list, 8, PROBE_END),
	THREAD("omp_get_place_num", F(gomp_thread, place)),
	FIND("omp_get_partition_num_places", gomp_places_list, 8, PROBE_END),
	THREAD("omp_get_partition_num_places", F(gomp_thread, place)),
	THREAD("omp_get_partition_num_places", TS(place_partition_len)),
	THREAD("omp_get_partition_place_nums", F(gomp_thread, place)),
	THREAD("omp_get_partition_place_nums", TS(place_partition_off)),
	THREAD("omp_get_partition_place_nums", TS(place_partition_len)),
	FIND("omp_get_num_places", gomp_places_list_len, 4, PROBE_END),
	FIND("omp_get_num_procs", gomp_available_cpus, 4, PROBE_END),
	THREAD("omp_get_num_teams", F(gomp_thread, num_teams)),
	THREAD("omp_get_team_num", F(gomp_thread, team_num)),
	FIND_IN(0, 11, "omp_get_num_teams", gomp_num_teams, 4),
	FIND_IN(0, 11, "omp_get_team_num", gomp_team_num, 4),
	THREAD("omp_get_default_allocator", TS(def_allocator)),
	FIND("omp_get_default_allocator", gomp_def_allocator, 8, PROBE_END),
	FIND("omp_get_cancellation", gomp_cancel_var, 1, PROBE_END),
	FIND("omp_get_max_task_priority", gomp_max_task_priority_var, 4, PROBE_END),
	FIND("omp_get_max_teams", gomp_nteams_var, 4, PROBE_END),
	FIND("omp_get_teams_thread_limit", gomp_teams_thread_limit_var, 4, PROBE_END),
	FIND("omp_get_affinity_format", gomp_affinity_format_var, 8, PROBE_END),
	FIND("GOMP_critical_start", default_lock, 4, PROBE_END),
	FIND("GOMP_atomic_start", atomic_lock, 4, PROBE_END),
};

const size_t gomp_probe_count = sizeof(gomp_probes) / sizeof(gomp_probes[0]);

const struct gomp_newcomer gomp_newcomers[] = {
	{ "omp_fulfill_event", 11 },
	{ "omp_display_env", 12 },
	{ "GOMP_taskwait_depend_nowait", 13 },
	{ "GOMP_add_alloc", 14 },
	{ "GOMP_interop", 15 },
	{ "omp_target_memset", 16 },
};

const size_t gomp_newcomer_count = sizeof(gomp_newcomers) / sizeof(gomp_newcomers[0]);
