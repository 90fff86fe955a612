// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What OMPT answers in the process, asked of a Thread.

#include "plugin.h"

static int level_of(PyObject *args, PyObject *kwargs, const char *function, int *ret)
{
	return argument_int(args, kwargs, function, "level", ret);
}

PyObject *thread_ompt_task(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_ext_ompt_task_info info = { 0 };
	int level;

	if (level_of(args, kwargs, "ompt_task", &level) < 0)
		return NULL;
	struct handle *thread = handle_use(self, "ompd_ext_get_ompt_task_info");
	if (!thread || CALL(thread->space, ext_get_ompt_task_info, thread->raw, level, &info) < 0)
		return NULL;
	return Py_BuildValue("(IIiKKKK)", (unsigned int)info.known, (unsigned int)info.type,
			     (int)info.thread_num, (unsigned long long)info.task_data,
			     (unsigned long long)info.parallel_data,
			     (unsigned long long)info.exit_frame.frame_address.address,
			     (unsigned long long)info.enter_frame.frame_address.address);
}

PyObject *thread_ompt_parallel(PyObject *self, PyObject *args, PyObject *kwargs)
{
	ompd_ext_ompt_parallel_info info = { 0 };
	int level;

	if (level_of(args, kwargs, "ompt_parallel", &level) < 0)
		return NULL;
	struct handle *thread = handle_use(self, "ompd_ext_get_ompt_parallel_info");
	if (!thread ||
	    CALL(thread->space, ext_get_ompt_parallel_info, thread->raw, level, &info) < 0)
		return NULL;
	return Py_BuildValue("(IiK)", (unsigned int)info.known, (int)info.team_size,
			     (unsigned long long)info.parallel_data);
}

PyObject *thread_place_num(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_ext_get_place_num");
	int place = -1;

	(void)unused;
	if (!thread || CALL(thread->space, ext_get_place_num, thread->raw, &place) < 0)
		return NULL;
	return PyLong_FromLong(place);
}

// The places of a partition follow one another.
PyObject *thread_place_nums(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_ext_get_partition_place_nums");
	size_t count = 0;
	int first = -1;

	(void)unused;
	if (!thread || CALL(thread->space, ext_get_partition_place_nums, thread->raw, &first,
			    (size_t)1, &count) < 0)
		return NULL;
	return Py_BuildValue("(ii)", first, first + (int)count - 1);
}

PyObject *thread_proc_id(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_ext_get_proc_id");
	int processor = -1;

	(void)unused;
	if (!thread || CALL(thread->space, ext_get_proc_id, thread->raw, &processor) < 0)
		return NULL;
	return PyLong_FromLong(processor);
}

// It is one block.
PyObject *thread_task_memory(PyObject *self, PyObject *unused)
{
	struct handle *thread = handle_use(self, "ompd_ext_get_task_memory");
	uint64_t address = 0, size = 0;

	(void)unused;
	if (!thread ||
	    CALL(thread->space, ext_get_task_memory, thread->raw, 0, &address, &size) < 0)
		return NULL;
	return Py_BuildValue("(KK)", (unsigned long long)address, (unsigned long long)size);
}
