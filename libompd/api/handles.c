// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/handles.h"

ompd_rc_t api_enter(void)
{
	reason_clear();
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

ompd_rc_t handle_read_thread(const ompd_thread_handle_t *handle, struct gomp_thread *ret)
{
	const struct gomp_runtime *runtime = &handle->space->runtime;
	ompd_rc_t rc = gomp_read_thread(runtime, handle->thread, ret);

	return rc == ompd_rc_ok ? gomp_check_openmp_thread(runtime, ret) : rc;
}

ompd_rc_t handle_new_thread(ompd_address_space_handle_t *space, uint64_t thread,
			    ompd_thread_handle_t **ret)
{
	ompd_thread_handle_t *handle = target_alloc(&space->runtime.target, sizeof(*handle));

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

ompd_rc_t handle_new_parallel(ompd_address_space_handle_t *space, const struct gomp_region *region,
			      ompd_parallel_handle_t **ret)
{
	ompd_parallel_handle_t *handle = target_alloc(&space->runtime.target, sizeof(*handle));

	if (!handle)
		return ompd_rc_nomem;
	*handle = (ompd_parallel_handle_t){
		.kind = HANDLE_PARALLEL,
		.space = space,
		.region = *region,
	};
	*ret = handle;
	return ompd_rc_ok;
}

ompd_rc_t handle_new_task(ompd_address_space_handle_t *space, const struct gomp_task *task,
			  ompd_task_handle_t **ret)
{
	ompd_task_handle_t *handle = target_alloc(&space->runtime.target, sizeof(*handle));

	if (!handle)
		return ompd_rc_nomem;
	*handle = (ompd_task_handle_t){ .kind = HANDLE_TASK, .space = space, .task = *task };
	*ret = handle;
	return ompd_rc_ok;
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
