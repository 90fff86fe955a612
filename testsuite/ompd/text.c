// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of the target and of libraries, as Python's.

#include "plugin.h"

PyObject *text_of(const char *string, size_t length)
{
	return PyUnicode_DecodeUTF8(string, (Py_ssize_t)length, "surrogateescape");
}

PyObject *text_new(const char *string)
{
	return text_of(string, strlen(string));
}

PyObject *text_take(const char *string)
{
	PyObject *result = text_new(string ? string : "");

	memory_free_owned(string);
	return result;
}
