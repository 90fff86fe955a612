// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's handles, and the checks that every entry point makes.
//
// What the debugger holds is no pointer: it is the place of the handle in a table, and a number that
// no other handle ever has. What the debugger passes is never followed; a handle that was released,
// one of an address space that was, and any other value are told by the table alone.

#ifndef OMPDBG_HANDLES_H
#define OMPDBG_HANDLES_H

#include "ompd/ompd.h"
#include "ompd/ompd_ext.h"
#include "runtime/family.h"
#include "target/nptl.h"
#include "target/reason.h"

enum handle_kind {
	HANDLE_ADDRESS_SPACE,
	HANDLE_THREAD,
	HANDLE_PARALLEL,
	HANDLE_TASK,
	HANDLE_TASK_ITERATOR,
};

// What handles stand for. The types of the API (struct _ompd_thread_handle) are defined nowhere.

struct api_space {
	ompd_address_space_handle_t *handle;
	const struct family *family;
	struct target target;
	struct runtime *runtime;
	struct nptl_known known;
};

// The family's records follow these in the same block of memory.

struct api_thread {
	struct api_space *space;
	struct thread *thread;
};

struct api_parallel {
	struct api_space *space;
	struct region *region;
};

struct api_task {
	struct api_space *space;
	struct task *task;
};

struct api_task_iterator;

/** All families, in the order in which they are tried; a null pointer ends them. */
extern const struct family *const families[];

/** Return the debugger's callbacks, NULL unless the library is initialized. */
const ompd_callbacks_t *library_callbacks(void);

/** Return whether the debugger asked for the interface of OpenMP 6.0. */
bool library_is_6_0(void);

/** Return a return code by the version of the interface that the debugger asked for. */
ompd_rc_t library_rc(ompd_rc_t in_5, ompd_rc_t in_6);

/** Begin an entry point: forget the last reason; ompd_rc_error before ompd_initialize(). */
ompd_rc_t api_enter(void);
/**
 * Begin an entry point with a handle of @p kind: store what it stands for.
 * @return ok; error (not initialized); stale_handle (NULL, released, never given out); of another
 *         kind stale_handle in 5.x, incompatible_handle in 6.0.
 */
ompd_rc_t api_enter_handle(const void *handle, enum handle_kind kind, void **record);

/**
 * Begin an entry point with a handle of the kind that @p scope has (5.2, table 20.1; 6.0, table
 * 39.1). bad_input: the interface that the debugger asked for has no such scope.
 */
ompd_rc_t api_enter_scope(const void *handle, ompd_scope_t scope, enum handle_kind *kind,
			  void **record);

/** Declare @p record, what @p handle stands for; return from the calling function if it is not a
 * live handle of that kind. */
#define API_ENTER(record, KIND, handle)                                                      \
	HANDLE_TYPE_##KIND *(record);                                                        \
	do {                                                                                 \
		void *api_record_;                                                           \
		ompd_rc_t api_rc_ = api_enter_handle((handle), HANDLE_##KIND, &api_record_); \
		if (api_rc_ != ompd_rc_ok)                                                   \
			return api_rc_;                                                      \
		(record) = api_record_;                                                      \
	} while (0)

/** Check the other arguments; return from the calling function if they are not as they must be. */
#define API_CHECK(condition, why)                                \
	do {                                                     \
		if (!(condition))                                \
			return reason(ompd_rc_bad_input, (why)); \
	} while (0)

/** Enter a function that reads the memory of an address space's runtime. */
#define API_ENTER_RUNTIME(record, handle)                  \
	API_ENTER(record, ADDRESS_SPACE, handle);          \
	do {                                               \
		ompd_rc_t ready_rc_ = space_ready(record); \
		if (ready_rc_ != ompd_rc_ok)               \
			return ready_rc_;                  \
	} while (0)

/** Read the thread of a record as it is now; return from the calling function if that fails. */
#define API_READ_THREAD(record, question)                               \
	do {                                                            \
		ompd_rc_t read_rc_ = thread_read((record), (question)); \
		if (read_rc_ != ompd_rc_ok)                             \
			return read_rc_;                                \
	} while (0)

#define HANDLE_TYPE_ADDRESS_SPACE struct api_space
#define HANDLE_TYPE_THREAD struct api_thread
#define HANDLE_TYPE_PARALLEL struct api_parallel
#define HANDLE_TYPE_TASK struct api_task
#define HANDLE_TYPE_TASK_ITERATOR struct api_task_iterator

/**
 * Enter a record of @p space into the table; @p space is the record itself if it is an address
 * space.
 * @return the handle; NULL if there is no memory.
 */
void *handle_open(enum handle_kind kind, void *record, const struct api_space *space);

/** Enter a filled record, or free it if @p rc is not ok or the table has no memory. */
ompd_rc_t handle_open_filled(ompd_rc_t rc, enum handle_kind kind, void *record,
			     const struct api_space *space, void **handle);

/** Give the debugger a handle for a filled record; free it if @p rc is not ok. */
#define HANDLE_GIVE(rc, KIND, record, space, ret)                                                  \
	({                                                                                         \
		void *give_handle_;                                                                \
		ompd_rc_t give_rc_ =                                                               \
			handle_open_filled((rc), HANDLE_##KIND, (record), (space), &give_handle_); \
		if (give_rc_ == ompd_rc_ok)                                                        \
			*(ret) = give_handle_;                                                     \
		give_rc_;                                                                          \
	})

/** Release a handle of @p kind; an address space with all handles within. */
ompd_rc_t handle_release(const void *handle, enum handle_kind kind);

/** Release all handles. */
void handle_close_all(void);

// New records in memory of the debugger's allocator; NULL if there is none. An operation of the
// family fills them.

/** Declare @p record, a new one; return nomem from the calling function if there is no memory. */
#define API_NEW(record, kind, space)                                \
	struct api_##kind *const record = handle_new_##kind(space); \
	if (!(record))                                              \
	return ompd_rc_nomem

struct api_thread *handle_new_thread(struct api_space *space);
struct api_parallel *handle_new_parallel(struct api_space *space);
struct api_task *handle_new_task(struct api_space *space);

/** Read a thread again, for what is asked next. */
ompd_rc_t thread_read(const struct api_thread *thread, enum thread_question next);

/** Have the runtime of an address space learn what was left for later. */
ompd_rc_t space_ready(const struct api_space *space);

// How the records that are more than a block of memory are freed.

ompd_rc_t space_free(struct api_space *space);
ompd_rc_t task_iterator_free(struct api_task_iterator *iterator);

/** Store how two identities compare: -1, 0 or 1. */
ompd_rc_t handle_compare(uint64_t a, uint64_t b, int *cmp_value);

#endif
