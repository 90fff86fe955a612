// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of the process: variables of the runtime. Where a variable cannot be found, what the
// process was started with decides, for those that nothing else sets.

#include "kmp/icv.h"
#include "target/environ.h"

static bool is_known(const struct runtime *runtime, enum kmp_global global)
{
	return runtime->layout.global[global] != 0;
}

static ompd_rc_t read_int(const struct runtime *runtime, enum kmp_global global, ompd_word_t *ret)
{
	uint64_t value;
	ompd_rc_t rc = kmp_read_global(runtime, global, 4, &value);

	if (rc == ompd_rc_ok)
		*ret = (int32_t)value;
	return rc;
}

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

// What the runtime takes for a boolean (__kmp_str_match_true, __kmp_str_match_false).
static const struct environ_word booleans[] = {
	{ "true", 1 },	{ "on", 1 },  { "1", 1 }, { ".true.", 1 },  { ".t.", 1 }, { "yes", 1 },
	{ "false", 0 }, { "off", 0 }, { "0", 0 }, { ".false.", 0 }, { ".f.", 0 }, { "no", 0 },
};

KMP_ICV_READER(stacksize)
{
	uint64_t value;
	ompd_rc_t rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_stksize, 8, &value);

	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)value;
	return rc;
}

KMP_ICV_READER(cancel)
{
	if (is_known(runtime, KMP_GLOBAL___kmp_omp_cancellation))
		return read_int(runtime, KMP_GLOBAL___kmp_omp_cancellation, ret);
	return FROM_ENVIRONMENT(runtime, "OMP_CANCELLATION", booleans, 0, ret);
}

KMP_ICV_READER(max_task_priority)
{
	return read_int(runtime, KMP_GLOBAL___kmp_max_task_priority, ret);
}

KMP_ICV_READER(debug)
{
	static const struct environ_word words[] = { { "enabled", 1 } };

	return FROM_ENVIRONMENT(runtime, "OMP_DEBUG", words, 0, ret);
}

KMP_ICV_READER(display_affinity)
{
	if (is_known(runtime, KMP_GLOBAL___kmp_display_affinity))
		return read_int(runtime, KMP_GLOBAL___kmp_display_affinity, ret);
	return FROM_ENVIRONMENT(runtime, "OMP_DISPLAY_AFFINITY", booleans, 0, ret);
}

KMP_ICV_READER(num_procs)
{
	ompd_rc_t rc = read_int(runtime, KMP_GLOBAL___kmp_avail_proc, ret);

	// The first parallel region counts them, not the runtime's initialization.
	if (rc == ompd_rc_ok && *ret == 0)
		return reason(ompd_rc_unavailable, "the runtime has not counted them yet");
	return rc;
}

KMP_ICV_READER(wait_policy)
{
	// enum library_type: a throughput library yields and sleeps, a turnaround one does not.
	enum { LIBRARY_SERIAL = 1, LIBRARY_TURNAROUND = 2, LIBRARY_THROUGHPUT = 3 };
	static const struct environ_word words[] = { { "active", 1 }, { "passive", 0 } };
	ompd_word_t library;

	if (!is_known(runtime, KMP_GLOBAL___kmp_library))
		return FROM_ENVIRONMENT(runtime, "OMP_WAIT_POLICY", words, -1, ret);
	ompd_rc_t rc = read_int(runtime, KMP_GLOBAL___kmp_library, &library);

	if (rc == ompd_rc_ok && library < LIBRARY_SERIAL)
		return reason(ompd_rc_unavailable, "the runtime is not initialized yet");
	if (rc == ompd_rc_ok)
		*ret = library == LIBRARY_TURNAROUND;
	return rc;
}

KMP_ICV_READER(target_offload)
{
	// enum kmp_target_offload_kind has disabled before default.
	static const ompd_word_t values[] = { 2, 0, 1 };
	static const struct environ_word words[] = { { "mandatory", 1 }, { "disabled", 2 } };
	ompd_word_t kind;

	if (!is_known(runtime, KMP_GLOBAL___kmp_target_offload))
		return FROM_ENVIRONMENT(runtime, "OMP_TARGET_OFFLOAD", words, 0, ret);
	ompd_rc_t rc = read_int(runtime, KMP_GLOBAL___kmp_target_offload, &kind);

	if (rc == ompd_rc_ok && (kind < 0 || kind > 2))
		return reason(ompd_rc_error, "target-offload-var is damaged");
	if (rc == ompd_rc_ok)
		*ret = values[kind];
	return rc;
}

KMP_ICV_READER(nteams)
{
	return read_int(runtime, KMP_GLOBAL___kmp_nteams, ret);
}

KMP_ICV_READER(teams_thread_limit)
{
	return read_int(runtime, KMP_GLOBAL___kmp_teams_thread_limit, ret);
}

KMP_ICV_READER(tool)
{
	static const struct environ_word words[] = { { "enabled", 1 }, { "disabled", 0 } };

	if (is_known(runtime, KMP_GLOBAL___kmp_tool))
		return read_int(runtime, KMP_GLOBAL___kmp_tool, ret);
	return FROM_ENVIRONMENT(runtime, "OMP_TOOL", words, 1, ret);
}

// ---- Texts -----------------------------------------------------------------------------------

// The text that a variable points to, or that the environment holds; "" if neither does.
static ompd_rc_t read_text(const struct runtime *runtime, enum kmp_global global,
			   const char *variable, char *text)
{
	const struct target *target = &runtime->target;
	uint64_t string;
	ompd_rc_t rc;

	text[0] = '\0';
	if (!is_known(runtime, global)) {
		if (!variable)
			return kmp_read_global(runtime, global, 8, &string);
		rc = environ_get(target, variable, text, ICV_TEXT_MAX);
		return kmp_or_none(rc);
	}
	rc = kmp_read_global(runtime, global, 8, &string);
	if (rc == ompd_rc_ok && string)
		rc = target_read_string(target, string, text, ICV_TEXT_MAX);
	return rc == ompd_rc_incomplete ? ompd_rc_ok : rc; // longer than any sane one: cut off
}

KMP_ICV_WRITER(affinity_format)
{
	return read_text(runtime, KMP_GLOBAL___kmp_affinity_format, NULL, text);
}

KMP_ICV_WRITER(tool_libraries)
{
	return read_text(runtime, KMP_GLOBAL___kmp_tool_libraries, "OMP_TOOL_LIBRARIES", text);
}

KMP_ICV_WRITER(tool_verbose_init)
{
	return read_text(runtime, KMP_GLOBAL___kmp_tool_verbose_init, "OMP_TOOL_VERBOSE_INIT",
			 text);
}
