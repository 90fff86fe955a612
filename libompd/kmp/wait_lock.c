// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lock a thread waits for. The runtime does not record it with the thread. A queuing lock,
// which most are, names the threads that wait for it: that proves that it is the one which the
// program seems to have passed. Others must be in use in the runtime's frames.

#include <string.h>

#include "kmp/kmp.h"
#include "layout/call.h"

// Check whether the thread is in the queue of a lock: it goes from the head by th_next_waiting to
// the tail, in gtids plus one. A thread that comes is the tail before the one before it knows.
// unavailable: it is not there.
static ompd_rc_t is_queued(const struct runtime *runtime, const struct thread *thread,
			   uint64_t lock)
{
	struct cycle cycle = { 0 };
	int32_t id, tail, next;
	uint64_t address;
	ompd_rc_t rc = KMP_READ(runtime, lock,
				WANT_INT(KMP_FIELD_kmp_base_queuing_lock_t__head_id, &id),
				WANT_INT(KMP_FIELD_kmp_base_queuing_lock_t__tail_id, &tail));

	while (rc == ompd_rc_ok && id > 0 && !cycle_closed(&cycle, (uint64_t)id)) {
		uint64_t gtid = (uint64_t)id - 1, found = gtid;

		rc = kmp_next_listed(runtime, &found, &address);
		if (rc != ompd_rc_ok || address == thread->address)
			return rc;
		if (found != gtid + 1 || id == tail)
			break;
		rc = kmp_read_int(runtime, address, INFO(th_next_waiting), &next);
		id = next > 0 ? next : tail;
	}
	return rc == ompd_rc_ok ? reason(ompd_rc_unavailable, "the thread is not in its queue") :
				  rc;
}

static bool contains(const uint64_t *values, size_t count, uint64_t wanted)
{
	for (size_t i = 0; i < count; i++) {
		if (values[i] == wanted)
			return true;
	}
	return false;
}

ompd_rc_t kmp_confirm_lock(const struct runtime *runtime, struct thread *thread, uint32_t kind,
			   uint64_t variable, const uint64_t *in_use, size_t in_use_count)
{
	ompd_ext_lock_info info;
	struct kmp_lock lock;
	ompd_rc_t rc = kmp_thread_again(runtime, thread, THREAD_PLACE);

	if (rc == ompd_rc_ok)
		rc = kmp_find_lock(runtime, kind, variable, &lock);
	if (rc != ompd_rc_ok)
		return rc;
	if (!lock.address)
		return reason(ompd_rc_unavailable, "no thread was ever in the construct");
	if (kmp_lock_has_queue(&lock))
		return is_queued(runtime, thread, lock.address);
	rc = kmp_lock_owner(runtime, &lock, &info);
	if (rc == ompd_rc_ok && !info.held)
		return reason(ompd_rc_unavailable, "nobody holds the lock");
	return contains(in_use, in_use_count, lock.address) ?
		       ompd_rc_ok :
		       reason(ompd_rc_unavailable, "the runtime does not work with the lock");
}

static bool passes_lock(const ompd_ext_wait_site *site)
{
	if (site->kind == ompd_ext_wait_none)
		return strstr(site->function, "_unset_") ||
		       strcmp(site->function, "__kmpc_end_critical") == 0;
	return (site->kind == ompd_ext_wait_critical || site->kind == ompd_ext_wait_lock ||
		site->kind == ompd_ext_wait_nest_lock) &&
	       strcmp(site->function, "GOMP_critical_start") != 0;
}

ompd_rc_t kmp_lock_argument(struct runtime *runtime, uint64_t return_address,
			    ompd_ext_argument *ret)
{
	static const char kmpc[] = "__kmpc_";
	ompd_ext_wait_site site;
	ompd_rc_t rc = kmp_classify_call(runtime, return_address, &site);

	if (rc != ompd_rc_ok)
		return rc;
	if (!passes_lock(&site))
		return reason(ompd_rc_unavailable, "%s gets no lock", site.function);
	// Before it come the place in the source and the thread's number, or nothing.
	bool is_kmpc = strncmp(site.function, kmpc, sizeof(kmpc) - 1) == 0;

	return call_argument(&runtime->target, return_address, is_kmpc ? 2 : 0, ret);
}
