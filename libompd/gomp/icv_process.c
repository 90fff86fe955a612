// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of the process. Some are set from the environment when libgomp is loaded, and by nothing
// else: where the variable itself cannot be found, what the process was started with decides.

#include "gomp/icv.h"

static const struct environ_word booleans[] = { { "true", 1 }, { "false", 0 } };
static const struct icv_environment display_affinity =
	ICV_ENVIRONMENT("OMP_DISPLAY_AFFINITY", booleans, 0);

static const struct {
	enum gomp_global global;
	uint8_t size;
	uint8_t since; // the first release of GCC that has it
	const struct icv_environment *environment;
} variables[ICV_COUNT] = {
	[ICV_cancel] = { GOMP_GLOBAL_gomp_cancel_var, 1 },
	[ICV_max_task_priority] = { GOMP_GLOBAL_gomp_max_task_priority_var, 4 },
	[ICV_num_procs] = { GOMP_GLOBAL_gomp_available_cpus, 8 },
	[ICV_stacksize] = { GOMP_GLOBAL_stacksize, 8 },
	[ICV_nteams] = { GOMP_GLOBAL_gomp_nteams_var, 4, .since = 12 },
	[ICV_teams_thread_limit] = { GOMP_GLOBAL_gomp_teams_thread_limit_var, 4, .since = 12 },
	[ICV_display_affinity] = { GOMP_GLOBAL_gomp_display_affinity_var, 1,
				   .environment = &display_affinity },
	[ICV_target_offload] = { GOMP_GLOBAL_gomp_target_offload_var, 4,
				 .environment = &icv_target_offload_environment },
	[ICV_wait_policy] = { GOMP_GLOBAL_wait_policy, 4,
			      .environment = &icv_wait_policy_environment },
};

static ompd_rc_t no_tools(void)
{
	return reason(ompd_rc_unavailable, "libgomp has no tool interface (OMPT)");
}

ompd_rc_t gomp_icv_not_kept(void)
{
	return reason(ompd_rc_unavailable, "this release of libgomp does not keep it");
}

ICV_VALUE(gomp_icv_variable)
{
	const enum gomp_global global = variables[icv].global;
	const unsigned int size = variables[icv].size;
	uint64_t value;

	if (icv == ICV_tool)
		return no_tools();
	if (!size || runtime->layout.last_release < variables[icv].since)
		return gomp_icv_not_kept();
	if (variables[icv].environment && !runtime->layout.global[global]) {
		// GCC 10 does not know it; gomp_target_offload_var came with GCC 11.
		if (icv == ICV_target_offload && !gomp_has(runtime, STATE(def_allocator)))
			return gomp_icv_not_kept();
		return icv_in_environment(&runtime->target, variables[icv].environment, ret);
	}
	ompd_rc_t rc = gomp_read_global(runtime, global, size, &value);

	if (rc == ompd_rc_ok)
		*ret = icv_signed(value, size);
	return rc;
}

ICV_TEXT(gomp_icv_string)
{
	uint64_t string;

	if (icv != ICV_affinity_format)
		return no_tools();
	ompd_rc_t rc = gomp_read_global(runtime, GOMP_GLOBAL_gomp_affinity_format_var, 8, &string);

	if (rc == ompd_rc_ok)
		rc = target_read_string(&runtime->target, string, ret, ICV_TEXT_MAX);
	return rc == ompd_rc_incomplete ? ompd_rc_ok : rc; // longer than any sane format: cut off
}
