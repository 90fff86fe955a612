// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The access to memory for which a thread has got a signal. The instruction tells what it reads and
// writes. The pointer that it uses has come from somewhere: the instructions before it, in the same
// block, are followed back to the memory or register in which the source has a variable. What the
// memory holds now must lead to the address of the access again; else nothing is claimed.

#include "diagnose/fault.h"

#include <string.h>

#include "diagnose/room.h"
#include "libcode/code.h"

enum {
	MAX_STEPS = 256, // instructions of a block
	MAX_DEPTH = 24,	 // of values that are computed from others
	WORD = 8,
	FIRST_PAGE = 4096,	 // the kernel maps nothing there
	RED_ZONE = 128,		 // bytes below the stack pointer that a function may use
	LARGEST_FRAME = 1 << 30, // bytes
};

/** The instructions from the beginning of a block up to the one that failed. */
struct steps {
	struct process *process;
	struct ompdbg_registers registers; // now
	struct code_instruction *all;
	size_t count; // the last one failed
};

/** Pointers, each of which was read by way of the one before. */
struct chain {
	struct ompdbg_pointer pointers[OMPDBG_POINTERS];
	size_t count;
};

enum { MAX_CHAINS = 2 }; // of a sum either number may be a pointer

/** A number, and the pointers that it may have been computed from. */
struct origin {
	bool is_known;
	uint64_t value;
	struct chain chains[MAX_CHAINS];
	size_t num_chains;
};

static bool register_value(const struct steps *steps, unsigned int number, uint64_t *ret)
{
	if (number > OMPDBG_R15 || !(steps->registers.known & 1U << service_register(number)))
		return false;
	*ret = steps->registers.values[service_register(number)];
	return true;
}

/** Compute the address of an operand with the registers as they are now. */
static bool operand_address(const struct steps *steps, const struct code_operand *operand,
			    uint64_t *ret)
{
	uint64_t base = 0, index = 0;

	if (operand->kind != CODE_MEMORY || operand->segment != CODE_PLAIN || operand->implied ||
	    (operand->base != CODE_NO_REGISTER && !register_value(steps, operand->base, &base)) ||
	    (operand->index != CODE_NO_REGISTER && !register_value(steps, operand->index, &index)))
		return false;
	*ret = base + index * operand->scale + (uint64_t)operand->number;
	return true;
}

/** Check for an address that no memory can have: its upper bits are not all alike. */
static bool is_impossible(uint64_t address)
{
	const int unused = 16;

	return (uint64_t)((int64_t)(address << unused) >> unused) != address;
}

/** Check for an address at which no program has memory: a null pointer's, with a small offset. */
static bool is_null(uint64_t address)
{
	return address < FIRST_PAGE;
}

/** Find the operand that is at an address, or at one that no memory can have, if no other is. */
static const struct code_operand *accessed(const struct steps *steps,
					   const struct code_instruction *step,
					   const uint64_t *address, uint64_t *ret)
{
	const struct code_operand *found = NULL;

	for (unsigned int i = 0; i < step->operand_count; i++) {
		const struct code_operand *operand = &step->operands[i];
		uint64_t begin;
		if (operand->kind != CODE_MEMORY || !operand->access)
			continue;
		if (!operand_address(steps, operand, &begin))
			return NULL;
		if (address ? *address - begin >= (operand->width ? operand->width : 1) :
			      !is_impossible(begin) && !is_null(begin))
			continue;
		if (found)
			return NULL;
		found = operand;
		*ret = address ? *address : begin;
	}
	return found;
}

// ---- Where numbers come from -------------------------------------------------------------------

static struct origin register_origin(const struct steps *steps, unsigned int number, size_t before,
				     int depth);

static struct origin number_origin(uint64_t value)
{
	return (struct origin){ .is_known = true, .value = value };
}

/** Return the lower bytes of a number. A pointer has all. */
static struct origin lower_part(struct origin origin, unsigned int width, bool is_signed)
{
	if (width >= WORD)
		return origin;
	return (struct origin){
		.is_known = origin.is_known && width,
		.value = is_signed ? code_sign_extend(origin.value, width) :
				     code_truncate(origin.value, width),
	};
}

/** Add the pointers of a number to which another one was added. */
static void add_chains(struct origin *sum, const struct origin *number, uint64_t added)
{
	for (size_t i = 0; i < number->num_chains && sum->num_chains < MAX_CHAINS; i++) {
		struct chain *chain = &sum->chains[sum->num_chains++];
		*chain = number->chains[i];
		chain->pointers[chain->count - 1].offset += (int64_t)added;
	}
}

static struct origin sum_of(const struct origin *one, const struct origin *other)
{
	struct origin sum = { .is_known = one->is_known && other->is_known,
			      .value = one->value + other->value };

	if (sum.is_known) {
		add_chains(&sum, one, other->value);
		add_chains(&sum, other, one->value);
	}
	return sum;
}

static struct origin address_origin(const struct steps *steps, const struct code_operand *operand,
				    size_t before, int depth)
{
	struct origin sum = number_origin((uint64_t)operand->number);

	if (operand->segment != CODE_PLAIN)
		return (struct origin){ 0 };
	if (operand->base != CODE_NO_REGISTER) {
		struct origin base = register_origin(steps, operand->base, before, depth);
		sum = sum_of(&sum, &base);
	}
	if (operand->index != CODE_NO_REGISTER) {
		struct origin index = register_origin(steps, operand->index, before, depth);
		index.value *= operand->scale;
		if (operand->scale != 1)
			index.num_chains = 0;
		sum = sum_of(&sum, &index);
	}
	return sum;
}

/** Read a number from where it was read. */
static struct origin loaded(const struct steps *steps, const struct origin *address,
			    unsigned int width)
{
	struct origin origin = { 0 };

	if (!address->is_known || !width || width > WORD ||
	    !process_read(steps->process, address->value, &origin.value, width))
		return (struct origin){ 0 };
	origin.is_known = true;
	if (width < WORD)
		return origin;
	origin.num_chains = address->num_chains;
	memcpy(origin.chains, address->chains, sizeof(origin.chains));
	if (!origin.num_chains)
		origin.num_chains = 1;
	for (size_t i = 0; i < origin.num_chains; i++) {
		struct chain *chain = &origin.chains[i];
		if (chain->count == OMPDBG_POINTERS)
			chain->count = 0; // the last ones are enough
		chain->pointers[chain->count++] =
			(struct ompdbg_pointer){ .address = address->value };
	}
	return origin;
}

static struct origin operand_origin(const struct steps *steps, const struct code_operand *operand,
				    size_t before, int depth)
{
	if (operand->kind == CODE_IMMEDIATE)
		return number_origin((uint64_t)operand->number);
	if (operand->kind == CODE_REGISTER)
		return lower_part(register_origin(steps, operand->base, before, depth),
				  operand->width, false);
	if (operand->kind != CODE_MEMORY)
		return (struct origin){ 0 };
	struct origin address = address_origin(steps, operand, before, depth);
	return loaded(steps, &address, operand->width);
}

/** Compute what an instruction writes into a register. */
static struct origin result_origin(const struct steps *steps, size_t index, unsigned int number,
				   int depth)
{
	const struct code_instruction *step = &steps->all[index];
	const struct code_operand *inputs[2] = { NULL }, *result = NULL, *memory = NULL;
	struct origin one = { 0 }, other = { 0 }, found = { 0 };
	size_t count = 0;

	for (unsigned int i = 0; i < step->operand_count; i++) {
		const struct code_operand *operand = &step->operands[i];
		if (operand->access & CODE_WRITES && operand->kind == CODE_REGISTER &&
		    operand->base == number)
			result = operand;
		if (operand->kind == CODE_MEMORY)
			memory = operand;
		if (operand->access & CODE_READS || operand->kind == CODE_IMMEDIATE) {
			if (count == 2)
				return found;
			inputs[count++] = operand;
		}
	}
	if (step->kind != CODE_OTHER || !result || result->width < 4)
		return found;
	if (count > 0)
		one = operand_origin(steps, inputs[0], index, depth);
	if (count > 1)
		other = operand_origin(steps, inputs[1], index, depth);
	switch (step->operation) {
	case CODE_MOVE:
		found = count == 1 ? one : found;
		break;
	case CODE_MOVE_SIGNED:
		if (count == 1)
			found = lower_part(one, inputs[0]->width, true);
		break;
	case CODE_ADDRESS:
		if (memory)
			found = address_origin(steps, memory, index, depth);
		break;
	case CODE_ADD:
		if (count == 2)
			found = sum_of(&one, &other);
		break;
	case CODE_SUBTRACT:
		if (count == 2) {
			other.value = -other.value;
			other.num_chains = 0;
			found = sum_of(&one, &other);
		}
		break;
	case CODE_MULTIPLY:
		if (count == 2 && one.is_known && other.is_known)
			found = number_origin(one.value * other.value);
		break;
	case CODE_SHIFT_LEFT:
		if (count == 2 && one.is_known && other.is_known && other.value < 64)
			found = number_origin(one.value << other.value);
		break;
	case CODE_ZERO:
		found = number_origin(0);
		break;
	default:
		break;
	}
	return lower_part(found, result->width, false);
}

/** Find what was in a register before an instruction of the block. */
static struct origin register_origin(const struct steps *steps, unsigned int number, size_t before,
				     int depth)
{
	struct origin origin = { 0 };
	size_t written = before;
	uint64_t now;

	if (depth == MAX_DEPTH || number >= CODE_GENERAL)
		return origin;
	while (written && !code_may_write(&steps->all[written - 1], number))
		written--;
	if (written)
		origin = result_origin(steps, written - 1, number, depth + 1);
	for (size_t i = before; i + 1 < steps->count; i++) {
		if (code_may_write(&steps->all[i], number))
			return origin;
	}
	// It is as it was.
	if (!register_value(steps, number, &now) || (origin.is_known && origin.value != now))
		return (struct origin){ 0 };
	origin.is_known = true;
	origin.value = now;
	if (!origin.num_chains)
		origin.chains[origin.num_chains++].count = 1;
	for (size_t i = 0; i < origin.num_chains; i++) {
		struct chain *chain = &origin.chains[i];
		struct ompdbg_pointer *last = &chain->pointers[chain->count - 1];
		if (last->offset)
			continue;
		last->in_register = true;
		last->reg = service_register(number);
	}
	return origin;
}

// ---- Names -------------------------------------------------------------------------------------

/** Decode the block of an instruction up to it, or the instruction alone if it is unknown from where
 *  control may come to it. */
static bool decode_steps(struct steps *steps, uint64_t pc)
{
	struct process *process = steps->process;
	struct code_reader *code = process_code(process);
	struct ompdbg_function function;
	struct code_flow flow;
	uint64_t at = pc;

	steps->all = ARENA_ARRAY(&process->arena, struct code_instruction, MAX_STEPS);
	if (is_ok(SERVICE(process, function_at, pc, &function)) &&
	    function_flow(process, function.start, &flow) && flow.is_complete) {
		const struct code_block *block = code_flow_block(&flow, pc);
		at = block ? block->begin : pc;
	}
	for (steps->count = 0; at <= pc && steps->count < MAX_STEPS; steps->count++) {
		struct code_instruction *step = &steps->all[steps->count];
		if (code_decode(code, at, step) != CODE_OK)
			return false;
		at = code_end(step);
		if (step->address == pc) {
			steps->count++;
			return true;
		}
	}
	return false;
}

/** Name what an operand accesses, if all ways that lead to a variable say the same. */
static void name_access(const struct steps *steps, struct thread *thread,
			const struct code_operand *operand, struct fault *fault)
{
	const struct stack_frame *frame = stack_frame(thread_stack(thread), 0);
	struct origin address = address_origin(steps, operand, steps->count - 1, 0);

	if (!address.is_known || !frame || !steps->process->services->access_name)
		return;
	for (size_t i = 0; i < address.num_chains; i++) {
		const struct chain *chain = &address.chains[i];
		const char *name, *last;
		if (!is_ok(SERVICE(steps->process, access_name, thread->target->number, &frame->at,
				   chain->pointers, chain->count, address.value, operand->width,
				   &name, &last)))
			continue;
		if (fault->expression && strcmp(fault->expression, name) != 0) {
			fault->expression = fault->pointer = NULL;
			return;
		}
		const int64_t offset = chain->pointers[chain->count - 1].offset;
		fault->expression = name;
		fault->pointer = address.value == (uint64_t)offset ? last : NULL;
	}
}

/** Find where the frame of a thread's innermost function ends. */
static bool end_of_frame(struct thread *thread, uint64_t *ret)
{
	struct stack *stack = thread_stack(thread);
	struct stack_frame *frame = stack_frame(stack, 0);

	for (size_t i = 1; frame && frame->at.is_inlined; i++)
		frame = stack_frame(stack, i);
	frame = frame ? stack_frame(stack, frame->index + 1) : NULL;
	return frame && is_ok(SERVICE(thread->runtime->process, frame_register,
				      thread->target->number, &frame->at, OMPDBG_RSP, ret));
}

/** Check for an access near the stack pointer: below it, or in the frame of a function that has moved it
 *  there. It has failed, so there is no stack. What a debugger can read there proves nothing: it may read
 *  pages that protect stacks. */
static bool is_below_stack(const struct steps *steps, struct thread *thread, uint64_t address)
{
	uint64_t stack, end;

	if (!(steps->registers.known & 1U << OMPDBG_RSP))
		return false;
	stack = steps->registers.values[OMPDBG_RSP];
	if (address - (stack - RED_ZONE) >= LARGEST_FRAME)
		return false;
	return address < stack || (end_of_frame(thread, &end) && address < end);
}

/** Find the operand at the end of the stack of an instruction for whose fault the kernel names no address,
 *  though memory can have that of each operand. That is so if there is a handler for the signal, and no
 *  stack for it either. */
static const struct code_operand *at_stack_end(const struct steps *steps, struct thread *thread,
					       const struct code_instruction *step, uint64_t *ret)
{
	const struct code_operand *found = NULL;

	for (unsigned int i = 0; i < step->operand_count; i++) {
		const struct code_operand *operand = &step->operands[i];
		uint64_t begin = steps->registers.values[OMPDBG_RSP] - WORD;

		if (operand->kind != CODE_MEMORY || !operand->access)
			continue;
		if (operand->implied ? operand->access != CODE_WRITES :
				       !operand_address(steps, operand, &begin))
			return NULL;
		// There is no address of those that are not aligned, either.
		if (operand->width > WORD && begin % operand->width)
			return NULL;
		if (is_below_stack(steps, thread, begin)) {
			found = operand;
			*ret = begin;
		}
	}
	return found;
}

/** Read the registers of a thread, and where it is. */
static bool read_registers(struct steps *steps, struct thread *thread, uint64_t *pc)
{
	const uint32_t wanted = (UINT32_C(1) << (OMPDBG_RIP + 1)) - 1;

	if (!is_ok(SERVICE(steps->process, registers, thread->target->number, wanted,
			   &steps->registers)) ||
	    !(steps->registers.known & 1U << OMPDBG_RIP))
		return false;
	*pc = steps->registers.values[OMPDBG_RIP];
	return true;
}

bool thread_divisor(struct thread *thread, uint64_t *ret)
{
	struct process *process = thread->runtime->process;
	struct steps steps = { .process = process };
	struct code_instruction last;
	uint64_t pc, address;

	if (!read_registers(&steps, thread, &pc) ||
	    code_decode(process_code(process), pc, &last) != CODE_OK || !last.operand_count)
		return false;
	// The numbers that it divides are in registers that are implied.
	const struct code_operand *operand = &last.operands[0];
	if (!operand->width || operand->width > WORD || operand->access != CODE_READS)
		return false;
	*ret = 0;
	if (operand->kind == CODE_MEMORY)
		return operand_address(&steps, operand, &address) &&
		       process_read(process, address, ret, operand->width);
	if (operand->kind != CODE_REGISTER || !register_value(&steps, operand->base, ret))
		return false;
	*ret = code_truncate(*ret, operand->width);
	return true;
}

struct fault thread_fault(struct thread *thread, const uint64_t *address)
{
	struct process *process = thread->runtime->process;
	struct steps steps = { .process = process };
	struct fault fault = { .has_address = address, .address = address ? *address : 0 };
	struct code_instruction last;
	uint64_t pc;

	if (!read_registers(&steps, thread, &pc))
		return fault;
	if (address && pc == *address) {
		fault.kind = FAULT_JUMP;
		return fault;
	}
	fault.is_below_stack = address && is_below_stack(&steps, thread, *address);
	if (code_decode(process_code(process), pc, &last) != CODE_OK)
		return fault;
	const struct code_operand *operand = accessed(&steps, &last, address, &fault.address);
	if (!operand && !address) {
		operand = at_stack_end(&steps, thread, &last, &fault.address);
		fault.is_below_stack = operand;
	}
	if (!operand)
		return fault;
	fault.has_address = true;
	if (operand->access == CODE_READS)
		fault.kind = FAULT_READ;
	else if (operand->access == CODE_WRITES)
		fault.kind = FAULT_WRITE;
	if (decode_steps(&steps, pc))
		name_access(&steps, thread, operand, &fault);
	return fault;
}
