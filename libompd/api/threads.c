// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread handles (OpenMP 5.2, 20.5.5).

#include <string.h>

#include "api/handles.h"
#include "target/idmap.h"

/**
 * Return the thread with number @p thread_num in the team of a region.
 * @return ok; bad_input (no such number); unavailable (the thread is about to join or leave);
 *         stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				      ompd_thread_handle_t **thread_handle)
{
	API_ENTER(self, PARALLEL, parallel_handle);
	API_CHECK(thread_handle && thread_num >= 0,
		  "handle pointer is NULL, or the number is negative");
	struct api_space *space = self->space;
	API_NEW(handle, thread, space);
	return HANDLE_GIVE(space->family->region_member(space->runtime, self->region,
							(uint32_t)thread_num, handle->thread),
			   THREAD, handle, space, thread_handle);
}

// Check that a thread has such an identifier. Debuggers pass a kernel id as pid_t or as a 64-bit
// integer.
static ompd_rc_t check_id(const struct nptl *nptl, ompd_thread_id_t kind, ompd_size_t size)
{
	if (kind != ompd_thread_id_pthread && kind != ompd_thread_id_lwp)
		return reason(ompd_rc_unsupported,
			      "kind %llu of thread identifier is not supported",
			      (unsigned long long)kind);
	if (size != 8 && !(size == 4 && kind == ompd_thread_id_lwp))
		return reason(ompd_rc_bad_input, "wrong size of the thread identifier");
	if (kind == ompd_thread_id_lwp && !nptl->available)
		return reason(ompd_rc_unsupported, "cannot find glibc's thread descriptors");
	return ompd_rc_ok;
}

static ompd_rc_t pthread_of_id(struct api_space *space, ompd_thread_id_t kind, ompd_size_t size,
			       const void *thread_id, uint64_t *ret)
{
	const struct nptl *nptl = space->family->facts(space->runtime).nptl;
	uint32_t tid;
	ompd_rc_t rc = check_id(nptl, kind, size);

	if (rc != ompd_rc_ok)
		return rc;
	if (kind == ompd_thread_id_pthread) {
		memcpy(ret, thread_id, sizeof(*ret));
		return *ret ? ompd_rc_ok :
			      reason(ompd_rc_unavailable, "no thread has identifier 0");
	}
	memcpy(&tid, thread_id, sizeof(tid));
	rc = nptl_find(nptl, &space->target, &space->known, tid, ret);

	return rc == ompd_rc_unavailable ? reason(rc, "glibc knows no thread %u", tid) : rc;
}

// Check whether glibc lists a thread, or cannot tell.
static bool is_thread(const struct api_space *space, uint64_t pthread)
{
	const struct nptl *nptl = space->family->facts(space->runtime).nptl;
	struct nptl_cursor cursor = { .list = 0 };
	uint64_t listed;

	if (!nptl->available)
		return true;
	while (nptl_next(nptl, &space->target, &cursor, &listed) == ompd_rc_ok) {
		if (listed == pthread)
			return true;
	}
	return cursor.damaged;
}

/**
 * Return the OpenMP thread that a thread of the operating system is.
 * @return ok; unavailable (it is no OpenMP thread); unsupported (kind); bad_input (size of the
 *         identifier); stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				 ompd_size_t sizeof_thread_id, const void *thread_id,
				 ompd_thread_handle_t **thread_handle)
{
	uint64_t pthread;

	API_ENTER_RUNTIME(space, handle);
	API_CHECK(thread_id && thread_handle, "identifier or result pointer is NULL");
	ompd_rc_t rc = pthread_of_id(space, kind, sizeof_thread_id, thread_id, &pthread);

	if (rc != ompd_rc_ok)
		return rc;
	API_NEW(thread, thread, space);
	rc = space->family->thread_of_pthread(space->runtime, pthread, thread->thread);
	// What cannot be read may be none of the process's threads.
	if (rc == ompd_rc_error && !is_thread(space, pthread))
		rc = reason(ompd_rc_unavailable, "the process has no such thread");
	return HANDLE_GIVE(rc, THREAD, thread, space, thread_handle);
}

ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle)
{
	return handle_release(thread_handle, HANDLE_THREAD);
}

ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
				     ompd_thread_handle_t *thread_handle_2, int *cmp_value)
{
	API_ENTER(first, THREAD, thread_handle_1);
	API_ENTER(second, THREAD, thread_handle_2);
	return handle_compare(first->space->family->thread_id(first->thread),
			      second->space->family->thread_id(second->thread), cmp_value);
}

/** Return the identifier of the handle's thread; sizes as in ompd_get_thread_handle(). */
ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind,
			     ompd_size_t sizeof_thread_id, void *thread_id)
{
	API_ENTER(self, THREAD, thread_handle);
	API_CHECK(thread_id, "identifier pointer is NULL");
	const struct api_space *space = self->space;
	const struct nptl *nptl = space->family->facts(space->runtime).nptl;
	uint64_t pthread;
	uint32_t tid = 0;
	ompd_rc_t rc = check_id(nptl, kind, sizeof_thread_id);

	if (rc == ompd_rc_ok)
		rc = space->family->pthread_of_thread(space->runtime, self->thread, &pthread);

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
	API_ENTER(self, THREAD, thread_handle);
	API_CHECK(device, "handle pointer is NULL");
	*device = self->space->handle;
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_thread_num(ompd_thread_handle_t *thread, ompd_parallel_handle_t *parallel,
				  int *thread_num)
{
	API_ENTER(member, THREAD, thread);
	API_ENTER(team, PARALLEL, parallel);
	API_CHECK(thread_num && member->space == team->space,
		  "number pointer is NULL, or the handles are of different processes");
	API_READ_THREAD(member, THREAD_PLACE);
	return member->space->family->thread_num(member->space->runtime, member->thread,
						 team->region, thread_num);
}

/** Handles of threads, in memory of the debugger's allocator. Starts zeroed. */
struct thread_list {
	ompd_thread_handle_t **handles;
	size_t count, capacity;
	struct idmap known; // a damaged list may name a thread twice
};

static void discard(struct thread_list *list, struct api_space *space)
{
	for (size_t i = 0; i < list->count && list->handles; i++)
		handle_release(list->handles[i], HANDLE_THREAD);
	target_free(&space->target, list->handles);
	idmap_close(&list->known, &space->target);
}

static ompd_rc_t append(struct thread_list *list, struct api_space *space,
			struct api_thread *thread)
{
	ompd_thread_handle_t **handles = target_grow(&space->target, list->handles, list->count,
						     &list->capacity, sizeof(void *));

	if (handles)
		list->handles = handles;
	ompd_rc_t rc = HANDLE_GIVE(handles ? ompd_rc_ok : ompd_rc_nomem, THREAD, thread, space,
				   &list->handles[list->count]);

	list->count += rc == ompd_rc_ok;
	return rc;
}

// Take the next thread. unavailable: there is none.
static ompd_rc_t take_next(struct thread_list *list, struct api_space *space,
			   struct thread_cursor *cursor, bool wanted)
{
	struct api_thread *thread = handle_new_thread(space);
	bool added = false;
	ompd_rc_t rc = thread ? space->family->next_thread(space->runtime, cursor, thread->thread) :
				ompd_rc_nomem;

	if (rc == ompd_rc_ok)
		rc = idmap_add(&list->known, &space->target,
			       space->family->thread_id(thread->thread), 0, &added);
	if (rc == ompd_rc_ok && added && wanted)
		return append(list, space, thread);
	target_free(&space->target, thread);
	return rc;
}

ompd_rc_t ompd_ext_get_threads(ompd_address_space_handle_t *handle, ompd_thread_handle_t ***threads,
			       size_t *count)
{
	struct thread_cursor cursor = { .next = 0 };
	struct thread_list list = { .count = 0 };
	ompd_rc_t rc;

	API_ENTER_RUNTIME(space, handle);
	API_CHECK(count, "result pointer is NULL");
	do
		rc = take_next(&list, space, &cursor, threads != NULL);
	while (rc == ompd_rc_ok);
	if (rc != ompd_rc_unavailable) {
		discard(&list, space);
		return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
	}
	reason_clear();
	if (threads)
		*threads = list.handles;
	*count = list.known.count;
	idmap_close(&list.known, &space->target);
	return cursor.damaged ? reason(ompd_rc_incomplete, "a thread cannot be read") : ompd_rc_ok;
}
