// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Target.

#include "binding.h"

#include <stdlib.h>

enum { MAX_READ = 1 << 26, ID_TEXT = 2 * TARGET_BUILD_ID_SIZE + 1 };

PyObject *target_object_new(struct target *target)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(target_type, Py_tp_alloc);
	struct target_object *object = (struct target_object *)allocate(target_type, 0);

	if (object)
		object->target = target;
	else
		target_close(target);
	return (PyObject *)object;
}

struct target *target_of(PyObject *self)
{
	struct target *target = ((struct target_object *)self)->target;

	if (!target)
		PyErr_SetString(target_error_type, "the target is closed");
	return target;
}

Py_ssize_t index_of(PyObject *argument, size_t count)
{
	Py_ssize_t index = PyLong_AsSsize_t(argument);

	if (index == -1 && PyErr_Occurred())
		return -1;
	if (index >= 0 && (size_t)index < count)
		return index;
	PyErr_SetString(PyExc_IndexError, "no such index");
	return -1;
}

static bool address_of(PyObject *argument, uint64_t *ret)
{
	*ret = PyLong_AsUnsignedLongLong(argument);
	return !PyErr_Occurred();
}

bool append(PyObject *list, PyObject *item)
{
	int result = item ? PyList_Append(list, item) : -1;

	Py_XDECREF(item);
	return result == 0;
}

static PyObject *close_target(PyObject *self, PyObject *unused)
{
	struct target_object *object = (struct target_object *)self;

	(void)unused;
	if (object->target)
		target_close(object->target);
	object->target = NULL;
	Py_RETURN_NONE;
}

// ---- Memory ----------------------------------------------------------------------------------

static PyObject *read_memory(PyObject *self, PyObject *args)
{
	struct target *target = target_of(self);
	unsigned long long address;
	Py_ssize_t size;

	if (!target || !PyArg_ParseTuple(args, "Kn:read", &address, &size))
		return NULL;
	if (size < 0 || size > MAX_READ)
		return PyErr_Format(PyExc_ValueError, "%zd bytes are too many", size);
	char *buffer = malloc((size_t)size + 1);
	if (!buffer)
		return PyErr_NoMemory();
	size_t got = target_read(target, address, buffer, (size_t)size);
	PyObject *bytes = PyBytes_FromStringAndSize(buffer, (Py_ssize_t)got);
	free(buffer);
	return bytes;
}

static PyObject *auxiliary(PyObject *self, PyObject *argument)
{
	struct target *target = target_of(self);
	uint64_t type, value;

	if (!target || !address_of(argument, &type))
		return NULL;
	if (!target_auxiliary(target, type, &value))
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(value);
}

static PyObject *is_truncated(PyObject *self, PyObject *unused)
{
	struct target *target = target_of(self);

	(void)unused;
	return target ? PyBool_FromLong(target_is_truncated(target)) : NULL;
}

static PyObject *is_stopped(PyObject *self, PyObject *unused)
{
	struct target *target = target_of(self);

	(void)unused;
	return target ? PyBool_FromLong(target_is_stopped(target)) : NULL;
}

static PyObject *direct_pid(PyObject *self, PyObject *unused)
{
	struct target *target = target_of(self);

	(void)unused;
	return target ? PyLong_FromLong(target_direct_pid(target)) : NULL;
}

// ---- Files -----------------------------------------------------------------------------------

static PyObject *id_text(const struct target_build_id *id)
{
	static const char digits[] = "0123456789abcdef";
	char text[ID_TEXT];

	for (size_t i = 0; i < id->size; i++) {
		text[2 * i] = digits[id->bytes[i] >> 4];
		text[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	return PyUnicode_FromStringAndSize(text, 2 * (Py_ssize_t)id->size);
}

static PyObject *file_record(const struct target_file *file)
{
	return Py_BuildValue("(NNKKiNNN)", text_new(file->path), text_new(file->opened),
			     (unsigned long long)file->start, (unsigned long long)file->end,
			     (int)file->state, PyBool_FromLong(file->is_program),
			     id_text(&file->in_memory), id_text(&file->in_file));
}

static PyObject *files(PyObject *self, PyObject *unused)
{
	struct target *target = target_of(self);
	PyObject *list = target ? PyList_New(0) : NULL;

	(void)unused;
	for (size_t i = 0; list && i < target_num_files(target); i++) {
		struct target_file file = target_file_at(target, i);

		if (!append(list, file_record(&file)))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *file_at(PyObject *self, PyObject *argument)
{
	struct target *target = target_of(self);
	uint64_t address;

	if (!target || !address_of(argument, &address))
		return NULL;
	ssize_t index = target_file_index(target, address);
	if (index < 0)
		Py_RETURN_NONE;
	return PyLong_FromSsize_t(index);
}

// ---- Code ------------------------------------------------------------------------------------

static PyObject *instruction_record(const struct target_instruction *one)
{
	return Py_BuildValue("(KKiiK)", (unsigned long long)one->address,
			     (unsigned long long)one->size, (int)one->flow, (int)one->condition,
			     (unsigned long long)one->target);
}

static PyObject *instructions(PyObject *self, PyObject *args)
{
	struct target_instruction found[TARGET_MAX_INSTRUCTIONS];
	struct target *target = target_of(self);
	unsigned long long address;
	Py_ssize_t max;

	if (!target || !PyArg_ParseTuple(args, "Kn:instructions", &address, &max))
		return NULL;
	size_t count = max > 0 ? target_instructions(target, address, found, (size_t)max) : 0;
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < count; i++) {
		if (!append(list, instruction_record(&found[i])))
			Py_CLEAR(list);
	}
	return list;
}

// ---- Symbols ---------------------------------------------------------------------------------

static PyObject *symbol_named(PyObject *self, PyObject *args)
{
	struct target *target = target_of(self);
	PyObject *number, *name;
	uint64_t address;

	if (!target || !PyArg_ParseTuple(args, "OU:symbol_named", &number, &name))
		return NULL;
	Py_ssize_t index = index_of(number, target_num_files(target));
	if (index < 0)
		return NULL;
	PyObject *bytes = PyUnicode_AsEncodedString(name, "utf-8", "surrogateescape");
	if (!bytes)
		return NULL;
	bool found = target_symbol_named(target, (size_t)index, PyBytes_AsString(bytes), &address);

	Py_DECREF(bytes);
	if (!found)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(address);
}

static PyObject *symbol_record(const struct target_symbol *symbol)
{
	return Py_BuildValue("(NKK)", text_new(symbol->name), (unsigned long long)symbol->address,
			     (unsigned long long)symbol->size);
}

static PyObject *symbol_at(PyObject *self, PyObject *argument)
{
	struct target *target = target_of(self);
	struct target_symbol symbol;
	uint64_t address;

	if (!target || !address_of(argument, &address))
		return NULL;
	if (!target_symbol_at(target, address, &symbol))
		Py_RETURN_NONE;
	return symbol_record(&symbol);
}

// ---- Debug information -----------------------------------------------------------------------

static PyObject *unit_at(PyObject *self, PyObject *argument)
{
	struct target *target = target_of(self);
	uint64_t address, bias;
	Dwarf_Die unit;

	if (!target || !address_of(argument, &address))
		return NULL;
	if (!target_unit_at(target, address, &unit, &bias))
		Py_RETURN_NONE;
	return Py_BuildValue("(NK)", die_new(self, &unit), (unsigned long long)bias);
}

static PyObject *units(PyObject *self, PyObject *argument)
{
	struct target *target = target_of(self);
	Py_ssize_t file = target ? index_of(argument, target_num_files(target)) : -1;
	uint64_t bias = 0;

	if (file < 0)
		return NULL;
	Dwarf *dwarf = target_dwarf(target, (size_t)file, &bias);
	PyObject *list = PyList_New(0);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	while (list && dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		if (!append(list, die_new(self, &die)))
			Py_CLEAR(list);
	}
	return list ? Py_BuildValue("(NK)", list, (unsigned long long)bias) : NULL;
}

// ---- The type --------------------------------------------------------------------------------

static void dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(close_target(self, NULL));
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyMethodDef methods[] = {
	{ "close", close_target, METH_NOARGS, "close(): lets a process go on" },
	{ "read", read_memory, METH_VARARGS, "read(address, size) -> at most so many bytes" },
	{ "auxiliary", auxiliary, METH_O, "auxiliary(type) -> value of the auxiliary vector" },
	{ "is_truncated", is_truncated, METH_NOARGS, "is_truncated() -> is the core file cut off" },
	{ "is_stopped", is_stopped, METH_NOARGS,
	  "is_stopped() -> is it a process that was not copied" },
	{ "direct_pid", direct_pid, METH_NOARGS,
	  "direct_pid() -> the LWP by which memory that was not copied can be read; else 0" },
	{ "files", files, METH_NOARGS, "files() -> list of the mapped files" },
	{ "file_at", file_at, METH_O, "file_at(address) -> index in files()" },
	{ "threads", object_threads, METH_NOARGS, "threads() -> list of LWPs" },
	{ "thread_name", object_thread_name, METH_O,
	  "thread_name(index of a thread) -> what the system calls it" },
	{ "registers", object_registers, METH_O,
	  "registers(index of a thread) -> as the kernel has them" },
	{ "unwind", object_unwind, METH_VARARGS,
	  "unwind(index of a thread, max) -> [(pc, is signal, kept registers)]" },
	{ "instructions", instructions, METH_VARARGS,
	  "instructions(address, max) -> [(address, size, flow, condition, target)]" },
	{ "vectors", object_vectors, METH_O,
	  "vectors(index of a thread) -> bytes of xmm0 to xmm15" },
	{ "thread_local", object_thread_local, METH_VARARGS,
	  "thread_local(index of a thread, link map, offset) -> address" },
	{ "symbol_named", symbol_named, METH_VARARGS, "symbol_named(file, name) -> address" },
	{ "symbol_at", symbol_at, METH_O, "symbol_at(address) -> (name, address, size)" },
	{ "unit_at", unit_at, METH_O, "unit_at(address) -> (Die of the unit, bias)" },
	{ "units", units, METH_O, "units(file) -> ([Die], bias)" },
	{ 0 },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "A core file, or a stopped process." },
	{ Py_tp_dealloc, dealloc },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

PyType_Spec target_spec = {
	.name = "_target.Target",
	.basicsize = sizeof(struct target_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};
