// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads, teams and tasks of one stop, as Python's objects.

#include "model.h"

#include <string.h>

#include "model/model.h"
#include "stack/names.h"
#include "stack/stack.h"
#include "wait/wait.h"

static PyTypeObject *thread_type, *team_type, *task_type;

PyObject *model_ask(PyObject *object, answer *answer, PyObject *args)
{
	struct model_object *self = (struct model_object *)object;
	struct process_object *owner = self->owner;

	if (!process_begin(owner))
		return NULL;
	if (!owner->process || owner->stop != self->stop) {
		process_done(owner, NULL);
		PyErr_SetString(bridge_error, "the program has run since");
		return NULL;
	}
	PyObject *result = answer(owner, self->of, args);
	if (!process_done(owner, NULL))
		Py_CLEAR(result);
	return result;
}

PyObject *get_attribute(PyObject *object, void *asked)
{
	return model_ask(object, (answer *)asked, NULL);
}

/** Make an object of a type; None of NULL. */
static PyObject *make(PyTypeObject *type, struct process_object *owner, void *of)
{
	if (!of)
		Py_RETURN_NONE;
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct model_object *self = (struct model_object *)allocate(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(owner);
	self->owner = owner;
	self->stop = owner->stop;
	self->of = of;
	return (PyObject *)self;
}

PyObject *thread_object(struct process_object *owner, struct thread *thread)
{
	return make(thread_type, owner, thread);
}

PyObject *team_object(struct process_object *owner, struct team *team)
{
	return make(team_type, owner, team);
}

PyObject *task_object(struct process_object *owner, struct task *task)
{
	return make(task_type, owner, task);
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyErr_SetString(PyExc_TypeError, "such objects come from _ompdbg.Process");
	return NULL;
}

static void model_dealloc(PyObject *object)
{
	struct model_object *self = (struct model_object *)object;
	PyTypeObject *type = Py_TYPE(object);

	Py_DECREF(self->owner);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

static Py_hash_t model_hash(PyObject *object)
{
	Py_hash_t hash = (Py_hash_t)((uintptr_t)((struct model_object *)object)->of >> 4);

	return hash == -1 ? 0 : hash;
}

static PyObject *model_compare(PyObject *one, PyObject *other, int operation)
{
	const struct model_object *a = (struct model_object *)one;
	const struct model_object *b = (struct model_object *)other;

	if (Py_TYPE(one) != Py_TYPE(other) || (operation != Py_EQ && operation != Py_NE))
		Py_RETURN_NOTIMPLEMENTED;
	bool is_same = a->owner == b->owner && a->stop == b->stop && a->of == b->of;
	return PyBool_FromLong(is_same == (operation == Py_EQ));
}

// ---- Threads -----------------------------------------------------------------------------------

ATTRIBUTE(thread, process)
{
	Py_INCREF(owner);
	return (PyObject *)owner;
}

VALUE(thread, number, PyLong_FromLong(thread->target->number))
VALUE(thread, label, text_value(thread->target->label))
VALUE(thread, lwp, PyLong_FromLongLong(thread->target->lwp))
VALUE(thread, is_selected, PyBool_FromLong(thread->target->selected))
VALUE(thread, is_running, PyBool_FromLong(thread->target->running))
VALUE(thread, is_openmp, tristate_value(thread_is_openmp(thread)))
VALUE(thread, error, text_value(thread->error))
VALUE(thread, runtime, text_value(thread->runtime->name))
VALUE(thread, team, team_object(owner, thread->team))
VALUE(thread, thread_num, number_value(thread->thread_num))
VALUE(thread, team_size, number_value(thread_team_size(thread)))
VALUE(thread, level, number_value(thread_level(thread)))
VALUE(thread, active_level, number_value(thread_active_level(thread)))
VALUE(thread, state, text_value(thread_state(thread)))
VALUE(thread, does, text_value(thread_doing(thread)->text))
VALUE(thread, wait, wait_value(thread_wait(thread)))
VALUE(thread, location, location_value(thread_location(thread)))
VALUE(thread, users_level, number_value(thread_users_level(thread)))
VALUE(thread, task, task_object(owner, thread_task(thread)))

ATTRIBUTE(thread, frames)
{
	size_t count = 0;
	const struct logical_frame *frames = NULL;

	if (!thread->target->running)
		frames = walk_frames(thread_walk(thread), &count);
	return frames_value(thread, frames, count);
}

ATTRIBUTE(thread, constructs)
{
	PyObject *list = PyList_New(0);
	size_t count = 0;
	const struct logical_frame *frames = NULL;

	if (!thread->target->running)
		frames = walk_frames(thread_walk(thread), &count);
	for (size_t i = 0; list && i < count; i++) {
		if (frames[i].construct)
			list_add(&list, frame_value(thread, &frames[i]));
	}
	return list;
}

ATTRIBUTE(thread, stack)
{
	if (thread->target->running)
		Py_RETURN_NONE;
	return stack_value(owner, thread_logical_stack(thread));
}

/** Check for a frame of which only the whole stack tells what it is. */
static bool needs_walk(struct stack *stack, struct stack_frame *frame)
{
	const struct ompdbg_function *place = stack_place(stack, frame);

	if (stack_owner(stack, frame) == FRAME_RUNTIME)
		return true;
	if (!place->symbol)
		return false;
	return is_outlined_name(place->symbol) || is_runtime_stub(place->symbol) ||
	       (strcmp(place->symbol, "main") == 0 && is_fortran_file(place->file));
}

static PyObject *answer_thread_sharing(struct process_object *owner, void *of, PyObject *args)
{
	struct thread *thread = of;
	const struct logical_frame *frames;
	const char *name;
	size_t count;
	int level;

	if (!PyArg_ParseTuple(args, "is:sharing", &level, &name))
		return NULL;
	frames = walk_frames(thread_walk(thread), &count);
	if (level < 0 || (size_t)level >= count)
		Py_RETURN_NONE;
	return text_value(variable_sharing(thread, &frames[level], name));
}

static PyObject *answer_thread_frame(struct process_object *owner, void *of, PyObject *args)
{
	struct thread *thread = of;
	struct stack *stack = thread_stack(thread);
	struct stack_frame *frame;
	size_t count;
	int level;

	if (!PyArg_ParseTuple(args, "i:frame", &level))
		return NULL;
	frame = level < 0 ? NULL : stack_frame(stack, (size_t)level);
	if (!frame)
		Py_RETURN_NONE;
	if (!thread->walk && !needs_walk(stack, frame)) {
		const struct logical_frame plain = { .frame = frame,
						     .owner = stack_owner(stack, frame) };
		return frame_value(thread, &plain);
	}
	const struct logical_frame *frames = walk_frames(thread_walk(thread), &count);
	return frame_value(thread, &frames[level]);
}

static PyObject *answer_thread_function_at(struct process_object *owner, void *of, PyObject *args)
{
	struct thread *thread = of;
	unsigned long long entry;

	if (!PyArg_ParseTuple(args, "K:function_at", &entry))
		return NULL;
	return function_value(code_function(thread->runtime, entry, 0));
}

METHOD_OF(thread, sharing)
METHOD_OF(thread, frame)
METHOD_OF(thread, function_at)
METHOD_OF(thread, handover)
METHOD_OF(thread, bodies)
METHOD_OF(thread, last_jumps)

static PyGetSetDef thread_attributes[] = {
	GETTER(thread, process, NULL),
	GETTER(thread, number, "GDB's"),
	GETTER(thread, label, "as GDB prints it"),
	GETTER(thread, lwp, NULL),
	GETTER(thread, is_selected, NULL),
	GETTER(thread, is_running, NULL),
	GETTER(thread, is_openmp, "None: unknown"),
	GETTER(thread, error, "why nothing is known"),
	GETTER(thread, runtime, "\"libgomp\""),
	GETTER(thread, team, "in which it works"),
	GETTER(thread, thread_num, "in its team"),
	GETTER(thread, team_size, NULL),
	GETTER(thread, level, NULL),
	GETTER(thread, active_level, NULL),
	GETTER(thread, state, "\"work_parallel\""),
	GETTER(thread, does, "what it does, in the words of the tables"),
	GETTER(thread, wait, NULL),
	GETTER(thread, location, "innermost user frame"),
	GETTER(thread, users_level, "GDB's number of that frame"),
	GETTER(thread, task, "that it executes"),
	GETTER(thread, frames, "its own, innermost first"),
	GETTER(thread, constructs, "those of its frames that are code of constructs"),
	GETTER(thread, stack, "its logical stack"),
	GETTER(thread, ways, "where it goes on; None if it runs"),
	{ 0 },
};

static PyMethodDef thread_methods[] = {
	{ "frame", call_thread_frame, METH_VARARGS,
	  "frame(level): one of its frames, without its function if no others need be known" },
	{ "sharing", call_thread_sharing, METH_VARARGS,
	  "sharing(level, name): \"shared\", \"firstprivate\" or \"private\"; None: unknown" },
	{ "function_at", call_thread_function_at, METH_VARARGS,
	  "function_at(entry): the code of a construct that begins there" },
	{ "handover", call_thread_handover, METH_VARARGS,
	  "handover(name) -> Handover, at the first instruction of that function of HANDOVERS" },
	{ "bodies", call_thread_bodies, METH_VARARGS,
	  "bodies(code) -> [(start, end, pointer call, makes a frame)] of functions with that code" },
	{ "last_jumps", call_thread_last_jumps, METH_VARARGS,
	  "last_jumps(pc) -> [address] of jumps with which the function leaves for a runtime" },
	{ 0 },
};

// ---- Teams -------------------------------------------------------------------------------------

VALUE(team, label, text_value(team_label(team)))
VALUE(team, level, number_value(team->level))
VALUE(team, size, number_value(team->size))
VALUE(team, parent, team_object(owner, team_parent(team)))

static PyGetSetDef team_attributes[] = {
	GETTER(team, label, "as in tables"),
	GETTER(team, level, NULL),
	GETTER(team, size, NULL),
	GETTER(team, parent, "of the enclosing region"),
	{ 0 },
};

// ---- Tasks -------------------------------------------------------------------------------------

VALUE(task, id, unsigned_value(task->info.id))
VALUE(task, parent_id, unsigned_value(task->info.parent_id))
VALUE(task, kind, text_value(task_kind(task)))

ATTRIBUTE(task, flags)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < NUM_TASK_FLAGS; i++) {
		if (task_has_flag(task, &task_flags[i]))
			list_add(&list, text_value(task_flags[i].name));
	}
	return list;
}

VALUE(task, entry, unsigned_value(task->info.function))
VALUE(task, function, function_value(task_function(task)))
VALUE(task, parent, task_object(owner, task_parent(task)))
VALUE(task, thread, thread_object(owner, task_thread(task)))

/** The list of children that is being filled. */
struct children {
	PyObject *list;
	uint64_t parent;
};

static struct ompdbg_error *add_child(void *context, struct task *task)
{
	struct children *children = context;

	if (task->info.parent_id != children->parent)
		return NULL;
	list_add(&children->list, unsigned_value(task->info.id));
	return children->list ? NULL : &ompdbg_error_interrupted;
}

ATTRIBUTE(task, children)
{
	struct children children = { PyList_New(0), task->info.id };

	if (children.list)
		ompdbg_error_destroy(tasks_visit(task->runtime, add_child, &children, NULL, NULL));
	return children.list;
}

static PyGetSetDef task_attributes[] = {
	GETTER(task, id, "identity"),
	GETTER(task, parent_id, "0: not recorded"),
	GETTER(task, kind, "\"explicit\""),
	GETTER(task, flags, "names"),
	GETTER(task, entry, "of its code; 0: unknown"),
	GETTER(task, function, "its code"),
	GETTER(task, parent, "that generated it"),
	GETTER(task, thread, "on whose stack it lies"),
	GETTER(task, way_to_parent, "where that goes on"),
	GETTER(task, children, "identities of those that it generated, as far as they are alive"),
	{ 0 },
};

// ---- Types -------------------------------------------------------------------------------------

/** Make a type of these objects. */
static PyTypeObject *make_type(PyObject *module, const char *name, const char *doc,
			       PyGetSetDef *attributes, PyMethodDef *methods)
{
	static PyMethodDef no_methods[] = { { 0 } };
	PyType_Slot slots[] = {
		{ Py_tp_doc, (void *)doc },
		{ Py_tp_new, model_new },
		{ Py_tp_dealloc, model_dealloc },
		{ Py_tp_hash, model_hash },
		{ Py_tp_richcompare, model_compare },
		{ Py_tp_getset, attributes },
		{ Py_tp_methods, methods ? methods : no_methods },
		{ 0, NULL },
	};
	PyType_Spec spec = {
		.name = name,
		.basicsize = sizeof(struct model_object),
		.flags = Py_TPFLAGS_DEFAULT,
		.slots = slots,
	};
	PyObject *type = PyType_FromSpec(&spec);

	if (add_to_module(module, name, type) < 0)
		Py_CLEAR(type);
	return (PyTypeObject *)type;
}

int model_add_types(PyObject *module)
{
	thread_type = make_type(module, "_ompdbg.Thread", "A thread, and what OpenMP knows of it.",
				thread_attributes, thread_methods);
	team_type = make_type(module, "_ompdbg.Team", "The team of a parallel region.",
			      team_attributes, NULL);
	task_type = make_type(module, "_ompdbg.Task", "A task.", task_attributes, NULL);
	return thread_type && team_type && task_type ? records_add_types(module) : -1;
}
