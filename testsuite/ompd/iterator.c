// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type TaskIterator: records come from the library in batches.

#include "plugin.h"

#include <stdlib.h>

enum {
	BATCH = 1024,	    // records
	EMPTY_BATCHES = 16, // in a row that a damaged target may give before the end is assumed
};

struct iterator {
	struct handle handle;	     // first: it is one
	ompd_ext_task_info *records; // BATCH of them, NULL until the first batch
	size_t count, position;	     // in records
	bool ended, damaged;
};

/** Gets the next batch when the last one is used up. 1: there are records, 0: the end, -1: error. */
static int refill(struct iterator *self)
{
	const unsigned int accept = ACCEPT_OK | ACCEPT_INCOMPLETE;

	if (self->ended)
		return 0;
	struct handle *handle = handle_use((PyObject *)self, "ompd_ext_tasks_next");
	if (!handle)
		return -1;
	if (self->position < self->count)
		return 1;
	if (PyErr_CheckSignals() < 0)
		return -1;
	if (!self->records) {
		self->records = calloc(BATCH, sizeof(*self->records));
		if (!self->records) {
			PyErr_NoMemory();
			return -1;
		}
	}
	for (int empty = 0; empty < EMPTY_BATCHES; empty++) {
		size_t count = 0;
		int rc = CALL_ACCEPTING(handle->space, accept, ext_tasks_next, handle->raw,
					self->records, BATCH, &count);

		if (rc < 0)
			return -1;
		if (rc == ompd_rc_incomplete)
			self->damaged = true;
		self->position = 0;
		self->count = count <= BATCH ? count : BATCH;
		if (count)
			return 1;
		if (rc == ompd_rc_ok)
			break;
	}
	self->ended = true;
	return 0;
}

static PyObject *iterator_next(PyObject *object)
{
	struct iterator *self = (struct iterator *)object;

	if (refill(self) <= 0)
		return NULL; // no exception set: the end
	return record_task_info(&self->records[self->position++]);
}

// ---- Counting --------------------------------------------------------------------------------

struct tally {
	uint64_t function, source;
	uint32_t kind, status;
	uint64_t count; // 0: free slot
};

/** An open-addressing hash table; its size is a power of two, at most three quarters full. */
struct tallies {
	struct tally *slots;
	size_t size, used;
};

static struct tally *tallies_slot(const struct tallies *table, const ompd_ext_task_info *info)
{
	uint64_t hash = (info->function ^ info->source << 1 ^ (uint64_t)info->kind << 56 ^
			 (uint64_t)info->status << 48) *
			UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = hash >> 32;; i++) {
		struct tally *slot = &table->slots[i & (table->size - 1)];

		if (!slot->count ||
		    (slot->function == info->function && slot->source == info->source &&
		     slot->kind == info->kind && slot->status == info->status))
			return slot;
	}
}

static bool tallies_grow(struct tallies *table)
{
	struct tallies larger = { .size = table->size ? 2 * table->size : 256 };

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < table->size; i++) {
		const struct tally *old = &table->slots[i];
		ompd_ext_task_info key = {
			.function = old->function,
			.source = old->source,
			.kind = old->kind,
			.status = old->status,
		};

		if (old->count)
			*tallies_slot(&larger, &key) = *old;
	}
	larger.used = table->used;
	free(table->slots);
	*table = larger;
	return true;
}

static bool tallies_add(struct tallies *table, const ompd_ext_task_info *info)
{
	if (4 * table->used >= 3 * table->size && !tallies_grow(table))
		return false;
	struct tally *slot = tallies_slot(table, info);
	if (!slot->count) {
		slot->function = info->function;
		slot->source = info->source;
		slot->kind = info->kind;
		slot->status = info->status;
		table->used++;
	}
	slot->count++;
	return true;
}

static PyObject *tallies_dict(const struct tallies *table)
{
	PyObject *result = PyDict_New();

	for (size_t i = 0; result && i < table->size; i++) {
		const struct tally *slot = &table->slots[i];

		if (!slot->count)
			continue;
		PyObject *key = Py_BuildValue("(KKII)", (unsigned long long)slot->function,
					      (unsigned long long)slot->source,
					      (unsigned int)slot->kind, (unsigned int)slot->status);
		PyObject *count = PyLong_FromUnsignedLongLong(slot->count);
		if (!key || !count || PyDict_SetItem(result, key, count) < 0)
			Py_CLEAR(result);
		Py_XDECREF(key);
		Py_XDECREF(count);
	}
	return result;
}

static PyObject *iterator_by_function(PyObject *object, PyObject *unused)
{
	struct iterator *self = (struct iterator *)object;
	struct tallies table = { 0 };
	PyObject *result = NULL;
	int more;

	(void)unused;
	while ((more = refill(self)) > 0) {
		while (self->position < self->count &&
		       tallies_add(&table, &self->records[self->position]))
			self->position++;
		if (self->position < self->count) {
			PyErr_NoMemory();
			more = -1;
			break;
		}
	}
	if (more == 0)
		result = tallies_dict(&table);
	free(table.slots);
	return result;
}

// ---- The type --------------------------------------------------------------------------------

static PyObject *iterator_unreached(PyObject *object, PyObject *unused)
{
	struct handle *handle = handle_use(object, "ompd_ext_tasks_unreached");
	uint32_t count = 0;

	(void)unused;
	if (!handle)
		return NULL;
	int rc = CALL_ACCEPTING(handle->space, ACCEPT_OK | ACCEPT_UNAVAILABLE, ext_tasks_unreached,
				handle->raw, &count);
	if (rc == ompd_rc_unavailable)
		Py_RETURN_NONE;
	return rc < 0 ? NULL : PyLong_FromUnsignedLong(count);
}

static PyObject *iterator_self(PyObject *self)
{
	Py_INCREF(self);
	return self;
}

static PyObject *get_damaged(PyObject *self, void *closure)
{
	(void)closure;
	return PyBool_FromLong(((struct iterator *)self)->damaged);
}

static void iterator_dealloc(PyObject *self)
{
	free(((struct iterator *)self)->records);
	handle_dealloc(self);
}

PyObject *iterator_open_all(PyObject *owner)
{
	struct space *space = ((struct space_object *)owner)->space;
	ompd_ext_task_iterator *iterator = NULL;
	uint64_t generation = space->generation;
	int result = CALL(space, ext_tasks_open_all, space->handle, &iterator);

	return handle_new(owner, KIND_ITERATOR, result, iterator, generation);
}

static PyGetSetDef iterator_getset[] = {
	{ "damaged", get_damaged, NULL, "A list of the runtime was found damaged.", NULL },
	{ 0 },
};

static PyMethodDef iterator_methods[] = {
	METHOD("unreached", iterator_unreached, METH_NOARGS,
	       "unreached() -> number of tasks that the enumeration could not reach, or None"),
	METHOD("by_function", iterator_by_function, METH_NOARGS,
	       "by_function() -> {(function, kind, status): number of the remaining tasks}"),
	{ 0 },
};

static PyType_Slot iterator_slots[] = {
	{ Py_tp_doc, "Every task of a team or a process." },
	{ Py_tp_new, type_no_new },
	{ Py_tp_dealloc, iterator_dealloc },
	{ Py_tp_traverse, handle_traverse },
	{ Py_tp_clear, handle_clear },
	{ Py_tp_iter, iterator_self },
	{ Py_tp_iternext, iterator_next },
	{ Py_tp_getset, iterator_getset },
	{ Py_tp_methods, iterator_methods },
	{ 0, NULL },
};

PyType_Spec iterator_spec = {
	.name = "_ompd.TaskIterator",
	.basicsize = sizeof(struct iterator),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = iterator_slots,
};
