// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread handles (OpenMP 5.2, 20.5.5).

#include <string.h>

#include "api/handles.h"
#include "target/idmap.h"

/**
 * The thread with number @p thread_num in the team of a region.
 * @return ok; bad_input (no such number); unavailable (the thread is about to join or leave);
 *         stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				      ompd_thread_handle_t **thread_handle)
{
	uint64_t thread;

	API_ENTER(parallel_handle, PARALLEL);
	if (!thread_handle || thread_num < 0)
		return reason(ompd_rc_bad_input, "no place for the handle, or a negative number");
	ompd_address_space_handle_t *space = parallel_handle->space;
	ompd_rc_t rc = space->family->region_member(space->runtime, parallel_handle->region,
						    (uint32_t)thread_num, &thread);

	return rc == ompd_rc_ok ? handle_new_thread(space, thread, thread_handle) : rc;
}

static ompd_rc_t pthread_of_id(const ompd_address_space_handle_t *space, ompd_thread_id_t kind,
			       ompd_size_t size, const void *thread_id, uint64_t *ret)
{
	const struct nptl *nptl = space->family->nptl(space->runtime);
	uint32_t tid;

	if (kind != ompd_thread_id_pthread && kind != ompd_thread_id_lwp)
		return reason(ompd_rc_unsupported,
			      "kind %llu of thread identifier is not supported",
			      (unsigned long long)kind);
	// Debuggers pass a kernel id as pid_t or as a 64-bit integer.
	if (size != 8 && !(size == 4 && kind == ompd_thread_id_lwp))
		return reason(ompd_rc_bad_input, "a thread identifier of another size");
	if (kind == ompd_thread_id_pthread) {
		memcpy(ret, thread_id, sizeof(*ret));
		return *ret ? ompd_rc_ok : reason(ompd_rc_bad_input, "a thread identifier of 0");
	}
	memcpy(&tid, thread_id, sizeof(tid));
	if (!nptl->available)
		return reason(ompd_rc_unsupported,
			      "glibc's thread descriptors are not to be found");
	ompd_rc_t rc = nptl_find(nptl, &space->target, tid, ret);

	return rc == ompd_rc_unavailable ? reason(rc, "glibc knows no thread %u", tid) : rc;
}

/**
 * The OpenMP thread behind a thread of the operating system.
 * @return ok; unavailable (it is no OpenMP thread); unsupported (kind); bad_input (size of the
 *         identifier); stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				 ompd_size_t sizeof_thread_id, const void *thread_id,
				 ompd_thread_handle_t **thread_handle)
{
	uint64_t pthread, thread;

	API_ENTER(handle, ADDRESS_SPACE);
	if (!thread_id || !thread_handle)
		return reason(ompd_rc_bad_input, "no identifier, or no place for the handle");
	ompd_rc_t rc = pthread_of_id(handle, kind, sizeof_thread_id, thread_id, &pthread);

	if (rc == ompd_rc_ok)
		rc = handle->family->thread_of_pthread(handle->runtime, pthread, &thread);
	return rc == ompd_rc_ok ? handle_new_thread(handle, thread, thread_handle) : rc;
}

ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle)
{
	return handle_release(thread_handle, HANDLE_THREAD);
}

ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
				     ompd_thread_handle_t *thread_handle_2, int *cmp_value)
{
	API_ENTER(thread_handle_1, THREAD);
	API_ENTER(thread_handle_2, THREAD);
	return handle_compare(thread_handle_1->thread, thread_handle_2->thread, cmp_value);
}

/** The identifier of the handle's thread; sizes as in ompd_get_thread_handle(). */
ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind,
			     ompd_size_t sizeof_thread_id, void *thread_id)
{
	API_ENTER(thread_handle, THREAD);
	if (!thread_id)
		return reason(ompd_rc_bad_input, "no place for the identifier");
	const ompd_address_space_handle_t *space = thread_handle->space;
	const struct nptl *nptl = space->family->nptl(space->runtime);
	uint64_t pthread;
	uint32_t tid = 0;

	if (kind != ompd_thread_id_pthread && kind != ompd_thread_id_lwp)
		return reason(ompd_rc_unsupported,
			      "kind %llu of thread identifier is not supported",
			      (unsigned long long)kind);
	if (sizeof_thread_id != 8 && !(sizeof_thread_id == 4 && kind == ompd_thread_id_lwp))
		return reason(ompd_rc_bad_input, "a thread identifier of another size");
	if (kind == ompd_thread_id_lwp && !nptl->available)
		return reason(ompd_rc_unsupported,
			      "glibc's thread descriptors are not to be found");
	ompd_rc_t rc =
		space->family->pthread_of_thread(space->runtime, thread_handle->thread, &pthread);

	if (rc == ompd_rc_ok && kind == ompd_thread_id_lwp) {
		rc = nptl_tid(nptl, &space->target, pthread, &tid);
		pthread = tid;
	}
	if (rc != ompd_rc_ok)
		return rc;
	if (sizeof_thread_id == 4)
		memcpy(thread_id, &tid, sizeof(tid));
	else
		memcpy(thread_id, &pthread, sizeof(pthread));
	return ompd_rc_ok;
}

/** Every thread runs on the host: the process's own address space. Not to be released twice. */
ompd_rc_t ompd_get_device_from_thread(ompd_thread_handle_t *thread_handle,
				      ompd_address_space_handle_t **device)
{
	API_ENTER(thread_handle, THREAD);
	if (!device)
		return reason(ompd_rc_bad_input, "no place for the handle");
	*device = thread_handle->space;
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_thread_num(ompd_thread_handle_t *thread, ompd_parallel_handle_t *parallel,
				  int *thread_num)
{
	API_ENTER(thread, THREAD);
	API_ENTER(parallel, PARALLEL);
	if (!thread_num || thread->space != parallel->space)
		return reason(ompd_rc_bad_input, "no place for the number, or another process");
	return thread->space->family->thread_num(thread->space->runtime, thread->thread,
						 parallel->region, thread_num);
}

/** Handles of threads, in memory of the debugger's allocator. Starts zeroed. */
struct thread_list {
	ompd_thread_handle_t **handles;
	size_t count, capacity;
	struct idmap known; // a damaged list may name a thread twice
};

static void discard(struct thread_list *list, ompd_address_space_handle_t *space)
{
	for (size_t i = 0; i < list->count && list->handles; i++)
		handle_discard(space, list->handles[i]);
	target_free(&space->target, list->handles);
	idmap_close(&list->known, &space->target);
}

static ompd_rc_t append(struct thread_list *list, ompd_address_space_handle_t *space,
			uint64_t thread)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 16;
		ompd_thread_handle_t **handles =
			target_alloc(&space->target, capacity * sizeof(void *));

		if (!handles)
			return ompd_rc_nomem;
		if (list->count)
			memcpy(handles, list->handles, list->count * sizeof(void *));
		target_free(&space->target, list->handles);
		list->handles = handles;
		list->capacity = capacity;
	}
	ompd_rc_t rc = handle_new_thread(space, thread, &list->handles[list->count]);

	list->count += rc == ompd_rc_ok;
	return rc;
}

ompd_rc_t ompd_ext_get_threads(ompd_address_space_handle_t *handle, ompd_thread_handle_t ***threads,
			       size_t *count)
{
	struct family_cursor cursor = { .next = 0 };
	struct thread_list list = { .count = 0 };
	uint64_t thread;

	API_ENTER(handle, ADDRESS_SPACE);
	if (!count)
		return reason(ompd_rc_bad_input, "no place for the number of threads");
	ompd_rc_t rc = ompd_rc_ok;

	while (rc == ompd_rc_ok && (rc = handle->family->next_thread(handle->runtime, &cursor,
								     &thread)) == ompd_rc_ok) {
		bool added;

		rc = idmap_add(&list.known, &handle->target, thread, 0, &added);
		if (rc == ompd_rc_ok && added && threads)
			rc = append(&list, handle, thread);
	}
	if (rc != ompd_rc_unavailable) {
		discard(&list, handle);
		return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
	}
	reason_clear();
	if (threads)
		*threads = list.handles;
	*count = list.known.count;
	idmap_close(&list.known, &handle->target);
	return cursor.damaged ? reason(ompd_rc_incomplete, "a thread cannot be read") : ompd_rc_ok;
}
