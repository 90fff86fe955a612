// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "process.h"

#include <string.h>

#include "base/error.h"
#include "diagnose/choice.h"
#include "model.h"
#include "target.h"

PyObject *bridge_error;

// ---- Errors ------------------------------------------------------------------------------------

static void forget_stop(struct process_object *self)
{
	process_close(self->process);
	self->process = NULL;
	self->stop++;
	for (size_t i = 0; i < self->runtimes.num_spaces; i++)
		space_forget(self->runtimes.spaces[i]);
	gdb_services_forget(&self->services);
}

static void raise_error(const struct ompdbg_error *error)
{
	PyObject *text = text_value(error->message);

	if (text)
		PyErr_SetObject(bridge_error, text);
	Py_XDECREF(text);
}

bool process_begin(struct process_object *self)
{
	if (self->questions && !self->services.may_be_asked) {
		PyErr_SetString(bridge_error, "asked while another question is being answered");
		return false;
	}
	self->questions++;
	return true;
}

/** Raise what has ended a question. @return false: nothing has. */
static bool raise_failure(struct process_object *self, const struct ompdbg_error *error)
{
	struct gdb_services *services = &self->services;

	if (services->failure[0] && !services->is_interrupted) {
		PyErr_Restore(services->failure[0], services->failure[1], services->failure[2]);
		memset(services->failure, 0, sizeof(services->failure));
	} else if (services->is_interrupted || (error && error->code == OMPDBG_INTERRUPTED)) {
		PyErr_SetNone(PyExc_KeyboardInterrupt);
	} else if (error) {
		raise_error(error);
	} else {
		return false;
	}
	return true;
}

bool process_done(struct process_object *self, struct ompdbg_error *error)
{
	bool has_failed = raise_failure(self, error);

	ompdbg_error_destroy(error);
	if (--self->questions)
		return !has_failed; // the outer one goes on
	if (has_failed || self->has_moved) {
		PyObject *type, *value, *traceback;

		// What was found before it ended may be half of it.
		PyErr_Fetch(&type, &value, &traceback);
		forget_stop(self);
		PyErr_Restore(type, value, traceback);
	}
	self->has_moved = false;
	return !has_failed;
}

// ---- The program -------------------------------------------------------------------------------

struct process *process_look(struct process_object *self)
{
	const struct runtimes *runtimes = &self->runtimes;
	struct ompdbg_error *error = NULL;

	if (!process_begin(self))
		return NULL;
	if (!runtimes->num_spaces)
		error = ompdbg_error_create(OMPDBG_BAD_INPUT, "no runtime is open");
	else if (!self->process)
		error = process_open(&self->services.table, self->constants, runtimes->spaces,
				     runtimes->num_spaces, runtimes->problems,
				     runtimes->num_problems, &self->process);
	else
		error = gdb_services_select(&self->services);
	if (!error)
		return self->process;
	process_done(self, error);
	return NULL;
}

static PyObject *list_of_texts(const char *const *texts, size_t count)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < count; i++)
		list_add(&list, text_value(texts[i]));
	return list;
}

static PyObject *method_open(PyObject *object, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "path", "descriptor", NULL };
	struct process_object *self = (struct process_object *)object;
	struct runtimes *runtimes = &self->runtimes;
	struct ompdbg_error *error;
	PyObject *path;
	int descriptor = -1;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|i:open", names, PyUnicode_FSConverter,
					 &path, &descriptor))
		return NULL;
	if (!process_begin(self)) {
		Py_DECREF(path);
		return NULL;
	}
	size_t spaces = runtimes->num_spaces, problems = runtimes->num_problems;
	struct ompd_library *library = library_load(PyBytes_AsString(path), descriptor, &error);
	Py_DECREF(path);
	if (!error)
		error = runtimes_open(&self->arena, library, &self->services.table, runtimes);
	if (!process_done(self, error))
		return NULL;
	return Py_BuildValue("(nNs)", (Py_ssize_t)(runtimes->num_spaces - spaces),
			     list_of_texts(runtimes->problems + problems,
					   runtimes->num_problems - problems),
			     runtimes->absent ? runtimes->absent : "");
}

static PyObject *method_note(PyObject *object, PyObject *problem)
{
	struct process_object *self = (struct process_object *)object;
	PyObject *bytes = PyUnicode_AsEncodedString(problem, "utf-8", "surrogateescape");

	if (!bytes)
		return NULL;
	*ARENA_APPEND(&self->arena, self->runtimes.problems, self->runtimes.num_problems,
		      self->runtimes.problem_capacity) =
		arena_strdup(&self->arena, PyBytes_AsString(bytes));
	Py_DECREF(bytes);
	Py_RETURN_NONE;
}

static PyObject *method_moved(PyObject *object, PyObject *unused)
{
	struct process_object *self = (struct process_object *)object;

	// GDB may tell so in the middle of an answer.
	if (self->questions)
		self->has_moved = true;
	else
		forget_stop(self);
	Py_RETURN_NONE;
}

static PyObject *method_libraries(PyObject *object, PyObject *unused)
{
	const struct runtimes *runtimes = &((struct process_object *)object)->runtimes;
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < runtimes->num_spaces; i++) {
		const struct ompd_library_info *info =
			ompd_library_info(space_library(runtimes->spaces[i]));

		list_add(&list, Py_BuildValue("(NN)", text_value(info->path),
					      PyBool_FromLong(info->is_extended)));
	}
	return list;
}

/** End a question about the model, and give what was found. */
static PyObject *answered(struct process_object *self, PyObject *found)
{
	if (!process_done(self, NULL))
		Py_CLEAR(found);
	return found;
}

static PyObject *method_threads(PyObject *object, PyObject *unused)
{
	struct process_object *self = (struct process_object *)object;
	struct process *process = process_look(self);
	PyObject *list = process ? PyList_New(0) : NULL;

	if (!process)
		return NULL;
	for (size_t i = 0; list && i < process->num_targets; i++)
		list_add(&list, thread_object(self, process->threads[i]));
	return answered(self, list);
}

static PyObject *method_thread(PyObject *object, PyObject *args)
{
	struct process_object *self = (struct process_object *)object;
	struct process *process;
	int number;

	if (!PyArg_ParseTuple(args, "i:thread", &number))
		return NULL;
	process = process_look(self);
	return process ? answered(self, thread_object(self, process_thread(process, number))) :
			 NULL;
}

static PyObject *method_chosen(PyObject *object, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "state", "team", "level", "numbers", NULL };
	struct process_object *self = (struct process_object *)object;
	struct choice choice = { .only_openmp = true };
	struct thread **threads;
	struct process *process;
	size_t count;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$zzzz:chosen", names, &choice.state,
					 &choice.team, &choice.level, &choice.numbers))
		return NULL;
	process = process_look(self);
	if (!process)
		return NULL;
	struct ompdbg_error *error =
		choose(process, &choice, process->threads, process->num_targets, &threads, &count);
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && !error && i < count; i++)
		list_add(&list, thread_object(self, threads[i]));
	if (!process_done(self, error))
		Py_CLEAR(list);
	return list;
}

static PyObject *method_member(PyObject *object, PyObject *args)
{
	struct process_object *self = (struct process_object *)object;
	struct thread *thread = NULL;
	const char *number, *team;
	struct process *process;

	if (!PyArg_ParseTuple(args, "sz:member", &number, &team))
		return NULL;
	process = process_look(self);
	if (!process)
		return NULL;
	struct ompdbg_error *error = choose_member(process, number, team, &thread);
	PyObject *found = error ? NULL : thread_object(self, thread);
	if (!process_done(self, error))
		Py_CLEAR(found);
	return found;
}

static PyObject *method_selected(PyObject *object, PyObject *unused)
{
	struct process_object *self = (struct process_object *)object;
	struct process *process = process_look(self);

	return process ? answered(self, thread_object(self, process_selected_thread(process))) :
			 NULL;
}

static PyObject *method_teams(PyObject *object, PyObject *unused)
{
	struct process_object *self = (struct process_object *)object;
	struct process *process = process_look(self);
	PyObject *list = process ? PyList_New(0) : NULL;
	struct team *const *teams;
	size_t count;

	if (!process)
		return NULL;
	teams = process_teams(process, &count);
	for (size_t i = 0; list && i < count; i++)
		list_add(&list, team_object(self, teams[i]));
	return answered(self, list);
}

static PyObject *method_is_answering(PyObject *object, PyObject *unused)
{
	return PyBool_FromLong(((struct process_object *)object)->questions != 0);
}

static PyObject *method_states(PyObject *object, PyObject *unused)
{
	struct process_object *self = (struct process_object *)object;
	struct process *process = process_look(self);
	PyObject *states = process ? PyDict_New() : NULL;

	if (!process)
		return NULL;
	for (size_t i = 0; states && i < process->num_runtimes; i++) {
		const char *const *names;
		const uint64_t *numbers;
		size_t count;

		if (!is_ok(space_states(process->runtimes[i]->space, &names, &numbers, &count)))
			continue;
		for (size_t j = 0; states && j < count; j++) {
			PyObject *number = unsigned_value(numbers[j]);

			if (!number || PyDict_SetItemString(states, names[j], number) < 0)
				Py_CLEAR(states);
			Py_XDECREF(number);
		}
	}
	return answered(self, states);
}

static struct space_statistics statistics(const struct process_object *self)
{
	struct space_statistics total = { 0 };

	for (size_t i = 0; i < self->runtimes.num_spaces; i++) {
		struct space_statistics one;

		space_get_statistics(self->runtimes.spaces[i], &one);
		total.reads += one.reads;
		total.bytes += one.bytes;
		total.fetches += one.fetches;
		total.fetched += one.fetched;
		total.symbols += one.symbols;
	}
	return total;
}

static PyObject *method_reset_stats(PyObject *object, PyObject *unused)
{
	struct process_object *self = (struct process_object *)object;

	self->before = statistics(self);
	self->direct_before = self->services.num_direct;
	Py_RETURN_NONE;
}

static PyObject *method_stats(PyObject *object, PyObject *unused)
{
	struct process_object *self = (struct process_object *)object;
	const struct space_statistics now = statistics(self), *before = &self->before;

	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K}", "requests",
			     (unsigned long long)(now.reads - before->reads), "bytes",
			     (unsigned long long)(now.bytes - before->bytes), "fetches",
			     (unsigned long long)(now.fetches - before->fetches), "fetched",
			     (unsigned long long)(now.fetched - before->fetched), "direct",
			     (unsigned long long)(self->services.num_direct - self->direct_before),
			     "symbols", (unsigned long long)(now.symbols - before->symbols));
}

/** Make a list of the frames of a stack: by name, the registers that are known without GDB. */
static PyObject *known_registers(struct gdb_services *services, int thread,
				 const struct gdb_stack *stack)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < stack->num_frames; i++) {
		PyObject *known = PyDict_New();

		for (size_t j = 0; known && j < OMPDBG_NUM_REGISTERS; j++) {
			PyObject *value;
			uint64_t found;

			if (!alike_register(services, thread, &stack->frames[i],
					    (enum ompdbg_register)j, &found))
				continue;
			value = unsigned_value(found);
			if (!value ||
			    PyDict_SetItemString(known, target_register_names[j], value) < 0)
				Py_CLEAR(known);
			Py_XDECREF(value);
		}
		list_add(&list, known);
	}
	return list;
}

static PyObject *method_reused_stacks(PyObject *object, PyObject *unused)
{
	struct gdb_services *services = &((struct process_object *)object)->services;
	PyObject *found = PyDict_New();

	for (size_t i = 0; found && services->has_threads && i < services->num_threads; i++) {
		int number = services->threads[i].number;
		const struct gdb_stack *stack = table_get(&services->stacks, (uint64_t)number);
		PyObject *key, *frames;

		if (!stack || !stack->is_shared)
			continue;
		key = PyLong_FromLong(number);
		frames = known_registers(services, number, stack);
		if (!key || !frames || PyDict_SetItem(found, key, frames) < 0)
			Py_CLEAR(found);
		Py_XDECREF(key);
		Py_XDECREF(frames);
	}
	return found;
}

// ---- The type ----------------------------------------------------------------------------------

static PyObject *process_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "bridge", NULL };
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *bridge;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Process", names, &bridge))
		return NULL;
	struct process_object *self = (struct process_object *)allocate(type, 0);
	if (!self)
		return NULL;
	gdb_services_init(&self->services, bridge);
	self->constants = constants_create(&self->services.table);
	return (PyObject *)self;
}

static int process_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(((struct process_object *)self)->services.bridge);
	return 0;
}

static int process_clear(PyObject *object)
{
	struct process_object *self = (struct process_object *)object;

	process_close(self->process);
	self->process = NULL;
	runtimes_close(&self->runtimes);
	gdb_services_deinit(&self->services);
	return 0;
}

static void process_dealloc(PyObject *object)
{
	struct process_object *self = (struct process_object *)object;
	PyTypeObject *type = Py_TYPE(object);

	PyObject_GC_UnTrack(object);
	process_clear(object);
	constants_destroy(self->constants);
	arena_deinit(&self->arena);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

#define WITH_KEYWORDS(function) \
	(PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef process_methods[] = {
	{ "open", WITH_KEYWORDS(method_open),
	  "open(path, descriptor=-1) -> (number of runtimes that were opened, problems, what is "
	  "absent)" },
	{ "note", method_note, METH_O,
	  "note(problem): why a runtime that is there is not understood" },
	{ "moved", method_moved, METH_NOARGS, "moved(): the program has run" },
	{ "libraries", method_libraries, METH_NOARGS,
	  "libraries() -> [(path, is extended)], one for each runtime" },
	{ "threads", method_threads, METH_NOARGS, "threads() -> [Thread], by number" },
	{ "thread", method_thread, METH_VARARGS, "thread(number) -> Thread, or None" },
	{ "chosen", WITH_KEYWORDS(method_chosen),
	  "chosen(*, state=None, team=None, level=None, numbers=None) -> [Thread] of OpenMP" },
	{ "member", method_member, METH_VARARGS,
	  "member(number, team) -> Thread: \"3\", \"3/8\" or, in team 1.2, \"1.2.3\"" },
	{ "selected", method_selected, METH_NOARGS, "selected() -> Thread, or None" },
	{ "teams", method_teams, METH_NOARGS,
	  "teams() -> [Team]: a team before those that it encloses" },
	{ "states", method_states, METH_NOARGS,
	  "states() -> {name: number} of all that threads may be in" },
	{ "is_answering", method_is_answering, METH_NOARGS,
	  "is_answering(): a question is being answered, in which GDB was asked something" },
	{ "stats", method_stats, METH_NOARGS, "stats() -> {name: count}" },
	{ "reset_stats", method_reset_stats, METH_NOARGS,
	  "reset_stats(): stats() counts from here on" },
	{ "reused_stacks", method_reused_stacks, METH_NOARGS,
	  "reused_stacks() -> {thread: [{register: value} of each frame]}, of the stacks that GDB "
	  "did not have to unwind" },
	{ "print", WITH_KEYWORDS(process_print),
	  "print(view, write, **options): write what a command shows" },
	{ 0 },
};

static PyType_Slot process_slots[] = {
	{ Py_tp_doc, "A program with its OpenMP runtimes." },
	{ Py_tp_new, process_new },
	{ Py_tp_dealloc, process_dealloc },
	{ Py_tp_traverse, process_traverse },
	{ Py_tp_clear, process_clear },
	{ Py_tp_methods, process_methods },
	{ 0, NULL },
};

PyType_Spec process_spec = {
	.name = "_ompdbg.Process",
	.basicsize = sizeof(struct process_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = process_slots,
};
