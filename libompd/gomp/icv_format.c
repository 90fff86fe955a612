// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs as text, in the form of the environment variables that set them.

#include <stdio.h>

#include "gomp/icv.h"

GOMP_ICV_FORMATTER(nthreads)
{
	struct gomp_nthreads_list list;
	ompd_word_t level = 0;
	ompd_rc_t rc = gomp_icv_levels(query, &level);

	if (rc == ompd_rc_ok)
		rc = gomp_icv_nthreads_list(query, &list);
	if (rc != ompd_rc_ok)
		return rc;
	int used = snprintf(text, ICV_TEXT_MAX, "%lld", (long long)value);

	for (size_t i = (size_t)level + 1; i < list.length && used < ICV_TEXT_MAX; i++)
		used += snprintf(text + used, (size_t)(ICV_TEXT_MAX - used), ",%llu",
				 (unsigned long long)list.values[i]);
	return ompd_rc_ok;
}

GOMP_ICV_FORMATTER(run_sched)
{
	static const char *const kinds[] = { "runtime", "static", "dynamic", "guided", "auto" };
	enum { MONOTONIC = 0x80000000u };
	struct gomp_task task = { 0 };
	uint64_t kind = (uint64_t)value & ~(uint64_t)MONOTONIC & 0xffffffffu;
	uint64_t base = query->runtime->layout.global[GOMP_GLOBAL_gomp_global_icv];
	uint64_t chunk;
	ompd_rc_t rc = ompd_rc_ok;

	if (query->task)
		task = *query->task;
	else if (query->thread)
		rc = gomp_current_task(query->runtime, query->thread, &task);
	if (rc == ompd_rc_ok && task.address)
		base = gomp_at(query->runtime, task.address, GOMP_FIELD_gomp_task__icv);
	if (rc == ompd_rc_ok)
		rc = gomp_read(query->runtime, base, GOMP_FIELD_gomp_task_icv__run_sched_chunk_size,
			       &chunk);
	if (rc != ompd_rc_ok)
		return rc;
	int used =
		snprintf(text, ICV_TEXT_MAX, "%s", (uint64_t)value & MONOTONIC ? "monotonic:" : "");

	if (kind < sizeof(kinds) / sizeof(kinds[0]))
		used += snprintf(text + used, ICV_TEXT_MAX - used, "%s", kinds[kind]);
	else
		used += snprintf(text + used, ICV_TEXT_MAX - used, "%llu",
				 (unsigned long long)kind);
	if ((int32_t)chunk > 0)
		snprintf(text + used, ICV_TEXT_MAX - used, ",%d", (int32_t)chunk);
	return ompd_rc_ok;
}

GOMP_ICV_FORMATTER(place_partition)
{
	const struct gomp_thread *thread = query->thread;

	// As numbers of places, first to last; the processors of each are the system's affair.
	if (thread->ts.place_partition_len <= 1)
		snprintf(text, ICV_TEXT_MAX, "%lld", (long long)value);
	else
		snprintf(text, ICV_TEXT_MAX, "%lld-%lld", (long long)value,
			 (long long)value + thread->ts.place_partition_len - 1);
	return ompd_rc_ok;
}
