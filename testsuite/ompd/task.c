// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Task.

#include "plugin.h"

#include <stdlib.h>

enum {
	USUAL_ELEMENTS = 32,	 // of a depend clause
	MOST_ELEMENTS = 1 << 20, // a larger number is damage
};

static PyObject *task_parallel(PyObject *self, PyObject *unused)
{
	struct handle *task = handle_use(self, "ompd_get_task_parallel_handle");
	ompd_parallel_handle_t *parallel = NULL;

	(void)unused;
	if (!task)
		return NULL;
	int result = CALL(task->space, get_task_parallel_handle, task->raw, &parallel);
	return handle_new(task->owner, KIND_PARALLEL, result, parallel, task->generation);
}

static PyObject *task_generating(PyObject *self, PyObject *unused)
{
	struct handle *task = handle_use(self, "ompd_get_generating_task_handle");
	ompd_task_handle_t *other = NULL;

	(void)unused;
	if (!task)
		return NULL;
	int result = CALL(task->space, get_generating_task_handle, task->raw, &other);
	return handle_new(task->owner, KIND_TASK, result, other, task->generation);
}

static PyObject *task_scheduling(PyObject *self, PyObject *unused)
{
	struct handle *task = handle_use(self, "ompd_get_scheduling_task_handle");
	ompd_task_handle_t *other = NULL;

	(void)unused;
	if (!task)
		return NULL;
	int result = CALL(task->space, get_scheduling_task_handle, task->raw, &other);
	return handle_new(task->owner, KIND_TASK, result, other, task->generation);
}

static PyObject *task_function(PyObject *self, PyObject *unused)
{
	struct handle *task = handle_use(self, "ompd_get_task_function");
	ompd_address_t entry = { 0 };

	(void)unused;
	if (!task || CALL(task->space, get_task_function, task->raw, &entry) < 0)
		return NULL;
	return PyLong_FromUnsignedLongLong(entry.address);
}

static PyObject *task_frame(PyObject *self, PyObject *unused)
{
	struct handle *task = handle_use(self, "ompd_get_task_frame");
	ompd_frame_info_t exit_frame = { 0 }, enter_frame = { 0 };

	(void)unused;
	if (!task || CALL(task->space, get_task_frame, task->raw, &exit_frame, &enter_frame) < 0)
		return NULL;
	return Py_BuildValue("((KL)(KL))", (unsigned long long)exit_frame.frame_address.address,
			     (long long)exit_frame.frame_flag,
			     (unsigned long long)enter_frame.frame_address.address,
			     (long long)enter_frame.frame_flag);
}

static PyObject *task_info(PyObject *self, PyObject *unused)
{
	struct handle *task = handle_use(self, "ompd_ext_get_task_info");
	ompd_ext_task_info info = { 0 };

	(void)unused;
	if (!task || CALL(task->space, ext_get_task_info, task->raw, &info) < 0)
		return NULL;
	return record_task_info(&info);
}

static PyObject *task_counts(PyObject *self, PyObject *unused)
{
	struct handle *task = handle_use(self, "ompd_ext_get_task_counts");
	ompd_ext_task_counts counts = { 0 };

	(void)unused;
	if (!task || CALL(task->space, ext_get_task_counts, task->raw, &counts) < 0)
		return NULL;
	return Py_BuildValue("(KKN)", (unsigned long long)counts.children,
			     (unsigned long long)counts.taskgroup,
			     PyBool_FromLong(counts.detached != 0));
}

// ---- Lists of a task -------------------------------------------------------------------------

/** One of the functions that store up to @p max elements and tell their number. */
struct elements {
	const char *function;
	size_t size; // of an element
	int (*get)(struct handle *task, void *elements, size_t max, size_t *count);
	PyObject *(*convert)(const void *element);
};

static int get_depends(struct handle *task, void *elements, size_t max, size_t *count)
{
	return CALL_ACCEPTING(task->space, ACCEPT_OK | ACCEPT_INCOMPLETE, ext_get_task_depends,
			      task->raw, elements, max, count);
}

static PyObject *convert_depend(const void *element)
{
	const ompd_ext_depend *depend = element;

	return Py_BuildValue("(KI)", (unsigned long long)depend->address,
			     (unsigned int)depend->kind);
}

static int get_dependers(struct handle *task, void *elements, size_t max, size_t *count)
{
	return CALL(task->space, ext_get_task_dependers, task->raw, elements, max, count);
}

static PyObject *convert_id(const void *element)
{
	return PyLong_FromUnsignedLongLong(*(const uint64_t *)element);
}

static const struct elements depends = {
	"ompd_ext_get_task_depends",
	sizeof(ompd_ext_depend),
	get_depends,
	convert_depend,
};
static const struct elements dependers = {
	"ompd_ext_get_task_dependers",
	sizeof(uint64_t),
	get_dependers,
	convert_id,
};

static PyObject *convert_all(const struct elements *list, const char *elements, size_t count)
{
	PyObject *result = PyList_New(0);

	for (size_t i = 0; result && i < count; i++) {
		PyObject *element = list->convert(elements + i * list->size);

		if (!element || PyList_Append(result, element) < 0)
			Py_CLEAR(result);
		Py_XDECREF(element);
	}
	return result;
}

// What the library says of them: ok or incomplete goes to @p rc.
static PyObject *task_elements(PyObject *self, const struct elements *list, int *rc)
{
	struct handle *task = handle_use(self, list->function);
	size_t room = USUAL_ELEMENTS, count = 0;
	PyObject *result = NULL;

	while (task) {
		void *elements = calloc(room, list->size);

		if (!elements)
			return PyErr_NoMemory();
		*rc = list->get(task, elements, room, &count);
		if (*rc < 0)
			task = NULL;
		else if (count <= room)
			result = convert_all(list, elements, count);
		free(elements);
		if (!task || count <= room)
			break;
		if (count > MOST_ELEMENTS) {
			error_raise(list->function, ompd_rc_error, "more elements than plausible");
			break;
		}
		room = count;
	}
	return result;
}

static PyObject *task_depends(PyObject *self, PyObject *unused)
{
	int rc = -1;
	PyObject *elements = task_elements(self, &depends, &rc);

	(void)unused;
	return elements ? Py_BuildValue("(NO)", elements, rc == ompd_rc_ok ? Py_True : Py_False) :
			  NULL;
}

static PyObject *task_dependers(PyObject *self, PyObject *unused)
{
	int rc;

	(void)unused;
	return task_elements(self, &dependers, &rc);
}

static PyMethodDef task_methods[] = {
	METHOD("parallel", task_parallel, METH_NOARGS, "parallel() -> Parallel"),
	METHOD("generating", task_generating, METH_NOARGS, "generating() -> Task"),
	METHOD("scheduling", task_scheduling, METH_NOARGS, "scheduling() -> Task"),
	METHOD("function", task_function, METH_NOARGS, "function() -> address"),
	METHOD("frame", task_frame, METH_NOARGS,
	       "frame() -> ((exit address, flag), (enter address, flag))"),
	METHOD("info", task_info, METH_NOARGS, "info() -> TaskInfo"),
	METHOD("counts", task_counts, METH_NOARGS,
	       "counts() -> (children, tasks of its taskgroup, that are not done, are any detached)"),
	METHOD("depends", task_depends, METH_NOARGS, "depends() -> [(address, kind)]"),
	METHOD("dependers", task_dependers, METH_NOARGS, "dependers() -> [identity]"),
	{ 0 },
};

static PyType_Slot task_slots[] = {
	{ Py_tp_doc, "A task." },
	{ Py_tp_new, type_no_new },
	{ Py_tp_dealloc, handle_dealloc },
	{ Py_tp_traverse, handle_traverse },
	{ Py_tp_clear, handle_clear },
	{ Py_tp_richcompare, handle_compare },
	{ Py_tp_hash, handle_hash },
	{ Py_tp_methods, task_methods },
	{ 0, NULL },
};

PyType_Spec task_spec = {
	.name = "_ompd.Task",
	.basicsize = sizeof(struct handle),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = task_slots,
};
