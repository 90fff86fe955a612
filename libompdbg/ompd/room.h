// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this room share.

#ifndef OMPDBG_OMPD_ROOM_H
#define OMPDBG_OMPD_ROOM_H

#include "base/arena.h"
#include "base/budget.h"
#include "base/buffer.h"
#include "base/table.h"
#include "ompd/cache.h"
#include "ompd/space.h"

// ---- Library (library.c) ---------------------------------------------------------------------

/** An OMPD library in this process; one per file, however often it is opened. */
struct ompd_library {
	struct ompd_library *next;
	unsigned int users;
	void *image; // of dlopen()
	struct ompd_library_info info;
	struct ompd_functions functions;
};

struct ompd_library *ompd_library_use(struct ompd_library *library);
/** Make the error of a return code. @p failure: of a callback, or NULL; it is released. */
struct ompdbg_error *ompd_error(const struct ompd_library *library, ompd_rc_t code,
				struct ompdbg_error *failure);

// ---- Layout of debug information (layout.c) ----------------------------------------------------

enum { LAYOUT_STRIDE = 4096 }; // of the addresses of pseudo-variables: no two in a page
#define LAYOUT_BASE UINT64_C(0xF0D0000000000000) // no address of user space

/** Pseudo-variables, made when they are asked for. */
struct layout_variables {
	uint64_t *values;
	size_t count, capacity;
	bool has_layout; // one of them tells a layout
};

/** Find the pseudo-variable @p name. ABSENT if debug information knows nothing of it. */
struct ompdbg_error *layout_variable(struct space *space, const char *name, const char *object,
				     uint64_t *ret);
/** Read a pseudo-variable. @return false: there is none at that address. */
bool layout_read(const struct space *space, uint64_t address, void *buffer, size_t size);
/** Debug information, and nothing else, is asked for this name. */
bool layout_is_alone(const char *name);

// ---- Space (space.c, threads.c, callbacks.c) ---------------------------------------------------

/** An open address space; also the context that the library passes to the callbacks. */
struct space {
	struct ompd_library *library;
	const struct ompdbg_services *services;
	ompd_address_space_handle_t *handle;
	struct arena arena; // as long as the space
	struct arena stop;  // until the program runs
	struct cache cache;
	struct string_table symbols; // "object:name" -> struct known_symbol
	struct buffer symbol_key;
	struct layout_variables layout;
	struct handle_list *handles; // the newest first
	struct table pthreads, lwps; // -> number of the thread, if has_threads
	struct table pthread_of;     // number of the thread -> pthread_t
	bool has_threads;
	struct state_list *states; // NULL: not asked yet
	struct icv_list *icvs;
	struct ompdbg_error *failure; // of a callback of the call in progress
	ompd_rc_t code;
	struct space_statistics statistics;
	uint64_t last_id; // of handles, for libraries that do not number them
};

extern const ompd_callbacks_t ompd_callbacks;

/** Return the space of the call in progress, for the callback that gets no context; NULL. */
struct space *space_in_call(void);
/** Release what handle.c keeps. */
void handles_release(struct space *space);
/** Find the thread with an id of the system's, or of the C library's. ABSENT: there is none. */
struct ompdbg_error *space_find_thread(struct space *space, ompd_thread_id_t kind, uint64_t id,
				       int *ret);

#endif
