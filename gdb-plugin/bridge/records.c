// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain values of the model, as named tuples.

#include "model.h"

#include <string.h>

#include "stack/names.h"
#include "wait/wait.h"

// ---- Simple values -----------------------------------------------------------------------------

PyObject *text_value(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *number_value(int64_t number)
{
	if (number == NOT_KNOWN)
		Py_RETURN_NONE;
	return PyLong_FromLongLong(number);
}

PyObject *unsigned_value(uint64_t number)
{
	return PyLong_FromUnsignedLongLong(number);
}

void list_add(PyObject **list, PyObject *value)
{
	if (*list && (!value || PyList_Append(*list, value) < 0))
		Py_CLEAR(*list);
	Py_XDECREF(value);
}

PyObject *nonzero_value(uint64_t number)
{
	if (!number)
		Py_RETURN_NONE;
	return unsigned_value(number);
}

PyObject *tristate_value(enum tristate value)
{
	if (value == UNKNOWN)
		Py_RETURN_NONE;
	return PyBool_FromLong(value == YES);
}

// ---- Records -----------------------------------------------------------------------------------

static PyTypeObject *location_type, *wait_type, *function_type, *frame_type, *part_type,
	*stack_type;

PyObject *record_value(PyTypeObject *type, PyObject *const *members, size_t count)
{
	PyObject *made = PyStructSequence_New(type);

	for (size_t i = 0; i < count; i++) {
		if (!members[i])
			Py_CLEAR(made);
		if (made)
			PyStructSequence_SetItem(made, (Py_ssize_t)i, members[i]);
		else
			Py_XDECREF(members[i]);
	}
	return made;
}

PyObject *location_value(const struct location *location)
{
	if (!location)
		Py_RETURN_NONE;
	return RECORD(location_type, text_value(location->function), text_value(location->symbol),
		      text_value(location->file), nonzero_value((uint64_t)location->line),
		      unsigned_value(location->address), text_value(location->object));
}

PyObject *wait_value(const struct wait *wait)
{
	if (!wait)
		Py_RETURN_NONE;
	return RECORD(wait_type, text_value(wait_kind(wait->kind)->name), text_value(wait->title),
		      text_value(wait->function), nonzero_value(wait->address),
		      text_value(wait->symbol));
}

PyObject *function_value(const struct task_function *function)
{
	if (!function)
		Py_RETURN_NONE;
	return RECORD(function_type, text_value(function->name), text_value(function->symbol),
		      text_value(function->file), nonzero_value((uint64_t)function->line),
		      text_value(function->signature));
}

static PyObject *owner_value(enum code_owner owner)
{
	static const char *const names[] = {
		[FRAME_USER] = "user",
		[FRAME_RUNTIME] = "runtime",
		[FRAME_SYSTEM] = "system",
		[FRAME_UNKNOWN] = "unknown",
	};

	return text_value(names[owner]);
}

PyObject *frame_value(struct thread *thread, const struct logical_frame *frame)
{
	struct stack *stack = thread_stack(thread);
	const struct ompdbg_function *place = stack_place(stack, frame->frame);
	const struct ompdbg_frame *at = &frame->frame->at;
	bool is_made = frame->owner == FRAME_SYSTEM &&
		       stack_owner(stack, frame->frame) == FRAME_USER;

	return RECORD(frame_type, PyLong_FromLong(at->level), unsigned_value(at->pc),
		      owner_value(frame->owner), PyBool_FromLong(is_made),
		      text_value(construct_name(frame->construct)), text_value(frame->function),
		      text_value(frame->construct_file),
		      nonzero_value((uint64_t)frame->construct_line), text_value(place->symbol),
		      nonzero_value(place->start), text_value(place->file),
		      nonzero_value((uint64_t)place->line), PyBool_FromLong(at->is_call),
		      PyBool_FromLong(at->is_signal), PyBool_FromLong(at->is_inlined));
}

PyObject *frames_value(struct thread *thread, const struct logical_frame *frames, size_t count)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < count; i++)
		list_add(&list, frame_value(thread, &frames[i]));
	return list;
}

PyObject *stack_value(struct process_object *owner, const struct logical_stack *stack)
{
	PyObject *parts = PyList_New(0);

	for (size_t i = 0; parts && i < stack->num_parts; i++) {
		const struct stack_part *part = &stack->parts[i];

		list_add(&parts,
			 RECORD(part_type, thread_object(owner, part->thread),
				team_object(owner, part->team), number_value(part->thread_num),
				frames_value(part->thread, part->frames, part->num_frames)));
	}
	return RECORD(stack_type, parts, text_value(stack->note));
}

// ---- Types -------------------------------------------------------------------------------------

static PyStructSequence_Field location_fields[] = {
	{ "function", "of the source" },
	{ "symbol", "of the function that was made from it" },
	{ "file", NULL },
	{ "line", NULL },
	{ "address", NULL },
	{ "object", "path of the program or shared object" },
	{ 0 },
};

static PyStructSequence_Field wait_fields[] = {
	{ "kind", "as in JSON" },
	{ "title", "for people" },
	{ "function", "of the runtime" },
	{ "address", "of the lock, or what else it sleeps on" },
	{ "symbol", "that names the address" },
	{ 0 },
};

static PyStructSequence_Field function_fields[] = {
	{ "name", "of the function with the construct" },
	{ "symbol", "of the function that was made from it" },
	{ "file", NULL },
	{ "line", "of the construct" },
	{ "signature", "the name with the parameters of C++" },
	{ 0 },
};

static PyStructSequence_Field frame_fields[] = {
	{ "level", "GDB's number" },
	{ "pc", NULL },
	{ "owner", "user, runtime, system or unknown" },
	{ "is_made", "the compiler made it around the user's code" },
	{ "construct", "whose code it is" },
	{ "function", "of the source" },
	{ "construct_file", NULL },
	{ "construct_line", NULL },
	{ "symbol", NULL },
	{ "start", "entry point" },
	{ "file", NULL },
	{ "line", NULL },
	{ "is_call", "pc is a return address" },
	{ "is_signal", NULL },
	{ "is_inlined", NULL },
	{ 0 },
};

static PyStructSequence_Field part_fields[] = {
	{ "thread", "on whose stack the frames lie" },
	{ "team", "in which the innermost of them works" },
	{ "thread_num", "in that team" },
	{ "frames", NULL },
	{ 0 },
};

static PyStructSequence_Field stack_fields[] = {
	{ "parts", "innermost first" },
	{ "note", "why it ends before main" },
	{ 0 },
};

static PyStructSequence_Desc shapes[] = {
	{ "_ompdbg.Location", "A place in the user's code.", location_fields, 6 },
	{ "_ompdbg.Wait", "The wait of a thread.", wait_fields, 5 },
	{ "_ompdbg.Function", "The code of a construct.", function_fields, 5 },
	{ "_ompdbg.Frame", "A frame as the source has it.", frame_fields, 15 },
	{ "_ompdbg.Part", "The frames on one thread's stack.", part_fields, 4 },
	{ "_ompdbg.Stack", "A logical stack.", stack_fields, 2 },
};

int add_to_module(PyObject *module, const char *name, PyObject *value)
{
	const char *dot = strrchr(name, '.');

	return value ? PyObject_SetAttrString(module, dot ? dot + 1 : name, value) : -1;
}

int add_records(PyObject *module, PyStructSequence_Desc *shapes, PyTypeObject **const *types,
		size_t count)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < count; i++) {
		*types[i] = PyStructSequence_NewType(&shapes[i]);
		result = add_to_module(module, shapes[i].name, (PyObject *)*types[i]);
	}
	return result;
}

int records_add_types(PyObject *module)
{
	PyTypeObject **const types[] = { &location_type, &wait_type, &function_type,
					 &frame_type,	 &part_type, &stack_type };

	return add_records(module, shapes, types, sizeof(types) / sizeof(types[0]));
}
