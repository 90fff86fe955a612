// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Thread.

#include "plugin.h"

static PyObject *thread_parallel(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_get_curr_parallel_handle");
	ompd_parallel_handle_t *parallel = NULL;

	(void)unused;
	if (!thread)
		return NULL;
	int result = CALL(thread->space, get_curr_parallel_handle, thread->raw, &parallel);
	return handle_new(thread->owner, KIND_PARALLEL, result, parallel, thread->generation);
}

static PyObject *thread_task(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_get_curr_task_handle");
	ompd_task_handle_t *task = NULL;

	(void)unused;
	if (!thread)
		return NULL;
	int result = CALL(thread->space, get_curr_task_handle, thread->raw, &task);
	return handle_new(thread->owner, KIND_TASK, result, task, thread->generation);
}

static PyObject *thread_state(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_get_state");
	ompd_wait_id_t wait_id = 0;
	ompd_word_t state = 0;

	(void)unused;
	if (!thread || CALL(thread->space, get_state, thread->raw, &state, &wait_id) < 0)
		return NULL;
	return Py_BuildValue("(LK)", (long long)state, (unsigned long long)wait_id);
}

static PyObject *thread_id(PyObject *self, PyObject *args, PyObject *kwargs)
{
	uint64_t kind, ident = 0;

	if (argument_uint(args, kwargs, "thread_id", "kind", &kind) < 0)
		return NULL;
	struct handle *thread = handle_use(self, "ompd_get_thread_id");
	// The identifier is stored at the low end of ident: the machine is little endian.
	size_t size = kind == ompd_thread_id_lwp ? sizeof(pid_t) : sizeof(ident);
	if (!thread || CALL(thread->space, get_thread_id, thread->raw, kind, size, &ident) < 0)
		return NULL;
	return PyLong_FromUnsignedLongLong(ident);
}

static PyObject *thread_num(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *object = argument(args, kwargs, "thread_num", "parallel");
	int num = -1;

	if (!object)
		return NULL;
	if (Py_TYPE(object) != kind_types[KIND_PARALLEL]) {
		PyErr_SetString(PyExc_TypeError, "thread_num() takes a Parallel");
		return NULL;
	}
	struct handle *thread = handle_use(self, "ompd_ext_get_thread_num");
	struct handle *parallel = thread ? handle_use(object, "ompd_ext_get_thread_num") : NULL;
	if (!parallel)
		return NULL;
	if (parallel->owner != thread->owner) {
		error_raise("ompd_ext_get_thread_num", ompd_rc_bad_input,
			    "the parallel region is of another address space");
		return NULL;
	}
	int rc = CALL_ACCEPTING(thread->space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_get_thread_num,
				thread->raw, parallel->raw, &num);
	if (rc < 0)
		return NULL;
	if (rc == ompd_rc_unavailable || num < 0)
		Py_RETURN_NONE;
	return PyLong_FromLong(num);
}

static PyObject *thread_classify_futex(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_ext_wait_site site = { 0 };
	uint64_t address;

	if (argument_uint(args, kwargs, "classify_futex", "address", &address) < 0)
		return NULL;
	struct handle *thread = handle_use(self, "ompd_ext_classify_futex");
	if (!thread)
		return NULL;
	if (!thread->space->library->ext_classify_futex)
		Py_RETURN_NONE;
	int rc = CALL_ACCEPTING(thread->space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_classify_futex,
				thread->raw, address, &site);
	if (rc == ompd_rc_unavailable)
		Py_RETURN_NONE;
	return rc < 0 ? NULL : record_wait_site(&site);
}

static PyObject *thread_info(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_ext_get_thread_info");
	ompd_ext_thread_info info = { 0 };

	(void)unused;
	if (!thread || CALL(thread->space, ext_get_thread_info, thread->raw, &info) < 0)
		return NULL;
	return record_thread_info(&info);
}

static PyObject *thread_ordered_turn(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_ext_get_ordered_turn");
	int num = -1;

	(void)unused;
	if (!thread || CALL(thread->space, ext_get_ordered_turn, thread->raw, &num) < 0)
		return NULL;
	return PyLong_FromLong(num);
}

static PyObject *thread_loop(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_ext_get_loop_info");
	ompd_ext_loop_info info = { 0 };

	(void)unused;
	if (!thread || CALL(thread->space, ext_get_loop_info, thread->raw, &info) < 0)
		return NULL;
	return record_loop_info(&info);
}

static PyObject *thread_confirm_lock(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "kind", "variable", "in_use", NULL };
	unsigned long long variable;
	Py_ssize_t size = 0;
	unsigned int kind;
	PyObject *in_use;
	char *words = NULL;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "IKS:confirm_lock", names, &kind, &variable,
					 &in_use) ||
	    PyBytes_AsStringAndSize(in_use, &words, &size) < 0)
		return NULL;
	struct handle *thread = handle_use(self, "ompd_ext_confirm_lock");
	if (!thread)
		return NULL;
	if (!thread->space->library->ext_confirm_lock)
		Py_RETURN_FALSE;
	int rc = CALL_ACCEPTING(thread->space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_confirm_lock,
				thread->raw, kind, variable, (const uint64_t *)(void *)words,
				(size_t)size / sizeof(uint64_t));
	return rc < 0 ? NULL : PyBool_FromLong(rc == ompd_rc_ok);
}

static PyMethodDef thread_methods[] = {
	METHOD("parallel", thread_parallel, METH_NOARGS,
	       "parallel() -> Parallel: the innermost region"),
	METHOD("info", thread_info, METH_NOARGS, "info() -> ThreadInfo"),
	METHOD("task", thread_task, METH_NOARGS, "task() -> Task: the current task"),
	METHOD("state", thread_state, METH_NOARGS, "state() -> (state, wait id)"),
	METHOD("thread_id", thread_id, METH_VARARGS | METH_KEYWORDS, "thread_id(kind) -> int"),
	METHOD("thread_num", thread_num, METH_VARARGS | METH_KEYWORDS,
	       "thread_num(parallel) -> int, None if the region does not enclose the thread"),
	METHOD("loop", thread_loop, METH_NOARGS, "loop() -> LoopInfo"),
	METHOD("ordered_turn", thread_ordered_turn, METH_NOARGS,
	       "ordered_turn() -> number of the thread whose turn it is"),
	METHOD("classify_futex", thread_classify_futex, METH_VARARGS | METH_KEYWORDS,
	       "classify_futex(address) -> WaitSite, None if it is none of the runtime's own"),
	METHOD("confirm_lock", thread_confirm_lock, METH_VARARGS | METH_KEYWORDS,
	       "confirm_lock(kind, variable, in_use) -> bool: it certainly waits for that lock"),
	METHOD("ompt_task", thread_ompt_task, METH_VARARGS | METH_KEYWORDS,
	       "ompt_task(level) -> (known, type, thread number, task's data, region's data, exit "
	       "frame, enter frame)"),
	METHOD("ompt_parallel", thread_ompt_parallel, METH_VARARGS | METH_KEYWORDS,
	       "ompt_parallel(level) -> (known, team size, data)"),
	METHOD("proc_id", thread_proc_id, METH_NOARGS, "proc_id() -> int"),
	METHOD("task_memory", thread_task_memory, METH_NOARGS, "task_memory() -> (address, size)"),
	METHOD("place_num", thread_place_num, METH_NOARGS, "place_num() -> int"),
	METHOD("place_nums", thread_place_nums, METH_NOARGS, "place_nums() -> (first, last)"),
	{ 0 },
};

static PyType_Slot thread_slots[] = {
	{ Py_tp_doc, "A thread that runs OpenMP code." },
	{ Py_tp_new, type_no_new },
	{ Py_tp_dealloc, handle_dealloc },
	{ Py_tp_traverse, handle_traverse },
	{ Py_tp_clear, handle_clear },
	{ Py_tp_richcompare, handle_compare },
	{ Py_tp_hash, handle_hash },
	{ Py_tp_methods, thread_methods },
	{ 0, NULL },
};

PyType_Spec thread_spec = {
	.name = "_ompd.Thread",
	.basicsize = sizeof(struct handle),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = thread_slots,
};
