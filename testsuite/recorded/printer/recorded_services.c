// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorded_services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct recorded_target *target;
	struct ompdbg_target_thread *threads;
	struct ompdbg_frame **frames; // of each thread
} opened;

static struct ompdbg_error *absent(void)
{
	return &ompdbg_error_absent;
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		abort();
	return memory;
}

static const struct recorded_stack *stack_of(int thread, size_t *index)
{
	const struct recorded_target *target = opened.target;

	for (*index = 0; *index < target->thread_count; ++*index) {
		if (target->services.stacks[*index].number == thread)
			return &target->services.stacks[*index];
	}
	return NULL;
}

// ---- Memory and threads ------------------------------------------------------------------------

static struct ompdbg_error *read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	return recorded_peek(address, buffer, size) ? NULL : ompdbg_error_unreadable(address);
}

static struct ompdbg_error *threads(void *context, const struct ompdbg_target_thread **ret,
				    size_t *count)
{
	(void)context;
	*ret = opened.threads;
	*count = opened.target->thread_count;
	return NULL;
}

static struct ompdbg_error *registers(void *context, int thread, uint32_t wanted,
				      struct ompdbg_registers *ret)
{
	size_t index;
	const struct recorded_stack *stack = stack_of(thread, &index);

	(void)context;
	ret->known = stack ? stack->registers.known & wanted : 0;
	if (stack)
		memcpy(ret->values, stack->registers.values, sizeof(ret->values));
	return NULL;
}

static struct ompdbg_error *unwind(void *context, int thread, size_t most,
				   const struct ompdbg_frame **ret, size_t *count)
{
	size_t index;
	const struct recorded_stack *stack = stack_of(thread, &index);

	(void)context;
	if (!stack)
		return absent();
	*ret = opened.frames[index];
	*count = stack->count < most ? stack->count : most;
	return NULL;
}

static const struct recorded_frame *recorded_of(const struct ompdbg_frame *frame)
{
	return (const struct recorded_frame *)(uintptr_t)frame->cookie;
}

static struct ompdbg_error *frame_register(void *context, int thread,
					   const struct ompdbg_frame *frame,
					   enum ompdbg_register number, uint64_t *ret)
{
	const struct recorded_registers *kept = &recorded_of(frame)->kept;

	(void)context, (void)thread;
	if (!(kept->known >> number & 1))
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "not recorded");
	*ret = kept->values[number];
	return NULL;
}

static struct ompdbg_function told(const struct recorded_function *function)
{
	return (struct ompdbg_function){ function->name, function->symbol, function->start,
					 function->file, function->line };
}

static struct ompdbg_error *frame_place(void *context, int thread, const struct ompdbg_frame *frame,
					struct ompdbg_function *ret)
{
	const struct recorded_function *function = &recorded_of(frame)->function;

	(void)context, (void)thread;
	*ret = told(function);
	return function->name || function->start || function->file ? NULL : absent();
}

static struct ompdbg_error *variables(void *context, int thread, const struct ompdbg_frame *frame,
				      enum ompdbg_variables which,
				      const struct ompdbg_variable **ret, size_t *count)
{
	(void)context, (void)thread, (void)frame, (void)which;
	*ret = NULL;
	*count = 0;
	return NULL;
}

// ---- Names -------------------------------------------------------------------------------------

static const char *program(void *context)
{
	(void)context;
	return opened.target->services.program;
}

static struct ompdbg_error *object_at(void *context, uint64_t address, struct ompdbg_object *ret)
{
	const struct recorded_services *services = &opened.target->services;

	(void)context;
	for (uint32_t i = 0; i < services->range_count; i++) {
		if (address < services->ranges[i].begin || address >= services->ranges[i].end)
			continue;
		*ret = (struct ompdbg_object){ services->program, NULL, true };
		return NULL;
	}
	return absent();
}

static struct ompdbg_error *file_address(void *context, uint64_t address, uint64_t *ret)
{
	(void)context, (void)address, (void)ret;
	return absent();
}

static struct ompdbg_error *symbol_address(void *context, const char *name, const char *object,
					   int thread, uint64_t *ret)
{
	(void)context, (void)thread;
	return callback_symbol(NULL, name, object, ret) ? NULL : absent();
}

static struct ompdbg_error *symbol_at(void *context, uint64_t address, struct ompdbg_symbol *ret)
{
	const struct recorded_services *services = &opened.target->services;

	(void)context;
	for (uint32_t i = 0; i < services->symbol_at_count; i++) {
		const struct recorded_symbol_at *symbol = &services->symbols_at[i];

		if (symbol->address != address)
			continue;
		*ret = (struct ompdbg_symbol){ symbol->name, symbol->offset, symbol->object };
		return NULL;
	}
	return absent();
}

static struct ompdbg_error *function_at(void *context, uint64_t address,
					struct ompdbg_function *ret)
{
	const struct recorded_services *services = &opened.target->services;

	(void)context;
	for (uint32_t i = 0; i < services->function_at_count; i++) {
		if (services->functions_at[i].address != address)
			continue;
		*ret = told(&services->functions_at[i].function);
		return NULL;
	}
	return absent();
}

static struct ompdbg_error *function_named(void *context, const char *symbol,
					   struct ompdbg_function *ret)
{
	const struct recorded_services *services = &opened.target->services;

	(void)context;
	for (uint32_t i = 0; i < services->function_named_count; i++) {
		if (strcmp(services->functions_named[i].name, symbol) != 0)
			continue;
		*ret = told(&services->functions_named[i].function);
		return NULL;
	}
	return absent();
}

/** Name an element of the array of locks that programs have: types were not recorded. */
static struct ompdbg_error *variable_at(void *context, uint64_t address, bool is_lock,
					uint64_t near, const char **ret)
{
	enum { GCC = 4, CLANG = 8 }; // sizes of a lock
	static char name[64];
	struct ompdbg_symbol symbol;
	struct ompdbg_error *error = symbol_at(context, address, &symbol);

	(void)is_lock, (void)near;
	if (error || strcmp(symbol.name, "block_lock") != 0)
		return absent();
	snprintf(name, sizeof(name), "%s[%d]", symbol.name,
		 (int)symbol.offset / (opened.target->services.is_of_clang ? CLANG : GCC));
	*ret = name;
	return NULL;
}

static struct ompdbg_error *frame_name(void *context, int thread, const struct ompdbg_frame *frame,
				       uint64_t address, enum ompdbg_naming naming,
				       const char **ret)
{
	(void)context, (void)thread, (void)frame, (void)address, (void)naming, (void)ret;
	return absent();
}

static struct ompdbg_error *layout(void *context, const char *structure, const char *field,
				   const char *object, struct ompdbg_layout *ret)
{
	(void)context, (void)structure, (void)field, (void)object, (void)ret;
	return absent();
}

static struct ompdbg_error *newest_gcc(void *context, uint64_t address, int *ret)
{
	(void)context, (void)address;
	*ret = opened.target->services.newest_gcc;
	return *ret ? NULL : absent();
}

static bool interrupted(void *context)
{
	(void)context;
	return false;
}

static void log_line(void *context, const char *line)
{
	(void)context, (void)line;
}

static struct ompdbg_error *stop_time(void *context, uint64_t *ret)
{
	(void)context, (void)ret;
	return absent();
}

// ---- The table ---------------------------------------------------------------------------------

/** Make frames as libompdbg wants them. */
static struct ompdbg_frame *list_frames(const struct recorded_stack *stack)
{
	struct ompdbg_frame *frames = allocate(stack->count, sizeof(*frames));

	for (uint32_t i = 0; i < stack->count; i++) {
		const struct recorded_frame *frame = &stack->frames[i];

		frames[i] = (struct ompdbg_frame){
			.level = (int)i,
			.pc = frame->pc,
			.is_call = frame->is_call,
			.is_signal = frame->is_signal,
			.is_inlined = frame->is_inlined,
			.object = frame->object,
			.cookie = (uintptr_t)frame,
		};
	}
	return frames;
}

static void forget(void)
{
	for (size_t i = 0; opened.target && i < opened.target->thread_count; i++) {
		free((char *)opened.threads[i].label);
		free(opened.frames[i]);
	}
	free(opened.threads);
	free(opened.frames);
}

struct ompdbg_services recorded_services(struct recorded_target *target)
{
	size_t count = target->thread_count;

	forget();
	opened.target = target;
	opened.threads = allocate(count, sizeof(*opened.threads));
	opened.frames = allocate(count, sizeof(struct ompdbg_frame *));
	for (size_t i = 0; i < count; i++) {
		const struct recorded_stack *stack = &target->services.stacks[i];
		char *label;

		if (asprintf(&label, "%d", stack->number) < 0)
			abort();
		opened.threads[i] = (struct ompdbg_target_thread){
			.number = stack->number,
			.label = label,
			.name = stack->name,
			.lwp = (int64_t)target->threads[i].lwp,
			.selected = stack->is_selected,
		};
		opened.frames[i] = list_frames(stack);
	}
	recorded_choose(target);
	return (struct ompdbg_services){
		.size = sizeof(struct ompdbg_services),
		.read_memory = read_memory,
		.threads = threads,
		.registers = registers,
		.unwind = unwind,
		.frame_register = frame_register,
		.frame_place = frame_place,
		.variables = variables,
		.program = program,
		.object_at = object_at,
		.file_address = file_address,
		.symbol_address = symbol_address,
		.symbol_at = symbol_at,
		.function_at = function_at,
		.function_named = function_named,
		.variable_at = variable_at,
		.frame_name = frame_name,
		.layout = layout,
		.newest_gcc = newest_gcc,
		.interrupted = interrupted,
		.log = log_line,
		.code_place = function_at,
		.stop_time = stop_time,
	};
}
