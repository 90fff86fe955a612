// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/kmp.h"

enum {
	TEAM_ALIGNMENT = 64, // of what __kmp_allocate returns
};

void kmp_span_of_team(const struct runtime *runtime, struct kmp_span *span)
{
	static const enum kmp_field fields[] = {
		TEAM(t_parent),	    TEAM(t_threads),	TEAM(t_implicit_task_taskdata),
		TEAM(t_serialized), TEAM(t_level),	TEAM(t_active_level),
		TEAM(t_nproc),	    TEAM(t_master_tid),
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		kmp_span_add(runtime, span, 0, fields[i]);
}

ompd_rc_t kmp_read_team(const struct runtime *runtime, uint64_t address, struct kmp_team *ret)
{
	uint64_t serialized, level, active_level, nproc, master_tid;
	const struct kmp_wanted wanted[] = {
		WANT(TEAM(t_parent), &ret->parent),
		WANT(TEAM(t_threads), &ret->threads),
		WANT(TEAM(t_implicit_task_taskdata), &ret->implicit_tasks),
		WANT(TEAM(t_serialized), &serialized),
		WANT(TEAM(t_level), &level),
		WANT(TEAM(t_active_level), &active_level),
		WANT(TEAM(t_nproc), &nproc),
		WANT(TEAM(t_master_tid), &master_tid),
	};
	ompd_rc_t rc = ompd_rc_error;

	ret->address = address;
	if (address && address % TEAM_ALIGNMENT == 0)
		rc = kmp_read_fields(runtime, address, wanted, sizeof(wanted) / sizeof(wanted[0]));
	if (rc != ompd_rc_ok)
		return reason(ompd_rc_error, "the team at 0x%llx cannot be read",
			      (unsigned long long)address);
	ret->serialized = (uint32_t)serialized;
	ret->level = (uint32_t)level;
	ret->active_level = (uint32_t)active_level;
	ret->nproc = (uint32_t)nproc;
	ret->master_tid = (uint32_t)master_tid;
	if (ret->serialized > KMP_MAX_LEVEL || ret->level > KMP_MAX_LEVEL ||
	    ret->active_level > ret->level || ret->nproc == 0 || ret->nproc > KMP_MAX_THREADS ||
	    ret->master_tid > KMP_MAX_THREADS || (ret->serialized && ret->nproc != 1) ||
	    ret->parent % TEAM_ALIGNMENT || !ret->threads || !ret->implicit_tasks)
		return reason(ompd_rc_error, "the team at 0x%llx is being changed, or damaged",
			      (unsigned long long)address);
	return ompd_rc_ok;
}

ompd_rc_t kmp_team_thread(const struct runtime *runtime, const struct kmp_team *team,
			  uint32_t number, uint64_t *ret)
{
	enum { NEAR = 64 }; // threads of a team whose array is read whole

	if (team->threads % 8 == 0 && number < team->nproc && team->nproc <= NEAR)
		target_view(&runtime->target, team->threads, 8 * (size_t)team->nproc);
	return kmp_read_element(runtime, team->threads, number, ret);
}

ompd_rc_t kmp_is_within(const struct runtime *runtime, uint64_t team, uint64_t wanted, bool *ret)
{
	struct cycle cycle = { 0 };

	*ret = false;
	while (team) {
		if (team == wanted) {
			*ret = true;
			return ompd_rc_ok;
		}
		if (cycle_closed(&cycle, team))
			return reason(ompd_rc_error, "the teams around a team have no end");
		ompd_rc_t rc = kmp_read(runtime, team, TEAM(t_parent), &team);

		if (rc != ompd_rc_ok)
			return rc;
	}
	return ompd_rc_ok;
}
