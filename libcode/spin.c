// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that only read. What such a loop does next depends on memory alone, to which it does not
// write, but for what it keeps in its frame from one instruction to another: once it has gone round,
// it goes round until another thread, or a signal, changes what it reads.

#include <string.h>

#include "value.h"

enum { STEPS = 64, WORD = 8 }; // instructions, as bits of a set

/** A loop, and the code around it. Sets of instructions are by their indices. */
struct loop {
	struct code_reader *reader;
	const struct code_spin_query *query;
	unsigned int count;
	struct code_instruction steps[STEPS]; // the first one is at the query's pc
	uint64_t next[STEPS];		      // those that may come after, as far as they are there
	uint64_t before[STEPS];		      // those in the loop that may come before
	bool leaves[STEPS];		      // it may go on elsewhere
	uint64_t inside;
};

static uint64_t bit(unsigned int index)
{
	return UINT64_C(1) << index;
}

// The next index in a set, which is not empty; takes it out.
static unsigned int take(uint64_t *set)
{
	const unsigned int index = (unsigned int)__builtin_ctzll(*set);

	*set &= *set - 1;
	return index;
}

// ---- Instructions ----------------------------------------------------------------------------

static bool is_load(const struct code_operand *operand)
{
	return operand->kind == CODE_MEMORY && operand->access & CODE_READS && !operand->implied;
}

static bool is_store(const struct code_operand *operand)
{
	return operand->kind == CODE_MEMORY && operand->access & CODE_WRITES;
}

// A store into the function's own frame, of a width that is known. A frame pointer that is used for
// something else points to the beginning of it: frames are below.
static bool is_frame_store(const struct code_architecture *architecture,
			   const struct code_operand *operand)
{
	if (operand->access != CODE_WRITES || operand->implied || !operand->width ||
	    operand->index != CODE_NO_REGISTER || operand->segment != CODE_PLAIN)
		return false;
	return operand->base == architecture->stack_register ||
	       (operand->base == architecture->frame_register && operand->number < 0);
}

static bool may_be_called(const struct loop *loop, const struct code_instruction *call)
{
	const struct code_spin_query *query = loop->query;
	uint64_t entry;

	// Also of the call in which the thread is: what it reached may end by a jump to a harmless one.
	return query->is_harmless && code_callee(loop->reader, call, &entry) == CODE_OK &&
	       query->is_harmless(query->context, entry);
}

// Check whether it does nothing but what loops that only read do.
static bool is_plain(const struct loop *loop, const struct code_instruction *instruction)
{
	if (instruction->is_opaque)
		return false;
	switch (instruction->kind) {
	case CODE_CALL:
		return may_be_called(loop, instruction);
	case CODE_JUMP:
	case CODE_JUMP_IF:
		return instruction->is_direct;
	case CODE_OTHER:
		break;
	default:
		return false;
	}
	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const struct code_operand *operand = &instruction->operands[i];

		if (is_store(operand) && !is_frame_store(loop->reader->architecture, operand))
			return false;
	}
	return true;
}

static uint64_t writes_of(const struct loop *loop, unsigned int step)
{
	const struct code_instruction *instruction = &loop->steps[step];

	return instruction->kind == CODE_CALL ? ~loop->reader->architecture->kept :
						instruction->writes;
}

static uint64_t reads_of(const struct loop *loop, unsigned int step)
{
	return loop->steps[step].kind == CODE_CALL ? 0 : loop->steps[step].reads;
}

// ---- The loop --------------------------------------------------------------------------------

static int find(const struct loop *loop, uint64_t address)
{
	for (unsigned int i = 0; i < loop->count; i++) {
		if (loop->steps[i].address == address)
			return (int)i;
	}
	return -1;
}

// List the addresses after an instruction.
static unsigned int following(const struct code_instruction *instruction, uint64_t ret[2])
{
	unsigned int count = 0;

	if (instruction->kind != CODE_JUMP)
		ret[count++] = code_end(instruction);
	if (instruction->kind == CODE_JUMP || instruction->kind == CODE_JUMP_IF)
		ret[count++] = instruction->target;
	return count;
}

// The instructions from the pc on, as far as they are plain.
static void collect(struct loop *loop)
{
	uint64_t pending[STEPS + 2], next[2];
	unsigned int waiting = 0;

	pending[waiting++] = loop->query->pc;
	while (waiting && loop->count < STEPS) {
		struct code_instruction *step = &loop->steps[loop->count];
		const uint64_t address = pending[--waiting];

		if (find(loop, address) >= 0 ||
		    code_decode(loop->reader, address, step) != CODE_OK || !is_plain(loop, step))
			continue;
		loop->count++;
		for (unsigned int i = following(step, next); i--;)
			pending[waiting++] = next[i];
	}
	for (unsigned int i = 0; i < loop->count; i++) {
		for (unsigned int j = following(&loop->steps[i], next); j--;) {
			const int index = find(loop, next[j]);

			if (index >= 0)
				loop->next[i] |= bit((unsigned int)index);
			else
				loop->leaves[i] = true;
		}
	}
}

// Find the instructions from which a way leads back to the pc.
static bool find_inside(struct loop *loop)
{
	uint64_t known = 0, found = 1; // the pc's own

	while (found != known) {
		known = found;
		for (unsigned int i = 0; i < loop->count; i++) {
			if (loop->next[i] & known)
				found |= bit(i);
		}
	}
	if (!loop->count || !(loop->next[0] & found))
		return false;
	loop->inside = found;
	for (uint64_t rest = found; rest;) {
		const unsigned int step = take(&rest);

		for (uint64_t next = loop->next[step] & found; next;)
			loop->before[take(&next)] |= bit(step);
	}
	return true;
}

// The instructions in the loop whose value of a register may be there before another.
static uint64_t writers(const struct loop *loop, unsigned int step, unsigned int reg)
{
	uint64_t found = 0, seen = 0, pending = loop->before[step];

	while (pending) {
		const unsigned int one = take(&pending);

		if (seen & bit(one))
			continue;
		seen |= bit(one);
		if (writes_of(loop, one) >> reg & 1)
			found |= bit(one);
		else
			pending |= loop->before[one] & ~seen;
	}
	return found;
}

// ---- What a round leaves to the next ---------------------------------------------------------

static struct code_value address_of(const struct loop *loop, unsigned int step,
				    const struct code_operand *operand, unsigned int depth);

static bool may_overlap(const struct code_operand *load, const struct code_operand *store)
{
	if (load->base == CODE_NO_REGISTER && load->index == CODE_NO_REGISTER)
		return false; // a frame is at no fixed address
	if (load->base != store->base || load->index != CODE_NO_REGISTER || !load->width)
		return true;
	return load->number < store->number + store->width &&
	       store->number < load->number + load->width;
}

// Check for a load by a pointer that leads out of the frame. If the loop changes the pointer, that is
// carried from one round to the next, whatever it leads to.
static bool is_elsewhere(const struct loop *loop, unsigned int step,
			 const struct code_operand *load)
{
	const struct code_architecture *architecture = loop->reader->architecture;

	if (!loop->query->is_elsewhere || load->base == architecture->stack_register ||
	    load->base == architecture->frame_register)
		return false;
	const struct code_value address = address_of(loop, step, load, CODE_DEPTH);

	return address.base != CODE_NO_VALUE &&
	       loop->query->is_elsewhere(loop->query->context, &address);
}

// Check whether an instruction may read what another one writes into the frame.
static bool may_read(const struct loop *loop, unsigned int step, unsigned int store)
{
	const struct code_instruction *reader = &loop->steps[step], *writer = &loop->steps[store];

	for (unsigned int i = 0; i < reader->operand_count; i++) {
		if (!is_load(&reader->operands[i]) ||
		    is_elsewhere(loop, step, &reader->operands[i]))
			continue;
		for (unsigned int j = 0; j < writer->operand_count; j++) {
			if (is_store(&writer->operands[j]) &&
			    may_overlap(&reader->operands[i], &writer->operands[j]))
				return true;
		}
	}
	return false;
}

static bool has_store(const struct code_instruction *instruction)
{
	if (instruction->kind == CODE_CALL)
		return false;
	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		if (is_store(&instruction->operands[i]))
			return true;
	}
	return false;
}

// The instructions in the loop on whose results another one rests.
static uint64_t sources(const struct loop *loop, unsigned int step, uint64_t stores)
{
	uint64_t found = 0, reads = reads_of(loop, step);

	while (reads)
		found |= writers(loop, step, take(&reads));
	while (stores) {
		const unsigned int store = take(&stores);

		if (may_read(loop, step, store))
			found |= bit(store);
	}
	return found;
}

// Check whether a round leaves something to the next, as one that counts does.
static bool is_carried(const struct loop *loop)
{
	const struct code_architecture *architecture = loop->reader->architecture;
	const uint64_t frame = bit(architecture->stack_register) |
			       bit(architecture->frame_register);
	uint64_t of[STEPS], stores = 0, written = 0, left = loop->inside, done;

	for (uint64_t rest = loop->inside; rest;) {
		const unsigned int step = take(&rest);

		if (has_store(&loop->steps[step]))
			stores |= bit(step);
		written |= writes_of(loop, step);
	}
	if (stores && written & frame)
		return true;
	for (uint64_t rest = loop->inside; rest;) {
		const unsigned int step = take(&rest);

		of[step] = sources(loop, step, stores);
	}
	do { // takes away those that rest on nothing that is left
		done = 0;
		for (uint64_t rest = left; rest;) {
			const unsigned int step = take(&rest);

			if (!(of[step] & left))
				done |= bit(step);
		}
		left &= ~done;
	} while (done);
	return left != 0;
}

// ---- What it reads ---------------------------------------------------------------------------

// Return what a register holds before an instruction.
static struct code_value held(const struct loop *loop, unsigned int step, unsigned int reg,
			      unsigned int depth)
{
	const struct code_value unknown = { .base = CODE_NO_VALUE };
	uint64_t found = writers(loop, step, reg);

	if (!found)
		return (struct code_value){ .base = CODE_HELD, .reg = (uint8_t)reg };
	const unsigned int writer = take(&found);
	const struct code_instruction *instruction = &loop->steps[writer];
	const struct code_operand *to = &instruction->operands[0], *from = to + 1;

	if (found || !depth || instruction->kind != CODE_OTHER || instruction->operand_count != 2 ||
	    to->kind != CODE_REGISTER || to->base != reg || to->width != WORD ||
	    from->kind != CODE_MEMORY)
		return unknown;
	const struct code_value address = address_of(loop, writer, from, depth - 1);

	if (instruction->operation == CODE_ADDRESS)
		return address;
	if (instruction->operation == CODE_MOVE && from->width == WORD)
		return code_value_load(&address);
	return unknown;
}

static struct code_value address_of(const struct loop *loop, unsigned int step,
				    const struct code_operand *operand, unsigned int depth)
{
	struct code_value value = code_number(0);

	if (operand->index != CODE_NO_REGISTER ||
	    (operand->segment != CODE_PLAIN &&
	     (operand->segment != CODE_THREAD_LOCAL || operand->base != CODE_NO_REGISTER)))
		return (struct code_value){ .base = CODE_NO_VALUE };
	if (operand->segment == CODE_THREAD_LOCAL)
		value.base = CODE_THREAD;
	else if (operand->base != CODE_NO_REGISTER)
		value = held(loop, step, operand->base, depth);
	return code_value_plus(value, operand->number);
}

static void note_read(struct code_spin *ret, const struct code_value *address, unsigned int width)
{
	if (address->base == CODE_NO_VALUE)
		return;
	for (unsigned int i = 0; i < ret->count; i++) {
		if (ret->widths[i] == width && code_value_equal(&ret->reads[i], address))
			return;
	}
	if (ret->count == CODE_SPIN_READS) {
		ret->is_cut = true;
		return;
	}
	ret->widths[ret->count] = (uint16_t)width;
	ret->reads[ret->count++] = *address;
}

// Check for the function's own frame. Reads of it show nothing new: what is kept there is noted
// where it comes from.
static bool is_own(const struct loop *loop, const struct code_operand *load, uint64_t stores)
{
	while (stores) {
		const struct code_instruction *store = &loop->steps[take(&stores)];

		for (unsigned int i = 0; i < store->operand_count; i++) {
			if (is_store(&store->operands[i]) &&
			    may_overlap(load, &store->operands[i]) &&
			    load->base == store->operands[i].base)
				return true;
		}
	}
	return false;
}

// In the order of their addresses. Returns whether anything may change what the loop does.
static bool note_reads(const struct loop *loop, struct code_spin *ret)
{
	uint64_t left = loop->inside, stores = 0;
	bool looks = false;

	for (uint64_t rest = loop->inside; rest;) {
		const unsigned int step = take(&rest);

		if (has_store(&loop->steps[step]))
			stores |= bit(step);
	}
	while (left) {
		uint64_t rest = left;
		unsigned int lowest = take(&rest);

		while (rest) {
			const unsigned int other = take(&rest);

			if (loop->steps[other].address < loop->steps[lowest].address)
				lowest = other;
		}
		left &= ~bit(lowest);
		const struct code_instruction *step = &loop->steps[lowest];

		looks |= step->kind == CODE_CALL;
		for (unsigned int i = 0; i < step->operand_count && step->kind != CODE_CALL; i++) {
			const struct code_operand *operand = &step->operands[i];

			if (!is_load(operand))
				continue;
			looks = true;
			if (is_own(loop, operand, stores))
				continue;
			const struct code_value address =
				address_of(loop, lowest, operand, CODE_DEPTH);

			note_read(ret, &address, operand->width);
		}
	}
	return looks;
}

// Return where the call returns to on whose result alone rests which way the loop goes; 0: there is none.
static uint64_t deciding_call(const struct loop *loop)
{
	uint64_t pending = 0, seen = 0, stores = 0, call = 0;

	for (uint64_t rest = loop->inside; rest;) {
		const unsigned int step = take(&rest);

		if (loop->steps[step].kind == CODE_JUMP_IF)
			pending |= bit(step);
		if (has_store(&loop->steps[step]))
			stores |= bit(step);
	}
	while (pending) {
		const unsigned int index = take(&pending);
		const struct code_instruction *step = &loop->steps[index];

		seen |= bit(index);
		if (step->kind == CODE_CALL) {
			if (call && call != code_end(step))
				return 0;
			call = code_end(step);
			continue;
		}
		for (unsigned int i = 0; i < step->operand_count; i++) {
			if (is_load(&step->operands[i]) &&
			    !is_own(loop, &step->operands[i], stores))
				return 0;
		}
		pending |= sources(loop, index, stores) & ~seen;
	}
	return call;
}

static bool has_call_before_pc(const struct loop *loop)
{
	for (uint64_t rest = loop->inside; rest;) {
		const struct code_instruction *step = &loop->steps[take(&rest)];

		if (step->kind == CODE_CALL && code_end(step) == loop->query->pc)
			return true;
	}
	return false;
}

enum code_status code_find_spin(struct code_reader *reader, const struct code_spin_query *query,
				struct code_spin *ret)
{
	struct loop loop = { .reader = reader, .query = query };
	bool leaves = false;

	memset(ret, 0, sizeof(*ret));
	collect(&loop);
	if (!find_inside(&loop) || (query->in_call && !has_call_before_pc(&loop)) ||
	    is_carried(&loop))
		return CODE_UNKNOWN;
	for (uint64_t rest = loop.inside; rest;) {
		const unsigned int step = take(&rest);

		leaves |= loop.leaves[step] || loop.next[step] & ~loop.inside;
	}
	const bool looks = note_reads(&loop, ret);

	ret->is_endless = !leaves;
	ret->deciding = leaves ? deciding_call(&loop) : 0;
	return leaves && !looks ? CODE_UNKNOWN : CODE_OK;
}
