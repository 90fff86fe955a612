// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's handles, and the checks that every entry point makes.

#ifndef OMPDBG_HANDLES_H
#define OMPDBG_HANDLES_H

#include "ompd/ompd.h"
#include "ompd/ompd_ext.h"
#include "runtime/family.h"
#include "target/reason.h"

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
	const struct family *family;
	struct target target;
	struct family_runtime *runtime;
};

struct _ompd_thread_handle {
	enum handle_kind kind;
	ompd_address_space_handle_t *space;
	uint64_t thread; // address of the runtime's structure
};

// The family's records lie behind these two, in the same block of memory.

struct _ompd_parallel_handle {
	enum handle_kind kind;
	ompd_address_space_handle_t *space;
	struct family_region *region;
};

struct _ompd_task_handle {
	enum handle_kind kind;
	ompd_address_space_handle_t *space;
	struct family_task *task;
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

// New handles in memory of the debugger's allocator; NULL if there is none. Those of regions and
// tasks are filled by an operation of the family, and then finished by handle_give().

ompd_rc_t handle_new_thread(ompd_address_space_handle_t *space, uint64_t thread,
			    ompd_thread_handle_t **ret);
ompd_parallel_handle_t *handle_new_parallel(ompd_address_space_handle_t *space);
ompd_task_handle_t *handle_new_task(ompd_address_space_handle_t *space);

/** Frees a handle that could not be filled; no entry point. */
void handle_discard(ompd_address_space_handle_t *space, void *handle);

/** Stores a filled handle in @p ret, or frees it if @p rc is not ok. Is @p rc. */
#define handle_give(handle, rc, ret)                               \
	({                                                         \
		ompd_rc_t give_rc_ = (rc);                         \
		if (give_rc_ == ompd_rc_ok)                        \
			*(ret) = (handle);                         \
		else                                               \
			handle_discard((handle)->space, (handle)); \
		give_rc_;                                          \
	})

/** Frees a handle of @p kind. */
ompd_rc_t handle_release(void *handle, enum handle_kind kind);

/** Stores how two identities compare: -1, 0 or 1. */
ompd_rc_t handle_compare(uint64_t a, uint64_t b, int *cmp_value);

#endif
