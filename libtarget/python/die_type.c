// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Die: an entry of debug information.

#include "binding.h"

#include <dwarf.h>
#include <stdlib.h>

enum { MAX_LINES = 1 << 22, MAX_SCOPES = 256, MAX_CALLS = 1 << 12 };

struct die_object {
	PyObject ob_base;
	PyObject *owner; // the Target
	Dwarf_Die die;
};

PyObject *die_new(PyObject *owner, const Dwarf_Die *die)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(die_type, Py_tp_alloc);
	struct die_object *object = (struct die_object *)allocate(die_type, 0);

	if (!object)
		return NULL;
	Py_INCREF(owner);
	object->owner = owner;
	object->die = *die;
	return (PyObject *)object;
}

Dwarf_Die *die_of(PyObject *self)
{
	struct die_object *object = (struct die_object *)self;

	return target_of(object->owner) ? &object->die : NULL;
}

PyObject *die_owner(PyObject *self)
{
	return ((struct die_object *)self)->owner;
}

static PyObject *get_tag(PyObject *self, void *unused)
{
	Dwarf_Die *die = die_of(self);

	(void)unused;
	return die ? PyLong_FromLong(dwarf_tag(die)) : NULL;
}

static PyObject *get_offset(PyObject *self, void *unused)
{
	Dwarf_Die *die = die_of(self);

	(void)unused;
	return die ? PyLong_FromUnsignedLongLong(dwarf_dieoffset(die)) : NULL;
}

// ---- Attributes ------------------------------------------------------------------------------

static PyObject *number_of(Dwarf_Attribute *attribute, unsigned int form)
{
	Dwarf_Sword number;
	Dwarf_Word word;

	if ((form == DW_FORM_sdata || form == DW_FORM_implicit_const) &&
	    dwarf_formsdata(attribute, &number) == 0)
		return PyLong_FromLongLong(number);
	if (dwarf_formudata(attribute, &word) == 0)
		return PyLong_FromUnsignedLongLong(word);
	Py_RETURN_NONE;
}

static PyObject *value_of(PyObject *owner, Dwarf_Attribute *attribute)
{
	unsigned int form = dwarf_whatform(attribute);
	Dwarf_Block block;
	Dwarf_Addr address;
	Dwarf_Die die;
	bool flag;

	if (form == DW_FORM_flag || form == DW_FORM_flag_present)
		return PyBool_FromLong(dwarf_formflag(attribute, &flag) == 0 && flag);
	const char *text = dwarf_formstring(attribute);
	if (text)
		return text_new(text);
	if (dwarf_formref_die(attribute, &die))
		return die_new(owner, &die);
	if (dwarf_formblock(attribute, &block) == 0)
		return PyBytes_FromStringAndSize((const char *)block.data,
						 (Py_ssize_t)block.length);
	if (dwarf_formaddr(attribute, &address) == 0)
		return PyLong_FromUnsignedLongLong(address);
	return number_of(attribute, form);
}

static PyObject *attribute(PyObject *self, PyObject *argument)
{
	Dwarf_Die *die = die_of(self);
	unsigned long name = die ? PyLong_AsUnsignedLong(argument) : 0;
	Dwarf_Attribute found;

	if (!die || PyErr_Occurred())
		return NULL;
	// Also that of the entry of which this one is an instance.
	if (!dwarf_attr_integrate(die, (unsigned int)name, &found))
		Py_RETURN_NONE;
	return value_of(die_owner(self), &found);
}

static PyObject *own_attribute(PyObject *self, PyObject *argument)
{
	Dwarf_Die *die = die_of(self);
	unsigned long name = die ? PyLong_AsUnsignedLong(argument) : 0;
	Dwarf_Attribute found;

	if (!die || PyErr_Occurred())
		return NULL;
	if (!dwarf_attr(die, (unsigned int)name, &found))
		Py_RETURN_NONE;
	return value_of(die_owner(self), &found);
}

// ---- The tree --------------------------------------------------------------------------------

static PyObject *children(PyObject *self, PyObject *unused)
{
	Dwarf_Die *die = die_of(self), child;
	PyObject *list = die ? PyList_New(0) : NULL;

	(void)unused;
	if (!list || dwarf_child(die, &child) != 0)
		return list;
	do {
		if (!append(list, die_new(die_owner(self), &child)))
			Py_CLEAR(list);
	} while (list && dwarf_siblingof(&child, &child) == 0);
	return list;
}

/** The blocks and functions around code, as they lie in one another. */
static PyObject *scopes(PyObject *self, PyObject *argument)
{
	Dwarf_Die *unit = die_of(self), found[MAX_SCOPES];
	uint64_t address = unit ? PyLong_AsUnsignedLongLong(argument) : 0;

	if (!unit || PyErr_Occurred())
		return NULL;
	size_t count = target_scopes(target_of(die_owner(self)), unit, address, found, MAX_SCOPES);
	PyObject *list = PyList_New(0);
	while (list && count) {
		if (!append(list, die_new(die_owner(self), &found[--count])))
			Py_CLEAR(list);
	}
	return list;
}

/** The entries around this one. */
static PyObject *parents(PyObject *self, PyObject *unused)
{
	Dwarf_Die *die = die_of(self), found[MAX_SCOPES];
	size_t count = die ? target_parents(die, found, MAX_SCOPES) : 0;
	PyObject *list = die ? PyList_New(0) : NULL;

	(void)unused;
	for (size_t i = 0; list && i < count; i++) {
		if (!append(list, die_new(die_owner(self), &found[i])))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *call_record(PyObject *owner, const struct target_call *call)
{
	return Py_BuildValue("(KNN)", (unsigned long long)call->returns,
			     PyBool_FromLong(call->is_tail),
			     call->has_callee ? die_new(owner, &call->callee) : Py_BuildValue(""));
}

static PyObject *calls(PyObject *self, PyObject *unused)
{
	Dwarf_Die *function = die_of(self);
	struct target_call *found = function ? calloc(MAX_CALLS, sizeof(*found)) : NULL;

	(void)unused;
	if (!found)
		return function ? PyErr_NoMemory() : NULL;
	size_t count = target_calls(function, found, MAX_CALLS);
	PyObject *list = PyList_New(0);
	for (size_t i = 0; list && i < count; i++) {
		if (!append(list, call_record(die_owner(self), &found[i])))
			Py_CLEAR(list);
	}
	free(found);
	return list;
}

static PyObject *variable(PyObject *self, PyObject *args)
{
	Dwarf_Die *unit = die_of(self), found;
	unsigned long long address;
	int with_local;

	if (!unit || !PyArg_ParseTuple(args, "Kp:variable", &address, &with_local))
		return NULL;
	if (!target_variable(unit, address, with_local, &found))
		Py_RETURN_NONE;
	return die_new(die_owner(self), &found);
}

static PyObject *structure(PyObject *self, PyObject *args)
{
	Dwarf_Die *unit = die_of(self), found;
	const char *name;

	if (!unit || !PyArg_ParseTuple(args, "s:structure", &name))
		return NULL;
	if (!target_structure(unit, name, &found))
		Py_RETURN_NONE;
	return die_new(die_owner(self), &found);
}

/** Whether code belongs to the entry. */
static PyObject *has_address(PyObject *self, PyObject *argument)
{
	Dwarf_Die *die = die_of(self);
	uint64_t address = die ? PyLong_AsUnsignedLongLong(argument) : 0;

	if (!die || PyErr_Occurred())
		return NULL;
	return PyBool_FromLong(dwarf_haspc(die, address) > 0);
}

static PyObject *entry(PyObject *self, PyObject *unused)
{
	Dwarf_Die *die = die_of(self);
	Dwarf_Addr address, base, end;

	(void)unused;
	if (!die)
		return NULL;
	// Of a function in several parts, where the first of them begins.
	if (dwarf_entrypc(die, &address) != 0 && dwarf_ranges(die, 0, &base, &address, &end) <= 0)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(address);
}

// ---- Lines -----------------------------------------------------------------------------------

static PyObject *line_record(Dwarf_Lines *lines, size_t index)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, index);
	Dwarf_Addr address = 0;
	bool ends = false, is_statement = false;
	int number = 0;

	if (!line)
		return NULL;
	dwarf_lineaddr(line, &address);
	dwarf_lineno(line, &number);
	dwarf_lineendsequence(line, &ends);
	dwarf_linebeginstatement(line, &is_statement);
	return Py_BuildValue("(KiNNN)", (unsigned long long)address, number,
			     text_new(dwarf_linesrc(line, NULL, NULL)), PyBool_FromLong(ends),
			     PyBool_FromLong(is_statement));
}

static PyObject *lines(PyObject *self, PyObject *unused)
{
	Dwarf_Die *unit = die_of(self);
	Dwarf_Lines *found;
	size_t count;

	(void)unused;
	PyObject *list = unit ? PyList_New(0) : NULL;
	if (!list || dwarf_getsrclines(unit, &found, &count) != 0)
		return list;
	for (size_t i = 0; list && i < count && i < MAX_LINES; i++) {
		if (!append(list, line_record(found, i)))
			Py_CLEAR(list);
	}
	return list;
}

/** A file of the table of lines, by its number there. */
static PyObject *file_name(PyObject *self, PyObject *argument)
{
	Dwarf_Die *unit = die_of(self);
	size_t number = unit ? PyLong_AsSize_t(argument) : 0, count;
	Dwarf_Files *found;

	if (!unit || PyErr_Occurred())
		return NULL;
	if (dwarf_getsrcfiles(unit, &found, &count) != 0 || number >= count)
		Py_RETURN_NONE;
	return text_new(dwarf_filesrc(found, number, NULL, NULL));
}

// ---- The type --------------------------------------------------------------------------------

static void dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(((struct die_object *)self)->owner);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyGetSetDef members[] = {
	{ "tag", get_tag, NULL, "DW_TAG of the entry", NULL },
	{ "offset", get_offset, NULL, "where the entry is in its file", NULL },
	{ 0 },
};

static PyMethodDef methods[] = {
	{ "attribute", attribute, METH_O,
	  "attribute(DW_AT) -> value, also of what it is made after" },
	{ "own_attribute", own_attribute, METH_O, "own_attribute(DW_AT) -> value" },
	{ "children", children, METH_NOARGS, "children() -> [Die]" },
	{ "scopes", scopes, METH_O, "scopes(address) -> [Die], innermost first; of a unit" },
	{ "parents", parents, METH_NOARGS, "parents() -> [Die], innermost first" },
	{ "calls", calls, METH_NOARGS,
	  "calls() -> [(where it returns to, is a jump, Die of what is called)]; of a function" },
	{ "call_site", die_call_site, METH_O,
	  "call_site(where it returns to) -> Die of the call; of a function" },
	{ "location", die_location, METH_VARARGS,
	  "location(DW_AT, address) -> [(operation, number, number, more)]" },
	{ "variable", variable, METH_VARARGS,
	  "variable(address, with local ones) -> Die; of a unit" },
	{ "structure", structure, METH_VARARGS,
	  "structure(name) -> Die that is not only declared; of a unit" },
	{ "has_address", has_address, METH_O, "has_address(address) -> is it code of the entry" },
	{ "entry", entry, METH_NOARGS, "entry() -> where its code begins" },
	{ "lines", lines, METH_NOARGS, "lines() -> [(address, line, file, ends, is statement)]" },
	{ "file_name", file_name, METH_O, "file_name(number) -> file of a unit's table of lines" },
	{ 0 },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "An entry of debug information." },
	{ Py_tp_dealloc, dealloc },
	{ Py_tp_getset, members },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

PyType_Spec die_spec = {
	.name = "_target.Die",
	.basicsize = sizeof(struct die_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};
