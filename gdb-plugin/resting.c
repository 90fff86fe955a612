// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Resting: where the threads of a stopped process are and where they return to, without
// unwinding in full. The kernel tells where a thread is, call frame information where its return
// addresses are.

#include "plugin.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "call_frames.h"

enum {
	MAX_DEPTH = 32,
	MAX_STEPS = 4096, // places in code that are remembered
	NUM_ARGUMENTS = 6,
	WORD = 8,
};

/** How a stack goes on at a place. */
enum way { WAY_CALLED, WAY_PASSED_ALL, WAY_OUTERMOST, WAY_UNKNOWN };

struct step {
	uint64_t address; // 0: unused
	uint64_t size;	  // from the stack pointer to the caller's
	enum way way;
};

struct resting {
	PyObject ob_base;
	PyObject *is_passed;
	struct direct memory;
	int threads; // the folder of the process's threads
	struct call_frames *frames;
	struct step *steps; // hash table, by address
	size_t num_steps;
};

/** Where the kernel says that a thread is. */
struct place {
	uint64_t pc, sp;
	bool in_call;			  // a system call
	uint64_t call[1 + NUM_ARGUMENTS]; // its number and arguments
};

/** @return false if the thread is gone, is running, or may not be looked at. */
static bool read_place(const struct resting *resting, pid_t lwp, struct place *ret)
{
	char path[32], line[256], *at = line;
	uint64_t words[3 + NUM_ARGUMENTS];
	size_t count = 0;

	snprintf(path, sizeof(path), "%d/syscall", (int)lwp);
	int file = openat(resting->threads, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	ssize_t size = read(file, line, sizeof(line) - 1);
	close(file);
	if (size <= 0)
		return false;
	line[size] = '\0';
	while (count < 3 + NUM_ARGUMENTS) {
		char *end;

		// The number is decimal, and negative outside of system calls; the rest is hexadecimal.
		words[count] = count ? strtoull(at, &end, 16) : (uint64_t)strtoll(at, &end, 10);
		if (end == at)
			break;
		at = end;
		count++;
	}
	if (count != 3 && count != 3 + NUM_ARGUMENTS)
		return false;
	ret->pc = words[count - 1];
	ret->sp = words[count - 2];
	ret->in_call = count > 3;
	for (size_t i = 0; ret->in_call && i <= NUM_ARGUMENTS; i++)
		ret->call[i] = words[i];
	return true;
}

/** Fills in what is known of a place. @return -1 with an exception if the debugger's failed. */
static int learn(struct resting *resting, uint64_t address, struct step *step)
{
	static const enum way ways[] = {
		[CALL_FRAME_UNKNOWN] = WAY_UNKNOWN,
		[CALL_FRAME_CALLED] = WAY_CALLED,
		[CALL_FRAME_OUTERMOST] = WAY_OUTERMOST,
	};
	PyObject *passed =
		PyObject_CallFunction(resting->is_passed, "K", (unsigned long long)address);
	int is_passed = passed ? PyObject_IsTrue(passed) : -1;

	Py_XDECREF(passed);
	if (is_passed < 0)
		return -1;
	*step = (struct step){ .address = address, .way = WAY_PASSED_ALL };
	if (is_passed) {
		struct call_frame frame = call_frames_at(resting->frames, address);

		step->size = frame.size;
		step->way = ways[frame.kind];
	}
	return 0;
}

/** What is known of a place; NULL with an exception. */
static const struct step *step_at(struct resting *resting, uint64_t address)
{
	size_t index = (address ^ address >> 12) % MAX_STEPS;

	while (resting->steps[index].address && resting->steps[index].address != address)
		index = (index + 1) % MAX_STEPS;
	struct step *step = &resting->steps[index];
	if (step->address)
		return step;
	if (resting->num_steps > MAX_STEPS / 2) {
		memset(resting->steps, 0, MAX_STEPS * sizeof(*resting->steps));
		resting->num_steps = 0;
		return step_at(resting, address);
	}
	if (learn(resting, address, step) < 0) {
		step->address = 0;
		return NULL;
	}
	resting->num_steps++;
	return step;
}

/**
 * Collects the addresses from @p place on, down to the first that is not passed, or to the end.
 * @return how many; 0 if the stack can't be followed so simply; -1 with an exception.
 */
static int follow(struct resting *resting, const struct place *place, uint64_t *addresses,
		  bool *whole)
{
	uint64_t sp = place->sp, code = place->pc;
	int depth = 1;

	addresses[0] = place->pc;
	while (code) {
		const struct step *step = step_at(resting, code);

		if (!step)
			return -1;
		*whole = step->way == WAY_OUTERMOST;
		if (*whole || step->way == WAY_PASSED_ALL)
			return depth > 1 ? depth : 0; // of one frame there is nothing to spare
		if (step->way == WAY_UNKNOWN || depth == MAX_DEPTH)
			return 0;
		sp += step->size;
		if (direct_read(&resting->memory, sp - WORD, &addresses[depth], WORD) != WORD)
			return 0;
		// A return address may lie behind the end of the function that called.
		code = addresses[depth++] - 1;
		if (addresses[depth - 1] == 0)
			return 0;
	}
	return 0;
}

// ---- The type --------------------------------------------------------------------------------

static PyObject *numbers(const uint64_t *values, int count)
{
	PyObject *tuple = PyTuple_New(count);

	for (int i = 0; tuple && i < count; i++) {
		PyObject *number = PyLong_FromUnsignedLongLong(values[i]);

		if (!number || PyTuple_SetItem(tuple, i, number) < 0)
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *resting_rest(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct resting *resting = (struct resting *)self;
	uint64_t addresses[MAX_DEPTH];
	struct place place;
	bool whole = false;
	int lwp;

	if (argument_int(args, kwargs, "rest", "lwp", &lwp) < 0)
		return NULL;
	if (!read_place(resting, lwp, &place))
		Py_RETURN_NONE;
	int depth = follow(resting, &place, addresses, &whole);
	if (depth < 0)
		return NULL;
	if (!depth)
		Py_RETURN_NONE;
	PyObject *chain = numbers(addresses, depth);
	PyObject *call = numbers(place.call, place.in_call ? 1 + NUM_ARGUMENTS : 0);
	if (chain && call)
		return Py_BuildValue("(NNN)", chain, PyBool_FromLong(whole), call);
	Py_XDECREF(chain);
	Py_XDECREF(call);
	return NULL;
}

static PyObject *resting_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "pid", "is_passed", NULL };
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *is_passed;
	char path[32];
	int pid;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iO:Resting", names, &pid, &is_passed))
		return NULL;
	struct resting *resting = (struct resting *)allocate(type, 0);
	if (!resting)
		return NULL;
	Py_INCREF(is_passed);
	resting->is_passed = is_passed;
	resting->memory.pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	resting->threads = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	resting->frames = call_frames_open(pid);
	resting->steps = calloc(MAX_STEPS, sizeof(*resting->steps));
	if (resting->threads >= 0 && resting->frames && resting->steps)
		return (PyObject *)resting;
	Py_DECREF(resting);
	PyErr_Format(PyExc_OSError, "the mappings of process %d can't be read", pid);
	return NULL;
}

static int resting_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(((struct resting *)self)->is_passed);
	return 0;
}

static int resting_clear(PyObject *self)
{
	Py_CLEAR(((struct resting *)self)->is_passed);
	return 0;
}

static void resting_dealloc(PyObject *self)
{
	struct resting *resting = (struct resting *)self;
	PyTypeObject *type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	resting_clear(self);
	direct_deinit(&resting->memory);
	call_frames_close(resting->frames);
	if (resting->threads >= 0)
		close(resting->threads);
	free(resting->steps);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyMethodDef resting_methods[] = {
	METHOD("rest", resting_rest, METH_VARARGS | METH_KEYWORDS,
	       "rest(lwp) -> (addresses, is whole, system call), None where it is not that simple"),
	{ 0 },
};

static PyType_Slot resting_slots[] = {
	{ Py_tp_doc, "Where the threads of a stopped local process are and where they return to." },
	{ Py_tp_new, resting_new },
	{ Py_tp_dealloc, resting_dealloc },
	{ Py_tp_traverse, resting_traverse },
	{ Py_tp_clear, resting_clear },
	{ Py_tp_methods, resting_methods },
	{ 0, NULL },
};

PyType_Spec resting_spec = {
	.name = "_ompd.Resting",
	.basicsize = sizeof(struct resting),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = resting_slots,
};
