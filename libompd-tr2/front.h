// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the front share. The front answers the interface of 2016 with what the core
// (libompd) answers, which it sees under names that begin with core_ (see core.py). It knows no
// runtime; its own are the callback table of 2016, and which handles live.
//
// The handles of both are the same pointers. Numbers of return codes are the same, as far as both
// have them; segments, addresses and kinds of thread identifiers too.

#ifndef OMPDBG_FRONT_H
#define OMPDBG_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "ompd/ompd_tr2.h"
#include "ompd_core.h"

/** Translate a code of the core to one of 2016. */
ompd_rc_t front_rc(core_rc_t rc);

// ---- Callbacks (callbacks.c) -----------------------------------------------------------------

/** Take the debugger's table; bad_input if a callback is missing that reading needs. */
ompd_rc_t callbacks_open(const ompd_callbacks_t *table);
void callbacks_close(void);
/** Return the debugger's table; NULL unless the library is initialized. */
const ompd_callbacks_t *callbacks_theirs(void);
/** Return the core's table of callbacks, made from the debugger's; NULL without one. */
const core_callbacks_t *callbacks_for_core(void);

/** Memory of the debugger, zeroed; NULL if there is none. */
void *front_alloc(size_t size);
/** NULL is ignored. */
void front_free(void *memory);

// ---- Symbols of one library (objects.c) ------------------------------------------------------

/** Address of @p name in the library that is loaded under @p file_name; unavailable. */
ompd_rc_t object_symbol(ompd_address_space_context_t *context, const char *file_name,
			const char *name, uint64_t *ret);

// ---- Handles (handles.c) ---------------------------------------------------------------------

/** Kinds of handles; bits. */
enum handle_kind {
	HANDLE_ADDRESS_SPACE = 1 << 0,
	HANDLE_THREAD = 1 << 1,
	HANDLE_PARALLEL = 1 << 2,
	HANDLE_TASK = 1 << 3,
	HANDLE_VARIABLES = 1 << 4, // display control variables, which are released like handles
};

/**
 * Begin an entry point with a handle.
 * @param kinds those that will do.
 * @return ok; error (not initialized); stale_handle (no handle, a released one, or one of a
 *         released address space); bad_input (of another kind).
 */
ompd_rc_t handle_check(const void *handle, unsigned int kinds);
/** Return the kind of a live handle. */
enum handle_kind handle_kind_of(const void *handle);
/** Return the address space of a live handle. */
core_address_space_handle_t *handle_space(const void *handle);

/** Remember a new handle of the core, or release it if there is no memory for that: nomem. */
ompd_rc_t handle_add(void *handle, enum handle_kind kind, core_address_space_handle_t *space);
/** Remember the handle that a call of the core returned, or translate the call's code. */
ompd_rc_t handle_adopt(core_rc_t rc, void *handle, enum handle_kind kind,
		       core_address_space_handle_t *space);
/** Release a handle of @p kind and forget it; those of an address space become stale with it. */
ompd_rc_t handle_release(void *handle, enum handle_kind kind);
/** Release the handles that the debugger has not. */
void handles_close(void);

/** Stores a new handle in *@p ret, unless @p rc or memory forbid it. */
#define HANDLE_GIVE(rc, handle, kind, relative, ret)                                         \
	({                                                                                   \
		ompd_rc_t give_rc_ =                                                         \
			handle_adopt((rc), (handle), HANDLE_##kind, handle_space(relative)); \
		if (give_rc_ == ompd_rc_ok)                                                  \
			*(ret) = (void *)(handle);                                           \
		give_rc_;                                                                    \
	})

/** Returns from the calling function unless the handle is good and there is a place for the
 * result. */
#define FRONT_ENTER(handle, kinds, place)                              \
	do {                                                           \
		ompd_rc_t enter_rc_ = handle_check((handle), (kinds)); \
		if (enter_rc_ != ompd_rc_ok)                           \
			return enter_rc_;                              \
		if (!(place))                                          \
			return ompd_rc_bad_input;                      \
	} while (0)

// ---- Settings (settings.c) -------------------------------------------------------------------

/** Return a control variable of whatever a live handle stands for. */
ompd_rc_t front_setting(const void *handle, const char *name, ompd_tword_t *val);

#endif
