// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module _ompdbg: libompdbg for GDB's Python.

#include "core_end.h"
#include "model.h"
#include "names.h"

static int add_error(PyObject *module)
{
	bridge_error = PyErr_NewExceptionWithDoc(
		"_ompdbg.Error", "A question that has no answer; the text is one line.", NULL,
		NULL);
	return add_to_module(module, "Error", bridge_error);
}

static int add_process(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&process_spec);
	int result = add_to_module(module, "Process", type);

	Py_XDECREF(type);
	return result;
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
		       files_add(module) < 0 || add_process(module) < 0))
		Py_CLEAR(module);
	return module;
}
