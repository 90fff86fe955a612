// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row says: this function of the runtime touches this field, by this way. The rows rest on the
// functions' sources (kmp_ftn_entry.h, kmp_csupport.cpp, kmp_runtime.cpp, kmp_affinity.cpp,
// kmp_tasking.cpp); the offsets come from the layout that is being proven.

#include "layout/kmp_probes.h"

#define F(s, f) (KMP_FIELD_##s##__##f + 1)
#define LOAD KMP_PATH_LOAD
#define NEXT(s) (KMP_PATH_NEXT + KMP_STRUCT_##s)
#define INFO(f) F(kmp_base_info_t, f)
#define DS(f) INFO(th_info), F(kmp_desc_base_t, f)
#define TEAM(f) INFO(th_team), LOAD, F(kmp_base_team_t, f)
#define PARENT(f) TEAM(t_parent), LOAD, F(kmp_base_team_t, f)
#define ROOT(f) INFO(th_root), LOAD, F(kmp_base_root_t, f)
#define TASK(f) INFO(th_current_task), LOAD, F(kmp_taskdata_t, f)
#define TASK_TEAM(f) INFO(th_task_team), LOAD, F(kmp_base_task_team_t, f)
#define SERIAL(f) INFO(th_serial_team), LOAD, F(kmp_base_team_t, f)
#define GROUP(f) TASK(td_taskgroup), LOAD, F(kmp_taskgroup_t, f)
#define DISPATCH(f) INFO(th_dispatch), LOAD, F(kmp_disp_t, f)
#define OMPT(f) TASK(ompt_task_info), F(ompt_task_info_t, f)
#define LOCK(kind, f) F(kmp_base_##kind##_lock_t, f)
#define ICV(f) TASK(td_icvs), F(kmp_internal_control_t, f)
#define THREAD(n, ...)                                                         \
	{                                                                      \
		.function = n, .base = KMP_PROBE_INFO, .path = { __VA_ARGS__ } \
	}
#define TRACED(n, ...)                                                                         \
	{                                                                                      \
		.function = n, .base = KMP_PROBE_INFO, .traced = true, .path = { __VA_ARGS__ } \
	}
#define GIVEN(n, ...)                                                          \
	{                                                                      \
		.function = n, .base = KMP_PROBE_TASK, .path = { __VA_ARGS__ } \
	}
#define NEEDED(n, what, ...)                                                                 \
	{                                                                                    \
		.function = n, .base = KMP_PROBE_INFO, .need = what, .path = { __VA_ARGS__ } \
	}
#define TAIL(n, ...)                                                                              \
	{                                                                                         \
		.function = n, .base = KMP_PROBE_INFO, .where = KMP_TAIL, .path = { __VA_ARGS__ } \
	}
#define CALLED(n, ...)                                                                \
	{                                                                             \
		.function = n, .base = KMP_PROBE_INFO, .where = KMP_CALLED, .path = { \
			__VA_ARGS__                                                   \
		}                                                                     \
	}
#define FROM(release, n, ...)                                                                    \
	{                                                                                        \
		.function = n, .base = KMP_PROBE_INFO, .first = release, .path = { __VA_ARGS__ } \
	}
#define FROM_TAIL(release, n, ...)                                                          \
	{                                                                                   \
		.function = n, .base = KMP_PROBE_INFO, .where = KMP_TAIL, .first = release, \
		.path = {                                                                   \
			__VA_ARGS__                                                         \
		}                                                                           \
	}
#define ITS(n, ...)                                                             \
	{                                                                       \
		.function = n, .base = KMP_PROBE_GIVEN, .path = { __VA_ARGS__ } \
	}
#define ITS_CALLED(n, ...)                                                             \
	{                                                                              \
		.function = n, .base = KMP_PROBE_GIVEN, .where = KMP_CALLED, .path = { \
			__VA_ARGS__                                                    \
		}                                                                      \
	}
#define BIT(n, f)                                                                           \
	{                                                                                   \
		.function = n, .base = KMP_PROBE_BIT, .path = { F(kmp_tasking_flags_t, f) } \
	}
#define FIND(n, g, w)                                                                       \
	{                                                                                   \
		.function = n, .base = KMP_PROBE_FIND, .global = KMP_GLOBAL_##g, .width = w \
	}
#define FIND_TAIL(n, g, w)                                                \
	{                                                                 \
		.function = n, .base = KMP_PROBE_FIND, .where = KMP_TAIL, \
		.global = KMP_GLOBAL_##g, .width = w                      \
	}
#define FIND_STRUCT(n, g, ...)                                                                    \
	{                                                                                         \
		.function = n, .base = KMP_PROBE_FIND_STRUCT, .global = KMP_GLOBAL_##g, .path = { \
			__VA_ARGS__                                                               \
		}                                                                                 \
	}
#define FIND_ARRAY_UNTIL(release, n, g)                                                \
	{                                                                              \
		.function = n, .base = KMP_PROBE_FIND_ARRAY, .global = KMP_GLOBAL_##g, \
		.last = release                                                        \
	}
#define FIND_ADDRESS(n, g)                                                              \
	{                                                                               \
		.function = n, .base = KMP_PROBE_FIND_ADDRESS, .global = KMP_GLOBAL_##g \
	}

const struct kmp_probe kmp_probes[] = {
	NEEDED("omp_get_level", KMP_NEED_LEVEL, TEAM(t_level)),
	NEEDED("omp_get_active_level", KMP_NEED_TEAM, TEAM(t_active_level)),
	NEEDED("omp_get_thread_num", KMP_NEED_TID, DS(ds_tid)),
	THREAD("__kmpc_bound_thread_num", DS(ds_tid)),
	NEEDED("__kmpc_bound_num_threads", KMP_NEED_TEAM, TEAM(t_nproc)),

	// Variables that many functions look at come first: what is left over then is new.
	FIND("kmp_get_stacksize_s", __kmp_init_serial, 4),
	FIND("kmp_get_stacksize_s", __kmp_stksize, 8),
	FIND("omp_in_final", __kmp_init_parallel, 4),
	NEEDED("omp_in_final", KMP_NEED_TASK, TASK(td_flags)),
	FIND("omp_get_max_threads", __kmp_init_middle, 4),
	NEEDED("omp_get_max_threads", KMP_NEED_ICV, ICV(nproc)),
	NEEDED("omp_get_max_threads", KMP_NEED_ROOT, ROOT(r_uber_thread)),
	FIND("omp_get_num_procs", __kmp_avail_proc, 4),
	FIND("__kmpc_push_num_threads", __kmp_threads_capacity, 4),

	THREAD("omp_in_parallel", INFO(th_teams_microtask)),
	THREAD("omp_in_parallel", TEAM(t_active_level)),
	THREAD("omp_in_parallel", ROOT(r_in_parallel)),
	THREAD("omp_get_dynamic", ICV(dynamic)),
	THREAD("omp_get_nested", ICV(max_active_levels)),
	THREAD("omp_get_thread_limit", ICV(thread_limit)),
	THREAD("omp_get_thread_limit", ICV(task_thread_limit)),
	THREAD("omp_get_proc_bind", ICV(proc_bind)),
	THREAD("omp_get_default_device", ICV(default_device)),
	TAIL("omp_get_max_active_levels", ICV(max_active_levels)),
	TAIL("omp_get_schedule", ICV(sched)),
	TAIL("omp_get_team_size", INFO(th_team)),
	TAIL("omp_get_team_size", TEAM(t_level)),
	TAIL("omp_get_team_size", INFO(th_teams_microtask)),
	TAIL("omp_get_team_size", INFO(th_teams_level)),
	TAIL("omp_get_team_size", TEAM(t_serialized)),
	TAIL("omp_get_team_size", TEAM(t_nproc)),
	TAIL("omp_get_team_size", PARENT(t_nproc)),
	TAIL("omp_get_team_size", PARENT(t_serialized)),
	TAIL("omp_get_ancestor_thread_num", TEAM(t_level)),
	TAIL("omp_get_ancestor_thread_num", TEAM(t_serialized)),
	TAIL("omp_get_ancestor_thread_num", TEAM(t_master_tid)),
	TAIL("omp_get_ancestor_thread_num", PARENT(t_serialized)),
	TAIL("omp_get_ancestor_thread_num", PARENT(t_master_tid)),
	TAIL("omp_get_num_teams", INFO(th_teams_microtask)),
	TAIL("omp_get_num_teams", TEAM(t_level)),
	TAIL("omp_get_num_teams", INFO(th_teams_level)),
	TAIL("omp_get_num_teams", TEAM(t_serialized)),
	TAIL("omp_get_num_teams", PARENT(t_nproc)),
	TAIL("omp_get_team_num", TEAM(t_master_tid)),
	THREAD("omp_get_place_num", INFO(th_current_place)),
	THREAD("omp_get_partition_num_places", INFO(th_first_place)),
	THREAD("omp_get_partition_num_places", INFO(th_last_place)),
	THREAD("omp_get_partition_place_nums", INFO(th_first_place)),
	THREAD("omp_get_partition_place_nums", INFO(th_last_place)),
	THREAD("__kmpc_get_default_allocator", INFO(th_def_allocator)),
	THREAD("omp_in_explicit_task", TASK(td_flags)),
	THREAD("__kmpc_ordered", INFO(th_dispatch)),
	THREAD("__kmpc_ordered", INFO(ompt_thread_info), F(ompt_thread_info_t, state)),
	{ .function = "__kmpc_ordered",
	  .width = 8, // its neighbour is narrower
	  .path = { INFO(ompt_thread_info), F(ompt_thread_info_t, wait_id) } },
	THREAD("__kmpc_ordered", TEAM(t_serialized)),
	THREAD("__kmpc_taskgroup", TASK(td_taskgroup)),
	THREAD("__kmpc_end_taskgroup", TASK(td_taskgroup)),
	THREAD("__kmpc_omp_taskwait", TASK(td_taskwait_thread)),
	THREAD("__kmpc_omp_taskwait", TASK(td_incomplete_child_tasks)),
	THREAD("__kmpc_omp_taskyield", TASK(td_taskwait_thread)),

	THREAD("__kmpc_fork_teams", INFO(th_set_nproc)),
	THREAD("__kmpc_fork_teams", INFO(th_cg_roots), LOAD, F(kmp_cg_root_t, cg_thread_limit)),
	THREAD("__kmpc_fork_teams", INFO(th_cg_roots), LOAD, F(kmp_cg_root_t, cg_nthreads)),
	THREAD("__kmpc_fork_teams", INFO(th_teams_size), F(kmp_teams_size_t, nteams)),
	THREAD("__kmpc_fork_teams", INFO(th_teams_size), F(kmp_teams_size_t, nth)),
	THREAD("__kmpc_reduce", INFO(th_team_nproc)),
	THREAD("__kmpc_reduce", INFO(th_task_state)),
	THREAD("__kmpc_reduce", INFO(th_ident)),
	THREAD("__kmpc_reduce", PARENT(t_task_team)),
	THREAD("__kmpc_single", TEAM(t_implicit_task_taskdata)),
	THREAD("__kmpc_end_serialized_parallel", SERIAL(t_control_stack_top)),
	THREAD("__kmpc_end_serialized_parallel", SERIAL(t_parent)),
	THREAD("__kmpc_end_serialized_parallel", SERIAL(t_threads)),
	THREAD("__kmpc_end_serialized_parallel", SERIAL(t_control_stack_top), LOAD,
	       F(kmp_internal_control_t, next)),
	THREAD("__kmpc_end_serialized_parallel", SERIAL(t_control_stack_top), LOAD,
	       F(kmp_internal_control_t, serial_nesting_level)),
	THREAD("__kmpc_end_serialized_parallel", ROOT(r_root_team)),
	THREAD("__kmpc_end_serialized_parallel", OMPT(frame), F(ompt_frame_t, exit_frame)),
	THREAD("__kmpc_cancel", TEAM(t_cancel_request)),
	THREAD("__kmpc_cancel", GROUP(cancel_request)),
	THREAD("__kmpc_end_taskgroup", GROUP(count)),
	THREAD("__kmpc_taskgroup", OMPT(task_data)),
	THREAD("__kmpc_taskgroup", TEAM(ompt_team_info), F(ompt_team_info_t, parallel_data)),
	THREAD("__kmpc_get_parent_taskid", TASK(td_parent)),
	THREAD("__kmpc_get_parent_taskid", TASK(td_parent), LOAD, F(kmp_taskdata_t, td_task_id)),
	THREAD("__kmpc_omp_taskwait", TASK(td_taskwait_counter)),
	THREAD("__kmpc_doacross_init", DISPATCH(th_doacross_info)),
	THREAD("__kmpc_dispatch_init_4", DISPATCH(th_disp_index)),
	THREAD("GOMP_loop_guided_next", DISPATCH(th_doacross_flags)),
	THREAD("GOMP_task", OMPT(frame), F(ompt_frame_t, enter_frame)),
	TRACED("kmp_get_blocktime", TEAM(t_id)),
	THREAD("__kmp_fork_call", INFO(th_local)),
	THREAD("__kmp_fork_call", ROOT(r_active)),
	TAIL("__kmpc_invoke_task_func", TEAM(t_argc)),
	TAIL("omp_set_num_threads", ROOT(r_hot_team)),
	TAIL("omp_set_schedule", ICV(sched), F(kmp_r_sched_t, chunk)),
	TAIL("omp_set_schedule", ICV(sched), F(kmp_r_sched_t, r_sched_type)),
	FROM(16, "__kmpc_omp_has_task_team", TASK(td_task_team)),
	FROM_TAIL(19, "__kmpc_serialized_parallel", SERIAL(t_nested_nth), LOAD,
		  F(kmp_nested_nthreads_t, nth)),
	FROM_TAIL(19, "__kmpc_serialized_parallel", SERIAL(t_nested_nth), LOAD,
		  F(kmp_nested_nthreads_t, used)),

	CALLED("GOMP_barrier", TASK(td_team)),
	CALLED("GOMP_barrier", OMPT(scheduling_parent)),
	CALLED("__kmpc_fork_call", TEAM(t_pkfn)),
	CALLED("__kmpc_fork_call", TEAM(t_bar), NEXT(kmp_balign_team_t),
	       F(kmp_balign_team_t, b_arrived)),
	CALLED("__kmpc_omp_task_parts", INFO(th_team_serialized)),
	CALLED("__kmp_acquire_queuing_lock", INFO(th_spin_here)),
	CALLED("__kmp_acquire_queuing_lock", INFO(th_next_waiting)),
	ITS_CALLED("__kmp_acquire_queuing_lock", LOCK(queuing, head_id)),
	ITS_CALLED("__kmp_acquire_queuing_lock", LOCK(queuing, tail_id)),
	ITS_CALLED("__kmp_acquire_drdpa_lock", LOCK(drdpa, next_ticket)),
	ITS_CALLED("__kmp_acquire_drdpa_lock", LOCK(drdpa, now_serving)),
	CALLED("__kmp_wait_64", INFO(th_in_pool)),
	CALLED("__kmp_wait_64", INFO(th_active)),
	ITS_CALLED("__kmp_wait_64", TEAM(ompt_serialized_team_info)),

	ITS("__kmp_wait_64", INFO(th_task_team)),
	ITS("__kmp_wait_64", DS(ds_gtid)),
	ITS("__kmp_wait_64", TASK_TEAM(tt_found_tasks)),
	ITS("__kmp_wait_64", TASK_TEAM(tt_active)),
	ITS("__kmp_reap_worker", DS(ds_thread)),
	ITS("__kmp_acquire_nested_queuing_lock", LOCK(queuing, depth_locked)),
	ITS("__kmp_acquire_nested_queuing_lock", LOCK(queuing, owner_id)),
	ITS("__kmp_acquire_nested_drdpa_lock", LOCK(drdpa, depth_locked)),
	ITS("__kmp_acquire_nested_drdpa_lock", LOCK(drdpa, owner_id)),
	ITS("__kmp_acquire_nested_tas_lock", LOCK(tas, depth_locked)),
	ITS("__kmp_acquire_nested_tas_lock", LOCK(tas, poll)),
	ITS("__kmp_acquire_ticket_lock", LOCK(ticket, next_ticket)),
	ITS("__kmp_acquire_ticket_lock", LOCK(ticket, now_serving)),
	BIT("__kmpc_omp_target_task_alloc", hidden_helper),

	GIVEN("__kmpc_proxy_task_completed_ooo", F(kmp_taskdata_t, td_flags)),
	GIVEN("__kmpc_proxy_task_completed_ooo", F(kmp_taskdata_t, td_parent)),
	GIVEN("__kmpc_proxy_task_completed_ooo", F(kmp_taskdata_t, td_incomplete_child_tasks)),
	GIVEN("__kmpc_proxy_task_completed_ooo", F(kmp_taskdata_t, td_parent), LOAD,
	      F(kmp_taskdata_t, td_incomplete_child_tasks)),

	// Its first member is the array of rows.
	FIND_ARRAY_UNTIL(13, "__kmpc_destroy_lock", __kmp_i_lock_table),
	FIND_STRUCT("__kmpc_destroy_lock", __kmp_i_lock_table,
		    F(kmp_indirect_lock_table_t, next_table), F(kmp_indirect_lock_table_t, table),
		    F(kmp_indirect_lock_table_t, nrow_ptrs)),

	FIND("GOMP_barrier", ompt_enabled, 1),
	FIND("__kmpc_serialized_parallel", ompt_enabled, 1),
	FIND("__kmpc_get_target_offload", __kmp_target_offload, 4),
	FIND("omp_get_affinity_format", __kmp_affinity_format, 8),
	FIND("omp_get_cancellation", __kmp_omp_cancellation, 4),
	FIND("omp_get_max_task_priority", __kmp_max_task_priority, 4),
	FIND("kmp_get_library", __kmp_library, 4),
	FIND_TAIL("omp_get_max_teams", __kmp_nteams, 4),
	FIND_TAIL("omp_get_teams_thread_limit", __kmp_teams_thread_limit, 4),
	FIND("omp_get_num_places", __kmp_affinity_num_masks, 4),
};

const size_t kmp_probe_count = sizeof(kmp_probes) / sizeof(kmp_probes[0]);
