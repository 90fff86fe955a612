// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMPD libraries and the address spaces that they look at: the callbacks over the services, with a
// cache of pages; errors in place of codes; handles that are released with the space.
//
// One call runs at a time in a library. What the services fail with in a callback is what the call
// fails with.

#ifndef OMPDBG_SPACE_H
#define OMPDBG_SPACE_H

#include "base/error.h"
#include "ompd/ompd.h"
#include "ompd/ompd_ext.h"
#include "ompdbg/services.h"

struct arena;
struct ompd_library;

/** A loaded library. */
struct ompd_library_info {
	const char *path;
	const char *version; // ompd_get_version_string(); "" if it has none
	ompd_word_t api_version;
	bool is_extended; // it has the functions of ompd_ext.h
};

/**
 * Load a library, or count one more user of it. @p descriptor: the open file that is loaded in place
 * of the path, or -1; it stays the caller's, who keeps it open until the library is released.
 */
struct ompdbg_error *ompd_library_open(const char *path, int descriptor, struct ompd_library **ret);
void ompd_library_close(struct ompd_library *library);
const struct ompd_library_info *ompd_library_info(const struct ompd_library *library);
/** Name the runtimes that a library can recognise. @return NULL at the end, or if it has one only
 *  and cannot be asked. */
const char *ompd_library_runtime(struct ompd_library *library, size_t index);

/** One runtime of one process. */
struct space;

/** Look for a runtime in the process: @p runtime names it, NULL for the first that is recognised.
 *  ABSENT if it is not there; INCOMPATIBLE with the reason if too little is known of it. */
struct ompdbg_error *space_open(struct ompd_library *library,
				const struct ompdbg_services *services, const char *runtime,
				struct space **ret);
void space_close(struct space *space);
/** Forget memory that was read: the program has run. */
void space_forget(struct space *space);
struct ompd_library *space_library(const struct space *space);

/** Read memory through the cache of the space. */
struct ompdbg_error *space_read(struct space *space, uint64_t address, void *buffer, size_t size);

/** How much was asked of the services. */
struct space_statistics {
	uint64_t reads, bytes;	   // that the library asked for
	uint64_t fetches, fetched; // what of it went to the services, in calls and bytes
	uint64_t symbols;
};
void space_get_statistics(const struct space *space, struct space_statistics *ret);

/** Call a service of the debugger: SERVICE(process, read_memory, address, &number, sizeof(number)). */
#define SERVICE(where, name, ...) \
	((where)->services->name((where)->services->context, ##__VA_ARGS__))

/**
 * Call ompd_NAME of the space's library, whose first argument is a handle or as given; gives an
 * error. SPACE_CALL(space, get_curr_task_handle, thread, &task). The code behind an error:
 *   unavailable, and a function that the library lacks -> UNAVAILABLE; unsupported -> UNAVAILABLE;
 *   incompatible -> INCOMPATIBLE; bad_input, stale_handle -> BAD_INPUT; nomem -> NO_MEMORY;
 *   incomplete -> NULL, with *space_last_code() telling; needs_state_tracking -> UNAVAILABLE;
 *   error, callback_error -> what the callback failed with, else DAMAGED.
 * The message is ompd_ext_last_reason(), where the library tells one.
 */
#define SPACE_CALL(where, name, ...)                                                         \
	({                                                                                   \
		struct space *space_ = (where);                                              \
		const struct ompd_functions *functions_ = space_functions(space_);           \
		struct ompdbg_error *error_;                                                 \
		if (!functions_->name) {                                                     \
			error_ = space_lacks(space_, "ompd_" #name);                         \
			if (!error_)                                                         \
				__builtin_unreachable();                                     \
		} else {                                                                     \
			error_ = space_enter(space_);                                        \
			if (!error_)                                                         \
				error_ = space_leave(space_, functions_->name(__VA_ARGS__)); \
		}                                                                            \
		error_;                                                                      \
	})

struct ompd_functions {
#define REQUIRED(name) __typeof__(&ompd_##name) name;
#define STANDARD(name) __typeof__(&ompd_##name) name;
#define EXTENSION(name) __typeof__(&ompd_##name) name;
#include "functions.def"
#undef REQUIRED
#undef STANDARD
#undef EXTENSION
};

const struct ompd_functions *space_functions(const struct space *space);
ompd_address_space_handle_t *space_handle(const struct space *space);
struct ompdbg_error *space_enter(struct space *space);
struct ompdbg_error *space_leave(struct space *space, ompd_rc_t code);
/** Make the error of a function that the library lacks. Never NULL. */
struct ompdbg_error *space_lacks(struct space *space, const char *function);
/** Return the code of the last call. */
ompd_rc_t space_last_code(const struct space *space);

// ---- Handles (handle.c) ----------------------------------------------------------------------

/** Have a handle released with the space, or when the program runs. */
void space_keep(struct space *space, ompd_scope_t scope, void *handle);
/** Have the handle that the last call made released with the space. @p error is that call's. Gives
 *  it back, or an error if there is no handle. */
struct ompdbg_error *space_made(struct space *space, ompd_scope_t scope, struct ompdbg_error *error,
				void *handle);
/** Release a handle that the space does not keep. */
void space_release(struct space *space, ompd_scope_t scope, void *handle);
/** Identity of what a handle stands for; for a library without extensions, equal handles get equal
 *  numbers. 0: it cannot be told. */
uint64_t space_id(struct space *space, ompd_scope_t scope, void *handle);
/** Release memory that the library gave. */
void space_free(struct space *space, const void *memory);

// ---- Threads (threads.c) ---------------------------------------------------------------------

/** Find the pthread_t of a thread by the debugger's number. ABSENT: it is unknown. */
struct ompdbg_error *space_pthread(struct space *space, int thread, uint64_t *ret);

// ---- What the library enumerates (lists.c) ------------------------------------------------------

/** List the states of threads, and their names without the prefix "ompt_state_". */
struct ompdbg_error *space_states(struct space *space, const char *const **names,
				  const uint64_t **states, size_t *count);

/** A control variable. */
struct space_icv {
	ompd_icv_id_t id;
	const char *name;
	ompd_scope_t scope; // where it is at home
};
struct ompdbg_error *space_icvs(struct space *space, const struct space_icv **ret, size_t *count);
/** Read the value of a control variable. @p scope is that of the handle: of a task's handle also for
 *  variables of implicit tasks, of the space's also for global ones. */
struct ompdbg_error *space_icv_value(struct space *space, ompd_scope_t scope, void *handle,
				     uint64_t id, int64_t *ret);
struct ompdbg_error *space_icv_string(struct space *space, ompd_scope_t scope, void *handle,
				      uint64_t id, struct arena *arena, const char **ret);
/** Read what an environment variable was set to at the start; *ret is NULL if it was not. */
struct ompdbg_error *space_environment(struct space *space, const char *name, struct arena *arena,
				       const char **ret);
/** List the display control variables, "NAME=VALUE". */
struct ompdbg_error *space_control_variables(struct space *space, struct arena *arena,
					     const char *const **ret, size_t *count);

#endif
