// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's handles, and the checks that every entry point makes.

#ifndef OMPDBG_HANDLES_H
#define OMPDBG_HANDLES_H

#include "gomp/gomp.h"
#include "ompd/ompd.h"
#include "ompd/ompd_ext.h"

/** What a handle is; the first word of each. */
enum handle_kind {
	HANDLE_ADDRESS_SPACE = 0x4f4d5041,
	HANDLE_THREAD = 0x4f4d5054,
	HANDLE_PARALLEL = 0x4f4d5050,
	HANDLE_TASK = 0x4f4d504b,
	HANDLE_RELEASED = 0,
};

struct _ompd_aspace_handle {
	enum handle_kind kind;
	struct gomp_runtime runtime;
};

struct _ompd_thread_handle {
	enum handle_kind kind;
	ompd_address_space_handle_t *space;
	uint64_t thread; // address of the runtime's structure
};

struct _ompd_parallel_handle {
	enum handle_kind kind;
	ompd_address_space_handle_t *space;
	struct gomp_region region;
};

struct _ompd_task_handle {
	enum handle_kind kind;
	ompd_address_space_handle_t *space;
	struct gomp_task task;
};

/** The debugger's callbacks, NULL unless the library is initialized. */
const ompd_callbacks_t *library_callbacks(void);

/** Begins an entry point: forgets the last reason; ompd_rc_error before ompd_initialize(). */
ompd_rc_t api_enter(void);
/** The same with a handle of @p kind: stale if there is none, bad input if it is of another kind. */
ompd_rc_t api_enter_handle(const void *handle, enum handle_kind kind);

/** Returns from the calling function unless the handle is good. */
#define API_ENTER(handle, kind)                                                \
	do {                                                                   \
		ompd_rc_t api_rc_ = api_enter_handle((handle), HANDLE_##kind); \
		if (api_rc_ != ompd_rc_ok)                                     \
			return api_rc_;                                        \
	} while (0)

/** Reads the thread that a handle stands for. */
ompd_rc_t handle_read_thread(const ompd_thread_handle_t *handle, struct gomp_thread *ret);

// New handles in memory of the debugger's allocator.
ompd_rc_t handle_new_thread(ompd_address_space_handle_t *space, uint64_t thread,
			    ompd_thread_handle_t **ret);
ompd_rc_t handle_new_parallel(ompd_address_space_handle_t *space, const struct gomp_region *region,
			      ompd_parallel_handle_t **ret);
ompd_rc_t handle_new_task(ompd_address_space_handle_t *space, const struct gomp_task *task,
			  ompd_task_handle_t **ret);

/** Frees a handle of @p kind. */
ompd_rc_t handle_release(void *handle, enum handle_kind kind);

/** Stores how two identities compare: -1, 0 or 1. */
ompd_rc_t handle_compare(uint64_t a, uint64_t b, int *cmp_value);

#endif
