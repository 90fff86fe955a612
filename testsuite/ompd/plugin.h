// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the extension share. Rules that hold everywhere:
// - The GIL is held throughout; one OMPD function runs at a time (`call` in call.c).
// - Functions returning int give 0, or -1 with a Python exception set, unless they say otherwise.

#ifndef OMPDBG_PLUGIN_H
#define OMPDBG_PLUGIN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

#include "ompd/memory.h"
#include "ompd/ompd.h"
#include "ompd/ompd_ext.h"

// ---- A loaded library (library.c) ------------------------------------------------------------

/** An OMPD library in this process; one per file, however many Library objects name it. */
struct library {
	struct library *next;
	unsigned int references;
	void *image; // of dlopen()
	bool extended;
#define REQUIRED(name) __typeof__(&ompd_##name) name;
#define STANDARD(name) __typeof__(&ompd_##name) name;
#define EXTENSION(name) __typeof__(&ompd_##name) name;
#include "functions.def"
#undef REQUIRED
#undef STANDARD
#undef EXTENSION
};

/**
 * Count one more user of @p path's library; load and initialize it for the first.
 *
 * @p descriptor: the file that is loaded in place of the path, or -1. The loader remembers the
 * number as a name: it must never come to name another file.
 */
struct library *library_acquire(const char *path, int descriptor);
/** Counts one user less; finalizes and unloads it after the last. Runs no Python code. */
void library_release(struct library *library);

/** The Python object. */
struct library_object {
	PyObject ob_base;
	struct library *library;
	PyObject *path;
};

// ---- Calls into a library (call.c) -----------------------------------------------------------

struct space;

/**
 * The call in progress. A second one inside it, from a callback's Python code, is refused.
 * An exception raised by a callback waits here until the call ends.
 */
struct call {
	bool busy;
	bool interrupted;    // the exception is none that may be dropped: KeyboardInterrupt
	struct space *space; // NULL if the call concerns none
	ompd_rc_t rc;	     // of the last call that ended
	PyObject *type, *value, *traceback;
};
extern struct call call;

enum {
	ACCEPT_OK = 1 << ompd_rc_ok,
	ACCEPT_UNAVAILABLE = 1 << ompd_rc_unavailable,
	ACCEPT_INCOMPLETE = 1 << ompd_rc_incomplete,
};

int call_enter(struct space *space, const char *function);
/** Ends the call. @return @p rc if bit @p rc is set in @p accept; else -1 with an exception. */
int call_leave(struct library *library, const char *function, ompd_rc_t rc, unsigned int accept);
/** Moves the current Python exception into the call; it then is no longer set. */
void call_keep_exception(void);
/** Raises Error for a function that the library does not have. */
int call_missing(const char *function);

/** Calls ompd_NAME of @p library_. The value is that of call_leave(). */
#define LIBRARY_CALL(library_, space_, accept, name, ...)                                     \
	({                                                                                    \
		struct library *callee = (library_);                                          \
		int result = -1;                                                              \
		if (!callee->name)                                                            \
			call_missing("ompd_" #name);                                          \
		else if (call_enter(space_, "ompd_" #name) == 0)                              \
			result = call_leave(callee, "ompd_" #name, callee->name(__VA_ARGS__), \
					    accept);                                          \
		result;                                                                       \
	})
#define CALL_ACCEPTING(space_, accept, name, ...) \
	LIBRARY_CALL((space_)->library, space_, accept, name, __VA_ARGS__)
#define CALL(space_, name, ...) CALL_ACCEPTING(space_, ACCEPT_OK, name, __VA_ARGS__)

/** What can be released. */
enum kind { KIND_THREAD, KIND_PARALLEL, KIND_TASK, KIND_ITERATOR, KIND_SPACE, KIND_LIBRARY };

/** Releases something of a library now, or when the call in progress ends. Keeps exceptions. */
void release(struct library *library, enum kind kind, void *pointer);

// ---- Errors (error.c) ------------------------------------------------------------------------

extern PyObject *error_type, *unavailable_type;

int error_add_types(PyObject *module);
/** Raises Error or Unavailable. @p reason NULL: the code's meaning. Takes the kept exception. */
int error_raise(const char *function, ompd_rc_t rc, const char *reason);

// ---- The target (space.c, fetch.c, callbacks.c) ----------------------------------------------

/** An address space; also the context that the library passes to the callbacks. */
struct space {
	struct library *library;
	ompd_address_space_handle_t *handle; // NULL when closed
	PyObject *services;		     // NULL when closed
	PyObject *symbols;		     // dict: (name, file name) -> address or None
	struct handle *handles;		     // list of the live ones
	uint64_t generation;		     // number of invalidate()
	uint64_t last_id;		     // for libraries that do not number handles
	bool symbols_moved;		     // those that are kept are out of date
	struct icv_scope *icv_scopes;
	size_t num_icv_scopes;
};

struct space_object {
	PyObject ob_base;
	struct space *space;
	PyObject *library; // a Library
};

extern const ompd_callbacks_t callbacks;

/** Read memory. @return false, perhaps with an exception kept. */
bool fetch(struct space *space, uint64_t address, void *buffer, size_t size);
/** Read memory up to the first zero byte. *ended: there is one in @p size bytes. */
bool fetch_string(struct space *space, uint64_t address, char *buffer, size_t size, bool *ended);
/** Drops what is out of date, unless a call is in progress. */
void space_catch_up(struct space *space);
void space_destroy(struct space *space);

// ---- Text (text.c) ---------------------------------------------------------------------------

/** Text from outside as a Python string; never fails for what it holds (ompdbg/text.py). */
PyObject *text_of(const char *string, size_t length);
PyObject *text_new(const char *string);
/** Make a Python string of one of the library, which is then released. NULL gives "". */
PyObject *text_take(const char *string);

// ---- Handles (handle.c) ----------------------------------------------------------------------

/** What Thread, Parallel, Task and TaskIterator begin with. */
struct handle {
	PyObject ob_base;
	PyObject *owner;     // the AddressSpace, NULL after tp_clear
	struct space *space; // its space
	void *raw;	     // NULL when released
	enum kind kind;
	uint64_t id, generation;
	struct handle *previous, *next; // in space->handles
};

/**
 * A new object of @p kind that owns @p raw, which the call that just ended with @p result has made.
 * NULL if it failed; then @p raw is released where there is one.
 */
PyObject *handle_new(PyObject *owner, enum kind kind, int result, void *raw, uint64_t generation);
/** The handle in @p self, fit for use by @p function; NULL with Error if it is stale. */
struct handle *handle_use(PyObject *self, const char *function);
/** Releases what the handle stands for. */
void handle_release(struct handle *handle);
void handle_dealloc(PyObject *self);
int handle_traverse(PyObject *self, visitproc visit, void *arg);
int handle_clear(PyObject *self);
PyObject *handle_compare(PyObject *a, PyObject *b, int op);
Py_hash_t handle_hash(PyObject *self);

// ---- ICVs, states and other lists (lists.c) --------------------------------------------------

struct icv_scope {
	uint64_t id;
	ompd_scope_t scope;
};

PyObject *list_states(struct space *space);
PyObject *list_icvs(struct space *space);
PyObject *list_display_control_vars(struct space *space);
/** The value of an ICV of @p raw, whose own scope is @p scope. */
PyObject *icv_value(struct space *space, void *raw, ompd_scope_t scope, PyObject *id);
PyObject *icv_string(struct space *space, void *raw, ompd_scope_t scope, PyObject *id);
/** What the environment variable @p name was set to at the start; None if it was not. */
PyObject *environment_string(struct space *space, PyObject *name);

// ---- Records (record.c) ----------------------------------------------------------------------

int record_add_types(PyObject *module);
PyObject *record_icv(uint64_t id, PyObject *name, ompd_scope_t scope);
PyObject *record_layout(const ompd_ext_layout_info *info);
PyObject *record_wait_site(const ompd_ext_wait_site *site);
PyObject *record_task_info(const ompd_ext_task_info *info);
PyObject *record_parallel_info(const ompd_ext_parallel_info *info);
PyObject *record_thread_info(const ompd_ext_thread_info *info);
PyObject *record_loop_info(const ompd_ext_loop_info *info);

// ---- What OMPT answers (inquiry.c): methods of Thread -----------------------------------------

PyObject *thread_ompt_task(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *thread_ompt_parallel(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *thread_place_num(PyObject *self, PyObject *unused);
PyObject *thread_proc_id(PyObject *self, PyObject *unused);
PyObject *thread_task_memory(PyObject *self, PyObject *unused);
PyObject *thread_place_nums(PyObject *self, PyObject *unused);

// ---- Types (one file each) and arguments (module.c) ------------------------------------------

extern PyTypeObject *library_type, *space_type, *kind_types[KIND_ITERATOR + 1];
extern PyType_Spec library_spec, space_spec, handle_spec, thread_spec, parallel_spec, task_spec,
	iterator_spec;

/** Opens the process of @p services; @p runtime: its name, NULL for the one that is found. */
PyObject *space_open(PyObject *library, PyObject *services, const char *runtime);
PyObject *iterator_open_all(PyObject *space);

/** tp_new of types that Python code cannot create. */
PyObject *type_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
/** The only argument, which may be passed by name. Borrowed; NULL with TypeError. */
PyObject *argument(PyObject *args, PyObject *kwargs, const char *function, const char *name);
/** The only argument as an unsigned integer. */
int argument_uint(PyObject *args, PyObject *kwargs, const char *function, const char *name,
		  uint64_t *ret);
int argument_int(PyObject *args, PyObject *kwargs, const char *function, const char *name,
		 int *ret);

#define METHOD(name, function, flags, doc)                                \
	{                                                                 \
		name, (PyCFunction)(void (*)(void))(function), flags, doc \
	}

#endif
