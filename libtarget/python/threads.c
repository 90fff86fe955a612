// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of a Target that tell of its threads.

#include "binding.h"

#include <stdlib.h>

enum { MAX_FRAMES = 1 << 20 };

PyObject *object_threads(PyObject *self, PyObject *unused)
{
	struct target *target = target_of(self);
	PyObject *list = target ? PyList_New(0) : NULL;

	(void)unused;
	for (size_t i = 0; list && i < target_num_threads(target); i++) {
		if (!append(list, PyLong_FromLong(target_thread_lwp(target, i))))
			Py_CLEAR(list);
	}
	return list;
}

PyObject *object_vectors(PyObject *self, PyObject *argument)
{
	struct target *target = target_of(self);
	Py_ssize_t index = target ? index_of(argument, target_num_threads(target)) : -1;

	if (index < 0)
		return NULL;
	const uint8_t *values = target_thread_vectors(target, (size_t)index);
	if (!values)
		Py_RETURN_NONE;
	return PyBytes_FromStringAndSize((const char *)values, TARGET_VECTOR_BYTES);
}

PyObject *object_thread_name(PyObject *self, PyObject *argument)
{
	struct target *target = target_of(self);
	Py_ssize_t index = target ? index_of(argument, target_num_threads(target)) : -1;

	return index < 0 ? NULL : text_new(target_thread_name(target, (size_t)index));
}

PyObject *object_registers(PyObject *self, PyObject *argument)
{
	struct target *target = target_of(self);
	Py_ssize_t index = target ? index_of(argument, target_num_threads(target)) : -1;

	if (index < 0)
		return NULL;
	const uint64_t *values = target_thread_registers(target, (size_t)index);
	if (!values)
		Py_RETURN_NONE;
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < TARGET_REGISTERS; i++) {
		if (!append(list, PyLong_FromUnsignedLongLong(values[i])))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *frame_record(const struct target_frame *frame)
{
	PyObject *kept = PyList_New(0);

	for (size_t i = 0; kept && i < TARGET_KEPT_REGISTERS; i++) {
		if (!append(kept, frame->known[i] ? PyLong_FromUnsignedLongLong(frame->kept[i]) :
						    Py_BuildValue("")))
			Py_CLEAR(kept);
	}
	return Py_BuildValue("(KNN)", (unsigned long long)frame->pc,
			     PyBool_FromLong(frame->is_signal), kept);
}

PyObject *object_unwind(PyObject *self, PyObject *args)
{
	struct target *target = target_of(self);
	PyObject *number;
	Py_ssize_t max;

	if (!target || !PyArg_ParseTuple(args, "On:unwind", &number, &max))
		return NULL;
	Py_ssize_t index = index_of(number, target_num_threads(target));
	if (index < 0)
		return NULL;
	if (max <= 0 || max > MAX_FRAMES)
		return PyErr_Format(PyExc_ValueError, "%zd frames can't be asked for", max);
	struct target_frame *frames = calloc((size_t)max, sizeof(*frames));
	if (!frames)
		return PyErr_NoMemory();
	size_t count = target_unwind(target, (size_t)index, frames, (size_t)max);
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < count; i++) {
		if (!append(list, frame_record(&frames[i])))
			Py_CLEAR(list);
	}
	free(frames);
	return list;
}

PyObject *object_thread_local(PyObject *self, PyObject *args)
{
	unsigned long long link_map, offset;
	struct target *target = target_of(self);
	PyObject *number;
	uint64_t address;

	if (!target || !PyArg_ParseTuple(args, "OKK:thread_local", &number, &link_map, &offset))
		return NULL;
	Py_ssize_t thread = index_of(number, target_num_threads(target));
	if (thread < 0)
		return NULL;
	if (!target_thread_local(target, (size_t)thread, link_map, offset, &address))
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(address);
}
