// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>
#include <string.h>

#include "kmp/icv.h"
#include "target/environ.h"

/** An environment variable that libomp reads, and the ICV of the process that holds what it made
 * of it. The others' values in force are those of tasks, or kept in no place that is known. */
static const struct {
	const char *variable;
	const char *icv;
} control_vars[] = {
	{ "OMP_NUM_THREADS", NULL },
	{ "OMP_DYNAMIC", NULL },
	{ "OMP_SCHEDULE", NULL },
	{ "OMP_PROC_BIND", NULL },
	{ "OMP_PLACES", NULL },
	{ "OMP_STACKSIZE", "stacksize-var" },
	{ "OMP_WAIT_POLICY", "wait-policy-var" },
	{ "OMP_THREAD_LIMIT", NULL },
	{ "OMP_MAX_ACTIVE_LEVELS", NULL },
	{ "OMP_NESTED", NULL },
	{ "OMP_CANCELLATION", "cancel-var" },
	{ "OMP_DEFAULT_DEVICE", NULL },
	{ "OMP_MAX_TASK_PRIORITY", "max-task-priority-var" },
	{ "OMP_DISPLAY_AFFINITY", "display-affinity-var" },
	{ "OMP_AFFINITY_FORMAT", "affinity-format-var" },
	{ "OMP_TARGET_OFFLOAD", "target-offload-var" },
	{ "OMP_ALLOCATOR", NULL },
	{ "OMP_NUM_TEAMS", "nteams-var" },
	{ "OMP_TEAMS_THREAD_LIMIT", "teams-thread-limit-var" },
	{ "OMP_DISPLAY_ENV", NULL },
	{ "OMP_DEBUG", "debug-var" },
	{ "OMP_TOOL", "tool-var" },
	{ "OMP_TOOL_LIBRARIES", "tool-libraries-var" },
	{ "OMP_TOOL_VERBOSE_INIT", "tool-verbose-init-var" },
	{ "KMP_ABORT_DELAY", NULL },
	{ "KMP_ADAPTIVE_LOCK_PROPS", NULL },
	{ "KMP_AFFINITY", NULL },
	{ "KMP_ALIGN_ALLOC", NULL },
	{ "KMP_ALL_THREADS", NULL },
	{ "KMP_BLOCKTIME", NULL },
	{ "KMP_CONSISTENCY_CHECK", NULL },
	{ "KMP_CPUINFO_FILE", NULL },
	{ "KMP_DETERMINISTIC_REDUCTION", NULL },
	{ "KMP_DEVICE_THREAD_LIMIT", NULL },
	{ "KMP_DISP_NUM_BUFFERS", NULL },
	{ "KMP_DUPLICATE_LIB_OK", NULL },
	{ "KMP_DYNAMIC_MODE", NULL },
	{ "KMP_ENABLE_TASK_THROTTLING", NULL },
	{ "KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE", NULL },
	{ "KMP_FORCE_REDUCTION", NULL },
	{ "KMP_FOREIGN_THREADS_THREADPRIVATE", NULL },
	{ "KMP_FORKJOIN_BARRIER", NULL },
	{ "KMP_FORKJOIN_BARRIER_PATTERN", NULL },
	{ "KMP_GTID_MODE", NULL },
	{ "KMP_HANDLE_SIGNALS", NULL },
	{ "KMP_HIDDEN_HELPER_AFFINITY", NULL },
	{ "KMP_HOT_TEAMS_MAX_LEVEL", NULL },
	{ "KMP_HOT_TEAMS_MODE", NULL },
	{ "KMP_HW_SUBSET", NULL },
	{ "KMP_INHERIT_FP_CONTROL", NULL },
	{ "KMP_INIT_AT_FORK", NULL },
	{ "KMP_INIT_WAIT", NULL },
	{ "KMP_ITT_PREPARE_DELAY", NULL },
	{ "KMP_LIBRARY", NULL },
	{ "KMP_LOCK_KIND", NULL },
	{ "KMP_MALLOC_POOL_INCR", NULL },
	{ "KMP_MAX_THREADS", NULL },
	{ "KMP_MONITOR_STACKSIZE", NULL },
	{ "KMP_NESTING_MODE", NULL },
	{ "KMP_NEXT_WAIT", NULL },
	{ "KMP_NUM_LOCKS_IN_BLOCK", NULL },
	{ "KMP_PLACE_THREADS", NULL },
	{ "KMP_PLAIN_BARRIER", NULL },
	{ "KMP_PLAIN_BARRIER_PATTERN", NULL },
	{ "KMP_REDUCTION_BARRIER", NULL },
	{ "KMP_REDUCTION_BARRIER_PATTERN", NULL },
	{ "KMP_SCHEDULE", NULL },
	{ "KMP_SETTINGS", NULL },
	{ "KMP_SPIN_BACKOFF_PARAMS", NULL },
	{ "KMP_STACKOFFSET", NULL },
	{ "KMP_STACKPAD", NULL },
	{ "KMP_STACKSIZE", NULL },
	{ "KMP_STORAGE_MAP", NULL },
	{ "KMP_TASKING", NULL },
	{ "KMP_TASKLOOP_MIN_TASKS", NULL },
	{ "KMP_TASK_STEALING_CONSTRAINT", NULL },
	{ "KMP_TEAMS_PROC_BIND", NULL },
	{ "KMP_TEAMS_THREAD_LIMIT", NULL },
	{ "KMP_TOPOLOGY_METHOD", NULL },
	{ "KMP_TPAUSE", NULL },
	{ "KMP_USER_LEVEL_MWAIT", NULL },
	{ "KMP_USE_YIELD", NULL },
	{ "KMP_VERSION", NULL },
	{ "KMP_WARNINGS", NULL },
	{ "LIBOMP_NUM_HIDDEN_HELPER_THREADS", NULL },
	{ "LIBOMP_USE_HIDDEN_HELPER_TASK", NULL },
};

enum {
	CONTROL_VARS = sizeof(control_vars) / sizeof(control_vars[0]),
};

static const struct kmp_icv *icv_by_name(const char *name)
{
	for (size_t i = 0; name && i < kmp_icv_count; i++) {
		if (strcmp(kmp_icvs[i].name, name) == 0)
			return &kmp_icvs[i];
	}
	return NULL;
}

size_t kmp_control_var_count(void)
{
	return CONTROL_VARS;
}

void kmp_control_var_text(const struct kmp_runtime *runtime, size_t index, char *text)
{
	const struct kmp_icv_query query = { .runtime = runtime };
	const struct kmp_icv *icv = icv_by_name(control_vars[index].icv);
	int used = snprintf(text, KMP_CONTROL_VAR_MAX, "%s=", control_vars[index].variable);

	ompd_rc_t rc = icv ? kmp_icv_text(icv, &query, text + used) : ompd_rc_unsupported;

	if (rc == ompd_rc_unavailable || rc == ompd_rc_unsupported)
		rc = environ_get(&runtime->target, control_vars[index].variable, text + used,
				 KMP_CONTROL_VAR_MAX - used);
	if (rc != ompd_rc_ok)
		snprintf(text + used, KMP_CONTROL_VAR_MAX - used, "%s",
			 rc == ompd_rc_unavailable ? "undefined" : "unknown");
}
