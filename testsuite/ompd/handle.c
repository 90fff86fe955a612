// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Thread, Parallel and Task have in common: they own an OMPD handle, keep their AddressSpace
// alive, and become stale when it is closed or the target moves.

#include "plugin.h"

static const ompd_scope_t scopes[] = {
	[KIND_THREAD] = ompd_scope_thread,
	[KIND_PARALLEL] = ompd_scope_parallel,
	[KIND_TASK] = ompd_scope_task,
};

// ---- Identity --------------------------------------------------------------------------------

/** 1 if two handles stand for the same, 0 if not, -1 with an exception. */
static int same(struct space *space, enum kind kind, void *a, void *b)
{
	int order = 1, result = -1;

	switch (kind) {
	case KIND_THREAD:
		result = CALL(space, thread_handle_compare, a, b, &order);
		break;
	case KIND_PARALLEL:
		result = CALL(space, parallel_handle_compare, a, b, &order);
		break;
	case KIND_TASK:
		result = CALL(space, task_handle_compare, a, b, &order);
		break;
	default:
		break;
	}
	return result < 0 ? -1 : order == 0;
}

/** Without the extensions: the number of an equal handle that is alive, or else a new one. */
static int number(struct handle *handle)
{
	struct space *space = handle->space;

	for (struct handle *other = space->handles; other; other = other->next) {
		if (other == handle || other->kind != handle->kind ||
		    other->generation != handle->generation || !other->id)
			continue;
		int equal = same(space, handle->kind, handle->raw, other->raw);
		if (equal < 0)
			return -1;
		if (equal) {
			handle->id = other->id;
			return 0;
		}
	}
	handle->id = ++space->last_id;
	return 0;
}

static int identify(struct handle *handle)
{
	if (handle->kind == KIND_ITERATOR)
		return 0;
	if (!handle->space->library->ext_get_handle_id)
		return number(handle);
	return CALL(handle->space, ext_get_handle_id, handle->raw, scopes[handle->kind],
		    &handle->id);
}

// ---- Life ------------------------------------------------------------------------------------

static void link_handle(struct handle *handle)
{
	struct space *space = handle->space;

	handle->next = space->handles;
	if (space->handles)
		space->handles->previous = handle;
	space->handles = handle;
}

static void unlink_handle(struct handle *handle)
{
	if (handle->previous)
		handle->previous->next = handle->next;
	else
		handle->space->handles = handle->next;
	if (handle->next)
		handle->next->previous = handle->previous;
	handle->previous = handle->next = NULL;
}

PyObject *handle_new(PyObject *owner, enum kind kind, int result, void *raw, uint64_t generation)
{
	struct space *space = ((struct space_object *)owner)->space;

	if (result < 0) {
		if (raw && call.rc == ompd_rc_ok) // interrupted, and yet made
			release(space->library, kind, raw);
		return NULL;
	}
	if (!raw) {
		error_raise("ompd handle", ompd_rc_error, "the OMPD library returned no handle");
		return NULL;
	}
	struct handle *handle = (struct handle *)PyType_GenericAlloc(kind_types[kind], 0);
	if (!handle) {
		release(space->library, kind, raw);
		return NULL;
	}
	Py_INCREF(owner);
	handle->owner = owner;
	handle->space = space;
	handle->raw = raw;
	handle->kind = kind;
	handle->generation = generation;
	link_handle(handle);
	if (identify(handle) < 0) {
		Py_DECREF((PyObject *)handle);
		return NULL;
	}
	return (PyObject *)handle;
}

struct handle *handle_use(PyObject *self, const char *function)
{
	struct handle *handle = (struct handle *)self;
	const char *reason = NULL;

	if (!handle->raw)
		reason = "stale handle: its address space was closed";
	else if (handle->generation != handle->space->generation)
		reason = "stale handle: the target has moved since it was made";
	if (!reason)
		return handle;
	error_raise(function, ompd_rc_stale_handle, reason);
	return NULL;
}

void handle_release(struct handle *handle)
{
	void *raw = handle->raw;

	if (!raw)
		return;
	handle->raw = NULL;
	unlink_handle(handle);
	release(handle->space->library, handle->kind, raw);
}

int handle_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(((struct handle *)self)->owner);
	return 0;
}

int handle_clear(PyObject *self)
{
	struct handle *handle = (struct handle *)self;

	handle_release(handle);
	Py_CLEAR(handle->owner);
	return 0;
}

void handle_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	handle_clear(self);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

// ---- Methods ---------------------------------------------------------------------------------

PyObject *handle_compare(PyObject *a, PyObject *b, int op)
{
	struct handle *one = (struct handle *)a, *other = (struct handle *)b;

	if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE))
		Py_RETURN_NOTIMPLEMENTED;
	bool equal = one == other || (one->owner && one->owner == other->owner &&
				      one->id == other->id && one->generation == other->generation);
	return PyBool_FromLong(equal == (op == Py_EQ));
}

Py_hash_t handle_hash(PyObject *self)
{
	struct handle *handle = (struct handle *)self;
	Py_hash_t hash = (Py_hash_t)(handle->id * 8 + handle->kind);

	return hash == -1 ? -2 : hash;
}

static PyObject *get_id(PyObject *self, void *closure)
{
	(void)closure;
	return PyLong_FromUnsignedLongLong(((struct handle *)self)->id);
}

static PyObject *method_icv(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *id = argument(args, kwargs, "icv", "icv_id");
	struct handle *handle = id ? handle_use(self, "ompd_get_icv_from_scope") : NULL;

	return handle ? icv_value(handle->space, handle->raw, scopes[handle->kind], id) : NULL;
}

static PyObject *method_icv_string(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *id = argument(args, kwargs, "icv_string", "icv_id");
	struct handle *handle = id ? handle_use(self, "ompd_get_icv_string_from_scope") : NULL;

	return handle ? icv_string(handle->space, handle->raw, scopes[handle->kind], id) : NULL;
}

static PyObject *method_tool_data(PyObject *self, PyObject *unused)
{
	struct handle *handle = handle_use(self, "ompd_get_tool_data");
	ompd_address_t pointer = { 0 };
	ompd_word_t value = 0;

	(void)unused;
	if (!handle || CALL(handle->space, get_tool_data, handle->raw, scopes[handle->kind], &value,
			    &pointer) < 0)
		return NULL;
	return Py_BuildValue("(LK)", (long long)value, (unsigned long long)pointer.address);
}

static PyGetSetDef handle_getset[] = {
	{ "id", get_id, NULL, "Identity of what the handle stands for.", NULL },
	{ 0 },
};

static PyMethodDef handle_methods[] = {
	METHOD("icv", method_icv, METH_VARARGS | METH_KEYWORDS, "icv(icv_id) -> int"),
	METHOD("icv_string", method_icv_string, METH_VARARGS | METH_KEYWORDS,
	       "icv_string(icv_id) -> str"),
	METHOD("tool_data", method_tool_data, METH_NOARGS, "tool_data() -> (value, address)"),
	{ 0 },
};

static PyType_Slot handle_slots[] = {
	{ Py_tp_doc, "A handle of an OMPD library." },
	{ Py_tp_new, type_no_new },
	{ Py_tp_dealloc, handle_dealloc },
	{ Py_tp_traverse, handle_traverse },
	{ Py_tp_clear, handle_clear },
	{ Py_tp_richcompare, handle_compare },
	{ Py_tp_hash, handle_hash },
	{ Py_tp_getset, handle_getset },
	{ Py_tp_methods, handle_methods },
	{ 0, NULL },
};

PyType_Spec handle_spec = {
	.name = "_ompd._Handle",
	.basicsize = sizeof(struct handle),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
	.slots = handle_slots,
};
