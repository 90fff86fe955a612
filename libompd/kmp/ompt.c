// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime keeps for a tool (OMPT): frames (kmp/frame.c), and the tool's own data. Without
// a tool it keeps none of it, and the memory holds anything.

#include "kmp/kmp.h"

ompd_rc_t kmp_tool_active(const struct runtime *runtime)
{
	uint64_t bits = 0;
	ompd_rc_t rc = ompd_rc_ok;

	if (!runtime->seen->without_tool)
		rc = kmp_read_global(runtime, KMP_GLOBAL_ompt_enabled, 4, &bits);

	// It may keep it all the same; it is the library that does not know.
	if (rc == ompd_rc_unsupported)
		return ompd_rc_unavailable;
	if (rc != ompd_rc_ok)
		return rc;
	// The first bit of ompt_callbacks_active_t.
	return bits & 1 ?
		       ompd_rc_ok :
		       reason(ompd_rc_needs_state_tracking,
			      "%s keeps it only if a tool (OMPT) is active, or OMP_DEBUG=enabled",
			      runtime->name);
}

// The entry of a serialized team's list that stands for the region with @p above others of the
// team within it. The innermost has its place in the team and the task themselves: whenever one
// begins, what was there moves to the list (__ompt_lw_taskteam_link).
static ompd_rc_t serialized_entry(const struct runtime *runtime, const struct region *region,
				  uint32_t above, uint64_t *ret)
{
	struct cycle cycle = { 0 };
	ompd_rc_t rc =
		kmp_read(runtime, region->team.address, TEAM(ompt_serialized_team_info), ret);

	for (uint32_t i = 1; rc == ompd_rc_ok && *ret && i < above; i++) {
		if (cycle_closed(&cycle, *ret))
			return reason(ompd_rc_error, "a team's list of regions is damaged");
		rc = kmp_read(runtime, *ret, KMP_FIELD_ompt_lw_taskteam_t__parent, ret);
	}
	return rc == ompd_rc_ok && *ret == 0 ?
		       reason(ompd_rc_unavailable, "the region began before the tool was active") :
		       rc;
}

// Count the regions within this one for which the same team, and the same task, stand.
static uint32_t regions_within(const struct region *region)
{
	return region->above +
	       (region->kind == KMP_REGION_LEAGUE && region->team.level > region->level);
}

ompd_rc_t kmp_ompt_task(const struct runtime *runtime, const struct task *task, uint64_t *ret)
{
	uint32_t above = regions_within(&task->region);
	uint64_t entry;
	ompd_rc_t rc = kmp_tool_active(runtime);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = kmp_at(runtime, task->address, TASK(ompt_task_info));
	if (!task->implicit || above == 0)
		return ompd_rc_ok;
	rc = serialized_entry(runtime, &task->region, above, &entry);
	if (rc == ompd_rc_ok)
		*ret = kmp_at(runtime, entry, KMP_FIELD_ompt_lw_taskteam_t__ompt_task_info);
	return rc;
}

static ompd_rc_t find_team_info(const struct runtime *runtime, const struct region *region,
				uint64_t *ret)
{
	uint32_t above = regions_within(region);
	uint64_t entry;
	ompd_rc_t rc = kmp_tool_active(runtime);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = kmp_at(runtime, region->team.address, TEAM(ompt_team_info));
	if (above == 0)
		return ompd_rc_ok;
	rc = serialized_entry(runtime, region, above, &entry);
	if (rc == ompd_rc_ok)
		*ret = kmp_at(runtime, entry, KMP_FIELD_ompt_lw_taskteam_t__ompt_team_info);
	return rc;
}

ompd_rc_t kmp_tool_data(const struct runtime *runtime, const struct object *of, uint64_t *ret)
{
	enum kmp_field field;
	uint64_t info;
	ompd_rc_t rc;

	if (of->thread) {
		struct thread thread = *of->thread;

		rc = kmp_thread_again(runtime, &thread, THREAD_DATA);
		if (rc == ompd_rc_ok)
			rc = kmp_tool_active(runtime);
		info = kmp_at(runtime, thread.address, INFO(ompt_thread_info));
		field = KMP_FIELD_ompt_thread_info_t__thread_data;
	} else if (of->region) {
		rc = find_team_info(runtime, of->region, &info);
		field = KMP_FIELD_ompt_team_info_t__parallel_data;
	} else {
		rc = kmp_ompt_task(runtime, of->task, &info);
		field = KMP_FIELD_ompt_task_info_t__task_data;
	}
	return rc == ompd_rc_ok ? kmp_read(runtime, info, field, ret) : rc;
}

// __ompt_get_task_info_internal()
ompd_rc_t kmp_ompt_task_type(const struct runtime *runtime, const struct task *task, uint32_t *ret)
{
	// Of ompt_task_flag_t (OpenMP 5.2, 19.4.4.19).
	enum { INITIAL = 1, IMPLICIT = 2, EXPLICIT = 4 };
	static const struct {
		enum kmp_field bit;
		bool means; // the value that the flag stands for
		uint32_t flag;
	} details[] = {
		{ FLAG(task_serial), true, 0x08000000 }, // undeferred
		{ FLAG(tasking_ser), true, 0x08000000 },
		{ FLAG(tiedness), false, 0x10000000 }, // untied
		{ FLAG(final), true, 0x20000000 },
		{ FLAG(merged_if0), true, 0x40000000 }, // mergeable
	};
	struct kmp_task_record record;
	ompd_rc_t rc = kmp_know_flags(runtime);

	if (rc == ompd_rc_ok)
		rc = kmp_read_task(runtime, task->address, &record);
	if (rc != ompd_rc_ok)
		return rc;
	*ret = task->implicit ? IMPLICIT : EXPLICIT;
	if (!record.parent)
		*ret = INITIAL;
	// Of what moved to a team's list the runtime tells no more.
	if (!record.parent || (task->implicit && regions_within(&task->region)))
		return ompd_rc_ok;
	for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		if (kmp_flag(runtime, record.flags, details[i].bit) == details[i].means)
			*ret |= details[i].flag;
	}
	return ompd_rc_ok;
}

// __ompt_get_task_memory_internal(): up to release 16 from the members of a task that only some
// tasks have, later the whole record.
ompd_rc_t kmp_task_memory(const struct runtime *runtime, const struct task *task, uint64_t *address,
			  uint64_t *size)
{
	enum { WHOLE_SINCE = 17 };
	const struct kmp_layout *layout = &runtime->layout;
	struct kmp_task_record record;
	ompd_rc_t rc = kmp_read_task(runtime, task->address, &record);

	if (rc == ompd_rc_ok && !record.is_explicit)
		return reason(ompd_rc_unavailable, "only an explicit task has memory of its own");
	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, task->address, TASK(td_size_alloc), size);
	if (rc != ompd_rc_ok)
		return rc;
	*address = task->address;
	if (layout->first_release >= WHOLE_SINCE)
		return ompd_rc_ok;
	const struct layout_field *last =
		&layout->field[kmp_flag(runtime, record.flags, FLAG(destructors_thunk)) ?
				       KMP_FIELD_kmp_task_t__data1 :
				       KMP_FIELD_kmp_task_t__part_id];
	const uint64_t before =
		layout->struct_size[KMP_STRUCT_kmp_taskdata_t] + last->offset + last->size;

	if (*size < before)
		return reason(ompd_rc_error, "the size of the task at 0x%llx is damaged",
			      (unsigned long long)task->address);
	*address += before;
	*size -= before;
	return ompd_rc_ok;
}
