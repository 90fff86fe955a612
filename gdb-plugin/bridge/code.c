// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about the code of constructs, for Python: methods of threads.

#include "handover.h"
#include "model.h"

static PyTypeObject *handover_type;

/** Return an address; None for 0. */
static PyObject *address_value(uint64_t address)
{
	if (!address)
		Py_RETURN_NONE;
	return unsigned_value(address);
}

static PyObject *answer_handover(struct process_object *owner, void *of, PyObject *args)
{
	struct handover found;
	const char *name;

	(void)owner;
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
		      address_value(found.back), unsigned_value(found.stack_pointer),
		      unsigned_value(found.task), PyBool_FromLong(found.is_called),
		      PyBool_FromLong(found.waits));
}

PyObject *thread_handover(PyObject *object, PyObject *args)
{
	return model_ask(object, answer_handover, args);
}

static PyObject *answer_bodies(struct process_object *owner, void *of, PyObject *args)
{
	const struct thread *thread = of;
	PyObject *list = PyList_New(0);
	unsigned long long code;
	size_t count;

	(void)owner;
	if (!PyArg_ParseTuple(args, "K:bodies", &code))
		Py_CLEAR(list);
	const struct handover_body *bodies =
		list ? find_bodies(thread->runtime->process, code, &count) : NULL;
	for (size_t i = 0; list && i < count; i++) {
		PyObject *row = Py_BuildValue("(NNNN)", unsigned_value(bodies[i].start),
					      unsigned_value(bodies[i].end),
					      address_value(bodies[i].pointer_call),
					      PyBool_FromLong(bodies[i].makes_frame));

		if (!row || PyList_Append(list, row) < 0)
			Py_CLEAR(list);
		Py_XDECREF(row);
	}
	return list;
}

PyObject *thread_bodies(PyObject *object, PyObject *args)
{
	return model_ask(object, answer_bodies, args);
}

static PyObject *answer_last_jumps(struct process_object *owner, void *of, PyObject *args)
{
	const struct thread *thread = of;
	PyObject *list = PyList_New(0);
	unsigned long long pc;
	size_t count;

	(void)owner;
	if (!PyArg_ParseTuple(args, "K:last_jumps", &pc))
		Py_CLEAR(list);
	const uint64_t *jumps = list ? find_last_jumps(thread->runtime->process, pc, &count) : NULL;
	for (size_t i = 0; list && i < count; i++) {
		PyObject *jump = unsigned_value(jumps[i]);

		if (!jump || PyList_Append(list, jump) < 0)
			Py_CLEAR(list);
		Py_XDECREF(jump);
	}
	return list;
}

PyObject *thread_last_jumps(PyObject *object, PyObject *args)
{
	return model_ask(object, answer_last_jumps, args);
}

static PyObject *answer_region_end(struct process_object *owner, void *of, PyObject *args)
{
	const struct thread *thread = of;
	unsigned long long pc;
	uint64_t code;

	(void)owner;
	if (!PyArg_ParseTuple(args, "K:region_end", &pc))
		return NULL;
	return address_value(serialized_region_end(thread->runtime->process, pc, &code));
}

PyObject *thread_region_end(PyObject *object, PyObject *args)
{
	return model_ask(object, answer_region_end, args);
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

static PyStructSequence_Desc handover_shape = {
	"_ompdbg.Handover",
	"What compiled code hands to a runtime.",
	handover_fields,
	8,
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
	PyObject *functions = functions_value();
	int result = -1;

	handover_type = PyStructSequence_NewType(&handover_shape);
	if (functions && handover_type &&
	    PyObject_SetAttrString(module, "HANDOVERS", functions) == 0)
		result = PyObject_SetAttrString(module, "Handover", (PyObject *)handover_type);
	Py_XDECREF(functions);
	return result;
}
