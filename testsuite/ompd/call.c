// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of every call into an OMPD library: one at a time, exceptions of callbacks kept, and
// what died meanwhile released afterwards.

#include "plugin.h"

#include <stdlib.h>

struct call call;

/** Something whose release waits for the end of the call in progress. */
struct orphan {
	struct orphan *next;
	struct library *library;
	enum kind kind;
	void *pointer;
};
static struct orphan *orphans;
static struct orphan **orphans_end = &orphans;

static void drop_exception(void)
{
	Py_CLEAR(call.type);
	Py_CLEAR(call.value);
	Py_CLEAR(call.traceback);
	call.interrupted = false;
}

void call_keep_exception(void)
{
	if (call.interrupted) {
		PyErr_Clear();
		return;
	}
	drop_exception();
	PyErr_Fetch(&call.type, &call.value, &call.traceback);
	call.interrupted = call.type && !PyErr_GivenExceptionMatches(call.type, PyExc_Exception);
}

static void release_now(struct library *library, enum kind kind, void *pointer)
{
	struct space *space;

	switch (kind) {
	case KIND_THREAD:
		if (library->rel_thread_handle)
			library->rel_thread_handle(pointer);
		break;
	case KIND_PARALLEL:
		if (library->rel_parallel_handle)
			library->rel_parallel_handle(pointer);
		break;
	case KIND_TASK:
		if (library->rel_task_handle)
			library->rel_task_handle(pointer);
		break;
	case KIND_ITERATOR:
		if (library->ext_tasks_close)
			library->ext_tasks_close(pointer);
		break;
	case KIND_SPACE:
		space = pointer;
		if (space->handle)
			library->rel_address_space_handle(space->handle);
		space_destroy(space);
		break;
	case KIND_LIBRARY:
		library_release(library);
		break;
	}
}

/** Runs a release as a call of its own; whatever its callbacks raise is nobody's. */
static void release_as_call(struct library *library, enum kind kind, void *pointer)
{
	call.busy = true;
	call.space = NULL;
	release_now(library, kind, pointer);
	call.busy = false;
	drop_exception();
}

static void release_orphans(void)
{
	while (orphans) {
		struct orphan *orphan = orphans;

		orphans = orphan->next;
		if (!orphans)
			orphans_end = &orphans;
		release_as_call(orphan->library, orphan->kind, orphan->pointer);
		free(orphan);
	}
}

void release(struct library *library, enum kind kind, void *pointer)
{
	PyObject *type, *value, *traceback;

	if (call.busy) {
		struct orphan *orphan = malloc(sizeof(*orphan));

		if (!orphan)
			return; // a leak is the lesser evil
		*orphan = (struct orphan){ NULL, library, kind, pointer };
		*orphans_end = orphan;
		orphans_end = &orphan->next;
		return;
	}
	PyErr_Fetch(&type, &value, &traceback);
	release_as_call(library, kind, pointer);
	release_orphans();
	PyErr_Restore(type, value, traceback);
}

int call_enter(struct space *space, const char *function)
{
	if (call.busy)
		return error_raise(function, ompd_rc_error,
				   "called while another OMPD function is running");
	if (space)
		space_catch_up(space);
	call.busy = true;
	call.space = space;
	return 0;
}

/** What was asked for during the call and had to wait for its end. */
static void catch_up(struct space *space)
{
	if (space)
		space_catch_up(space);
	if (orphans) {
		// Their callbacks must not touch this call's exception.
		struct call finished = call;

		call = (struct call){ 0 };
		release_orphans();
		call = finished;
	}
}

int call_leave(struct library *library, const char *function, ompd_rc_t rc, unsigned int accept)
{
	const char *said = NULL;
	char *reason = NULL;
	int result = -1;
	bool accepted = (unsigned int)rc < 32 && (accept & 1u << rc);

	if (!accepted && library->ext_last_reason)
		said = library->ext_last_reason();
	if (said && *said)
		reason = strdup(said);
	struct space *space = call.space;
	call.busy = false;
	call.space = NULL;
	call.rc = rc;
	catch_up(space);
	if (call.interrupted) {
		PyErr_Restore(call.type, call.value, call.traceback);
		call.type = call.value = call.traceback = NULL;
		call.interrupted = false;
	} else if (accepted) {
		drop_exception();
		result = (int)rc;
	} else {
		error_raise(function, rc, reason);
	}
	free(reason);
	return result;
}

int call_missing(const char *function)
{
	return error_raise(function, ompd_rc_unsupported, "the OMPD library lacks this function");
}
