// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Trail. Whether the target still holds what an answer rests on takes a few system calls,
// whatever the work that the answer took.

#include "trail.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "place.h"
#include "plugin.h"

enum {
	MAX_BYTES = 4 << 20, // of an answer that rests on more, none is kept
	MAX_THREADS = 4096,
	NO_PIECE = -1,
};

/** Memory that was read at once, then what is read at once to look again. */
struct piece {
	uint64_t address;
	uint32_t size;
	uint32_t at; // where its bytes are
};

struct thread {
	pid_t lwp;
	struct user_regs_struct registers;
};

struct trail {
	PyObject ob_base;
	pid_t pid;
	bool is_broken, is_ended;
	struct piece *pieces; // each once
	size_t count, room;
	int32_t *found; // hash table of pieces, a power of two in size
	size_t places;
	uint8_t *bytes;
	size_t used, capacity;
	struct piece *spans; // once ended: what holds the pieces, and room for it
	size_t num_spans;
	uint8_t *now;
	struct thread *threads;
	size_t num_threads, thread_room;
};

struct trail *trail_laid;

// ---- Laying it -------------------------------------------------------------------------------

/** Makes room for one more. */
static void *grown(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	size_t more = *room ? 2 * *room : 64;
	void *larger = realloc(array, more * size);

	if (larger)
		*room = more;
	return larger;
}

static int32_t *place_of(const struct trail *trail, uint64_t address, size_t size)
{
	size_t index = (address * UINT64_C(0x9e3779b97f4a7c15) >> 32) + size;

	for (;; index++) {
		int32_t *found = &trail->found[index % trail->places];

		if (*found == NO_PIECE || (trail->pieces[*found].address == address &&
					   trail->pieces[*found].size == size))
			return found;
	}
}

static bool make_places(struct trail *trail)
{
	if (2 * trail->count < trail->places)
		return true;
	size_t places = trail->places ? 2 * trail->places : 256;
	int32_t *found = malloc(places * sizeof(*found));

	if (!found)
		return false;
	memset(found, 0xff, places * sizeof(*found)); // NO_PIECE
	free(trail->found);
	trail->found = found;
	trail->places = places;
	for (size_t i = 0; i < trail->count; i++)
		*place_of(trail, trail->pieces[i].address, trail->pieces[i].size) = (int32_t)i;
	return true;
}

static bool keep_bytes(struct trail *trail, const void *bytes, size_t size)
{
	while (trail->used + size > trail->capacity) {
		size_t more = trail->capacity ? 2 * trail->capacity : CACHE_PAGE;
		uint8_t *larger = realloc(trail->bytes, more);

		if (!larger)
			return false;
		trail->bytes = larger;
		trail->capacity = more;
	}
	memcpy(trail->bytes + trail->used, bytes, size);
	trail->used += size;
	return true;
}

void trail_add_memory(struct trail *trail, uint64_t address, const void *bytes, size_t size)
{
	if (trail->is_broken || !size)
		return;
	if (size > MAX_BYTES || trail->used + size > MAX_BYTES || !make_places(trail)) {
		trail_break(trail);
		return;
	}
	int32_t *place = place_of(trail, address, size);

	if (*place != NO_PIECE) {
		// An answer that has seen both rests on neither.
		if (memcmp(trail->bytes + trail->pieces[*place].at, bytes, size) != 0)
			trail_break(trail);
		return;
	}
	struct piece *pieces =
		grown(trail->pieces, trail->count, &trail->room, sizeof(*trail->pieces));

	if (pieces)
		trail->pieces = pieces;
	struct piece piece = { address, (uint32_t)size, (uint32_t)trail->used };
	if (!pieces || !keep_bytes(trail, bytes, size)) {
		trail_break(trail);
		return;
	}
	*place = (int32_t)trail->count;
	pieces[trail->count++] = piece;
}

void trail_add_registers(struct trail *trail, pid_t lwp, const struct user_regs_struct *registers)
{
	for (size_t i = 0; i < trail->num_threads; i++) {
		const struct thread *known = &trail->threads[i];

		if (known->lwp != lwp)
			continue;
		if (memcmp(&known->registers, registers, sizeof(*registers)) != 0)
			trail_break(trail);
		return;
	}
	struct thread *threads = grown(trail->threads, trail->num_threads, &trail->thread_room,
				       sizeof(*trail->threads));

	if (threads)
		trail->threads = threads;
	if (!threads || trail->num_threads >= MAX_THREADS)
		trail_break(trail);
	else
		threads[trail->num_threads++] = (struct thread){ lwp, *registers };
}

void trail_break(struct trail *trail)
{
	trail->is_broken = true;
}

// ---- Following it ----------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
	const struct piece *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return one->size < other->size ? -1 : one->size > other->size;
}

/** Chooses what is read at once: pieces of the same and of neighbouring pages together. */
static bool make_spans(struct trail *trail)
{
	size_t total = 0;
	struct piece *span = NULL;

	qsort(trail->pieces, trail->count, sizeof(*trail->pieces), compare);
	trail->spans = calloc(trail->count + 1, sizeof(*trail->spans));
	if (!trail->spans)
		return false;
	for (size_t i = 0; i < trail->count; i++) {
		const struct piece *piece = &trail->pieces[i];
		uint64_t end = piece->address + piece->size;

		if (span && piece->address / CACHE_PAGE <=
				    (span->address + span->size - 1) / CACHE_PAGE + 1) {
			if (end > span->address + span->size)
				span->size = (uint32_t)(end - span->address);
		} else {
			span = &trail->spans[trail->num_spans++];
			*span = (struct piece){ piece->address, piece->size, 0 };
		}
	}
	for (size_t i = 0; i < trail->num_spans; i++) {
		trail->spans[i].at = (uint32_t)total;
		total += trail->spans[i].size;
	}
	trail->now = malloc(total + 1);
	return trail->now != NULL;
}

/** Reads some spans, which are neighbours in the buffer. */
static bool read_spans(const struct trail *trail, size_t first, size_t count)
{
	struct iovec theirs[IOV_MAX];
	size_t total = 0;

	for (size_t i = 0; i < count; i++) {
		const struct piece *span = &trail->spans[first + i];

		theirs[i] = (struct iovec){ (void *)(uintptr_t)span->address, span->size };
		total += span->size;
	}
	struct iovec ours = { trail->now + trail->spans[first].at, total };
	return process_vm_readv(trail->pid, &ours, 1, theirs, count, 0) == (ssize_t)total;
}

static bool is_same_memory(const struct trail *trail)
{
	for (size_t first = 0; first < trail->num_spans; first += IOV_MAX) {
		size_t left = trail->num_spans - first;

		if (!read_spans(trail, first, left < IOV_MAX ? left : IOV_MAX))
			return false;
	}
	const struct piece *span = trail->spans;

	for (size_t i = 0; i < trail->count; i++) {
		const struct piece *piece = &trail->pieces[i];

		while (piece->address >= span->address + span->size)
			span++;
		if (memcmp(trail->now + span->at + (piece->address - span->address),
			   trail->bytes + piece->at, piece->size) != 0)
			return false;
	}
	return true;
}

static bool is_same_place(const struct trail *trail)
{
	for (size_t i = 0; i < trail->num_threads; i++) {
		const struct thread *thread = &trail->threads[i];
		struct user_regs_struct now;

		if (!place_registers(thread->lwp, &now) ||
		    memcmp(&now, &thread->registers, sizeof(now)) != 0)
			return false;
	}
	return true;
}

// ---- The type --------------------------------------------------------------------------------

static PyObject *method_enter(PyObject *self, PyObject *unused)
{
	struct trail *trail = (struct trail *)self;

	(void)unused;
	if (trail_laid || trail->is_ended) {
		PyErr_SetString(PyExc_RuntimeError, "a trail is laid once, and one at a time");
		return NULL;
	}
	trail_laid = trail;
	Py_INCREF(self);
	return self;
}

static PyObject *method_exit(PyObject *self, PyObject *args)
{
	struct trail *trail = (struct trail *)self;
	PyObject *kind = NULL, *error, *traceback;

	if (!PyArg_ParseTuple(args, "OOO:__exit__", &kind, &error, &traceback))
		return NULL;
	trail_laid = NULL;
	trail->is_ended = true;
	if (kind != Py_None || (!trail->is_broken && !make_spans(trail)))
		trail_break(trail);
	Py_RETURN_NONE;
}

static PyObject *method_note(PyObject *self, PyObject *args)
{
	unsigned long long address;
	const char *bytes;
	Py_ssize_t size;

	(void)self;
	if (!PyArg_ParseTuple(args, "Ky#:note", &address, &bytes, &size))
		return NULL;
	trail_memory(address, bytes, (size_t)size);
	Py_RETURN_NONE;
}

static PyObject *method_lose(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	trail_lost();
	Py_RETURN_NONE;
}

static PyObject *method_holds(PyObject *self, PyObject *unused)
{
	const struct trail *trail = (struct trail *)self;

	(void)unused;
	return PyBool_FromLong(trail->is_ended && !trail->is_broken && is_same_place(trail) &&
			       is_same_memory(trail));
}

static PyObject *method_memory(PyObject *self, PyObject *unused)
{
	const struct trail *trail = (struct trail *)self;
	PyObject *list = PyList_New(0);

	(void)unused;
	for (size_t i = 0; list && i < trail->count; i++) {
		const struct piece *piece = &trail->pieces[i];
		PyObject *item = Py_BuildValue("(KI)", (unsigned long long)piece->address,
					       (unsigned int)piece->size);

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *get_is_whole(PyObject *self, void *closure)
{
	(void)closure;
	return PyBool_FromLong(!((struct trail *)self)->is_broken);
}

static PyObject *trail_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "pid", NULL };
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	int pid;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "i:Trail", names, &pid))
		return NULL;
	struct trail *trail = (struct trail *)allocate(type, 0);
	if (trail)
		trail->pid = pid;
	return (PyObject *)trail;
}

static void trail_dealloc(PyObject *self)
{
	struct trail *trail = (struct trail *)self;
	PyTypeObject *type = Py_TYPE(self);

	if (trail_laid == trail)
		trail_laid = NULL;
	free(trail->pieces);
	free(trail->found);
	free(trail->bytes);
	free(trail->spans);
	free(trail->now);
	free(trail->threads);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyMethodDef trail_methods[] = {
	METHOD("__enter__", method_enter, METH_NOARGS, "Begins to note what is read."),
	METHOD("__exit__", method_exit, METH_VARARGS, "Ends that."),
	METHOD("note", method_note, METH_VARARGS | METH_STATIC,
	       "note(address, bytes): memory was read past an AddressSpace, if a trail is laid"),
	METHOD("lose", method_lose, METH_NOARGS | METH_STATIC,
	       "lose(): something was asked for that can't be looked up again, if a trail is laid"),
	METHOD("holds", method_holds, METH_NOARGS,
	       "holds() -> whether all of it is in the process as it was"),
	METHOD("memory", method_memory, METH_NOARGS, "memory() -> [(address, size)]"),
	{ 0 },
};

static PyGetSetDef trail_getset[] = {
	{ "is_whole", get_is_whole, NULL, "All that was asked for can be looked up again.", NULL },
	{ 0 },
};

static PyType_Slot trail_slots[] = {
	{ Py_tp_doc, "What an answer rests on in a local process." },
	{ Py_tp_new, trail_new },
	{ Py_tp_dealloc, trail_dealloc },
	{ Py_tp_methods, trail_methods },
	{ Py_tp_getset, trail_getset },
	{ 0, NULL },
};

PyType_Spec trail_spec = {
	.name = "_ompd.Trail",
	.basicsize = sizeof(struct trail),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = trail_slots,
};
