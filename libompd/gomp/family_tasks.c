// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API's operations on tasks of libgomp.

#include "gomp/family.h"

static ompd_rc_t current_task(const struct family_runtime *runtime,
			      const struct family_thread *thread, struct family_task *ret)
{
	struct gomp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? gomp_current_task(of_runtime(runtime), &read, to_task(ret)) : rc;
}

static ompd_rc_t implicit_task(const struct family_runtime *runtime,
			       const struct family_region *region, uint32_t number,
			       struct family_task *ret)
{
	return gomp_implicit_task(of_runtime(runtime), of_region(region), number, to_task(ret));
}

static ompd_rc_t generating_task(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret)
{
	return gomp_generating_task(of_runtime(runtime), of_task(task), to_task(ret));
}

static ompd_rc_t scheduling_task(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret)
{
	return gomp_scheduling_task(of_runtime(runtime), of_task(task), to_task(ret));
}

static void task_of_info(const struct family_region *region, const ompd_ext_task_info *info,
			 struct family_task *ret)
{
	struct gomp_task *task = to_task(ret);

	*task = (struct gomp_task){
		.address = info->id,
		.region = *of_region(region),
		.orphan = info->kind == ompd_ext_task_explicit && !info->parent_id,
	};
	// The initial task without a record is the one whose identity is no address.
	if (info->id == gomp_task_id(&(struct gomp_task){ .region = *of_region(region) }))
		task->address = 0;
}

static void task_region(const struct family_task *task, struct family_region *ret)
{
	*to_region(ret) = of_task(task)->region;
}

static uint64_t task_id(const struct family_task *task)
{
	return gomp_task_id(of_task(task));
}

static ompd_rc_t task_function(struct family_runtime *runtime, const struct family_task *task,
			       uint64_t *ret)
{
	return gomp_task_function(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t task_frame(const struct family_runtime *runtime, const struct family_task *task,
			    ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame)
{
	(void)runtime;
	(void)task;
	(void)exit_frame;
	(void)enter_frame;
	return reason(ompd_rc_unavailable, "libgomp does not record the frames of tasks");
}

static ompd_rc_t task_info(const struct family_runtime *runtime, const struct family_task *task,
			   ompd_ext_task_info *ret)
{
	return gomp_task_info(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t task_depends(const struct family_runtime *runtime, const struct family_task *task,
			      ompd_ext_depend *depends, size_t max, size_t *count)
{
	return gomp_task_depends(of_runtime(runtime), of_task(task), depends, max, count);
}

static ompd_rc_t task_dependers(const struct family_runtime *runtime,
				const struct family_task *task, uint64_t *ids, size_t max,
				size_t *count)
{
	return gomp_task_dependers(of_runtime(runtime), of_task(task), ids, max, count);
}

static ompd_rc_t walk_open(const struct family_runtime *runtime, const struct family_region *region,
			   struct family_walk **ret)
{
	struct gomp_task_walk *walk;
	ompd_rc_t rc = gomp_task_walk_open(of_runtime(runtime), of_region(region), &walk);

	if (rc == ompd_rc_ok)
		*ret = (struct family_walk *)walk;
	return rc;
}

static ompd_rc_t walk_next(struct family_walk *walk, ompd_ext_task_info *ret)
{
	return gomp_task_walk_next((struct gomp_task_walk *)walk, ret);
}

static bool walk_damaged(const struct family_walk *walk)
{
	return gomp_task_walk_damaged((const struct gomp_task_walk *)walk);
}

static ompd_rc_t walk_unreached(const struct family_walk *walk, uint32_t *ret)
{
	return gomp_task_walk_unreached((const struct gomp_task_walk *)walk, ret);
}

static void walk_close(struct family_walk *walk)
{
	gomp_task_walk_close((struct gomp_task_walk *)walk);
}

static ompd_rc_t task_counts(const struct family_runtime *runtime, const struct family_task *task,
			     ompd_ext_task_counts *ret)
{
	(void)runtime;
	(void)task;
	(void)ret;
	return reason(ompd_rc_unavailable, "the runtime lists tasks and does not count them");
}

static ompd_rc_t task_memory(const struct family_runtime *runtime, const struct family_task *task,
			     uint64_t *address, uint64_t *size)
{
	(void)runtime;
	(void)task;
	(void)address;
	(void)size;
	return reason(ompd_rc_unavailable,
		      "libgomp does not keep how much memory it took for a task");
}

// Return the type that libgomp would tell tools, if it told them any.
static ompd_rc_t ompt_task_type(const struct family_runtime *runtime,
				const struct family_task *task, uint32_t *ret)
{
	static const uint32_t kinds[] = {
		[ompd_ext_task_initial] = 0x1,
		[ompd_ext_task_implicit] = 0x2,
		[ompd_ext_task_explicit] = 0x4,
		[ompd_ext_task_target] = 0x8,
	};
	ompd_ext_task_info info;
	ompd_rc_t rc = task_info(runtime, task, &info);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = kinds[info.kind] | (info.flags & ompd_ext_task_undeferred ? 0x08000000 : 0) |
	       (info.flags & ompd_ext_task_untied ? 0x10000000 : 0) |
	       (info.flags & ompd_ext_task_final ? 0x20000000 : 0);
	return ompd_rc_ok;
}

const struct family_tasks gomp_family_tasks = {
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
