// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as GDB unwinds them, with its numbers of frames.

#include "services.h"

#include <string.h>

// ---- Frames ------------------------------------------------------------------------------------

static struct ompdbg_error *stack_of(struct gdb_services *services, int thread,
				     struct gdb_stack **ret)
{
	struct ompdbg_error *error = ask_allowed(services);
	struct gdb_stack *stack = table_get(&services->stacks, (uint64_t)thread);

	*ret = stack;
	if (error || stack)
		return error;
	stack = ARENA_NEW(&services->stop, struct gdb_stack);
	if (!alike_chain(services, thread, &stack->chain) ||
	    !alike_take(services, &stack->chain, stack)) {
		stack->iterator = ASK(services, "stack", "i", thread);
		if (!stack->iterator)
			return ask_failed(services);
	}
	*table_put(&services->stacks, &services->stop, (uint64_t)thread) = stack;
	*ret = stack;
	return NULL;
}

void stacks_forget(struct gdb_services *services)
{
	const struct gdb_stack *stack;

	for (size_t i = 0; (stack = table_value(&services->stacks, &i)); i++) {
		Py_XDECREF(stack->iterator);
		for (size_t j = 0; j < stack->num_handles && !stack->is_shared; j++)
			Py_DECREF(stack->handles[j]);
	}
	services->stacks = (struct table){ 0 };
}

/** Take the next frame of a stack. @p told: (GdbServices's frame, pc, is_call, is_signal, is_inlined,
 *  is_tail_call, object). */
static bool take_frame(struct gdb_services *services, struct gdb_stack *stack, PyObject *told)
{
	int is_call, is_signal, is_inlined, is_tail_call;
	unsigned long long pc;
	PyObject *handle = NULL, *object;

	if (!PyArg_ParseTuple(told, "OKppppO", &handle, &pc, &is_call, &is_signal, &is_inlined,
			      &is_tail_call, &object))
		return false;
	struct ompdbg_frame frame = {
		.level = (int)stack->num_frames,
		.pc = pc,
		.is_call = is_call,
		.is_signal = is_signal,
		.is_inlined = is_inlined,
		.is_tail_call = is_tail_call,
		.object = kept_text(services, object),
		.cookie = stack->num_frames,
	};
	Py_INCREF(handle);
	*ARENA_APPEND(&services->stop, stack->handles, stack->num_handles, stack->handle_capacity) =
		handle;
	*ARENA_APPEND(&services->stop, stack->frames, stack->num_frames, stack->frame_capacity) =
		frame;
	return true;
}

struct ompdbg_error *gdb_unwind(void *context, int thread, size_t most,
				const struct ompdbg_frame **ret, size_t *count)
{
	struct gdb_services *services = context;
	struct gdb_stack *stack = NULL;
	struct ompdbg_error *error = stack_of(services, thread, &stack);

	*ret = NULL;
	*count = 0;
	while (!error && stack->iterator && stack->num_frames < most) {
		PyObject *told = PyIter_Next(stack->iterator);

		if (!told && !PyErr_Occurred()) {
			Py_CLEAR(stack->iterator);
			if (stack->chain.count)
				alike_learn(services, &stack->chain, stack);
		} else if (!told || !take_frame(services, stack, told)) {
			error = ask_failed(services);
		}
		Py_XDECREF(told);
	}
	if (error)
		return error;
	*ret = stack->frames;
	*count = stack->num_frames < most ? stack->num_frames : most;
	return NULL;
}

/** Find GdbServices's frame. */
static struct ompdbg_error *handle_of(struct gdb_services *services, int thread,
				      const struct ompdbg_frame *frame, PyObject **ret)
{
	struct gdb_stack *stack = table_get(&services->stacks, (uint64_t)thread);
	struct ompdbg_error *error = ask_allowed(services);

	if (error)
		return error;
	if (!stack || frame->cookie >= stack->num_frames)
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "frame %d was not unwound",
					   frame->level);
	*ret = stack->handles[frame->cookie];
	return NULL;
}

// ---- What frames have --------------------------------------------------------------------------

struct ompdbg_error *gdb_frame_register(void *context, int thread, const struct ompdbg_frame *frame,
					enum ompdbg_register number, uint64_t *ret)
{
	static const char *const names[] = {
		[OMPDBG_RBX] = "rbx", [OMPDBG_RBP] = "rbp", [OMPDBG_RSP] = "rsp", [12] = "r12",
		[13] = "r13",	      [14] = "r14",	    [15] = "r15",
	};
	struct gdb_services *services = context;
	PyObject *handle = NULL, *value = NULL;
	struct ompdbg_error *error = handle_of(services, thread, frame, &handle);

	if (!error && ((size_t)number >= sizeof(names) / sizeof(names[0]) || !names[number]))
		error = ompdbg_error_create(OMPDBG_BAD_INPUT, "functions may change register %d",
					    (int)number);
	if (error)
		return error;
	value = ASK(services, "frame_register", "iOs", thread, handle, names[number]);
	if (!value)
		return ask_failed(services);
	if (value == Py_None)
		error = ompdbg_error_create(OMPDBG_UNAVAILABLE, "%s was not saved", names[number]);
	else
		*ret = PyLong_AsUnsignedLongLong(value);
	Py_DECREF(value);
	return PyErr_Occurred() ? ask_failed(services) : error;
}

struct ompdbg_error *gdb_frame_place(void *context, int thread, const struct ompdbg_frame *frame,
				     struct ompdbg_function *ret)
{
	struct gdb_services *services = context;
	PyObject *handle = NULL, *answer, *name, *symbol, *file;
	struct ompdbg_error *error = handle_of(services, thread, frame, &handle);
	unsigned long long start;

	if (error)
		return error;
	*ret = (struct ompdbg_function){ 0 };
	answer = ASK(services, "place", "O", handle);
	error = ask_tuple(services, answer, "OOKOi", &name, &symbol, &start, &file, &ret->line);
	if (!error) {
		ret->name = kept_text(services, name);
		ret->symbol = kept_text(services, symbol);
		ret->start = start;
		ret->file = kept_text(services, file);
	}
	Py_XDECREF(answer);
	return error;
}

struct ompdbg_error *gdb_variables(void *context, int thread, const struct ompdbg_frame *frame,
				   enum ompdbg_variables which, const struct ompdbg_variable **ret,
				   size_t *count)
{
	const char *method = which == OMPDBG_ARGUMENTS ? "arguments" : "locals";
	struct gdb_services *services = context;
	struct ompdbg_variable *found;
	PyObject *handle = NULL, *all;
	struct ompdbg_error *error = handle_of(services, thread, frame, &handle);

	*ret = NULL;
	*count = 0;
	if (error)
		return error;
	services->may_be_asked = true;
	all = ASK(services, method, "iO", thread, handle);
	services->may_be_asked = false;
	Py_ssize_t size = all ? PyList_Size(all) : -1;
	bool is_taken = size >= 0;
	found = ARENA_ARRAY(&services->stop, struct ompdbg_variable, is_taken ? (size_t)size : 0);
	for (Py_ssize_t i = 0; is_taken && i < size; i++) {
		PyObject *name, *value;

		is_taken = PyArg_ParseTuple(PyList_GetItem(all, i), "OO", &name, &value);
		if (is_taken)
			found[i] = (struct ompdbg_variable){ kept_text(services, name),
							     kept_text(services, value) };
	}
	error = is_taken ? NULL : ask_failed(services);
	Py_XDECREF(all);
	if (error)
		return error;
	*ret = found;
	*count = (size_t)size;
	return NULL;
}

struct ompdbg_error *gdb_frame_name(void *context, int thread, const struct ompdbg_frame *frame,
				    uint64_t address, const char **ret)
{
	struct gdb_services *services = context;
	PyObject *handle = NULL, *name;
	struct ompdbg_error *error = handle_of(services, thread, frame, &handle);

	if (error)
		return error;
	name = ASK(services, "frame_name", "iOK", thread, handle, (unsigned long long)address);
	if (!name)
		return ask_failed(services);
	*ret = kept_text(services, name);
	Py_DECREF(name);
	return *ret ? NULL : &ompdbg_error_absent;
}
