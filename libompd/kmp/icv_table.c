// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>

#include "kmp/icv.h"

#define ROW(name, scope, reader)                                 \
	{                                                        \
		name, ompd_scope_##scope, kmp_icv_##reader, NULL \
	}
#define TEXT_ROW(name, scope, reader, formatter)                                       \
	{                                                                              \
		name, ompd_scope_##scope, kmp_icv_##reader, kmp_icv_format_##formatter \
	}

// Names and home scopes are those of OpenMP 5.2, table 2.1 and section 20.5.10. The rows that
// begin with "ompd-" are the names of OpenMP 5.0 for the same things.
const struct kmp_icv kmp_icvs[] = {
	ROW("stacksize-var", address_space, stacksize),
	TEXT_ROW("cancel-var", address_space, cancel, boolean),
	ROW("max-task-priority-var", address_space, max_task_priority),
	TEXT_ROW("debug-var", address_space, debug, enabled),
	TEXT_ROW("display-affinity-var", address_space, display_affinity, boolean),
	TEXT_ROW("affinity-format-var", address_space, affinity_format, affinity_format),
	TEXT_ROW("tool-var", address_space, tool, enabled),
	TEXT_ROW("tool-libraries-var", address_space, tool_libraries, tool_libraries),
	TEXT_ROW("tool-verbose-init-var", address_space, tool_verbose_init, tool_verbose_init),
	ROW("num-procs-var", address_space, num_procs),
	TEXT_ROW("wait-policy-var", address_space, wait_policy, wait_policy),
	TEXT_ROW("target-offload-var", address_space, target_offload, target_offload),
	ROW("nteams-var", address_space, nteams),
	ROW("teams-thread-limit-var", address_space, teams_thread_limit),
	TEXT_ROW("dyn-var", thread, dyn, boolean),
	TEXT_ROW("nthreads-var", thread, nthreads, nthreads),
	ROW("default-device-var", thread, default_device),
	ROW("thread-num-var", thread, thread_num),
	TEXT_ROW("place-partition-var", thread, place_partition, places),
	ROW("place-assignment-var", thread, place_assignment),
	ROW("team-num-var", thread, team_num),
	ROW("league-size-var", thread, league_size),
	ROW("levels-var", parallel, levels),
	ROW("active-levels-var", parallel, active_levels),
	ROW("team-size-var", parallel, team_size),
	TEXT_ROW("run-sched-var", task, run_sched, schedule),
	ROW("thread-limit-var", task, thread_limit),
	ROW("max-active-levels-var", task, max_active_levels),
	TEXT_ROW("bind-var", task, bind, bind),
	TEXT_ROW("final-task-var", task, final_task, boolean),
	TEXT_ROW("implicit-task-var", task, implicit_task, boolean),
	TEXT_ROW("explicit-task-var", task, explicit_task, boolean),
	TEXT_ROW("def-allocator-var", task, def_allocator, allocator),
	ROW("ompd-num-procs-var", address_space, num_procs),
	ROW("ompd-thread-num-var", thread, thread_num),
	ROW("ompd-final-var", task, final_task),
	ROW("ompd-implicit-var", task, implicit_task),
	ROW("ompd-team-size-var", parallel, team_size),
};

const size_t kmp_icv_count = sizeof(kmp_icvs) / sizeof(kmp_icvs[0]);

ompd_rc_t kmp_icv_text(const struct kmp_icv *icv, const struct kmp_icv_query *query, char *text)
{
	ompd_word_t value = 0;
	ompd_rc_t rc = icv->read(query, &value);

	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return rc;
	if (icv->format)
		return icv->format(query, value, text);
	snprintf(text, KMP_ICV_TEXT_MAX, "%lld", (long long)value);
	return ompd_rc_ok;
}
