// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function does to memory, by following its instructions with symbolic registers.

#include <string.h>

#include "value.h"

enum {
	PENDING = 64,  // paths that wait to be followed
	FORKS = 4,     // times that one branch is followed both ways
	STEPS = 32768, // instructions over all paths
	DECODED = 512, // that are kept: paths have much in common
	WORD = 8,
};

struct state {
	uint64_t pc;
	struct code_value reg[CODE_GENERAL];
};

/** One exploration. */
struct explorer {
	struct code_reader *reader;
	const struct code_architecture *architecture;
	const struct code_exploration *what;
	struct code_report *report;
	unsigned int steps;
	unsigned int pending_count;
	uint8_t forks[CODE_WINDOW]; // by offset of the instruction in the function
	struct state pending[PENDING];
	struct code_instruction decoded[DECODED]; // of size 0: none
};

enum step {
	STEP_NEXT, // state->pc is the next instruction
	STEP_END,  // the path leaves the function as it should
	STEP_LOST, // not understood, or out of the window
};

static const struct code_value unknown = { .base = CODE_NO_VALUE };

// ---- Values ----------------------------------------------------------------------------------

// The slot of the global offset table that held this value becomes known as such.
static void mark_thread_slot(struct code_report *report, int64_t slot)
{
	for (unsigned int i = 0; i < report->count; i++) {
		struct code_access *access = &report->access[i];

		if (code_is_number(&access->address) && access->address.offset[0] == slot)
			access->thread_slot = true;
	}
}

// The sum, where it can be expressed; a thread-local variable's offset is looked up.
static struct code_value sum(struct explorer *explorer, const struct code_value *a,
			     const struct code_value *b)
{
	uint64_t word;

	if (a->base == CODE_NO_VALUE || b->base == CODE_NO_VALUE)
		return unknown;
	if (code_is_number(b))
		return code_value_plus(*a, b->offset[0]);
	if (code_is_number(a))
		return code_value_plus(*b, a->offset[0]);
	if (b->base == CODE_THREAD && b->depth == 0) {
		const struct code_value *other = a;

		a = b;
		b = other;
	}
	if (a->base != CODE_THREAD || a->depth != 0 || b->base != CODE_FIXED || b->depth != 1)
		return unknown;
	if (code_read_word(explorer->reader, (uint64_t)b->offset[0], &word) != CODE_OK)
		return unknown;
	mark_thread_slot(explorer->report, b->offset[0]);
	return code_value_plus(code_value_plus(*a, (int64_t)word), b->offset[1]);
}

static struct code_value negative(const struct code_value *value)
{
	return code_is_number(value) ? code_number((int64_t) - (uint64_t)value->offset[0]) :
				       unknown;
}

// A number cut to a width, with or without its sign; anything else only as a whole.
static struct code_value narrow(const struct code_value *value, unsigned int width, bool is_signed)
{
	const unsigned int bits = 8 * width;

	if (width >= WORD)
		return *value;
	if (!width || !code_is_number(value))
		return unknown;
	const uint64_t low = (uint64_t)value->offset[0] & ((UINT64_C(1) << bits) - 1);

	if (is_signed && low >> (bits - 1))
		return code_number((int64_t)(low | ~UINT64_C(0) << bits));
	return code_number((int64_t)low);
}

// ---- Accesses --------------------------------------------------------------------------------

static struct code_access *find_access(struct code_report *report, const struct code_access *what)
{
	for (unsigned int i = 0; i < report->count; i++) {
		struct code_access *known = &report->access[i];

		if (known->kind == what->kind && known->width == what->width &&
		    code_value_equal(&known->address, &what->address))
			return known;
	}
	return NULL;
}

// Note an access and return the word that a read of 8 bytes gives.
static struct code_value touch(struct explorer *explorer, const struct code_value *address,
			       enum code_access_kind kind, unsigned int width)
{
	struct code_report *report = explorer->report;
	const struct code_access access = {
		.address = *address,
		.kind = (uint8_t)kind,
		.width = (uint16_t)width,
	};

	if (address->base == CODE_NO_VALUE || address->base == CODE_STACK)
		return unknown;
	if (!width && kind != CODE_PASSED) { // so much is not known
		report->cut = true;
		return unknown;
	}
	if (!find_access(report, &access)) {
		if (report->count == CODE_ACCESSES) {
			report->complete = false;
			return unknown;
		}
		report->access[report->count++] = access;
	}
	return width == WORD ? code_value_load(address) : unknown;
}

static struct code_value operand_address(struct explorer *explorer, const struct state *state,
					 const struct code_operand *operand)
{
	struct code_value address = code_number(0);

	if (operand->segment == CODE_ELSEWHERE)
		return unknown;
	if (operand->base != CODE_NO_REGISTER)
		address = state->reg[operand->base];
	if (operand->index != CODE_NO_REGISTER) {
		struct code_value index = state->reg[operand->index];

		if (explorer->what->any_element && operand->scale == WORD &&
		    index.base == CODE_NO_VALUE)
			index = code_number(0);
		if (code_is_number(&index))
			index.offset[0] = (int64_t)((uint64_t)index.offset[0] * operand->scale);
		else if (operand->scale != 1)
			index = unknown;
		address = sum(explorer, &address, &index);
	}
	address = code_value_plus(address, operand->number);
	if (operand->segment == CODE_THREAD_LOCAL) {
		const struct code_value thread = { .base = CODE_THREAD };

		address = sum(explorer, &thread, &address);
	}
	return address;
}

// The thread pointer is stored at the address that it points to.
static bool is_thread_pointer(const struct code_operand *operand)
{
	return operand->segment == CODE_THREAD_LOCAL && operand->base == CODE_NO_REGISTER &&
	       operand->index == CODE_NO_REGISTER && operand->number == 0 &&
	       operand->width == WORD && operand->access == CODE_READS;
}

// Note what the instruction does to an operand in memory; return the word that is read.
static struct code_value access_memory(struct explorer *explorer, const struct state *state,
				       const struct code_operand *operand)
{
	const struct code_value address = operand_address(explorer, state, operand);

	if (is_thread_pointer(operand))
		return address;
	if (!operand->access)
		return address;
	return touch(explorer, &address,
		     operand->access == CODE_READS  ? CODE_READ :
		     operand->access == CODE_WRITES ? CODE_WRITE :
						      CODE_UPDATE,
		     operand->width);
}

// ---- Instructions ----------------------------------------------------------------------------

/** Operands of an instruction, evaluated. */
struct inputs {
	const struct code_operand *result; // NULL: none, or in memory
	unsigned int count;
	unsigned int width; // of the last one
	struct code_value value[2];
};

// Check whether the result is anything but unknown, so that the inputs matter.
static bool needs_inputs(enum code_operation operation)
{
	switch (operation) {
	case CODE_MOVE:
	case CODE_MOVE_SIGNED:
	case CODE_MOVE_IF:
	case CODE_ADDRESS:
	case CODE_ADD:
	case CODE_SUBTRACT:
		return true;
	default:
		return false;
	}
}

static struct code_value get_operand(struct explorer *explorer, const struct state *state,
				     const struct code_operand *operand)
{
	switch (operand->kind) {
	case CODE_MEMORY:
		return access_memory(explorer, state, operand);
	case CODE_IMMEDIATE:
		return code_number(operand->number);
	case CODE_REGISTER:
		if (operand->base < CODE_GENERAL)
			return narrow(&state->reg[operand->base], operand->width, false);
		return unknown;
	default:
		return unknown;
	}
}

// Note what is accessed, and find the inputs if they matter.
static void evaluate(struct explorer *explorer, const struct state *state,
		     const struct code_instruction *instruction, struct inputs *ret)
{
	const bool is_needed = needs_inputs(instruction->operation);

	ret->result = NULL;
	ret->count = 0;
	ret->width = 0;
	ret->value[0] = ret->value[1] = unknown;
	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const struct code_operand *operand = &instruction->operands[i];
		const bool is_input = is_needed && operand->access != CODE_WRITES &&
				      !operand->implied && ret->count < 2;

		if (operand->kind == CODE_REGISTER && operand->access & CODE_WRITES && !ret->result)
			ret->result = operand;
		if (is_input) {
			ret->width = operand->width;
			ret->value[ret->count++] = get_operand(explorer, state, operand);
		} else if (operand->kind == CODE_MEMORY) {
			access_memory(explorer, state, operand);
		}
	}
}

static struct code_value compute(struct explorer *explorer, enum code_operation operation,
				 const struct inputs *inputs)
{
	struct code_value other;

	switch (operation) {
	case CODE_MOVE:
	case CODE_ADDRESS:
		return inputs->value[0];
	case CODE_MOVE_SIGNED:
		return narrow(&inputs->value[0], inputs->width, true);
	case CODE_ADD:
		return sum(explorer, &inputs->value[0], &inputs->value[1]);
	case CODE_SUBTRACT:
		other = negative(&inputs->value[1]);
		return sum(explorer, &inputs->value[0], &other);
	case CODE_ZERO:
		return code_number(0);
	default:
		return unknown;
	}
}

static void set_register(struct state *state, const struct code_operand *operand,
			 const struct code_value *value)
{
	if (operand->base >= CODE_GENERAL)
		return;
	if (operand->width == WORD)
		state->reg[operand->base] = *value;
	else if (operand->width == 4) // clears the upper half
		state->reg[operand->base] = narrow(value, 4, false);
	else
		state->reg[operand->base] = unknown;
}

// Copy the registers that the architecture has.
static void copy_state(const struct explorer *explorer, struct state *to, const struct state *from)
{
	to->pc = from->pc;
	memcpy(to->reg, from->reg, explorer->architecture->register_count * sizeof(from->reg[0]));
}

static bool fork_path(struct explorer *explorer, const struct state *state, uint64_t pc)
{
	const uint64_t site = state->pc - explorer->what->entry;

	if (explorer->forks[site] == FORKS) {
		explorer->report->cut = true;
		return false;
	}
	if (explorer->pending_count == PENDING) {
		explorer->report->complete = false;
		return false;
	}
	explorer->forks[site]++;
	copy_state(explorer, &explorer->pending[explorer->pending_count], state);
	explorer->pending[explorer->pending_count].pc = pc;
	explorer->pending_count++;
	return true;
}

// Go on without the move, and on another path with it. Inputs are the old contents and the new
// ones.
static void move_if(struct explorer *explorer, struct state *state,
		    const struct code_instruction *instruction, const struct inputs *inputs)
{
	const struct code_operand *result = inputs->result;

	if (!result || result->base >= CODE_GENERAL)
		return;
	const struct code_value old = state->reg[result->base];

	if (code_value_equal(&inputs->value[1], &old))
		return;
	set_register(state, result, &inputs->value[1]);
	state->reg[result->base] = fork_path(explorer, state, code_end(instruction)) ? old :
										       unknown;
}

static void forget(struct state *state, uint64_t registers)
{
	uint64_t left = registers & UINT32_MAX; // the general ones

	for (; left; left &= left - 1)
		state->reg[__builtin_ctzll(left)].base = CODE_NO_VALUE;
}

static void follow(struct explorer *explorer, struct state *state,
		   const struct code_instruction *instruction)
{
	const unsigned int stack = explorer->architecture->stack_register;
	struct inputs inputs;

	evaluate(explorer, state, instruction, &inputs);
	if (instruction->operation == CODE_MOVE_IF) {
		move_if(explorer, state, instruction, &inputs);
		return;
	}
	if (instruction->operation == CODE_PUSH || instruction->operation == CODE_POP) {
		const struct code_value pointer = state->reg[stack];

		forget(state, instruction->writes);
		state->reg[stack] = code_value_plus(
			pointer, instruction->operation == CODE_PUSH ? -WORD : WORD);
		return;
	}
	const struct code_value value = compute(explorer, instruction->operation, &inputs);

	forget(state, instruction->writes);
	if (inputs.result)
		set_register(state, inputs.result, &value);
}

// ---- Calls and jumps -------------------------------------------------------------------------

static bool is_inside(const struct explorer *explorer, uint64_t pc)
{
	return pc - explorer->what->entry < explorer->what->size;
}

static void note_passed(struct explorer *explorer, const struct state *state)
{
	touch(explorer, &state->reg[explorer->architecture->arguments[0]], CODE_PASSED, 0);
}

static void note_callee(struct code_report *report, uint64_t function)
{
	for (unsigned int i = 0; i < report->callee_count; i++) {
		if (report->callee[i] == function)
			return;
	}
	if (report->callee_count < CODE_CALLEES)
		report->callee[report->callee_count++] = function;
}

static enum step jump(struct explorer *explorer, struct state *state, uint64_t pc)
{
	if (is_inside(explorer, pc)) {
		state->pc = pc;
		return STEP_NEXT;
	}
	note_passed(explorer, state); // a tail call
	explorer->report->tail = pc;
	return STEP_END;
}

// A loop that had its turns ends here as if it never came back: nothing new comes after it.
static enum step jump_backward(struct explorer *explorer, struct state *state, uint64_t pc)
{
	const uint64_t site = state->pc - explorer->what->entry;

	if (pc > state->pc || !is_inside(explorer, pc))
		return jump(explorer, state, pc);
	if (explorer->forks[site] == FORKS) {
		explorer->report->cut = true;
		return STEP_END;
	}
	explorer->forks[site]++;
	return jump(explorer, state, pc);
}

static enum step jump_through(struct explorer *explorer, struct state *state,
			      const struct code_instruction *instruction)
{
	if (!instruction->operand_count || !code_is_absolute(&instruction->operands[0]))
		return STEP_LOST;     // a switch
	note_passed(explorer, state); // a tail call of another library's function
	return STEP_END;
}

static enum step branch(struct explorer *explorer, struct state *state,
			const struct code_instruction *instruction)
{
	struct inputs inputs;

	switch (instruction->kind) {
	case CODE_JUMP:
		if (!instruction->is_direct)
			return jump_through(explorer, state, instruction);
		return jump_backward(explorer, state, instruction->target);
	case CODE_JUMP_IF:
		if (!is_inside(explorer, instruction->target))
			explorer->report->complete = false;
		else if (!fork_path(explorer, state, instruction->target))
			return STEP_END;
		break;
	default:
		evaluate(explorer, state, instruction, &inputs); // reads the pointer
		if (instruction->is_direct)
			note_callee(explorer->report, instruction->target);
		note_passed(explorer, state);
		forget(state, ~explorer->architecture->kept);
		break;
	}
	state->pc = code_end(instruction);
	return STEP_NEXT;
}

// The instruction at @p address; NULL if there is none.
static const struct code_instruction *decode(struct explorer *explorer, uint64_t address)
{
	struct code_instruction *kept = &explorer->decoded[address % DECODED];

	if (kept->size && kept->address == address)
		return kept;
	if (code_decode(explorer->reader, address, kept) == CODE_OK)
		return kept;
	kept->size = 0;
	return NULL;
}

static enum step step(struct explorer *explorer, struct state *state)
{
	const struct code_instruction *instruction =
		is_inside(explorer, state->pc) ? decode(explorer, state->pc) : NULL;

	if (!instruction)
		return STEP_LOST;
	switch (instruction->kind) {
	case CODE_RETURN:
	case CODE_TRAP:
		return STEP_END;
	case CODE_OTHER:
		follow(explorer, state, instruction);
		state->pc = code_end(instruction);
		return STEP_NEXT;
	default:
		return branch(explorer, state, instruction);
	}
}

void code_explore(struct code_reader *reader, const struct code_exploration *exploration,
		  struct code_report *report)
{
	const struct code_architecture *architecture = reader->architecture;
	struct code_exploration what = *exploration;
	struct explorer explorer;
	struct state state;

	explorer.reader = reader;
	explorer.architecture = architecture;
	explorer.what = &what;
	explorer.report = report;
	explorer.steps = 0;
	memset(explorer.forks, 0, sizeof(explorer.forks));
	memset(&explorer.pending[0], 0, sizeof(explorer.pending[0]));
	for (size_t i = 0; i < DECODED; i++)
		explorer.decoded[i].size = 0;

	if (what.size > CODE_WINDOW)
		what.size = CODE_WINDOW;
	if (!what.further)
		report->count = 0;
	report->callee_count = 0;
	report->complete = true;
	report->cut = false;
	report->tail = 0;
	explorer.pending[0].pc = what.entry;
	explorer.pending[0].reg[architecture->stack_register].base = CODE_STACK;
	explorer.pending[0].reg[architecture->arguments[0]].base = CODE_ARGUMENT;
	explorer.pending_count = 1;
	while (explorer.pending_count) {
		enum step result = STEP_NEXT;

		copy_state(&explorer, &state, &explorer.pending[--explorer.pending_count]);
		while (result == STEP_NEXT && explorer.steps++ < STEPS)
			result = step(&explorer, &state);
		if (result != STEP_END)
			report->complete = false;
	}
}
