// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/handles.h"

ompd_rc_t api_enter(void)
{
	reason_clear();
	target_begin_call();
	if (!library_callbacks())
		return reason(ompd_rc_error, "the library is not initialized");
	return ompd_rc_ok;
}

ompd_rc_t api_enter_handle(const void *handle, enum handle_kind kind)
{
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	if (!handle)
		return reason(ompd_rc_stale_handle, "no handle");
	// Every kind of handle begins with its kind.
	if (*(const enum handle_kind *)handle != kind)
		return reason(ompd_rc_bad_input, "a handle of another kind");
	return ompd_rc_ok;
}

ompd_rc_t handle_new_thread(ompd_address_space_handle_t *space, uint64_t thread,
			    ompd_thread_handle_t **ret)
{
	ompd_thread_handle_t *handle = target_alloc(&space->target, sizeof(*handle));

	if (!handle)
		return ompd_rc_nomem;
	*handle = (ompd_thread_handle_t){
		.kind = HANDLE_THREAD,
		.space = space,
		.thread = thread,
	};
	*ret = handle;
	return ompd_rc_ok;
}

ompd_parallel_handle_t *handle_new_parallel(ompd_address_space_handle_t *space)
{
	ompd_parallel_handle_t *handle =
		target_alloc(&space->target, sizeof(*handle) + space->family->region_size);

	if (handle)
		*handle = (ompd_parallel_handle_t){
			.kind = HANDLE_PARALLEL,
			.space = space,
			.region = (struct family_region *)(handle + 1),
		};
	return handle;
}

ompd_task_handle_t *handle_new_task(ompd_address_space_handle_t *space)
{
	ompd_task_handle_t *handle =
		target_alloc(&space->target, sizeof(*handle) + space->family->task_size);

	if (handle)
		*handle = (ompd_task_handle_t){
			.kind = HANDLE_TASK,
			.space = space,
			.task = (struct family_task *)(handle + 1),
		};
	return handle;
}

void handle_discard(ompd_address_space_handle_t *space, void *handle)
{
	target_free(&space->target, handle);
}

ompd_rc_t handle_release(void *handle, enum handle_kind kind)
{
	ompd_rc_t rc = api_enter_handle(handle, kind);

	if (rc != ompd_rc_ok)
		return rc;
	*(enum handle_kind *)handle = HANDLE_RELEASED;
	return library_callbacks()->free_memory(handle);
}

ompd_rc_t handle_compare(uint64_t a, uint64_t b, int *cmp_value)
{
	if (!cmp_value)
		return reason(ompd_rc_bad_input, "no place for the result");
	*cmp_value = (a > b) - (a < b);
	return ompd_rc_ok;
}
