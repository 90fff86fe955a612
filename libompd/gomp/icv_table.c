// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/icv.h"

// The task without a record: its values are those of the process.
static const struct task initial_task = { .region = { .nthreads = 1 } };
const struct object gomp_initial = { .task = &initial_task };

const struct icv_access gomp_icvs[ICV_COUNT] = {
	[ICV_dyn] = { .value = gomp_icv_of_environment },
	[ICV_run_sched] = { .value = gomp_icv_schedule, .text = gomp_icv_schedule_text },
	[ICV_stacksize] = { .value = gomp_icv_variable },
	[ICV_cancel] = { .value = gomp_icv_variable },
	[ICV_max_task_priority] = { .value = gomp_icv_variable },
	[ICV_debug] = { .value = gomp_icv_not_kept },
	[ICV_nthreads] = { .list = gomp_icv_list },
	[ICV_display_affinity] = { .value = gomp_icv_variable },
	[ICV_affinity_format] = { .text = gomp_icv_affinity_format },
	[ICV_default_device] = { .value = gomp_icv_of_environment },
	[ICV_tool] = { .value = gomp_icv_no_tools },
	[ICV_tool_libraries] = { .value = gomp_icv_no_tools },
	[ICV_tool_verbose_init] = { .value = gomp_icv_no_tools },
	[ICV_levels] = { .value = gomp_icv_of_region },
	[ICV_active_levels] = { .value = gomp_icv_of_region },
	[ICV_thread_limit] = { .value = gomp_icv_of_environment },
	[ICV_max_active_levels] = { .value = gomp_icv_of_environment },
	[ICV_bind] = { .list = gomp_icv_list },
	[ICV_num_procs] = { .value = gomp_icv_variable },
	[ICV_thread_num] = { .value = gomp_icv_thread_num },
	[ICV_final_task] = { .value = gomp_icv_of_task },
	[ICV_implicit_task] = { .value = gomp_icv_of_task },
	[ICV_team_size] = { .value = gomp_icv_of_region },
	[ICV_wait_policy] = { .value = gomp_icv_variable },
	[ICV_target_offload] = { .value = gomp_icv_variable },
	[ICV_nteams] = { .value = gomp_icv_variable },
	[ICV_teams_thread_limit] = { .value = gomp_icv_variable },
	[ICV_team_num] = { .value = gomp_icv_of_league },
	[ICV_league_size] = { .value = gomp_icv_of_league },
	[ICV_explicit_task] = { .value = gomp_icv_of_task },
	[ICV_def_allocator] = { .value = gomp_icv_def_allocator },
	[ICV_team_generator] = { .value = gomp_icv_generator },
	[ICV_place_assignment] = { .value = gomp_icv_place },
	[ICV_place_partition] = { .text = gomp_icv_places },
	[ICV_nest] = { .value = gomp_icv_nest },
};
