// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module _target: core files and processes without a debugger.

#include "binding.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *target_type, *die_type;
PyObject *target_error_type;

PyObject *text_new(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

/** Raise Error. @return NULL. */
static PyObject *raise_error(const struct target_error *error)
{
	PyObject *text = text_new(error->text);

	if (text) {
		PyErr_SetObject(target_error_type, text);
		Py_DECREF(text);
	}
	return NULL;
}

/** Opens what a number stands for. */
typedef struct target *(*opener)(int, const struct target_places *, struct target_error *);

/** Convert a path, or None, to the bytes that name its file; NULL for None. */
static int path_bytes(PyObject *path, void *ret)
{
	PyObject **bytes = ret;

	if (path == Py_None)
		return 1;
	return PyUnicode_FSConverter(path, bytes);
}

static PyObject *open_target(PyObject *args, PyObject *kwargs, opener open)
{
	static char *names[] = { "number", "program", "sysroot", NULL };
	struct target_error error = { "" };
	PyObject *program = NULL, *sysroot = NULL;
	int number;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iO&O&", names, &number, path_bytes,
					 &program, path_bytes, &sysroot))
		return NULL;
	struct target_places places = {
		.program = program ? PyBytes_AsString(program) : NULL,
		.sysroot = sysroot ? PyBytes_AsString(sysroot) : NULL,
	};
	struct target *target = open(number, &places, &error);

	Py_XDECREF(program);
	Py_XDECREF(sysroot);
	return target ? target_object_new(target) : raise_error(&error);
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

/** Read (lwp, registers or None, vectors or None). The bytes stay the tuple's. */
static bool parse_stopped(PyObject *item, struct target_stopped *ret)
{
	Py_ssize_t registers = 0, vectors = 0;
	const char *first = NULL, *second = NULL;

	if (!PyTuple_Check(item)) {
		PyErr_SetString(PyExc_TypeError, "a thread is a tuple");
		return false;
	}
	if (!PyArg_ParseTuple(item, "iz#z#", &ret->lwp, &first, &registers, &second, &vectors))
		return false;
	if ((first && registers != TARGET_REGISTERS * (Py_ssize_t)sizeof(uint64_t)) ||
	    (second && vectors != TARGET_VECTOR_BYTES)) {
		PyErr_SetString(PyExc_ValueError, "not the size of the registers");
		return false;
	}
	ret->registers = first;
	ret->vectors = second;
	return true;
}

static PyObject *adopt(PyObject *self, PyObject *args)
{
	struct target_error error = { "" };
	struct target_places places;
	PyObject *list;
	int pid, memory;

	(void)self;
	if (!PyArg_ParseTuple(args, "izziO!:adopt", &pid, &places.program, &places.sysroot, &memory,
			      &PyList_Type, &list))
		return NULL;
	size_t count = (size_t)PyList_Size(list);
	struct target_stopped *threads = calloc(count + 1, sizeof(*threads));
	bool ok = threads != NULL;

	for (size_t i = 0; ok && i < count; i++)
		ok = parse_stopped(PyList_GetItem(list, (Py_ssize_t)i), &threads[i]);
	struct target *target = ok ? target_adopt(pid, memory, threads, count, &places, &error) :
				     NULL;
	free(threads);
	if (target)
		return target_object_new(target);
	return ok ? raise_error(&error) : threads ? NULL : PyErr_NoMemory();
}

static PyMethodDef functions[] = {
	{ "open_core", (PyCFunction)(void (*)(void))open_core, METH_VARARGS | METH_KEYWORDS,
	  "open_core(number, program, sysroot) -> Target of the core file with that descriptor" },
	{ "attach", (PyCFunction)(void (*)(void))attach, METH_VARARGS | METH_KEYWORDS,
	  "attach(number, program, sysroot) -> Target of the process, as it is at that moment" },
	{ "adopt", adopt, METH_VARARGS,
	  "adopt(number, program, sysroot, memory, threads) -> Target of a process that its tracer"
	  " keeps stopped" },
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
