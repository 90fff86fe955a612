// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Parallel.

#include "plugin.h"

static PyObject *parallel_enclosing(PyObject *self, PyObject *unused)
{
	struct handle *parallel = handle_use(self, "ompd_get_enclosing_parallel_handle");
	ompd_parallel_handle_t *enclosing = NULL;

	(void)unused;
	if (!parallel)
		return NULL;
	int result =
		CALL(parallel->space, get_enclosing_parallel_handle, parallel->raw, &enclosing);
	return handle_new(parallel->owner, KIND_PARALLEL, result, enclosing, parallel->generation);
}

static PyObject *parallel_thread(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_thread_handle_t *thread = NULL;
	int num;

	if (argument_int(args, kwargs, "thread", "thread_num", &num) < 0)
		return NULL;
	struct handle *parallel = handle_use(self, "ompd_get_thread_in_parallel");
	if (!parallel)
		return NULL;
	int result = CALL(parallel->space, get_thread_in_parallel, parallel->raw, num, &thread);
	return handle_new(parallel->owner, KIND_THREAD, result, thread, parallel->generation);
}

static PyObject *parallel_implicit_task(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_task_handle_t *task = NULL;
	int num;

	if (argument_int(args, kwargs, "implicit_task", "thread_num", &num) < 0)
		return NULL;
	struct handle *parallel = handle_use(self, "ompd_get_task_in_parallel");
	if (!parallel)
		return NULL;
	int result = CALL(parallel->space, get_task_in_parallel, parallel->raw, num, &task);
	return handle_new(parallel->owner, KIND_TASK, result, task, parallel->generation);
}

static PyObject *parallel_tasks(PyObject *self, PyObject *unused)
{
	struct handle *parallel = handle_use(self, "ompd_ext_tasks_open");
	ompd_ext_task_iterator *iterator = NULL;

	(void)unused;
	if (!parallel)
		return NULL;
	int result = CALL(parallel->space, ext_tasks_open, parallel->raw, &iterator);
	return handle_new(parallel->owner, KIND_ITERATOR, result, iterator, parallel->generation);
}

/** Find the record of a task among those of a region. @return 1: found, 0: there is none, -1: error. */
static int find_task(struct handle *parallel, uint64_t ident, ompd_ext_task_info *ret)
{
	ompd_ext_task_iterator *iterator = NULL;
	size_t count = 0;

	if (CALL(parallel->space, ext_tasks_open, parallel->raw, &iterator) < 0)
		return -1;
	int result;

	do
		result = CALL_ACCEPTING(parallel->space, ACCEPT_OK | ACCEPT_INCOMPLETE,
					ext_tasks_next, iterator, ret, 1, &count);
	while (result >= 0 && count && ret->id != ident);
	if (CALL(parallel->space, ext_tasks_close, iterator) < 0 || result < 0)
		return -1;
	return count > 0;
}

static PyObject *parallel_task_by_id(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_task_handle_t *task = NULL;
	uint64_t ident;

	if (argument_uint(args, kwargs, "task_by_id", "ident", &ident) < 0)
		return NULL;
	struct handle *parallel = handle_use(self, "ompd_ext_get_task_by_info");
	if (!parallel)
		return NULL;
	ompd_ext_task_info info = { 0 };
	int result = find_task(parallel, ident, &info);

	if (result == 0)
		PyErr_SetString(PyExc_LookupError, "the region has no such task");
	if (result <= 0)
		return NULL;
	result = CALL(parallel->space, ext_get_task_by_info, parallel->raw, &info, &task);
	return handle_new(parallel->owner, KIND_TASK, result, task, parallel->generation);
}

static PyObject *parallel_info(PyObject *self, PyObject *unused)
{
	struct handle *parallel = handle_use(self, "ompd_ext_get_parallel_info");
	ompd_ext_parallel_info info = { 0 };

	(void)unused;
	if (!parallel || CALL(parallel->space, ext_get_parallel_info, parallel->raw, &info) < 0)
		return NULL;
	return record_parallel_info(&info);
}

static PyObject *parallel_barrier(PyObject *self, PyObject *unused)
{
	struct handle *parallel = handle_use(self, "ompd_ext_get_barrier_info");
	ompd_ext_barrier_info info = { 0 };

	(void)unused;
	if (!parallel || CALL(parallel->space, ext_get_barrier_info, parallel->raw, &info) < 0)
		return NULL;
	return Py_BuildValue("(IIII)", (unsigned int)info.total, (unsigned int)info.arrived,
			     (unsigned int)info.arrived_end, (unsigned int)info.flags);
}

static PyMethodDef parallel_methods[] = {
	METHOD("enclosing", parallel_enclosing, METH_NOARGS, "enclosing() -> Parallel"),
	METHOD("info", parallel_info, METH_NOARGS, "info() -> ParallelInfo"),
	METHOD("thread", parallel_thread, METH_VARARGS | METH_KEYWORDS,
	       "thread(thread_num) -> Thread"),
	METHOD("implicit_task", parallel_implicit_task, METH_VARARGS | METH_KEYWORDS,
	       "implicit_task(thread_num) -> Task"),
	METHOD("barrier", parallel_barrier, METH_NOARGS,
	       "barrier() -> (total, arrived, arrived at the region's end, flags)"),
	METHOD("tasks", parallel_tasks, METH_NOARGS,
	       "tasks() -> TaskIterator over every task of the team"),
	METHOD("task_by_id", parallel_task_by_id, METH_VARARGS | METH_KEYWORDS,
	       "task_by_id(ident) -> Task"),
	{ 0 },
};

static PyType_Slot parallel_slots[] = {
	{ Py_tp_doc, "A parallel region." },
	{ Py_tp_new, type_no_new },
	{ Py_tp_dealloc, handle_dealloc },
	{ Py_tp_traverse, handle_traverse },
	{ Py_tp_clear, handle_clear },
	{ Py_tp_richcompare, handle_compare },
	{ Py_tp_hash, handle_hash },
	{ Py_tp_methods, parallel_methods },
	{ 0, NULL },
};

PyType_Spec parallel_spec = {
	.name = "_ompd.Parallel",
	.basicsize = sizeof(struct handle),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = parallel_slots,
};
