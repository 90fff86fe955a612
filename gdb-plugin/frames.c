// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types Frames and Stretch: a debugger's frames one by one, and those in a row that are told by
// their address alone. Of a deep stack that is most of them.

#include "plugin.h"

// ---- The debugger's frames -------------------------------------------------------------------

struct frames {
	PyObject ob_base;
	PyObject *next;		     // NULL: there is no other
	PyObject *older, *type, *pc; // the methods of their class
	PyObject *normal;	     // the type of a frame that is nothing special
};

static PyObject *ask(PyObject *method, PyObject *frame)
{
	return PyObject_CallFunctionObjArgs(method, frame, NULL);
}

/** The next frame is handed over, and the one after it is the next: a new reference, or NULL with
 *  an exception, if unwinding fails, or without one at the end. */
static PyObject *take(struct frames *self)
{
	PyObject *frame = self->next;

	if (!frame)
		return NULL;
	self->next = NULL;
	PyObject *older = ask(self->older, frame);
	if (!older) {
		Py_DECREF(frame);
		return NULL;
	}
	if (older == Py_None)
		Py_CLEAR(older);
	self->next = older;
	return frame;
}

static PyObject *frames_next(PyObject *self)
{
	return take((struct frames *)self);
}

static void frames_dealloc(PyObject *object)
{
	struct frames *self = (struct frames *)object;
	PyTypeObject *type = Py_TYPE(object);

	Py_XDECREF(self->next);
	Py_XDECREF(self->older);
	Py_XDECREF(self->type);
	Py_XDECREF(self->pc);
	Py_XDECREF(self->normal);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

static PyObject *frames_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyObject *newest, *normal;

	if (kwargs) {
		PyErr_SetString(PyExc_TypeError, "Frames() takes no keyword arguments");
		return NULL;
	}
	if (!PyArg_UnpackTuple(args, "Frames", 2, 2, &newest, &normal))
		return NULL;
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct frames *self = (struct frames *)allocate(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(normal);
	self->normal = normal;
	if (newest == Py_None)
		return (PyObject *)self;
	PyObject *class = (PyObject *)Py_TYPE(newest);
	self->older = PyObject_GetAttrString(class, "older");
	self->type = self->older ? PyObject_GetAttrString(class, "type") : NULL;
	self->pc = self->type ? PyObject_GetAttrString(class, "pc") : NULL;
	if (!self->pc) {
		Py_DECREF(self);
		return NULL;
	}
	Py_INCREF(newest);
	self->next = newest;
	return (PyObject *)self;
}

static PyObject *self_of(PyObject *self)
{
	Py_INCREF(self);
	return self;
}

static PyType_Slot frames_slots[] = {
	{ Py_tp_doc, "A debugger's frames from one on, the newer before the older." },
	{ Py_tp_new, frames_new },
	{ Py_tp_dealloc, frames_dealloc },
	{ Py_tp_iter, self_of },
	{ Py_tp_iternext, frames_next },
	{ 0, NULL },
};

PyType_Spec frames_spec = {
	.name = "_ompd.Frames",
	.basicsize = sizeof(struct frames),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = frames_slots,
};

// ---- Those in a row that are told by their address -------------------------------------------

struct stretch {
	PyObject ob_base;
	struct frames *frames;
	PyObject *places, *handles, *last;
};

/** The place of the next frame; NULL if that is special, or at no known place. Nor is there an
 *  exception then: who looks at the frame himself will see it. */
static PyObject *place_of_next(struct stretch *self)
{
	struct frames *frames = self->frames;
	PyObject *frame = frames->next, *place = NULL;

	if (!frame)
		return NULL;
	Py_INCREF(frame);
	PyObject *type = ask(frames->type, frame);
	int is_normal = type ? PyObject_RichCompareBool(type, frames->normal, Py_EQ) : -1;
	PyObject *pc = is_normal > 0 ? ask(frames->pc, frame) : NULL;
	if (pc)
		place = PyDict_GetItemWithError(self->places, pc);
	Py_XINCREF(place);
	Py_XDECREF(type);
	Py_XDECREF(pc);
	Py_DECREF(frame);
	PyErr_Clear();
	return place;
}

/** What is told of the next frame at its place. */
static PyObject *tell(struct stretch *self, PyObject *place)
{
	PyObject *class = PyTuple_GetItem(place, PLACE_TOLD);
	PyObject *frame = class ? take(self->frames) : NULL;
	PyObject *told = NULL;

	if (frame && PyList_Append(self->handles, frame) == 0)
		told = PyObject_CallFunctionObjArgs(class, frame, place, NULL);
	Py_XDECREF(frame);
	return told;
}

static PyObject *stretch_next(PyObject *object)
{
	struct stretch *self = (struct stretch *)object;
	PyObject *place = place_of_next(self);
	PyObject *told = place ? tell(self, place) : NULL;

	Py_XDECREF(place);
	if (!told)
		return NULL;
	PyObject *before = self->last;
	self->last = told;
	return before;
}

static void stretch_dealloc(PyObject *object)
{
	struct stretch *self = (struct stretch *)object;
	PyTypeObject *type = Py_TYPE(object);

	Py_XDECREF(self->frames);
	Py_XDECREF(self->places);
	Py_XDECREF(self->handles);
	Py_XDECREF(self->last);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

static PyObject *stretch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyObject *frames, *places, *handles, *last;

	if (kwargs) {
		PyErr_SetString(PyExc_TypeError, "Stretch() takes no keyword arguments");
		return NULL;
	}
	if (!PyArg_UnpackTuple(args, "Stretch", 4, 4, &frames, &places, &handles, &last))
		return NULL;
	if (!PyObject_TypeCheck(frames, frames_type) || !PyDict_Check(places) ||
	    !PyList_Check(handles)) {
		PyErr_SetString(PyExc_TypeError, "Stretch() takes Frames, a dict and a list");
		return NULL;
	}
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct stretch *self = (struct stretch *)allocate(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(frames);
	Py_INCREF(places);
	Py_INCREF(handles);
	Py_INCREF(last);
	self->frames = (struct frames *)frames;
	self->places = places;
	self->handles = handles;
	self->last = last;
	return (PyObject *)self;
}

static PyObject *get_last(PyObject *self, void *unused)
{
	(void)unused;
	return self_of(((struct stretch *)self)->last);
}

static PyGetSetDef stretch_getset[] = {
	{ "last", get_last, NULL, "What is told of the last frame so far.", NULL },
	{ 0 },
};

static PyType_Slot stretch_slots[] = {
	{ Py_tp_doc, "What is told of frames in a row at known places, but for the last of them." },
	{ Py_tp_new, stretch_new },
	{ Py_tp_dealloc, stretch_dealloc },
	{ Py_tp_iter, self_of },
	{ Py_tp_iternext, stretch_next },
	{ Py_tp_getset, stretch_getset },
	{ 0, NULL },
};

PyType_Spec stretch_spec = {
	.name = "_ompd.Stretch",
	.basicsize = sizeof(struct stretch),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = stretch_slots,
};
