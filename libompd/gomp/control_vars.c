// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>
#include <string.h>

#include "gomp/icv.h"
#include "target/environ.h"

/** An environment variable that libgomp reads, and the ICV that holds what it made of it. */
static const struct {
	const char *variable;
	const char *icv; // NULL: the runtime keeps it in no place that is known
} control_vars[] = {
	{ "OMP_NUM_THREADS", "nthreads-var" },
	{ "OMP_DYNAMIC", "dyn-var" },
	{ "OMP_SCHEDULE", "run-sched-var" },
	{ "OMP_PROC_BIND", "bind-var" },
	{ "OMP_PLACES", NULL },
	{ "OMP_STACKSIZE", "stacksize-var" },
	{ "OMP_WAIT_POLICY", "wait-policy-var" },
	{ "OMP_THREAD_LIMIT", "thread-limit-var" },
	{ "OMP_MAX_ACTIVE_LEVELS", "max-active-levels-var" },
	{ "OMP_NESTED", NULL },
	{ "OMP_CANCELLATION", "cancel-var" },
	{ "OMP_DEFAULT_DEVICE", "default-device-var" },
	{ "OMP_MAX_TASK_PRIORITY", "max-task-priority-var" },
	{ "OMP_DISPLAY_AFFINITY", "display-affinity-var" },
	{ "OMP_AFFINITY_FORMAT", "affinity-format-var" },
	{ "OMP_TARGET_OFFLOAD", "target-offload-var" },
	{ "OMP_ALLOCATOR", NULL },
	{ "OMP_NUM_TEAMS", "nteams-var" },
	{ "OMP_TEAMS_THREAD_LIMIT", "teams-thread-limit-var" },
	{ "OMP_DISPLAY_ENV", NULL },
	{ "OMP_DEBUG", NULL },
	{ "OMP_TOOL", NULL },
	{ "OMP_TOOL_LIBRARIES", NULL },
	{ "OMP_TOOL_VERBOSE_INIT", NULL },
	{ "GOMP_CPU_AFFINITY", NULL },
	{ "GOMP_DEBUG", NULL },
	{ "GOMP_STACKSIZE", NULL },
	{ "GOMP_SPINCOUNT", NULL },
};

enum {
	CONTROL_VARS = sizeof(control_vars) / sizeof(control_vars[0]),
};

static const struct gomp_icv *icv_by_name(const char *name)
{
	for (size_t i = 0; name && i < gomp_icv_count; i++) {
		if (strcmp(gomp_icvs[i].name, name) == 0)
			return &gomp_icvs[i];
	}
	return NULL;
}

size_t gomp_control_var_count(void)
{
	return CONTROL_VARS;
}

void gomp_control_var_text(const struct gomp_runtime *runtime, size_t index, char *text)
{
	// The task without a record: its values are those of the process.
	const struct gomp_task initial = { .region = { .nthreads = 1 } };
	const struct gomp_icv_query query = { .runtime = runtime, .task = &initial };
	const struct gomp_icv *icv = icv_by_name(control_vars[index].icv);
	int used = snprintf(text, GOMP_CONTROL_VAR_MAX, "%s=", control_vars[index].variable);

	ompd_rc_t rc = icv ? gomp_icv_text(icv, &query, text + used) : ompd_rc_unsupported;

	if (rc == ompd_rc_unavailable || rc == ompd_rc_unsupported)
		rc = environ_get(&runtime->target, control_vars[index].variable, text + used,
				 GOMP_CONTROL_VAR_MAX - used);
	if (rc != ompd_rc_ok)
		snprintf(text + used, GOMP_CONTROL_VAR_MAX - used, "%s",
			 rc == ompd_rc_unavailable ? "undefined" : "unknown");
}
