// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exceptions Error and Unavailable.

#include "plugin.h"

PyObject *error_type, *unavailable_type;

static const char *const meanings[] = {
	[ompd_rc_ok] = "no error",
	[ompd_rc_unavailable] = "not available in the target",
	[ompd_rc_stale_handle] = "stale handle",
	[ompd_rc_bad_input] = "bad argument",
	[ompd_rc_error] = "failed",
	[ompd_rc_unsupported] = "not supported by the OMPD library",
	[ompd_rc_needs_state_tracking] = "the runtime does not track states",
	[ompd_rc_incompatible] = "the OMPD library does not fit the runtime",
	[ompd_rc_device_read_error] = "the device's memory cannot be read",
	[ompd_rc_device_write_error] = "the device's memory cannot be written",
	[ompd_rc_nomem] = "out of memory",
	[ompd_rc_incomplete] = "the answer is incomplete",
	[ompd_rc_callback_error] = "the debugger could not answer",
	[ompd_rc_incompatible_handle] = "a handle of another kind",
};

static PyObject *meaning(ompd_rc_t rc)
{
	if ((size_t)rc < sizeof(meanings) / sizeof(meanings[0]))
		return PyUnicode_FromString(meanings[rc]);
	return PyUnicode_FromFormat("return code %d", (int)rc);
}

/** An exception's text on one line, its type's name if it has none. */
static PyObject *line_of(PyObject *exception)
{
	PyObject *text = PyObject_Str(exception);
	PyObject *words = text ? PyUnicode_Split(text, NULL, -1) : NULL;
	PyObject *space = words ? PyUnicode_FromString(" ") : NULL;
	PyObject *line = space ? PyUnicode_Join(space, words) : NULL;

	Py_XDECREF(space);
	Py_XDECREF(words);
	Py_XDECREF(text);
	if (line && PyUnicode_GetLength(line) > 0)
		return line;
	Py_XDECREF(line);
	PyErr_Clear();
	return PyObject_GetAttrString((PyObject *)Py_TYPE(exception), "__name__");
}

/** The exception that a callback left, as an instance; NULL if none. Owned by the caller. */
static PyObject *take_cause(void)
{
	PyObject *type = call.type, *value = call.value, *traceback = call.traceback;

	call.type = call.value = call.traceback = NULL;
	if (!type)
		return NULL;
	PyErr_NormalizeException(&type, &value, &traceback);
	if (traceback && value && PyException_SetTraceback(value, traceback) < 0)
		PyErr_Clear();
	Py_XDECREF(type);
	Py_XDECREF(traceback);
	return value;
}

static PyObject *reason_of(ompd_rc_t rc, const char *reason, PyObject *cause)
{
	PyObject *said = reason ? text_new(reason) : meaning(rc);
	if (!said || !cause)
		return said;
	PyObject *text = line_of(cause);
	PyObject *both = text ? PyUnicode_FromFormat("%U: %U", said, text) : NULL;
	Py_XDECREF(text);
	Py_DECREF(said);
	return both;
}

static int set_attribute(PyObject *error, const char *name, PyObject *value)
{
	int result = value ? PyObject_SetAttrString(error, name, value) : -1;

	Py_XDECREF(value);
	return result;
}

int error_raise(const char *function, ompd_rc_t rc, const char *reason)
{
	bool unavailable = rc == ompd_rc_unavailable || rc == ompd_rc_unsupported ||
			   rc == ompd_rc_needs_state_tracking;
	PyObject *type = unavailable ? unavailable_type : error_type;
	PyObject *cause = call.busy ? NULL : take_cause(); // a call in progress keeps its own
	PyObject *said = reason_of(rc, reason, cause);
	PyObject *message = said ? PyUnicode_FromFormat("%s: %U", function, said) : NULL;
	PyObject *error = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;

	if (error && set_attribute(error, "code", PyLong_FromLong((int)rc)) == 0 &&
	    set_attribute(error, "function", PyUnicode_FromString(function)) == 0 &&
	    PyObject_SetAttrString(error, "reason", said) == 0) {
		if (cause) {
			PyException_SetCause(error, cause);
			cause = NULL;
		}
		PyErr_SetObject(type, error);
	}
	Py_XDECREF(cause);
	Py_XDECREF(error);
	Py_XDECREF(message);
	Py_XDECREF(said);
	return -1;
}

/** Defaults of the attributes, for instances that Python code makes. */
static PyObject *default_attributes(void)
{
	return Py_BuildValue("{s:i,s:s,s:s}", "code", (int)ompd_rc_error, "function", "", "reason",
			     "");
}

static int add_object(PyObject *module, const char *name, PyObject *object)
{
	Py_XINCREF(object);
	if (!object || PyModule_AddObject(module, name, object) < 0) {
		Py_XDECREF(object);
		return -1;
	}
	return 0;
}

int error_add_types(PyObject *module)
{
	PyObject *attributes = default_attributes();

	if (!attributes)
		return -1;
	error_type = PyErr_NewExceptionWithDoc("_ompd.Error",
					       "An OMPD function did not return ompd_rc_ok.",
					       PyExc_Exception, attributes);
	Py_DECREF(attributes);
	if (!error_type)
		return -1;
	unavailable_type = PyErr_NewExceptionWithDoc(
		"_ompd.Unavailable",
		"ompd_rc_unavailable, ompd_rc_unsupported or ompd_rc_needs_state_tracking.",
		error_type, NULL);
	if (add_object(module, "Error", error_type) < 0)
		return -1;
	return add_object(module, "Unavailable", unavailable_type);
}
