// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module _target: core files and processes without a debugger.

#include "binding.h"

#include <string.h>

PyTypeObject *target_type, *die_type;
PyObject *target_error_type;

PyObject *text_new(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

/** Opens what a number stands for. */
typedef struct target *(*opener)(int, const struct target_places *, struct target_error *);

static PyObject *open_target(PyObject *args, PyObject *kwargs, opener open)
{
	static char *names[] = { "number", "program", "sysroot", NULL };
	struct target_error error = { "" };
	struct target_places places;
	int number;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "izz", names, &number, &places.program,
					 &places.sysroot))
		return NULL;
	struct target *target = open(number, &places, &error);
	if (target)
		return target_object_new(target);
	PyObject *text = text_new(error.text);
	if (text) {
		PyErr_SetObject(target_error_type, text);
		Py_DECREF(text);
	}
	return NULL;
}

static PyObject *open_core(PyObject *self, PyObject *args, PyObject *kwargs)
{
	(void)self;
	return open_target(args, kwargs, target_open_core);
}

static PyObject *attach(PyObject *self, PyObject *args, PyObject *kwargs)
{
	(void)self;
	return open_target(args, kwargs, target_attach);
}

static PyMethodDef functions[] = {
	{ "open_core", (PyCFunction)(void (*)(void))open_core, METH_VARARGS | METH_KEYWORDS,
	  "open_core(number, program, sysroot) -> Target of the core file with that descriptor" },
	{ "attach", (PyCFunction)(void (*)(void))attach, METH_VARARGS | METH_KEYWORDS,
	  "attach(number, program, sysroot) -> Target of the process, as it is at that moment" },
	{ 0 },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_target",
	.m_doc = "Core files and processes without a debugger.",
	.m_size = -1,
	.m_methods = functions,
};

static int add_types(PyObject *module)
{
	target_error_type = PyErr_NewException("_target.Error", NULL, NULL);
	target_type = (PyTypeObject *)PyType_FromSpec(&target_spec);
	die_type = (PyTypeObject *)PyType_FromSpec(&die_spec);
	if (!target_error_type || !target_type || !die_type ||
	    PyObject_SetAttrString(module, "Error", target_error_type) < 0 ||
	    PyObject_SetAttrString(module, "Target", (PyObject *)target_type) < 0)
		return -1;
	return PyObject_SetAttrString(module, "Die", (PyObject *)die_type);
}

PyMODINIT_FUNC PyInit__target(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (module && add_types(module) < 0)
		Py_CLEAR(module);
	return module;
}
