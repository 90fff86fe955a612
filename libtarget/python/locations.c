// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of debug information as lists: [(operation, number, number, more)].

#include "binding.h"

#include <dwarf.h>

enum { MAX_WITHIN = 4, MAX_OPERATIONS = 1 << 16 };

static PyObject *expression(struct target_location *location, int depth);

/** libdw points to the length of the constant, a byte before it. */
static PyObject *constant_of(const Dwarf_Op *operation)
{
	const unsigned char *data = (const unsigned char *)(uintptr_t)operation->number2;

	return PyBytes_FromStringAndSize((const char *)data + 1, data[0]);
}

/** What an operation has besides its numbers: an expression, or bytes. */
static PyObject *more_of(struct target_location *location, size_t index, int depth)
{
	struct target_location within;
	Dwarf_Block block;

	switch (location->operations[index].atom) {
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		if (depth < MAX_WITHIN && target_location_within(location, index, &within))
			return expression(&within, depth + 1);
		break;
	case DW_OP_implicit_value:
		if (target_location_bytes(location, index, &block))
			return PyBytes_FromStringAndSize((const char *)block.data,
							 (Py_ssize_t)block.length);
		break;
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		return constant_of(&location->operations[index]);
	default:
		break;
	}
	Py_RETURN_NONE;
}

static PyObject *operation(struct target_location *location, size_t index, int depth)
{
	const Dwarf_Op *found = &location->operations[index];
	uint64_t number = found->number;
	unsigned int atom = found->atom;

	if ((atom == DW_OP_addrx || atom == DW_OP_GNU_addr_index) &&
	    target_location_address(location, index, &number))
		atom = DW_OP_addr;
	return Py_BuildValue("(IKKN)", atom, (unsigned long long)number,
			     (unsigned long long)found->number2, more_of(location, index, depth));
}

static PyObject *expression(struct target_location *location, int depth)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < location->count && i < MAX_OPERATIONS; i++) {
		if (!append(list, operation(location, i, depth)))
			Py_CLEAR(list);
	}
	return list;
}

PyObject *die_location(PyObject *self, PyObject *args)
{
	struct target_location found;
	Dwarf_Die *die = die_of(self);
	unsigned long long address;
	unsigned int name;

	if (!die || !PyArg_ParseTuple(args, "IK:location", &name, &address))
		return NULL;
	if (!target_location(die, name, address, &found))
		Py_RETURN_NONE;
	return expression(&found, 0);
}

PyObject *die_call_site(PyObject *self, PyObject *argument)
{
	Dwarf_Die *function = die_of(self), found;
	uint64_t returns = function ? PyLong_AsUnsignedLongLong(argument) : 0;

	if (!function || PyErr_Occurred())
		return NULL;
	if (!target_call_site(function, returns, &found))
		Py_RETURN_NONE;
	return die_new(die_owner(self), &found);
}
