// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about the code of constructs, for Python: methods of threads.

#include "handover.h"
#include "model.h"
#include "stack/way.h"

#include <string.h>

static PyTypeObject *handover_type, *way_type, *innermost_type, *ways_type;

PyObject *answer_thread_handover(struct process_object *owner, void *of, PyObject *args)
{
	struct handover found;
	const char *name;

	if (!PyArg_ParseTuple(args, "s:handover", &name))
		return NULL;
	struct ompdbg_error *error = find_handover(of, name, &found);
	if (error) {
		PyErr_SetString(bridge_error, error->message);
		ompdbg_error_destroy(error);
		return NULL;
	}
	return RECORD(handover_type, text_value(handover_kind_name(found.kind)),
		      unsigned_value(found.code), unsigned_value(found.jumps_to),
		      nonzero_value(found.back), unsigned_value(found.stack_pointer),
		      unsigned_value(found.task), PyBool_FromLong(found.is_called),
		      PyBool_FromLong(found.waits));
}

PyObject *answer_thread_bodies(struct process_object *owner, void *of, PyObject *args)
{
	const struct thread *thread = of;
	PyObject *list = PyList_New(0);
	unsigned long long code;
	size_t count;

	if (!PyArg_ParseTuple(args, "K:bodies", &code))
		Py_CLEAR(list);
	const struct handover_body *bodies =
		list ? find_bodies(thread->runtime->process, code, &count) : NULL;
	for (size_t i = 0; list && i < count; i++)
		list_add(&list, Py_BuildValue("(NNNN)", unsigned_value(bodies[i].start),
					      unsigned_value(bodies[i].end),
					      nonzero_value(bodies[i].pointer_call),
					      PyBool_FromLong(bodies[i].makes_frame)));
	return list;
}

PyObject *answer_thread_last_jumps(struct process_object *owner, void *of, PyObject *args)
{
	const struct thread *thread = of;
	PyObject *list = PyList_New(0);
	unsigned long long pc;
	size_t count;

	if (!PyArg_ParseTuple(args, "K:last_jumps", &pc))
		Py_CLEAR(list);
	const uint64_t *jumps = list ? find_last_jumps(thread->runtime->process, pc, &count) : NULL;
	for (size_t i = 0; list && i < count; i++)
		list_add(&list, unsigned_value(jumps[i]));
	return list;
}

// ---- Ways --------------------------------------------------------------------------------------

/** Make a record of a way. @p pc: where it goes on; 0: where the frame does. */
static PyObject *way_value(struct process_object *owner, struct way way, uint64_t pc)
{
	if (!way.frame)
		Py_RETURN_NONE;
	const struct ompdbg_frame *at = &way.frame->frame->at;
	return RECORD(way_type, thread_object(owner, way.thread), PyLong_FromLong(at->level),
		      unsigned_value(pc ? pc : at->pc));
}

/** Make a record of the innermost construct; None: there is none. */
static PyObject *innermost_value(struct process_object *owner, struct thread *thread)
{
	struct process *process = thread->runtime->process;
	struct innermost_construct inner;
	uint64_t pc = 0, code;

	find_innermost_construct(thread, &inner);
	if (!inner.construct)
		Py_RETURN_NONE;
	bool is_task = inner.construct == CONSTRUCT_TASK || inner.construct == CONSTRUCT_TASKLOOP;
	const char *title = construct_name(inner.construct);
	if (inner.function)
		title = arena_printf(&process->arena, "%s of %s", title, inner.function);
	if (inner.is_own && !is_task && inner.after.frame)
		pc = serialized_region_end(process, inner.after.frame->frame->at.pc, &code);
	return RECORD(innermost_type, text_value(title), PyBool_FromLong(is_task),
		      PyBool_FromLong(inner.is_own), way_value(owner, inner.after, pc));
}

PyObject *answer_thread_ways(struct process_object *owner, void *of, PyObject *args)
{
	static const char *const names[] = {
		[TO_RUNTIME] = "runtime",
		[TO_END_OF_TASK] = "end of task",
		[TO_CONSTRUCT] = "construct",
		[TO_USER] = "user",
	};
	struct thread *thread = of;
	enum way_out kind = TO_RUNTIME;

	if (thread->target->running)
		Py_RETURN_NONE;
	struct way out = way_out(thread, &kind);
	return RECORD(ways_type, PyBool_FromLong(is_in_users_code(thread)),
		      way_value(owner, way_back(thread), 0),
		      way_value(owner, way_after_region(thread), 0),
		      way_value(owner, way_after_innermost_region(thread), 0),
		      text_value(out.frame ? names[kind] : NULL), way_value(owner, out, 0),
		      innermost_value(owner, thread));
}

PyObject *answer_task_way_to_parent(struct process_object *owner, void *of, PyObject *args)
{
	return way_value(owner, way_to_parent(of), 0);
}

// ---- The module --------------------------------------------------------------------------------

static PyStructSequence_Field handover_fields[] = {
	{ "kind", "\"region\", \"task\", \"taskloop\", \"task begins\" or \"task ends\"" },
	{ "code", "entry point of the construct's code; 0: unknown" },
	{ "jumps_to", "the function to which that code only jumps; 0" },
	{ "back", "where the caller goes on, after a region" },
	{ "stack_pointer", "of the caller there" },
	{ "task", "that the caller executes itself; 0" },
	{ "is_called", "the caller calls the code of that task" },
	{ "waits", "the caller goes on after the tasks" },
	{ 0 },
};

static PyStructSequence_Field way_fields[] = {
	{ "thread", NULL },
	{ "level", "GDB's number of the frame" },
	{ "pc", "where it goes on" },
	{ 0 },
};

static PyStructSequence_Field innermost_fields[] = {
	{ "title", "\"task of fib\"" },
	{ "is_task", NULL },
	{ "is_own", "user's code executes it itself" },
	{ "after", "where a region is over, or the runtime that called a task's code" },
	{ 0 },
};

static PyStructSequence_Field ways_fields[] = {
	{ "is_in_users_code", "neither the runtime nor anything that it called" },
	{ "back", "to the user's code that called the runtime" },
	{ "after_region", "of a worker" },
	{ "after_innermost", "region of the thread, whoever encountered it" },
	{ "out_to", "\"runtime\", \"end of task\", \"construct\", \"user\" or None" },
	{ "out", "of the function" },
	{ "construct", "the innermost one" },
	{ 0 },
};

static PyStructSequence_Desc shapes[] = {
	{ "_ompdbg.Handover", "What compiled code hands to a runtime.", handover_fields, 8 },
	{ "_ompdbg.Way", "A frame in which a thread goes on.", way_fields, 3 },
	{ "_ompdbg.Innermost", "The innermost construct.", innermost_fields, 4 },
	{ "_ompdbg.Ways", "Where a thread goes on.", ways_fields, 7 },
};

/** Make a dictionary of the functions: their names and kinds. */
static PyObject *functions_value(void)
{
	PyObject *dictionary = PyDict_New();

	for (const struct handover_function *one = handover_functions; dictionary && one->name;
	     one++) {
		PyObject *kind = text_value(handover_kind_name(one->kind));

		if (!kind || PyDict_SetItemString(dictionary, one->name, kind) < 0)
			Py_CLEAR(dictionary);
		Py_XDECREF(kind);
	}
	return dictionary;
}

int code_add(PyObject *module)
{
	PyTypeObject **const types[] = { &handover_type, &way_type, &innermost_type, &ways_type };
	PyObject *functions = functions_value();
	int result = add_to_module(module, "HANDOVERS", functions);

	Py_XDECREF(functions);
	return result ? result :
			add_records(module, shapes, types, sizeof(types) / sizeof(types[0]));
}
