// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types ToldFrame and ToldArgument: what a debugger that prints a stack asks of every frame, by
// a dozen calls each. Here they are answered without running Python code.

#include "plugin.h"

// ---- A frame ---------------------------------------------------------------------------------

struct told_frame {
	PyObject ob_base;
	PyObject *frame;
	PyObject *place; // a tuple of PLACE_SIZE or more
};

static PyObject *frame_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyObject *frame, *place;

	if (kwargs) {
		PyErr_SetString(PyExc_TypeError, "ToldFrame() takes no keyword arguments");
		return NULL;
	}
	if (!PyArg_UnpackTuple(args, "ToldFrame", 2, 2, &frame, &place))
		return NULL;
	if (!PyTuple_Check(place) || PyTuple_Size(place) < PLACE_SIZE) {
		PyErr_Format(PyExc_TypeError, "ToldFrame(): %R is no place", place);
		return NULL;
	}
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct told_frame *told = (struct told_frame *)allocate(type, 0);
	if (!told)
		return NULL;
	Py_INCREF(frame);
	Py_INCREF(place);
	told->frame = frame;
	told->place = place;
	return (PyObject *)told;
}

static void frame_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(((struct told_frame *)self)->frame);
	Py_XDECREF(((struct told_frame *)self)->place);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *of_place(PyObject *self, Py_ssize_t index)
{
	PyObject *found = PyTuple_GetItem(((struct told_frame *)self)->place, index);

	Py_XINCREF(found);
	return found;
}

static PyObject *frame_inferior_frame(PyObject *self, PyObject *unused)
{
	PyObject *frame = ((struct told_frame *)self)->frame;

	(void)unused;
	Py_INCREF(frame);
	return frame;
}

static PyObject *frame_function(PyObject *self, PyObject *unused)
{
	(void)unused;
	return of_place(self, PLACE_FUNCTION);
}

static PyObject *frame_address(PyObject *self, PyObject *unused)
{
	(void)unused;
	return of_place(self, PLACE_ADDRESS);
}

static PyObject *frame_filename(PyObject *self, PyObject *unused)
{
	(void)unused;
	return of_place(self, PLACE_FILENAME);
}

static PyObject *frame_line(PyObject *self, PyObject *unused)
{
	(void)unused;
	return of_place(self, PLACE_LINE);
}

static PyObject *frame_frame_args(PyObject *self, PyObject *unused)
{
	(void)unused;
	return of_place(self, PLACE_ARGUMENTS);
}

/** To tell None costs a debugger less than to find out that there is no such method. */
static PyObject *told_none(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	Py_RETURN_NONE;
}

static PyMethodDef frame_methods[] = {
	METHOD("inferior_frame", frame_inferior_frame, METH_NOARGS, "The debugger's frame."),
	METHOD("function", frame_function, METH_NOARGS, "Its function's name."),
	METHOD("address", frame_address, METH_NOARGS, "Where its code is."),
	METHOD("filename", frame_filename, METH_NOARGS, "Its source file."),
	METHOD("line", frame_line, METH_NOARGS, "Its source line."),
	METHOD("frame_args", frame_frame_args, METH_NOARGS, "The arguments."),
	METHOD("elided", told_none, METH_NOARGS, "No other frames belong to it."),
	{ 0 },
};

static PyType_Slot frame_slots[] = {
	{ Py_tp_doc, "A frame of which the debugger is told what its place tells." },
	{ Py_tp_new, frame_new },
	{ Py_tp_dealloc, frame_dealloc },
	{ Py_tp_methods, frame_methods },
	{ 0, NULL },
};

// Nothing that it holds leads back to it: it needs no search for garbage.
PyType_Spec told_frame_spec = {
	.name = "_ompd.ToldFrame",
	.basicsize = sizeof(struct told_frame),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = frame_slots,
};

// ---- An argument of its function -------------------------------------------------------------

struct told_argument {
	PyObject ob_base;
	PyObject *symbol;
};

static PyObject *argument_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyObject *symbol = argument(args, kwargs, "ToldArgument", "symbol");

	if (!symbol)
		return NULL;
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct told_argument *told = (struct told_argument *)allocate(type, 0);
	if (!told)
		return NULL;
	Py_INCREF(symbol);
	told->symbol = symbol;
	return (PyObject *)told;
}

static void argument_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(((struct told_argument *)self)->symbol);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *argument_symbol(PyObject *self, PyObject *unused)
{
	PyObject *symbol = ((struct told_argument *)self)->symbol;

	(void)unused;
	Py_INCREF(symbol);
	return symbol;
}

static PyMethodDef argument_methods[] = {
	METHOD("symbol", argument_symbol, METH_NOARGS, "The debugger's symbol."),
	METHOD("value", told_none, METH_NOARGS, "None: the debugger reads it from the frame."),
	{ 0 },
};

static PyType_Slot argument_slots[] = {
	{ Py_tp_doc, "An argument whose value the debugger reads from the frame." },
	{ Py_tp_new, argument_new },
	{ Py_tp_dealloc, argument_dealloc },
	{ Py_tp_methods, argument_methods },
	{ 0, NULL },
};

PyType_Spec told_argument_spec = {
	.name = "_ompd.ToldArgument",
	.basicsize = sizeof(struct told_argument),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = argument_slots,
};
