// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names tell, for Python: functions of the module. None is the name of nothing.

#include "names.h"

#include "base/objects.h"
#include "model.h"
#include "stack/cxx_names.h"
#include "stack/names.h"

/** Write a name anew in an arena; NULL: it has no other. */
typedef const char *rewrite(struct arena *arena, const char *name);

/** Copy a name, or give None. @return NULL with an exception. */
static PyObject *rewritten(PyObject *name, rewrite *write)
{
	struct arena arena = { 0 };
	PyObject *bytes, *result;

	if (name == Py_None)
		Py_RETURN_NONE;
	bytes = PyUnicode_AsEncodedString(name, "utf-8", "surrogateescape");
	if (!bytes)
		return NULL;
	result = text_value(write(&arena, PyBytes_AsString(bytes)));
	Py_DECREF(bytes);
	arena_deinit(&arena);
	return result;
}

/** Check a name, of which None has nothing. */
static PyObject *checked(PyObject *name, bool (*check)(const char *name))
{
	PyObject *bytes;
	bool is_true;

	if (name == Py_None)
		Py_RETURN_FALSE;
	bytes = PyUnicode_AsEncodedString(name, "utf-8", "surrogateescape");
	if (!bytes)
		return NULL;
	is_true = check(PyBytes_AsString(bytes));
	Py_DECREF(bytes);
	return PyBool_FromLong(is_true);
}

static bool is_runtime_object(const char *path)
{
	return runtime_of_object(path) != NULL;
}

/** Write the function of the source to which the code of a function belongs. */
static const char *source_symbol(struct arena *arena, const char *symbol)
{
	for (const char *base; (base = outlined_base(arena, symbol));)
		symbol = base;
	return symbol;
}

static const char *without_parameters(struct arena *arena, const char *name)
{
	return arena_strndup(arena, name, cxx_length_without_parameters(name));
}

static const char *module_variable(struct arena *arena, const char *symbol)
{
	const char *name = fortran_name(arena, symbol);

	return name ? name : symbol;
}

#define CHECK(name, function)                                          \
	static PyObject *names_##name(PyObject *module, PyObject *arg) \
	{                                                              \
		(void)module;                                          \
		return checked(arg, function);                         \
	}
#define WRITE(name, function)                                          \
	static PyObject *names_##name(PyObject *module, PyObject *arg) \
	{                                                              \
		(void)module;                                          \
		return rewritten(arg, function);                       \
	}

CHECK(is_outlined, is_outlined_name)
CHECK(is_flangs, is_flangs_name)
CHECK(is_fortran, is_fortran_file)
CHECK(is_runtime_object, is_runtime_object)
CHECK(is_interposer_object, is_interposer_object)
CHECK(is_system_object, is_system_object)
WRITE(outlined_base, outlined_base)
WRITE(source_symbol, source_symbol)
WRITE(without_parameters, without_parameters)
WRITE(module_name, module_variable)
WRITE(shown_name, name_for_people)

#define FUNCTION(name, doc)                      \
	{                                        \
#name, names_##name, METH_O, doc \
	}

PyMethodDef names_functions[] = {
	FUNCTION(is_outlined, "is_outlined(symbol): of the code of a construct"),
	FUNCTION(is_flangs, "is_flangs(symbol): such code by flang"),
	FUNCTION(is_fortran, "is_fortran(file)"),
	FUNCTION(is_runtime_object, "is_runtime_object(path)"),
	FUNCTION(is_interposer_object, "is_interposer_object(path): of libompt-gomp.so"),
	FUNCTION(is_system_object, "is_system_object(path)"),
	FUNCTION(outlined_base, "outlined_base(symbol) -> symbol of the function around the "
				"construct, or None"),
	FUNCTION(source_symbol, "source_symbol(symbol) -> the same, or the symbol itself"),
	FUNCTION(without_parameters, "without_parameters(name) -> a C++ name without them"),
	FUNCTION(module_name, "module_name(symbol) -> as Fortran has it, or as it is"),
	FUNCTION(shown_name, "shown_name(function) -> for people"),
	{ 0 },
};
