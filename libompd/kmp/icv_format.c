// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs as text, in the form of the environment variables that set them.

#include <stdio.h>

#include "kmp/icv.h"

KMP_ICV_FORMATTER(nthreads)
{
	struct kmp_nthreads_list list;
	struct kmp_region region;
	ompd_rc_t rc = kmp_icv_region(query, &region);

	if (rc == ompd_rc_ok)
		rc = kmp_icv_nthreads_list(query, &region, &list);
	if (rc != ompd_rc_ok)
		return rc;
	int used = snprintf(text, ICV_TEXT_MAX, "%lld", (long long)value);

	for (size_t i = (size_t)region.level + 1; i < list.length && used < ICV_TEXT_MAX; i++)
		used += snprintf(text + used, (size_t)(ICV_TEXT_MAX - used), ",%llu",
				 (unsigned long long)list.values[i]);
	return ompd_rc_ok;
}

KMP_ICV_FORMATTER(run_sched)
{
	static const char *const kinds[] = { "?", "static", "dynamic", "guided", "auto" };
	enum { MONOTONIC = 0x80000000u, TRAPEZOIDAL = 101, STATIC_STEAL = 102 };
	uint64_t kind = (uint64_t)value & ~(uint64_t)MONOTONIC & 0xffffffffu;
	ompd_word_t same;
	int32_t chunk;
	ompd_rc_t rc = kmp_icv_schedule(query, &same, &chunk);

	if (rc != ompd_rc_ok)
		return rc;
	const char *name = kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] :
			   kind == TRAPEZOIDAL			   ? "trapezoidal" :
			   kind == STATIC_STEAL			   ? "static_steal" :
								     "?";
	int used = snprintf(text, ICV_TEXT_MAX, "%s%s",
			    (uint64_t)value & MONOTONIC ? "monotonic:" : "", name);

	if (chunk > 0)
		snprintf(text + used, ICV_TEXT_MAX - used, ",%d", chunk);
	return ompd_rc_ok;
}

KMP_ICV_FORMATTER(place_partition)
{
	int32_t last;
	ompd_rc_t rc =
		kmp_read_int(query->runtime, query->thread->address, INFO(th_last_place), &last);

	if (rc != ompd_rc_ok)
		return rc;
	// As numbers of places, first to last; the processors of each are the system's affair.
	if (last == value)
		snprintf(text, ICV_TEXT_MAX, "%lld", (long long)value);
	else
		snprintf(text, ICV_TEXT_MAX, "%lld-%d", (long long)value, last);
	return ompd_rc_ok;
}
