// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the standard lacks: identities, enumeration of tasks, wait sites (ompd/ompd_ext.h).

#include "api/handles.h"
#include "api/regions.h"
#include "layout/call.h"

static uint64_t thread_id(const struct api_thread *thread)
{
	return thread->space->family->thread_id(thread->thread);
}

static uint64_t region_id(const struct api_parallel *parallel)
{
	return parallel->space->family->region_id(parallel->region);
}

static uint64_t task_id(const struct api_task *task)
{
	return task->space->family->task_id(task->task);
}

ompd_rc_t ompd_ext_get_handle_id(void *handle, ompd_scope_t scope, uint64_t *id)
{
	enum handle_kind kind;
	void *record;

	if (scope < ompd_scope_thread || scope > ompd_scope_task)
		return reason(ompd_rc_bad_input, "invalid scope");
	ompd_rc_t rc = api_enter_scope(handle, scope, &kind, &record);

	if (rc != ompd_rc_ok)
		return rc;
	API_CHECK(id, "result pointer is NULL");
	*id = kind == HANDLE_THREAD   ? thread_id(record) :
	      kind == HANDLE_PARALLEL ? region_id(record) :
					task_id(record);
	return ompd_rc_ok;
}

struct api_task_iterator {
	struct api_space *space;
	struct region_list regions; // still to be walked
	size_t next_region;
	struct walk *walk; // of the region before next_region
	bool walk_ended;
	uint32_t unreached; // of the regions whose walk has ended
	bool in_motion;	    // of one of them that is not known
};

static ompd_rc_t open_iterator(struct api_space *space, const struct region *region,
			       ompd_ext_task_iterator **ret)
{
	struct api_task_iterator *iterator = target_alloc(&space->target, sizeof(*iterator));
	ompd_rc_t rc;

	if (!iterator)
		return ompd_rc_nomem;
	iterator->space = space;
	if (region)
		rc = region_list_add(&iterator->regions, space, region);
	else
		rc = region_list_collect(&iterator->regions, space);
	return HANDLE_GIVE(rc, TASK_ITERATOR, iterator, space, ret);
}

ompd_rc_t ompd_ext_tasks_open(ompd_parallel_handle_t *parallel, ompd_ext_task_iterator **iterator)
{
	API_ENTER(self, PARALLEL, parallel);
	API_CHECK(iterator, "iterator pointer is NULL");
	return open_iterator(self->space, self->region, iterator);
}

ompd_rc_t ompd_ext_tasks_open_all(ompd_address_space_handle_t *handle,
				  ompd_ext_task_iterator **iterator)
{
	API_ENTER_RUNTIME(space, handle);
	API_CHECK(iterator, "iterator pointer is NULL");
	return open_iterator(space, NULL, iterator);
}

static void end_walk(struct api_task_iterator *iterator)
{
	uint32_t unreached = 0;

	iterator->walk_ended = true;
	if (!iterator->walk ||
	    iterator->space->family->walk_unreached(iterator->walk, &unreached) != ompd_rc_ok)
		iterator->in_motion = true;
	iterator->unreached += unreached;
}

// Open the walk over the next region; ompd_rc_unavailable if there is none.
static ompd_rc_t next_walk(struct api_task_iterator *iterator)
{
	if (iterator->next_region == iterator->regions.count)
		return ompd_rc_unavailable;
	const struct family *family = iterator->space->family;

	if (iterator->walk)
		family->walk_close(iterator->walk);
	iterator->walk = NULL;
	iterator->walk_ended = false;
	return family->walk_open(iterator->space->runtime,
				 region_list_at(&iterator->regions, iterator->space,
						iterator->next_region++),
				 &iterator->walk);
}

ompd_rc_t ompd_ext_tasks_next(ompd_ext_task_iterator *iterator, ompd_ext_task_info *records,
			      size_t max, size_t *count)
{
	ompd_rc_t rc;

	API_ENTER(self, TASK_ITERATOR, iterator);
	API_CHECK(records && count && max > 0, "result pointer is NULL");
	bool damaged = self->regions.damaged;

	*count = 0;
	while (*count < max) {
		if (!self->walk || self->walk_ended) {
			rc = next_walk(self);
			if (rc == ompd_rc_unavailable)
				break;
			if (rc == ompd_rc_nomem)
				return rc;
			if (rc != ompd_rc_ok) {
				damaged = true;
				end_walk(self);
				continue;
			}
		}
		rc = self->space->family->walk_next(self->walk, &records[*count], &damaged);
		if (rc == ompd_rc_ok) {
			++*count;
			continue;
		}
		if (rc == ompd_rc_nomem)
			return rc;
		damaged |= rc != ompd_rc_unavailable;
		end_walk(self);
	}
	reason_clear();
	return damaged ? reason(ompd_rc_incomplete, "a list of tasks is damaged or being changed") :
			 ompd_rc_ok;
}

ompd_rc_t ompd_ext_tasks_unreached(ompd_ext_task_iterator *iterator, uint32_t *count)
{
	API_ENTER(self, TASK_ITERATOR, iterator);
	if (!count || self->next_region != self->regions.count ||
	    (self->next_region && !self->walk_ended))
		return reason(ompd_rc_bad_input, "the enumeration is not at its end");
	if (self->in_motion)
		return reason(ompd_rc_unavailable, "the tasks are being changed");
	*count = self->unreached;
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_tasks_close(ompd_ext_task_iterator *iterator)
{
	return handle_release(iterator, HANDLE_TASK_ITERATOR);
}

ompd_rc_t task_iterator_free(struct api_task_iterator *iterator)
{
	const struct target *target = &iterator->space->target;

	if (iterator->walk)
		iterator->space->family->walk_close(iterator->walk);
	region_list_close(&iterator->regions, target);
	target_free(target, iterator);
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_task_by_info(ompd_parallel_handle_t *parallel,
				    const ompd_ext_task_info *info, ompd_task_handle_t **task)
{
	API_ENTER(self, PARALLEL, parallel);
	API_CHECK(info && task, "record or handle pointer is NULL");
	if (info->parallel_id != region_id(self))
		return reason(ompd_rc_bad_input, "the record is of another region's task");
	struct api_space *space = self->space;
	API_NEW(handle, task, space);
	space->family->task_of_info(self->region, info, handle->task);
	return HANDLE_GIVE(ompd_rc_ok, TASK, handle, space, task);
}

ompd_rc_t ompd_ext_get_thread_info(ompd_thread_handle_t *thread, ompd_ext_thread_info *info)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(info, "result pointer is NULL");
	API_READ_THREAD(self, THREAD_PLACE);
	return self->space->family->thread_info(self->space->runtime, self->thread, info);
}

ompd_rc_t ompd_ext_get_parallel_info(ompd_parallel_handle_t *parallel, ompd_ext_parallel_info *info)
{
	API_ENTER(self, PARALLEL, parallel);
	API_CHECK(info, "result pointer is NULL");
	return self->space->family->region_info(self->space->runtime, self->region, info);
}

ompd_rc_t ompd_ext_get_lock_info(ompd_address_space_handle_t *handle, uint32_t kind,
				 uint64_t address, ompd_ext_lock_info *info)
{
	API_ENTER_RUNTIME(space, handle);
	API_CHECK(info && address && kind <= ompd_ext_lock_critical,
		  "lock or result pointer is NULL");
	return space->family->lock_info(space->runtime, kind, address, info);
}

ompd_rc_t ompd_ext_classify_call(ompd_address_space_handle_t *handle, uint64_t return_address,
				 ompd_ext_wait_site *site)
{
	API_ENTER_RUNTIME(space, handle);
	API_CHECK(site, "result pointer is NULL");
	return space->family->classify_call(space->runtime, return_address, site);
}

ompd_rc_t ompd_ext_get_call_target(ompd_address_space_handle_t *handle, uint64_t return_address,
				   uint64_t *entry)
{
	API_ENTER(space, ADDRESS_SPACE, handle);
	API_CHECK(entry, "result pointer is NULL");
	return call_target(&space->target, return_address, entry);
}

ompd_rc_t ompd_ext_classify_entry(ompd_address_space_handle_t *handle, uint64_t entry,
				  ompd_ext_wait_site *site)
{
	API_ENTER_RUNTIME(space, handle);
	API_CHECK(site, "result pointer is NULL");
	return space->family->classify_entry(space->runtime, entry, site);
}

ompd_rc_t ompd_ext_get_lock_argument(ompd_address_space_handle_t *handle, uint64_t return_address,
				     ompd_ext_argument *argument)
{
	API_ENTER_RUNTIME(space, handle);
	API_CHECK(argument, "result pointer is NULL");
	return space->family->lock_argument(space->runtime, return_address, argument);
}

ompd_rc_t ompd_ext_confirm_lock(ompd_thread_handle_t *thread, uint32_t kind, uint64_t variable,
				const uint64_t *in_use, size_t in_use_count)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(kind <= ompd_ext_lock_critical && (!in_use_count || in_use),
		  "lock or values pointer is NULL");
	return self->space->family->confirm_lock(self->space->runtime, self->thread, kind, variable,
						 in_use, in_use_count);
}

ompd_rc_t ompd_ext_classify_futex(ompd_thread_handle_t *thread, uint64_t futex,
				  ompd_ext_wait_site *site)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(site && futex, "address or result pointer is NULL");
	API_READ_THREAD(self, THREAD_PLACE);
	return self->space->family->classify_futex(self->space->runtime, self->thread, futex, site);
}
