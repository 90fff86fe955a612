// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as GDB unwinds them, with its numbers of frames.

#include "base/error.h"
#include "services.h"

#include <stdlib.h>
#include <string.h>

#include "base/objects.h"
#include "base/text.h"
#include "libtarget/services.h"

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

	for (size_t i = 0; (stack = table_value(&services->stacks, &i)); i++)
		Py_XDECREF(stack->iterator);
	services->stacks = (struct table){ 0 };
}

/** Check that a frame has called the next newer one, and was not interrupted in it. */
static bool is_call(const struct ompdbg_frame *newer, bool is_signal)
{
	if (!newer || newer->is_signal || is_signal)
		return false;
	return newer->is_inlined ? newer->is_call : true;
}

/** Find the shared object of a frame. */
static struct ompdbg_error *find_object(struct gdb_services *services, struct ompdbg_frame *frame)
{
	struct ompdbg_object object;
	struct ompdbg_error *error = gdb_object_at(services, frame->pc - frame->is_call, &object);

	if (!error && !object.is_program)
		frame->object = object.path;
	if (error && error->code == OMPDBG_ABSENT)
		error = NULL;
	return error;
}

/** Number the newest frame, and those of functions that are inlined there, for libtarget. */
static void number_frames(struct gdb_stack *stack)
{
	struct ompdbg_frame *frames = stack->frames;
	size_t last = stack->num_frames - 1;
	uint64_t pushed;

	// Of functions that were inlined into one that left no trace GDB makes one frame, the innermost.
	if (frames[last].is_tail_call) {
		frames[last].cookie = TARGET_FRAME_INNERMOST;
		return;
	}
	pushed = ++stack->num_pushed;
	for (size_t i = 0; i <= last && (!i || frames[last - i].is_inlined); i++)
		frames[last - i].cookie = (uint64_t)i << TARGET_FRAME_INLINED | pushed;
}

/** Check that code is in no file, and that GDB was told nothing of it. */
static bool is_unknown_code(struct gdb_services *services, uint64_t pc)
{
	struct ompdbg_object object;
	struct ompdbg_symbol symbol;
	struct ompdbg_error *error = gdb_object_at(services, pc, &object);
	bool is_absent = error && error->code == OMPDBG_ABSENT;

	ompdbg_error_destroy(error);
	return is_absent && !is_ok(gdb_symbol_at(services, pc, &symbol));
}

/** Check that the newest frame was called from @p pc. Of code that is in no file GDB guesses the caller:
 *  the code must show it, or the call that has failed. */
static bool is_proven_caller(struct gdb_services *services, int thread,
			     const struct gdb_stack *stack, uint64_t pc)
{
	const struct ompdbg_frame *newest =
		stack->num_frames ? &stack->frames[stack->num_frames - 1] : NULL;
	struct target_frame frame = { 0 }, caller;

	if (!newest || newest->is_signal || newest->object ||
	    !is_unknown_code(services, newest->pc - newest->is_call))
		return true;
	frame.pc = newest->pc;
	for (size_t i = 0; i < TARGET_KEPT_REGISTERS; i++)
		frame.known[i] = is_ok(gdb_frame_register(
			services, thread, newest, (enum ompdbg_register)target_kept_registers[i],
			&frame.kept[i]));
	return gdb_files_caller(services, &frame, newest->is_call, &caller) && caller.pc == pc;
}

/** Take the next frame of a stack. @p told: (pc, is_signal, is_inlined, is_tail_call); or None, as the last
 *  answer, if GDB failed. */
static struct ompdbg_error *take_frame(struct gdb_services *services, int thread,
				       struct gdb_stack *stack, PyObject *told)
{
	int is_signal, is_inlined, is_tail_call;
	unsigned long long pc;

	if (told == Py_None) {
		if (stack->num_frames)
			stack->frames[stack->num_frames - 1].is_cut_off = true;
		return NULL;
	}
	if (!PyArg_ParseTuple(told, "Kppp", &pc, &is_signal, &is_inlined, &is_tail_call))
		return ask_failed(services);
	if (!is_proven_caller(services, thread, stack, pc)) {
		Py_CLEAR(stack->iterator);
		return NULL;
	}
	const struct ompdbg_frame *newer =
		stack->num_frames ? &stack->frames[stack->num_frames - 1] : NULL;
	struct ompdbg_frame frame = {
		.level = (int)stack->num_frames,
		.pc = pc,
		.is_call = is_call(newer, is_signal),
		.is_signal = is_signal,
		.is_inlined = is_inlined,
		.is_tail_call = is_tail_call,
	};
	struct ompdbg_error *error = find_object(services, &frame);
	if (error)
		return error;
	*ARENA_APPEND(&services->stop, stack->frames, stack->num_frames, stack->frame_capacity) =
		frame;
	if (!is_inlined)
		number_frames(stack);
	return NULL;
}

/** Check that the frame is unwound into which the function of the newest one was inlined. */
static bool is_complete(const struct gdb_stack *stack)
{
	return !stack->num_frames || !stack->frames[stack->num_frames - 1].is_inlined;
}

struct ompdbg_error *gdb_unwind(void *context, int thread, size_t most,
				const struct ompdbg_frame **ret, size_t *count)
{
	struct gdb_services *services = context;
	struct gdb_stack *stack = NULL;
	struct ompdbg_error *error = stack_of(services, thread, &stack);

	*ret = NULL;
	*count = 0;
	while (!error && stack->iterator && (stack->num_frames < most || !is_complete(stack))) {
		PyObject *told = PyIter_Next(stack->iterator);

		if (!told && !PyErr_Occurred()) {
			Py_CLEAR(stack->iterator);
			if (stack->chain.count)
				alike_learn(services, &stack->chain, stack);
		} else {
			error = told ? take_frame(services, thread, stack, told) :
				       ask_failed(services);
		}
		Py_XDECREF(told);
	}
	if (error)
		return error;
	*ret = stack->frames;
	*count = stack->num_frames < most ? stack->num_frames : most;
	return NULL;
}

// ---- What frames have --------------------------------------------------------------------------

struct ompdbg_error *gdb_frame_register(void *context, int thread, const struct ompdbg_frame *frame,
					enum ompdbg_register number, uint64_t *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	if (!error && target_kept_index(number) < 0)
		error = ompdbg_error_create(OMPDBG_BAD_INPUT, "functions may change register %d",
					    (int)number);
	if (error || alike_register(services, thread, frame, number, ret))
		return error;
	const char *name = target_register_names[number];
	error = ask_number(services,
			   ASK(services, "frame_register", "iis", thread, frame->level, name), ret);
	if (error == &ompdbg_error_absent)
		error = ompdbg_error_create(OMPDBG_UNAVAILABLE, "%s was not saved", name);
	return error;
}

/** Take GDB's line of a frame that no inlined function called: GDB leaves out rows of some tables. It may
 *  hide functions that begin where a thread stopped. */
static struct ompdbg_error *take_line(struct gdb_services *services, int thread,
				      const struct ompdbg_frame *frame, struct ompdbg_function *ret)
{
	const struct gdb_stack *stack = table_get(&services->stacks, (uint64_t)thread);
	PyObject *answer, *file;

	if (!ret->file || !stack || (frame->level && stack->frames[frame->level - 1].is_inlined))
		return NULL;
	struct ompdbg_error *error;
	const struct ompdbg_services *files = gdb_files(services, &error);
	if (!files)
		return error;
	if ((uint32_t)frame->cookie == 1 && target_services_begins_inlined(files, frame->pc))
		answer = ASK(services, "frame_line", "ii", thread, frame->level);
	else
		answer = ASK(services, "line_at", "K",
			     (unsigned long long)(frame->pc - frame->is_call));
	error = ask_tuple(services, answer, "Oi", &file, &ret->line);
	const char *name = error ? NULL : kept_text(services, file);
	// GDB may name the same file in another way; files are compared by their names.
	if (name && strcmp(base_name(name), base_name(ret->file)) != 0)
		ret->file = name;
	Py_XDECREF(answer);
	return error;
}

struct ompdbg_error *gdb_frame_place(void *context, int thread, const struct ompdbg_frame *frame,
				     struct ompdbg_function *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error;
	const struct ompdbg_services *files = gdb_files(services, &error);

	if (files)
		error = files->frame_place(files->context, thread, frame, ret);
	if (!error)
		error = take_line(services, thread, frame, ret);
	if (error ? error->code != OMPDBG_ABSENT : ret->name != NULL)
		return error;
	// Code in no file.
	struct ompdbg_error *absent = error;
	error = ask_text(services, ASK(services, "frame_function", "ii", thread, frame->level),
			 &ret->name);
	ret->symbol = ret->name;
	return error == &ompdbg_error_absent ? absent : error;
}

struct ompdbg_error *gdb_variables(void *context, int thread, const struct ompdbg_frame *frame,
				   enum ompdbg_variables which, const struct ompdbg_variable **ret,
				   size_t *count)
{
	const char *method = which == OMPDBG_ARGUMENTS ? "arguments" : "locals";
	struct gdb_services *services = context;
	struct ompdbg_variable *found;
	struct ompdbg_error *error = ask_allowed(services);

	*ret = NULL;
	*count = 0;
	if (error)
		return error;
	services->may_be_asked = true;
	PyObject *all = ASK(services, method, "ii", thread, frame->level);
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

/** Tell by GDB's words why there is no value. @return what ends the command. */
static struct ompdbg_error *explain(struct gdb_services *services, struct ompdbg_error *error,
				    struct ompdbg_value *ret)
{
	static const char no_symbol[] = "No symbol \"", no_table[] = "No symbol table is loaded";
	static const char no_place[] =
		"Only values in memory can be extended"; // by an array section
	const char *words = error->message, *name = strstr(words, no_symbol);
	bool has_effect = strstr(words, "may-call-functions is off") ||
			  (strstr(words, "Writing to ") && strstr(words, "is not allowed"));
	struct ompdbg_error *wrong = NULL;

	if (error->code != OMPDBG_FAILED)
		return error;
	if (has_effect)
		wrong = ompdbg_error_create(OMPDBG_BAD_INPUT,
					    "it would call a function of the program, or write to "
					    "it");
	else if (strstr(words, "syntax error in expression"))
		wrong = ompdbg_error_create(OMPDBG_BAD_INPUT, "%s", words);
	ret->is_unknown = name || strstr(words, no_table);
	if (name)
		ret->problem = arena_printf(&services->stop, "no symbol \"%.*s\"",
					    (int)strcspn(name + strlen(no_symbol), "\""),
					    name + strlen(no_symbol));
	else
		ret->problem = starts_with(words, no_place) ? "not in memory" :
							      arena_strdup(&services->stop, words);
	ompdbg_error_destroy(error);
	return wrong;
}

struct ompdbg_error *gdb_evaluate(void *context, int thread, const struct ompdbg_frame *frame,
				  const char *expression, char format, struct ompdbg_value *ret)
{
	const char letter[] = { format, '\0' };
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);
	PyObject *text, *number;
	int is_shared;

	*ret = (struct ompdbg_value){ 0 };
	if (error)
		return error;
	services->may_be_asked = true;
	PyObject *answer =
		ASK(services, "evaluate", "iiys", thread, frame->level, expression, letter);
	services->may_be_asked = false;
	error = ask_tuple(services, answer, "OOp", &text, &number, &is_shared);
	if (!error) {
		const char *digits = kept_text(services, number);

		*ret = (struct ompdbg_value){ .text = kept_text(services, text),
					      .is_shared = is_shared,
					      .is_number = digits,
					      .number = digits ? strtold(digits, NULL) : 0 };
	}
	Py_XDECREF(answer);
	return error ? explain(services, error, ret) : NULL;
}
