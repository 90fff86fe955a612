// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of the process.

#include "gomp/icv.h"
#include "target/environ.h"

static ompd_rc_t read_global(const struct runtime *runtime, enum gomp_global global,
			     unsigned int size, ompd_word_t *ret)
{
	uint64_t value;
	ompd_rc_t rc = gomp_read_global(runtime, global, size, &value);

	if (rc == ompd_rc_ok)
		*ret = gomp_icv_signed(value, 8 * size);
	return rc;
}

GOMP_ICV_READER(cancel)
{
	return read_global(runtime, GOMP_GLOBAL_gomp_cancel_var, 1, ret);
}

GOMP_ICV_READER(max_task_priority)
{
	return read_global(runtime, GOMP_GLOBAL_gomp_max_task_priority_var, 4, ret);
}

GOMP_ICV_READER(num_procs)
{
	return read_global(runtime, GOMP_GLOBAL_gomp_available_cpus, 8, ret);
}

// GCC 12 brought both.
static bool has_teams_variables(const struct runtime *runtime)
{
	return runtime->layout.last_release >= 12;
}

GOMP_ICV_READER(nteams)
{
	if (!has_teams_variables(runtime))
		return gomp_icv_not_kept(runtime, of, ret);
	return read_global(runtime, GOMP_GLOBAL_gomp_nteams_var, 4, ret);
}

GOMP_ICV_READER(teams_thread_limit)
{
	if (!has_teams_variables(runtime))
		return gomp_icv_not_kept(runtime, of, ret);
	return read_global(runtime, GOMP_GLOBAL_gomp_teams_thread_limit_var, 4, ret);
}

// The variables that follow are set from the environment when libgomp is loaded, and by nothing
// else. Where the variable itself cannot be found, what the process was started with decides.

static ompd_rc_t from_environment(const struct runtime *runtime, const char *variable,
				  const struct environ_word *words, size_t count,
				  ompd_word_t otherwise, ompd_word_t *ret)
{
	ompd_rc_t rc = environ_word(&runtime->target, variable, words, count, otherwise, ret);

	return rc == ompd_rc_ok ?
		       rc :
		       reason(rc,
			      "neither the variable nor the program's environment can be found");
}

#define FROM_ENVIRONMENT(runtime, variable, words, otherwise, ret)                         \
	from_environment(runtime, (variable), (words), sizeof(words) / sizeof((words)[0]), \
			 (otherwise), (ret))

static bool is_known(const struct runtime *runtime, enum gomp_global global)
{
	return runtime->layout.global[global] != 0;
}

GOMP_ICV_READER(display_affinity)
{
	static const struct environ_word words[] = { { "true", 1 }, { "false", 0 } };

	if (is_known(runtime, GOMP_GLOBAL_gomp_display_affinity_var))
		return read_global(runtime, GOMP_GLOBAL_gomp_display_affinity_var, 1, ret);
	return FROM_ENVIRONMENT(runtime, "OMP_DISPLAY_AFFINITY", words, 0, ret);
}

GOMP_ICV_READER(target_offload)
{
	static const struct environ_word words[] = { { "mandatory", 1 }, { "disabled", 2 } };

	if (is_known(runtime, GOMP_GLOBAL_gomp_target_offload_var))
		return read_global(runtime, GOMP_GLOBAL_gomp_target_offload_var, 4, ret);
	// GCC 10 does not know the variable; gomp_target_offload_var came with GCC 11.
	if (!gomp_has(runtime, GOMP_FIELD_gomp_team_state__def_allocator))
		return gomp_icv_not_kept(runtime, of, ret);
	return FROM_ENVIRONMENT(runtime, "OMP_TARGET_OFFLOAD", words, 0, ret);
}

GOMP_ICV_READER(wait_policy)
{
	static const struct environ_word words[] = { { "active", 1 }, { "passive", 0 } };

	if (is_known(runtime, GOMP_GLOBAL_wait_policy))
		return read_global(runtime, GOMP_GLOBAL_wait_policy, 4, ret);
	return FROM_ENVIRONMENT(runtime, "OMP_WAIT_POLICY", words, -1, ret);
}

GOMP_ICV_READER(stacksize)
{
	return read_global(runtime, GOMP_GLOBAL_stacksize, 8, ret);
}

GOMP_ICV_WRITER(affinity_format)
{
	uint64_t string;
	ompd_rc_t rc = gomp_read_global(runtime, GOMP_GLOBAL_gomp_affinity_format_var, 8, &string);

	if (rc == ompd_rc_ok)
		rc = target_read_string(&runtime->target, string, text, ICV_TEXT_MAX);
	return rc == ompd_rc_incomplete ? ompd_rc_ok : rc; // longer than any sane format: cut off
}

static ompd_rc_t no_tools(void)
{
	return reason(ompd_rc_unavailable, "libgomp has no tool interface (OMPT)");
}

GOMP_ICV_READER(tool)
{
	(void)runtime;
	(void)of;
	(void)ret;
	return no_tools();
}

GOMP_ICV_WRITER(tool_libraries)
{
	(void)runtime;
	(void)of;
	(void)text;
	return no_tools();
}

GOMP_ICV_WRITER(tool_verbose_init)
{
	(void)runtime;
	(void)of;
	(void)text;
	return no_tools();
}

GOMP_ICV_READER(debug)
{
	return gomp_icv_not_kept(runtime, of, ret);
}

GOMP_ICV_READER(not_kept)
{
	(void)runtime;
	(void)of;
	(void)ret;
	return reason(ompd_rc_unavailable, "this release of libgomp does not keep it");
}
