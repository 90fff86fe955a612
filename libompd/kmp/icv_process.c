// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of the process: variables of the runtime. Where a variable cannot be found, what the
// process was started with decides, for those that nothing else sets.

#include "kmp/icv.h"

// What the runtime takes for a boolean (__kmp_str_match_true, __kmp_str_match_false).
static const struct environ_word booleans[] = {
	{ "true", 1 },	{ "on", 1 },  { "1", 1 }, { ".true.", 1 },  { ".t.", 1 }, { "yes", 1 },
	{ "false", 0 }, { "off", 0 }, { "0", 0 }, { ".false.", 0 }, { ".f.", 0 }, { "no", 0 },
};
static const struct environ_word enabled[] = { { "enabled", 1 }, { "disabled", 0 } };

static const struct icv_environment cancellation = ICV_ENVIRONMENT("OMP_CANCELLATION", booleans, 0);
static const struct icv_environment debug = ICV_ENVIRONMENT("OMP_DEBUG", enabled, 0);
static const struct icv_environment display_affinity =
	ICV_ENVIRONMENT("OMP_DISPLAY_AFFINITY", booleans, 0);
static const struct icv_environment tool = ICV_ENVIRONMENT("OMP_TOOL", enabled, 1);

static const struct {
	enum kmp_global global; // KMP_GLOBAL_COUNT: none
	uint8_t size;
	const struct icv_environment *environment;
} variables[ICV_COUNT] = {
	[ICV_stacksize] = { KMP_GLOBAL___kmp_stksize, 8, NULL },
	[ICV_cancel] = { KMP_GLOBAL___kmp_omp_cancellation, 4, &cancellation },
	[ICV_max_task_priority] = { KMP_GLOBAL___kmp_max_task_priority, 4, NULL },
	[ICV_debug] = { KMP_GLOBAL_COUNT, 0, &debug },
	[ICV_display_affinity] = { KMP_GLOBAL___kmp_display_affinity, 4, &display_affinity },
	[ICV_tool] = { KMP_GLOBAL___kmp_tool, 4, &tool },
	[ICV_num_procs] = { KMP_GLOBAL___kmp_avail_proc, 4, NULL },
	[ICV_wait_policy] = { KMP_GLOBAL___kmp_library, 4, &icv_wait_policy_environment },
	[ICV_target_offload] = { KMP_GLOBAL___kmp_target_offload, 4,
				 &icv_target_offload_environment },
	[ICV_nteams] = { KMP_GLOBAL___kmp_nteams, 4, NULL },
	[ICV_teams_thread_limit] = { KMP_GLOBAL___kmp_teams_thread_limit, 4, NULL },
};

static bool is_known(const struct runtime *runtime, enum kmp_global global)
{
	return global != KMP_GLOBAL_COUNT && runtime->layout.global[global];
}

// Convert what the runtime keeps to what the variable is.
static ompd_rc_t convert(enum icv icv, ompd_word_t kept, ompd_word_t *ret)
{
	// enum library_type: a throughput library yields and sleeps, a turnaround one does not.
	enum { LIBRARY_SERIAL = 1, LIBRARY_TURNAROUND = 2 };
	// enum kmp_target_offload_kind has disabled before default.
	static const ompd_word_t offload[] = { 2, 0, 1 };

	switch (icv) {
	case ICV_num_procs:
		// The first parallel region counts them, not the runtime's initialization.
		if (kept == 0)
			return reason(ompd_rc_unavailable, "the runtime has not counted them yet");
		break;
	case ICV_wait_policy:
		if (kept < LIBRARY_SERIAL)
			return reason(ompd_rc_unavailable, "the runtime is not initialized yet");
		kept = kept == LIBRARY_TURNAROUND;
		break;
	case ICV_target_offload:
		if (kept < 0 || kept > 2)
			return reason(ompd_rc_error, "target-offload-var is damaged");
		kept = offload[kept];
		break;
	default:
		break;
	}
	*ret = kept;
	return ompd_rc_ok;
}

ICV_VALUE(kmp_icv_variable)
{
	const enum kmp_global global = variables[icv].global;
	const unsigned int size = variables[icv].size;
	uint64_t value;

	if (variables[icv].environment && !is_known(runtime, global))
		return icv_in_environment(&runtime->target, variables[icv].environment, ret);
	ompd_rc_t rc = kmp_read_global(runtime, global, size, &value);

	return rc == ompd_rc_ok ? convert(icv, icv_signed(value, size), ret) : rc;
}

// The text that a variable points to, or that the environment holds; "" if neither does.
ICV_TEXT(kmp_icv_string)
{
	const enum kmp_global global =
		icv == ICV_tool_libraries    ? KMP_GLOBAL___kmp_tool_libraries :
		icv == ICV_tool_verbose_init ? KMP_GLOBAL___kmp_tool_verbose_init :
					       KMP_GLOBAL___kmp_affinity_format;
	uint64_t string;

	ret[0] = '\0';
	if (!is_known(runtime, global) && icv != ICV_affinity_format)
		return kmp_or_none(environ_get(&runtime->target,
					       icv == ICV_tool_libraries ? "OMP_TOOL_LIBRARIES" :
									   "OMP_TOOL_VERBOSE_INIT",
					       ret, ICV_TEXT_MAX));
	ompd_rc_t rc = kmp_read_global(runtime, global, 8, &string);

	if (rc == ompd_rc_ok && string)
		rc = target_read_string(&runtime->target, string, ret, ICV_TEXT_MAX);
	return rc == ompd_rc_incomplete ? ompd_rc_ok : rc; // longer than any sane one: cut off
}
