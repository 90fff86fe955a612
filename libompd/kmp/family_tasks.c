// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API's operations on tasks of LLVM's runtime.

#include "kmp/family.h"
#include "kmp/tasks.h"

static ompd_rc_t current_task(const struct family_runtime *runtime,
			      const struct family_thread *thread, struct family_task *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = kmp_find_thread_again(of_runtime(runtime), thread, KMP_PART_TASK, &read);

	return rc == ompd_rc_ok ? kmp_current_task(of_runtime(runtime), &read, to_task(ret)) : rc;
}

static ompd_rc_t implicit_task(const struct family_runtime *runtime,
			       const struct family_region *region, uint32_t number,
			       struct family_task *ret)
{
	return kmp_implicit_task(of_runtime(runtime), of_region(region), number, to_task(ret));
}

static ompd_rc_t generating_task(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret)
{
	return kmp_generating_task(of_runtime(runtime), of_task(task), to_task(ret));
}

static ompd_rc_t scheduling_task(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret)
{
	return kmp_scheduling_task(of_runtime(runtime), of_task(task), to_task(ret));
}

static void task_of_info(const struct family_region *region, const ompd_ext_task_info *info,
			 struct family_task *ret)
{
	// Implicit tasks of nested serialized regions have the number of theirs in their identity.
	*to_task(ret) = (struct kmp_task){
		.address = info->kind <= ompd_ext_task_implicit ?
				   info->id & (((uint64_t)1 << 47) - 1) :
				   info->id,
		.implicit = info->kind <= ompd_ext_task_implicit,
		.region = *of_region(region),
	};
}

static void task_region(const struct family_task *task, struct family_region *ret)
{
	*to_region(ret) = of_task(task)->region;
}

static uint64_t task_id(const struct family_task *task)
{
	return kmp_task_id(of_task(task));
}

static ompd_rc_t task_function(struct family_runtime *runtime, const struct family_task *task,
			       uint64_t *ret)
{
	return kmp_task_function((struct kmp_runtime *)runtime, of_task(task), ret);
}

static ompd_rc_t task_frame(const struct family_runtime *runtime, const struct family_task *task,
			    ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame)
{
	return kmp_task_frame(of_runtime(runtime), of_task(task), exit_frame, enter_frame);
}

static ompd_rc_t task_info(const struct family_runtime *runtime, const struct family_task *task,
			   ompd_ext_task_info *ret)
{
	return kmp_task_info(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t task_depends(const struct family_runtime *runtime, const struct family_task *task,
			      ompd_ext_depend *depends, size_t max, size_t *count)
{
	return kmp_task_depends(of_runtime(runtime), of_task(task), depends, max, count);
}

static ompd_rc_t task_dependers(const struct family_runtime *runtime,
				const struct family_task *task, uint64_t *ids, size_t max,
				size_t *count)
{
	return kmp_task_dependers(of_runtime(runtime), of_task(task), ids, max, count);
}

static ompd_rc_t walk_open(const struct family_runtime *runtime, const struct family_region *region,
			   struct family_walk **ret)
{
	struct kmp_task_walk *walk;
	ompd_rc_t rc = kmp_task_walk_open(of_runtime(runtime), of_region(region), &walk);

	if (rc == ompd_rc_ok)
		*ret = (struct family_walk *)walk;
	return rc;
}

static ompd_rc_t walk_next(struct family_walk *walk, ompd_ext_task_info *ret)
{
	return kmp_task_walk_next((struct kmp_task_walk *)walk, ret);
}

static bool walk_damaged(const struct family_walk *walk)
{
	return kmp_task_walk_damaged((const struct kmp_task_walk *)walk);
}

static ompd_rc_t walk_unreached(const struct family_walk *walk, uint32_t *ret)
{
	return kmp_task_walk_unreached((const struct kmp_task_walk *)walk, ret);
}

static void walk_close(struct family_walk *walk)
{
	kmp_task_walk_close((struct kmp_task_walk *)walk);
}

static ompd_rc_t task_counts(const struct family_runtime *runtime, const struct family_task *task,
			     ompd_ext_task_counts *ret)
{
	return kmp_task_counts(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t task_memory(const struct family_runtime *runtime, const struct family_task *task,
			     uint64_t *address, uint64_t *size)
{
	return kmp_task_memory(of_runtime(runtime), of_task(task), address, size);
}

static ompd_rc_t ompt_task_type(const struct family_runtime *runtime,
				const struct family_task *task, uint32_t *ret)
{
	return kmp_ompt_task_type(of_runtime(runtime), of_task(task), ret);
}

const struct family_tasks kmp_family_tasks = {
	.current_task = current_task,
	.implicit_task = implicit_task,
	.generating_task = generating_task,
	.scheduling_task = scheduling_task,
	.task_of_info = task_of_info,
	.task_region = task_region,
	.task_id = task_id,
	.task_function = task_function,
	.task_frame = task_frame,
	.task_info = task_info,
	.task_depends = task_depends,
	.task_dependers = task_dependers,
	.walk_open = walk_open,
	.walk_next = walk_next,
	.walk_damaged = walk_damaged,
	.walk_unreached = walk_unreached,
	.walk_close = walk_close,
	.task_counts = task_counts,
	.ompt_task_type = ompt_task_type,
	.task_memory = task_memory,
};
