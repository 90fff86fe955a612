// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the location of a variable may depend on: registers of a frame, and of the frames around it.

#include "services/values/expression.h"

#include <dwarf.h>
#include <string.h>

enum { VECTOR_SIZE = 16 };

// ---- Contexts --------------------------------------------------------------------------------

/** Find the function of a frame. */
static void find_function(struct frame_context *context)
{
	uint64_t address = context_address(context);
	struct unit *unit = unit_at(context->services, address);

	if (!unit_function(unit, address, &context->function))
		return;
	const char *producer = unit_producer(unit);
	context->unit = unit;
	context->bias = unit->bias;
	context->is_llvms = *producer && !starts_with(producer, "GNU ");
}

static void read_registers(struct frame_context *context, const struct target_frame *pushed)
{
	struct target_services *services = context->services;
	struct ompdbg_registers innermost;
	const uint32_t all = (UINT32_C(1) << FIRST_VECTOR) - 1;

	for (size_t i = 0; i < TARGET_KEPT_REGISTERS; i++) {
		if (pushed->known[i]) {
			context->known |= UINT32_C(1) << target_kept_registers[i];
			context->registers[target_kept_registers[i]] = pushed->kept[i];
		}
	}
	if (context->pushed)
		return;
	innermost = registers_of(services, context->thread, all);
	for (size_t i = 0; i < FIRST_VECTOR; i++) {
		if (innermost.known & UINT32_C(1) << i)
			context->registers[i] = innermost.values[i];
	}
	context->known |= innermost.known;
	context->vectors = target_thread_vectors(services->target, context->thread);
}

/** Find what is known of a frame that was pushed. NULL: there is none. */
static struct frame_context *pushed_context(struct target_services *services, size_t thread,
					    size_t index)
{
	struct frame_context **known = (struct frame_context **)table_put(
		&services->contexts, &services->stop, (uint64_t)thread << 32 | index);
	struct target_frame pushed;
	bool is_call;

	if (*known)
		return *known;
	if (!stack_pushed(services, thread, index, &pushed, &is_call))
		return NULL;
	struct frame_context *context = ARENA_NEW(&services->stop, struct frame_context);
	*known = context;
	*context = (struct frame_context){
		.services = services,
		.thread = thread,
		.pushed = index,
		.pc = pushed.pc,
		.is_call = is_call,
	};
	read_registers(context, &pushed);
	find_function(context);
	return context;
}

struct frame_context *frame_context(struct target_services *services, size_t thread,
				    const struct ompdbg_frame *frame)
{
	size_t index;

	if (frame_pushed(frame, &index))
		return pushed_context(services, thread, index);
	// A jump leaves nothing.
	struct frame_context *context = ARENA_NEW(&services->stop, struct frame_context);
	*context = (struct frame_context){
		.services = services,
		.thread = thread,
		.pushed = NOT_PUSHED,
		.pc = frame->pc,
		.is_call = true,
	};
	find_function(context);
	return context;
}

/** Find the next older frame; NULL: there is none. */
static struct frame_context *older(const struct frame_context *context)
{
	if (context->pushed == NOT_PUSHED)
		return NULL;
	return pushed_context(context->services, context->thread, context->pushed + 1);
}

uint64_t context_address(const struct frame_context *context)
{
	return context->pc - context->is_call - context->bias;
}

// ---- Registers -------------------------------------------------------------------------------

const char *context_register(const struct frame_context *context, uint64_t number, uint64_t *ret)
{
	struct target_services *services = context->services;

	// LLVM's places relative to the stack pointer do without what is pushed for a call.
	if (number == OMPDBG_RSP && context->is_llvms)
		return MAYBE_WRONG;
	if (number < FIRST_VECTOR && context->known & UINT32_C(1) << number) {
		*ret = context->registers[number];
		return NULL;
	}
	if (number >= FIRST_VECTOR && number < NUM_DWARF_REGISTERS && context->vectors) {
		memcpy(ret, context->vectors + (number - FIRST_VECTOR) * VECTOR_SIZE, VECTOR_SIZE);
		return NULL;
	}
	if (number >= NUM_DWARF_REGISTERS)
		return unavailable(services, "unsupported register %llu",
				   (unsigned long long)number);
	if (context->is_call)
		return OPTIMIZED_OUT;
	if (number < FIRST_VECTOR)
		return unavailable(services, "register %s was not saved",
				   target_register_names[number]);
	return unavailable(services, "register xmm%u was not saved",
			   (unsigned int)number - FIRST_VECTOR);
}

const char *context_base(const struct frame_context *context, int depth, uint64_t *ret)
{
	struct expression_place place = { context, NULL, depth };
	Dwarf_Die function = context->function;
	struct target_location found;

	if (!target_location(&function, DW_AT_frame_base, context_address(context), &found))
		return unavailable(context->services, "unknown frame base");
	return expression_number(&place, &found, ret);
}

const char *context_caller_stack(const struct frame_context *context, uint64_t *ret)
{
	const struct frame_context *caller = older(context);

	if (!caller || !(caller->known & UINT32_C(1) << OMPDBG_RSP))
		return OPTIMIZED_OUT;
	*ret = caller->registers[OMPDBG_RSP];
	return NULL;
}

const char *context_thread_local(const struct frame_context *context, uint64_t offset,
				 uint64_t *ret)
{
	struct target_services *services = context->services;
	ssize_t index = object_index_at(services, context->pc);
	uint64_t link_map = index < 0 ? 0 : services->objects.all[index].link_map;

	if (index < 0 || (!link_map && index != services->objects.program) ||
	    !target_thread_local(services->target, context->thread, link_map, offset, ret))
		return unavailable(services, "no thread-local storage in this thread");
	return NULL;
}

// ---- Calls -----------------------------------------------------------------------------------

/** Compute a number of which an entry of a call in a frame has the expression, under one of two names. */
static const char *number_of_call(const struct frame_context *caller, Dwarf_Die *die,
				  unsigned int name, unsigned int gnu_name, int depth,
				  uint64_t *ret)
{
	struct expression_place place = { caller, NULL, depth };
	uint64_t address = context_address(caller);
	struct target_location found;

	if (!target_location(die, name, address, &found) &&
	    !target_location(die, gnu_name, address, &found))
		return OPTIMIZED_OUT;
	return expression_number(&place, &found, ret);
}

/** Find where the function begins that a call in a frame is to. */
static bool find_called(const struct frame_context *caller, struct target_call *call, int depth,
			uint64_t *ret)
{
	if (call->has_callee)
		return unit_function_start(caller->unit, &call->callee, ret);
	return !number_of_call(caller, &call->entry, DW_AT_call_target, DW_AT_GNU_call_site_target,
			       depth, ret);
}

/** Check that a call is to the function of a frame, not to one that left no trace. */
static bool is_called_by(const struct frame_context *context, const struct frame_context *caller,
			 struct target_call *call, int depth)
{
	Dwarf_Die function = context->function;
	uint64_t start, called;

	return unit_entry(context->unit, &function, &start) &&
	       find_called(caller, call, depth, &called) && called == start &&
	       !tail_calls_may_return_to(context->services, start);
}

static bool is_parameter_in(Dwarf_Die *parameter, uint64_t number)
{
	int tag = dwarf_tag(parameter);
	struct target_location place;
	uint64_t found;

	return (tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter) &&
	       target_location(parameter, DW_AT_location, 0, &place) &&
	       operation_register(place.operations, &found) && found == number;
}

/** A call that is looked for by the address to which it returns. */
struct wanted_call {
	uint64_t returns;
	bool is_found;
	struct target_call call;
};

static bool take_call(void *context, struct target_call *call)
{
	struct wanted_call *wanted = context;

	wanted->is_found = call->returns == wanted->returns;
	wanted->call = *call;
	return !wanted->is_found;
}

const char *context_entry_register(const struct frame_context *context, uint64_t number, int depth,
				   uint64_t *ret)
{
	const struct frame_context *caller = older(context);
	Dwarf_Die function, child;

	if (!caller || !caller->unit || !context->unit)
		return OPTIMIZED_OUT;
	struct wanted_call wanted = { .returns = caller->pc - caller->bias };
	function = caller->function;
	target_visit_calls(&function, take_call, &wanted);
	if (!wanted.is_found || !is_called_by(context, caller, &wanted.call, depth))
		return OPTIMIZED_OUT;
	for (bool more = dwarf_child(&wanted.call.entry, &child) == 0; more;
	     more = target_next(&child)) {
		if (is_parameter_in(&child, number))
			return number_of_call(caller, &child, DW_AT_call_value,
					      DW_AT_GNU_call_site_value, depth, ret);
	}
	return OPTIMIZED_OUT;
}
