// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs that are lists by level. A task keeps the element of its level; the rest is the runtime's.

#include "kmp/icv.h"

// The list as the runtime keeps it: a team may have one of its own, by a num_threads clause.
static ompd_rc_t list_in_memory(const struct runtime *runtime, const struct region *region,
				struct icv_list *ret)
{
	uint64_t nested = 0, array, value;
	int32_t used;
	ompd_rc_t rc = ompd_rc_ok;

	ret->length = 0;
	if (kmp_has(runtime, TEAM(t_nested_nth)))
		rc = kmp_read(runtime, region->team.address, TEAM(t_nested_nth), &nested);
	if (rc == ompd_rc_ok && !nested)
		nested = runtime->layout.global[KMP_GLOBAL___kmp_nested_nth];
	if (rc != ompd_rc_ok || !nested)
		return rc == ompd_rc_ok ? ompd_rc_unavailable : rc;
	rc = KMP_READ(runtime, nested, WANT(KMP_FIELD_kmp_nested_nthreads_t__nth, &array),
		      WANT_INT(KMP_FIELD_kmp_nested_nthreads_t__used, &used));
	while (rc == ompd_rc_ok && (int32_t)ret->length < used && ret->length < ICV_LIST_MAX) {
		rc = target_read_uint(&runtime->target, array + 4 * ret->length, 4, &value);
		if (rc == ompd_rc_ok)
			ret->values[ret->length++] = (ompd_word_t)value;
	}
	return rc;
}

ICV_LIST(kmp_icv_list)
{
	const bool bind = icv == ICV_bind;
	struct region region;
	ompd_rc_t rc = kmp_icv_read(runtime, of, bind ? ICV(proc_bind) : ICV(nproc), &ret->first);

	ret->length = ret->level = 0;
	// False, true, and what KMP_AFFINITY decides are elements of no list.
	if (rc != ompd_rc_ok || (bind && (ret->first < 2 || ret->first > 4)))
		return rc;
	// 0 stands for the number of processors, which the first parallel region counts.
	if (!bind && ret->first == 0)
		return reason(ompd_rc_unavailable, "the runtime has not chosen a number yet");
	rc = kmp_region_of(runtime, of, &region);
	if (rc != ompd_rc_ok)
		return rc;
	ret->level = region.level;
	if (bind)
		return icv_list_in_environment(&runtime->target, icv, ret);
	rc = list_in_memory(runtime, &region, ret);
	if (rc == ompd_rc_unavailable || rc == ompd_rc_unsupported) // else nobody knows where it is
		rc = icv_list_in_environment(&runtime->target, icv, ret);
	return rc == ompd_rc_unavailable ? ompd_rc_incomplete : rc; // only the first is known
}
