// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/icv.h"

const struct icv_control_var icv_control_vars[] = {
	{ "OMP_NUM_THREADS", ICV_nthreads },
	{ "OMP_DYNAMIC", ICV_dyn },
	{ "OMP_SCHEDULE", ICV_run_sched },
	{ "OMP_PROC_BIND", ICV_bind },
	{ "OMP_PLACES", ICV_NONE },
	{ "OMP_STACKSIZE", ICV_stacksize },
	{ "OMP_WAIT_POLICY", ICV_wait_policy },
	{ "OMP_THREAD_LIMIT", ICV_thread_limit },
	{ "OMP_MAX_ACTIVE_LEVELS", ICV_max_active_levels },
	{ "OMP_NESTED", ICV_NONE },
	{ "OMP_CANCELLATION", ICV_cancel },
	{ "OMP_DEFAULT_DEVICE", ICV_default_device },
	{ "OMP_MAX_TASK_PRIORITY", ICV_max_task_priority },
	{ "OMP_DISPLAY_AFFINITY", ICV_display_affinity },
	{ "OMP_AFFINITY_FORMAT", ICV_affinity_format },
	{ "OMP_TARGET_OFFLOAD", ICV_target_offload },
	{ "OMP_ALLOCATOR", ICV_NONE },
	{ "OMP_NUM_TEAMS", ICV_nteams },
	{ "OMP_TEAMS_THREAD_LIMIT", ICV_teams_thread_limit },
	{ "OMP_DISPLAY_ENV", ICV_NONE },
	{ "OMP_DEBUG", ICV_debug },
	{ "OMP_TOOL", ICV_tool },
	{ "OMP_TOOL_LIBRARIES", ICV_tool_libraries },
	{ "OMP_TOOL_VERBOSE_INIT", ICV_tool_verbose_init },
	{ NULL, ICV_NONE },
};
