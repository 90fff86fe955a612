// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One round of a loop, carried out on what a thread has. If the thread comes back to where it is with
// nothing changed, it does so again and again, until another thread, or a signal, changes what it reads.

#include <string.h>

#include "code.h"

enum { MAX_STEPS = 1024, MAX_ROUNDS = 16, WORD = 8 };

struct round {
	struct code_reader *reader;
	struct code_machine *machine;
	const struct code_round_query *query;
	struct code_round *ret;
	uint64_t pc;
	bool takes;	// the jump of which it is unknown
	uint64_t other; // the way that it did not go; 0: there was none so far
};

/** Everything that a round leaves to the next. */
struct left {
	struct code_known registers[CODE_GENERAL];
	struct code_comparison comparison;
	struct {
		uint64_t address;
		uint16_t width;
		struct code_known value;
	} stores[CODE_STORES];
	size_t num_stores;
};

// ---- Memory ------------------------------------------------------------------------------------

static bool is_own(const struct round *round, uint64_t address)
{
	return address >= round->query->stack_begin && address < round->query->stack_end;
}

static bool note_read(struct round *round, uint64_t address, unsigned int width)
{
	const struct code_known place = { .known = true, .bits = address };
	struct code_round *ret = round->ret;

	for (unsigned int i = 0; i < ret->count; i++) {
		if (ret->reads[i].address == address && ret->reads[i].width == width)
			return true;
	}
	if (ret->count == CODE_ROUND_READS)
		return false;
	const struct code_known value = code_load(round->machine, place, width);
	ret->reads[ret->count++] = (struct code_round_read){
		.address = address,
		.width = (uint16_t)width,
		.value = value.known ? code_truncate(value.bits, width) : 0,
	};
	return true;
}

/** Note what an instruction reads. @return false: it writes elsewhere than into the thread's own stack, or
 *  more than can be followed. */
static bool note_accesses(struct round *round, const struct code_instruction *insn)
{
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct code_operand *operand = &insn->operands[i];

		if (operand->kind != CODE_MEMORY || !operand->access || operand->implied)
			continue;
		const struct code_known address = code_operand_address(round->machine, operand);
		if (operand->access & CODE_WRITES && address.known && operand->width &&
		    !is_own(round, address.bits)) {
			round->ret->leaves = true;
			return false;
		}
		if (operand->access & CODE_WRITES &&
		    (!address.known || !operand->width ||
		     round->machine->num_stores >= CODE_STORES - 1))
			return false;
		if (operand->access & CODE_READS && address.known && operand->width &&
		    !note_read(round, address.bits, operand->width))
			return false;
	}
	return true;
}

/** Keep the last store to each place. */
static void compact_stores(struct code_machine *machine)
{
	size_t kept = 0;

	for (size_t i = 0; i < machine->num_stores; i++) {
		bool is_last = true;

		for (size_t k = i + 1; k < machine->num_stores && is_last; k++)
			is_last = machine->stores[k].address != machine->stores[i].address ||
				  machine->stores[k].width < machine->stores[i].width;
		if (is_last)
			machine->stores[kept++] = machine->stores[i];
	}
	machine->num_stores = kept;
}

// ---- Rounds ------------------------------------------------------------------------------------

static bool is_same(const struct code_known *a, const struct code_known *b)
{
	return a->known == b->known && (!a->known || a->bits == b->bits);
}

static void keep(const struct code_machine *machine, struct left *ret)
{
	memcpy(ret->registers, machine->registers, sizeof(ret->registers));
	ret->comparison = machine->comparison;
	ret->num_stores = machine->num_stores;
	for (size_t i = 0; i < machine->num_stores; i++) {
		ret->stores[i].address = machine->stores[i].address;
		ret->stores[i].width = machine->stores[i].width;
		ret->stores[i].value = machine->stores[i].value;
	}
}

static bool is_unchanged(const struct left *before, const struct code_machine *machine)
{
	const struct code_comparison *a = &before->comparison, *b = &machine->comparison;

	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
		if (!is_same(&before->registers[reg], &machine->registers[reg]))
			return false;
	}
	if (a->known != b->known ||
	    (a->known && (a->is_test != b->is_test || a->width != b->width || a->left != b->left ||
			  a->right != b->right)) ||
	    before->num_stores != machine->num_stores)
		return false;
	for (size_t i = 0; i < machine->num_stores; i++) {
		if (before->stores[i].address != machine->stores[i].address ||
		    before->stores[i].width != machine->stores[i].width ||
		    !is_same(&before->stores[i].value, &machine->stores[i].value))
			return false;
	}
	return true;
}

// ---- Ways --------------------------------------------------------------------------------------

static bool go_back(struct round *round)
{
	struct code_machine *machine = round->machine;
	struct code_known *top = &machine->registers[machine->architecture->stack_register];
	const struct code_known returns = code_load(machine, *top, WORD);

	top->bits += WORD;
	round->pc = returns.bits;
	return returns.known;
}

/** Go on with a function that is called, or jumped to. */
static bool enter(struct round *round, const struct code_instruction *insn)
{
	const bool is_call = insn->kind == CODE_CALL;
	struct code_machine *machine = round->machine;
	const uint64_t back = code_end(insn);
	uint64_t entry;

	if (!is_call && insn->is_direct) {
		round->pc = insn->target;
		return true;
	}
	if (code_callee(round->reader, insn, &entry) != CODE_OK)
		return false;
	switch (round->query->enter(round->query->context, machine, entry)) {
	case CODE_GO_IN:
		if (is_call)
			code_push(machine, (struct code_known){ .known = true, .bits = back });
		round->pc = entry;
		return machine->num_stores < CODE_STORES - 1;
	case CODE_STEP_OVER:
		code_forget_call(machine);
		round->pc = back;
		return is_call || go_back(round);
	default:
		round->ret->leaves = true;
		return false;
	}
}

/** Go on after a conditional jump. What the thread has compared before is unknown: one such jump may go
 *  either way. */
static bool choose(struct round *round, const struct code_instruction *jump)
{
	const struct code_machine *machine = round->machine;
	bool is_taken;

	if (!machine->architecture->is_taken(jump->condition, &machine->comparison, &is_taken)) {
		if (round->other)
			return false;
		is_taken = round->takes;
		round->other = is_taken ? code_end(jump) : jump->target;
	}
	round->pc = is_taken ? jump->target : code_end(jump);
	return true;
}

static bool step(struct round *round)
{
	struct code_machine *machine = round->machine;
	struct code_instruction insn;

	if (code_decode(round->reader, round->pc, &insn) != CODE_OK || insn.is_opaque ||
	    !note_accesses(round, &insn))
		return false;
	switch (insn.kind) {
	case CODE_OTHER:
		code_carry_out(machine, &insn);
		round->pc = code_end(&insn);
		return true;
	case CODE_CALL:
	case CODE_JUMP:
		return enter(round, &insn);
	case CODE_JUMP_IF:
		return insn.is_direct && choose(round, &insn);
	case CODE_RETURN:
		return go_back(round);
	default:
		return false;
	}
}

static bool come_back(struct round *round)
{
	const struct code_machine *machine = round->machine;
	const uint64_t pc = round->pc;
	struct left before = { .num_stores = 0 };
	int rounds = 0;

	round->ret->count = 0;
	for (int i = 0; i < MAX_STEPS && rounds < MAX_ROUNDS; i++) {
		if (!machine->registers[machine->architecture->stack_register].known ||
		    !step(round))
			return false;
		if (round->pc != pc)
			continue;
		compact_stores(round->machine);
		if (rounds++ && is_unchanged(&before, machine))
			return true;
		// A function that is called from several places is passed several times a round.
		if (rounds & (rounds - 1))
			continue;
		keep(machine, &before);
		round->ret->count = 0;
	}
	return false;
}

enum code_status code_find_round(struct code_reader *reader, const struct code_machine *machine,
				 uint64_t pc, const struct code_round_query *query,
				 struct code_round *ret)
{
	for (int way = 0; way < 2; way++) {
		struct code_machine own = *machine;
		struct round round = { reader, &own, query, ret, pc, .takes = way };

		ret->leaves = false;
		if (come_back(&round))
			return CODE_OK;
		if (!round.other)
			break;
		ret->leaves = false;
	}
	return CODE_UNKNOWN;
}
