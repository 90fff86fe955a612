// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the target, as the services in Python tell it. Nothing is kept.

#include "plugin.h"

enum { PAGE = 4096 }; // memory that can be read ends at its border

/** Copies what read_memory() returned. @return false with an exception if it has another size. */
static bool copy_bytes(PyObject *object, void *buffer, size_t size)
{
	PyObject *bytes = PyBytes_FromObject(object); // the same object if it is bytes
	char *data;
	Py_ssize_t length;

	if (!bytes || PyBytes_AsStringAndSize(bytes, &data, &length) < 0) {
		Py_XDECREF(bytes);
		return false;
	}
	bool whole = (size_t)length == size;
	if (whole)
		memcpy(buffer, data, size);
	else
		PyErr_Format(PyExc_ValueError, "read_memory() returned %zd bytes instead of %zu",
			     length, size);
	Py_DECREF(bytes);
	return whole;
}

bool fetch(struct space *space, uint64_t address, void *buffer, size_t size)
{
	if (PyErr_CheckSignals() < 0) {
		call_keep_exception();
		return false;
	}
	PyObject *bytes = PyObject_CallMethod(space->services, "read_memory", "KK",
					      (unsigned long long)address,
					      (unsigned long long)size);
	bool is_read = bytes && copy_bytes(bytes, buffer, size);

	Py_XDECREF(bytes);
	if (!is_read)
		call_keep_exception();
	return is_read && !call.interrupted;
}

bool fetch_string(struct space *space, uint64_t address, char *buffer, size_t size, bool *ended)
{
	*ended = false;
	for (size_t done = 0; done < size && !*ended;) {
		size_t part = PAGE - (address + done) % PAGE;

		if (part > size - done)
			part = size - done;
		if (!fetch(space, address + done, buffer + done, part))
			return false;
		*ended = memchr(buffer + done, '\0', part);
		done += part;
	}
	return true;
}
