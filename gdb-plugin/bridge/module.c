// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module _ompdbg: libompdbg for GDB's Python.

#include "core_end.h"
#include "model.h"
#include "names.h"

/** Add a type under the last part of its name. */
static int add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
	PyObject *type = PyType_FromSpec(spec);

	if (!type || PyModule_AddObject(module, name, type) < 0) {
		Py_XDECREF(type);
		return -1;
	}
	return 0;
}

static int add_error(PyObject *module)
{
	bridge_error = PyErr_NewExceptionWithDoc(
		"_ompdbg.Error", "A question that has no answer; the text is one line.", NULL,
		NULL);
	if (!bridge_error)
		return -1;
	Py_INCREF(bridge_error); // of the variable
	if (PyModule_AddObject(module, "Error", bridge_error) == 0)
		return 0;
	Py_DECREF(bridge_error);
	return -1;
}

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_ompdbg",
	.m_doc = "How an OpenMP program is understood, asked of GDB.",
	.m_size = -1,
	.m_methods = names_functions,
};

PyMODINIT_FUNC PyInit__ompdbg(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (module && (PyModule_AddFunctions(module, core_functions) < 0 || add_error(module) < 0 ||
		       model_add_types(module) < 0 || code_add(module) < 0 ||
		       files_add(module) < 0 || add_type(module, &process_spec, "Process") < 0))
		Py_CLEAR(module);
	return module;
}
