// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks. A lock and a critical construct are one word, which tells that it is held but not by whom.
// A nested lock is such a word, then how many times it was set and the control variables of the
// task that owns it (struct omp_nest_lock_t of omp_lock.h, part of the interface with programs).

#include <string.h>

#include "gomp/gomp.h"
#include "layout/call.h"

enum {
	LOCK_FREE = 0, // other values: held, with or without threads that wait
	LOCK_WORD = 4,
	NEST_COUNT = 4, // offsets in a nested lock
	NEST_OWNER = 8,
};

ompd_rc_t gomp_lock_info(const struct runtime *runtime, uint32_t kind, uint64_t address,
			 ompd_ext_lock_info *ret)
{
	const struct target *target = &runtime->target;
	uint64_t word, count, owner;
	ompd_rc_t rc = target_read_uint(target, address, LOCK_WORD, &word);

	if (rc != ompd_rc_ok)
		return reason(rc, "the lock at 0x%llx cannot be read", (unsigned long long)address);
	if (word > 1 && word != UINT32_MAX)
		return reason(ompd_rc_unavailable, "no lock of the runtime is there");
	*ret = (ompd_ext_lock_info){ .held = word != LOCK_FREE };
	if (kind != ompd_ext_lock_nested || !ret->held)
		return ompd_rc_ok;
	rc = target_read_uint(target, address + NEST_COUNT, 4, &count);
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, address + NEST_OWNER, &owner);
	// Between taking the word and noting the owner, both are of the time before.
	if (rc != ompd_rc_ok || !count || !owner)
		return rc;
	ret->depth = (uint32_t)count;
	ret->recorded = (int64_t)owner;
	rc = gomp_owner(runtime, GOMP_OWNED_TASK, owner, &ret->thread);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	ret->owner = rc == ompd_rc_ok ? ompd_ext_lock_owner_thread : ompd_ext_lock_owner_task;
	reason_clear();
	return ompd_rc_ok;
}

// Check for functions whose only argument is a lock: those of locks and of named criticals.
static bool has_lock_argument(const ompd_ext_wait_site *site)
{
	switch (site->kind) {
	case ompd_ext_wait_lock:
	case ompd_ext_wait_nest_lock:
		return true;
	case ompd_ext_wait_none:
		return strncmp(site->function, "omp_unset_", strlen("omp_unset_")) == 0 ||
		       strcmp(site->function, "GOMP_critical_name_end") == 0;
	default:
		return strcmp(site->function, "GOMP_critical_name_start") == 0;
	}
}

ompd_rc_t gomp_lock_argument(struct runtime *runtime, uint64_t return_address,
			     ompd_ext_argument *ret)
{
	ompd_ext_wait_site site;
	ompd_rc_t rc = gomp_classify_call(runtime, return_address, &site);

	if (rc != ompd_rc_ok)
		return rc;
	if (!site.function || !has_lock_argument(&site))
		return reason(ompd_rc_bad_input, "the called function takes no lock");
	return call_argument(&runtime->target, return_address, 0, ret);
}
