// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type Resting: where the threads of a stopped process are and where they return to, without
// unwinding in full. The kernel tells where a thread is (`place`), call frame information where its
// return addresses are.

#include "plugin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "chain.h"

struct resting {
	PyObject ob_base;
	PyObject *is_passed;
	struct direct memory;
	int threads; // the folder of the process's threads
	struct chain_reader chain;
};

/** Ask Python. @return -1 with an exception. */
static int ask_is_passed(void *context, uint64_t address)
{
	struct resting *resting = context;
	PyObject *passed =
		PyObject_CallFunction(resting->is_passed, "K", (unsigned long long)address);
	int answer = passed ? PyObject_IsTrue(passed) : -1;

	Py_XDECREF(passed);
	return answer;
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

/** Where a thread rests, and what its frames return to. */
struct rest {
	struct place at; // in the frame that was come to
	uint64_t addresses[CHAIN_DEPTH];
	bool whole;
};

// The number of addresses; 0 if the thread does not rest, or is not understood; -1 with an exception.
static int find(PyObject *self, PyObject *args, PyObject *kwargs, const char *method,
		struct rest *ret)
{
	struct resting *resting = (struct resting *)self;
	int lwp;

	ret->whole = false;
	if (argument_int(args, kwargs, method, "lwp", &lwp) < 0)
		return -1;
	if (!place_read(resting->threads, lwp, &ret->at))
		return 0;
	return chain_follow(&resting->chain, &ret->at, ret->addresses, &ret->whole);
}

static PyObject *resting_rest(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct rest rest;
	int depth = find(self, args, kwargs, "rest", &rest);

	if (depth < 0)
		return NULL;
	if (!depth)
		Py_RETURN_NONE;
	PyObject *chain = numbers(rest.addresses, depth);
	PyObject *call = numbers(rest.at.call, rest.at.in_call ? 1 + CALL_ARGUMENTS : 0);
	if (chain && call)
		return Py_BuildValue("(NNN)", chain, PyBool_FromLong(rest.whole), call);
	Py_XDECREF(chain);
	Py_XDECREF(call);
	return NULL;
}

static int add(PyObject *dict, const char *name, uint64_t value)
{
	PyObject *number = PyLong_FromUnsignedLongLong(value);
	int status = number ? PyDict_SetItemString(dict, name, number) : -1;

	Py_XDECREF(number);
	return status;
}

static PyObject *resting_registers(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct user_regs_struct registers;
	int lwp;

	(void)self;
	if (argument_int(args, kwargs, "registers", "lwp", &lwp) < 0)
		return NULL;
	if (!place_registers(lwp, &registers))
		Py_RETURN_NONE;
	const struct {
		const char *name;
		uint64_t value;
	} all[] = {
#define REGISTER(name) { #name, registers.name }
		REGISTER(rax), REGISTER(rbx), REGISTER(rcx),	 REGISTER(rdx),	     REGISTER(rsi),
		REGISTER(rdi), REGISTER(rbp), REGISTER(rsp),	 REGISTER(r8),	     REGISTER(r9),
		REGISTER(r10), REGISTER(r11), REGISTER(r12),	 REGISTER(r13),	     REGISTER(r14),
		REGISTER(r15), REGISTER(rip), REGISTER(fs_base), REGISTER(orig_rax),
#undef REGISTER
	};
	PyObject *dict = PyDict_New();

	for (size_t i = 0; dict && i < sizeof(all) / sizeof(all[0]); i++) {
		if (add(dict, all[i].name, all[i].value) < 0)
			Py_CLEAR(dict);
	}
	return dict;
}

static PyObject *known_there(const struct place *place)
{
	static const char *names[] = {
		[CALL_FRAME_RBX] = "rbx", [CALL_FRAME_RBP] = "rbp", [CALL_FRAME_R12] = "r12",
		[CALL_FRAME_R13] = "r13", [CALL_FRAME_R14] = "r14", [CALL_FRAME_R15] = "r15",
	};
	PyObject *dict = PyDict_New();

	if (dict && add(dict, "rsp", place->sp) < 0)
		Py_CLEAR(dict);
	for (size_t i = 0; dict && i < CALL_FRAME_REGISTERS; i++) {
		if (place->kept[i].known && add(dict, names[i], place->kept[i].value) < 0)
			Py_CLEAR(dict);
	}
	return dict;
}

static PyObject *resting_caller(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct rest rest;
	int depth = find(self, args, kwargs, "caller", &rest);

	if (depth < 0)
		return NULL;
	if (!depth)
		Py_RETURN_NONE;
	return known_there(&rest.at);
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
	resting->chain = (struct chain_reader){
		.memory = &resting->memory,
		.frames = call_frames_open(pid),
		.is_passed = ask_is_passed,
		.context = resting,
	};
	if (resting->threads >= 0 && resting->chain.frames && chain_init(&resting->chain))
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
	call_frames_close(resting->chain.frames);
	chain_deinit(&resting->chain);
	if (resting->threads >= 0)
		close(resting->threads);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyMethodDef resting_methods[] = {
	METHOD("rest", resting_rest, METH_VARARGS | METH_KEYWORDS,
	       "rest(lwp) -> (addresses, is whole, system call), None where it is not that simple"),
	METHOD("registers", resting_registers, METH_VARARGS | METH_KEYWORDS,
	       "registers(lwp) -> {name: value}, None if they can't be read"),
	METHOD("caller", resting_caller, METH_VARARGS | METH_KEYWORDS,
	       "caller(lwp) -> {name: value}: registers that are known in the frame at the last of "
	       "the addresses of rest(); None as there"),
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
