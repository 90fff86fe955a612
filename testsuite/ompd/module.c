// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module _ompd: its types and constants.

#include "plugin.h"

#include <stdlib.h>

PyTypeObject *library_type, *space_type, *kind_types[KIND_ITERATOR + 1];

// ---- Arguments -------------------------------------------------------------------------------

PyObject *type_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	(void)args;
	(void)kwargs;
	PyErr_Format(PyExc_TypeError, "%R cannot be created by a call", type);
	return NULL;
}

PyObject *argument(PyObject *args, PyObject *kwargs, const char *function, const char *name)
{
	Py_ssize_t positional = PyTuple_Size(args);
	Py_ssize_t named = kwargs ? PyDict_Size(kwargs) : 0;

	if (positional == 1 && !named)
		return PyTuple_GetItem(args, 0);
	PyObject *value = kwargs ? PyDict_GetItemString(kwargs, name) : NULL;
	if (!positional && named == 1 && value)
		return value;
	PyErr_Format(PyExc_TypeError, "%s() takes one argument, '%s'", function, name);
	return NULL;
}

int argument_uint(PyObject *args, PyObject *kwargs, const char *function, const char *name,
		  uint64_t *ret)
{
	PyObject *object = argument(args, kwargs, function, name);

	if (!object)
		return -1;
	*ret = PyLong_AsUnsignedLongLong(object);
	return PyErr_Occurred() ? -1 : 0;
}

int argument_int(PyObject *args, PyObject *kwargs, const char *function, const char *name, int *ret)
{
	PyObject *object = argument(args, kwargs, function, name);
	long value = object ? PyLong_AsLong(object) : -1;

	if (value == -1 && PyErr_Occurred())
		return -1;
	if (value < INT_MIN || value > INT_MAX) {
		PyErr_Format(PyExc_OverflowError, "%s(): '%s' is out of range", function, name);
		return -1;
	}
	*ret = (int)value;
	return 0;
}

// ---- The module ------------------------------------------------------------------------------

static const struct {
	const char *name;
	long value;
} constants[] = {
	{ "THREAD_ID_LWP", ompd_thread_id_lwp },
	{ "THREAD_ID_PTHREAD", ompd_thread_id_pthread },
	{ "SCOPE_GLOBAL", ompd_scope_global },
	{ "SCOPE_ADDRESS_SPACE", ompd_scope_address_space },
	{ "SCOPE_THREAD", ompd_scope_thread },
	{ "SCOPE_PARALLEL", ompd_scope_parallel },
	{ "SCOPE_IMPLICIT_TASK", ompd_scope_implicit_task },
	{ "SCOPE_TASK", ompd_scope_task },
	{ "LOCK_OWNER_UNRECORDED", ompd_ext_lock_owner_unrecorded },
	{ "LOCK_OWNER_THREAD", ompd_ext_lock_owner_thread },
	{ "LOCK_OWNER_TASK", ompd_ext_lock_owner_task },
	{ "LOCK_OWNER_MISSING", ompd_ext_lock_owner_missing },
	{ "LOCK_OWNER_INVALID", ompd_ext_lock_owner_invalid },
	{ "RC_UNAVAILABLE", ompd_rc_unavailable },
	{ "RC_STALE_HANDLE", ompd_rc_stale_handle },
	{ "RC_BAD_INPUT", ompd_rc_bad_input },
	{ "RC_ERROR", ompd_rc_error },
	{ "RC_UNSUPPORTED", ompd_rc_unsupported },
	{ "RC_NEEDS_STATE_TRACKING", ompd_rc_needs_state_tracking },
	{ "RC_INCOMPATIBLE", ompd_rc_incompatible },
	{ "RC_NOMEM", ompd_rc_nomem },
	{ "RC_INCOMPLETE", ompd_rc_incomplete },
	{ "RC_CALLBACK_ERROR", ompd_rc_callback_error },
};

static int add_constants(PyObject *module)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		if (PyModule_AddIntConstant(module, constants[i].name, constants[i].value) < 0)
			return -1;
	}
	return 0;
}

/** Makes a type and adds it under the last part of its name. */
static int add_type(PyObject *module, PyType_Spec *spec, PyObject *base, PyTypeObject **ret)
{
	PyObject *bases = base ? PyTuple_Pack(1, base) : NULL;

	if (base && !bases)
		return -1;
	PyObject *type = PyType_FromSpecWithBases(spec, bases);
	Py_XDECREF(bases);
	if (!type)
		return -1;
	*ret = (PyTypeObject *)type;
	return PyObject_SetAttrString(module, strrchr(spec->name, '.') + 1, type);
}

static int add_types(PyObject *module)
{
	PyTypeObject *handle_type;

	if (add_type(module, &library_spec, NULL, &library_type) < 0 ||
	    add_type(module, &space_spec, NULL, &space_type) < 0 ||
	    add_type(module, &iterator_spec, NULL, &kind_types[KIND_ITERATOR]) < 0 ||
	    add_type(module, &handle_spec, NULL, &handle_type) < 0)
		return -1;
	PyObject *base = (PyObject *)handle_type;
	int result = 0;
	if (add_type(module, &thread_spec, base, &kind_types[KIND_THREAD]) < 0 ||
	    add_type(module, &parallel_spec, base, &kind_types[KIND_PARALLEL]) < 0 ||
	    add_type(module, &task_spec, base, &kind_types[KIND_TASK]) < 0)
		result = -1;
	Py_DECREF(base);
	return result;
}

/** The class that services may, but need not, derive from. */
static int add_services(PyObject *module)
{
	PyObject *type = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){s:s,s:s}", "Services",
					       "__module__", "_ompd", "__doc__",
					       "What a debugger offers.");
	int result = type ? PyObject_SetAttrString(module, "Services", type) : -1;

	Py_XDECREF(type);
	return result;
}

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_ompd",
	.m_doc = "Python objects over an OMPD library.",
	.m_size = -1,
};

PyMODINIT_FUNC PyInit__ompd(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (module &&
	    (add_constants(module) < 0 || error_add_types(module) < 0 ||
	     record_add_types(module) < 0 || add_types(module) < 0 || add_services(module) < 0))
		Py_CLEAR(module);
	return module;
}
