// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs as text, in the form of the environment variables that set them.

#include <stdio.h>

#include "kmp/icv.h"

// Text of a value that is one of a few names; the number itself if it is none of them.
static ompd_rc_t format_name(const char *const *names, size_t count, ompd_word_t value, char *text)
{
	if (value >= 0 && (size_t)value < count)
		snprintf(text, KMP_ICV_TEXT_MAX, "%s", names[value]);
	else
		snprintf(text, KMP_ICV_TEXT_MAX, "%lld", (long long)value);
	return ompd_rc_ok;
}

#define FORMAT_NAME(value, text, ...)                                                             \
	format_name((const char *const[]){ __VA_ARGS__ },                                         \
		    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *), (value), \
		    (text))

KMP_ICV_FORMATTER(boolean)
{
	(void)query;
	return FORMAT_NAME(value, text, "false", "true");
}

KMP_ICV_FORMATTER(enabled)
{
	(void)query;
	return FORMAT_NAME(value, text, "disabled", "enabled");
}

KMP_ICV_FORMATTER(nthreads)
{
	struct kmp_nthreads_list list;
	struct kmp_region region;
	ompd_rc_t rc = kmp_icv_region(query, &region);

	if (rc == ompd_rc_ok)
		rc = kmp_icv_nthreads_list(query, &region, &list);
	if (rc != ompd_rc_ok)
		return rc;
	int used = snprintf(text, KMP_ICV_TEXT_MAX, "%lld", (long long)value);

	for (size_t i = (size_t)region.level + 1; i < list.length && used < KMP_ICV_TEXT_MAX; i++)
		used += snprintf(text + used, (size_t)(KMP_ICV_TEXT_MAX - used), ",%llu",
				 (unsigned long long)list.values[i]);
	return ompd_rc_ok;
}

KMP_ICV_FORMATTER(schedule)
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
	int used = snprintf(text, KMP_ICV_TEXT_MAX, "%s%s",
			    (uint64_t)value & MONOTONIC ? "monotonic:" : "", name);

	if (chunk > 0)
		snprintf(text + used, KMP_ICV_TEXT_MAX - used, ",%d", chunk);
	return ompd_rc_ok;
}

KMP_ICV_FORMATTER(bind)
{
	(void)query;
	// The last two: places as KMP_AFFINITY has them; not decided.
	return FORMAT_NAME(value, text, "false", "true", "primary", "close", "spread", "intel",
			   "default");
}

KMP_ICV_FORMATTER(places)
{
	int32_t last;
	ompd_rc_t rc =
		kmp_read_int(query->runtime, query->thread->address, INFO(th_last_place), &last);

	if (rc != ompd_rc_ok)
		return rc;
	// As numbers of places, first to last; the processors of each are the system's affair.
	if (last == value)
		snprintf(text, KMP_ICV_TEXT_MAX, "%lld", (long long)value);
	else
		snprintf(text, KMP_ICV_TEXT_MAX, "%lld-%d", (long long)value, last);
	return ompd_rc_ok;
}

KMP_ICV_FORMATTER(wait_policy)
{
	(void)query;
	if (value < 0) {
		snprintf(text, KMP_ICV_TEXT_MAX, "undefined");
		return ompd_rc_ok;
	}
	return FORMAT_NAME(value, text, "passive", "active");
}

KMP_ICV_FORMATTER(target_offload)
{
	(void)query;
	return FORMAT_NAME(value, text, "default", "mandatory", "disabled");
}

KMP_ICV_FORMATTER(allocator)
{
	(void)query;
	return FORMAT_NAME(value, text, "omp_null_allocator", "omp_default_mem_alloc",
			   "omp_large_cap_mem_alloc", "omp_const_mem_alloc",
			   "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc",
			   "omp_pteam_mem_alloc", "omp_thread_mem_alloc");
}
