// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control flow of a function: its blocks, and which of them control can reach from which.

#include "code.h"

#include <string.h>

enum { DECODED_MAX = 1 << 15 }; // instructions, also those that are decoded again
enum { ENTERED = 1, LEADS = 2 };

static const uint32_t none = UINT32_MAX;

struct builder {
	struct code_reader *reader;
	const struct code_function *function;
	struct code_flow *flow;
	uint32_t decoded;
};

static bool contains(const struct code_function *function, uint64_t address)
{
	if (function->contains)
		return function->contains(function->context, address);
	return address >= function->begin && address < function->end;
}

// Count the blocks that begin at @p address or before.
static uint32_t count_up_to(const struct code_flow *flow, uint64_t address)
{
	uint32_t low = 0, high = flow->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (flow->blocks[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool holds(const struct code_block *block, uint64_t address)
{
	return address >= block->begin && address < block->end;
}

struct code_block *code_flow_block(const struct code_flow *flow, uint64_t address)
{
	// Where instructions overlap, the block that begins last need not be it.
	for (uint32_t i = count_up_to(flow, address); i--;) {
		if (holds(&flow->blocks[i], address))
			return &flow->blocks[i];
	}
	return NULL;
}

// ---- Building --------------------------------------------------------------------------------

static enum code_status decode(struct builder *builder, uint64_t address,
			       struct code_instruction *ret)
{
	if (builder->decoded++ == DECODED_MAX)
		return CODE_TOO_LARGE;
	return code_decode(builder->reader, address, ret);
}

static struct code_block *insert(struct code_flow *flow, uint64_t begin)
{
	const uint32_t at = count_up_to(flow, begin);

	if (flow->count == flow->capacity)
		return NULL;
	memmove(&flow->blocks[at + 1], &flow->blocks[at],
		(flow->count - at) * sizeof(flow->blocks[0]));
	flow->count++;
	flow->blocks[at] = (struct code_block){ .begin = begin, .end = begin, .last = begin };
	return &flow->blocks[at];
}

// Split a block before the instruction at @p address, if one begins there.
static enum code_status split(struct builder *builder, uint32_t index, uint64_t address)
{
	struct code_block *block = &builder->flow->blocks[index];
	struct code_instruction instruction;
	uint64_t last = block->begin, at = block->begin;

	while (at < address) {
		const enum code_status status = decode(builder, at, &instruction);

		if (status != CODE_OK)
			return status;
		last = at;
		at = code_end(&instruction);
	}
	struct code_block *rest = insert(builder->flow, address);

	if (!rest)
		return CODE_TOO_LARGE;
	if (at != address)
		return CODE_OK; // it overlaps, and is still to be followed
	*rest = *block;
	rest->begin = address;
	*block = (struct code_block){ .begin = block->begin,
				      .end = address,
				      .last = last,
				      .goes_on = true,
				      .mark = block->mark };
	return CODE_OK;
}

static bool is_leader(const struct code_flow *flow, uint64_t address)
{
	const uint32_t count = count_up_to(flow, address);

	return count && flow->blocks[count - 1].begin == address;
}

// Make a block begin at @p address.
static enum code_status add_leader(struct builder *builder, uint64_t address)
{
	struct code_flow *flow = builder->flow;
	const uint32_t before = count_up_to(flow, address);

	if (is_leader(flow, address))
		return CODE_OK;
	if (before && holds(&flow->blocks[before - 1], address))
		return split(builder, before - 1, address);
	return insert(flow, address) ? CODE_OK : CODE_TOO_LARGE;
}

static bool is_through_slot(const struct code_instruction *jump)
{
	return jump->operand_count && code_is_absolute(&jump->operands[0]);
}

// Note where control goes after the last instruction of a block.
static void end_block(struct builder *builder, struct code_block *block,
		      const struct code_instruction *last)
{
	const struct code_function *function = builder->function;

	block->kind = last->kind;
	block->is_direct = last->is_direct;
	block->target = last->target;
	switch (last->kind) {
	case CODE_CALL:
		// After one that does not return, the function may be at its end.
		block->goes_on = contains(function, block->end);
		if (function->landing_pad &&
		    !function->landing_pad(function->context, block->last, &block->pad))
			builder->flow->is_complete = false;
		break;
	case CODE_JUMP:
		block->jumps = last->is_direct && contains(function, last->target);
		if (!last->is_direct && !is_through_slot(last))
			builder->flow->is_complete = false;
		break;
	case CODE_JUMP_IF:
		block->goes_on = true;
		block->jumps = last->is_direct && contains(function, last->target);
		break;
	default:
		break;
	}
}

// Follow a block to its end.
static enum code_status follow(struct builder *builder, uint64_t begin)
{
	struct code_flow *flow = builder->flow;
	struct code_block *block = &flow->blocks[count_up_to(flow, begin) - 1];
	struct code_instruction instruction;

	do {
		const enum code_status status = decode(builder, block->end, &instruction);

		if (status == CODE_TOO_LARGE)
			return status;
		if (status != CODE_OK) {
			flow->is_complete = false;
			return CODE_OK;
		}
		block->last = block->end;
		block->end = code_end(&instruction);
		if (instruction.kind != CODE_OTHER) {
			end_block(builder, block, &instruction);
			return CODE_OK;
		}
	} while (!is_leader(flow, block->end) && contains(builder->function, block->end));
	block->goes_on = is_leader(flow, block->end);
	if (!block->goes_on)
		flow->is_complete = false; // the end of a function is no plain instruction
	return CODE_OK;
}

static enum code_status add_following(struct builder *builder, uint64_t begin)
{
	const struct code_flow *flow = builder->flow;
	const struct code_block block = flow->blocks[count_up_to(flow, begin) - 1];
	enum code_status status = CODE_OK;

	if (block.goes_on)
		status = add_leader(builder, block.end);
	if (status == CODE_OK && block.jumps)
		status = add_leader(builder, block.target);
	if (status == CODE_OK && block.pad)
		status = add_leader(builder, block.pad);
	return status;
}

static bool is_followed(const struct code_block *block)
{
	return block->mark;
}

static enum code_status follow_all(struct builder *builder)
{
	struct code_flow *flow = builder->flow;
	enum code_status status = CODE_OK;
	bool is_done = false;

	while (!is_done) {
		is_done = true;
		for (uint32_t i = 0; status == CODE_OK && i < flow->count; i++) {
			const uint64_t begin = flow->blocks[i].begin;

			if (is_followed(&flow->blocks[i]))
				continue;
			is_done = false;
			flow->blocks[i].mark = 1;
			status = follow(builder, begin);
			if (status == CODE_OK)
				status = add_following(builder, begin);
			i = count_up_to(flow, begin) - 1;
		}
		if (status != CODE_OK)
			return status;
	}
	return CODE_OK;
}

static void connect(struct code_flow *flow, struct code_block *block, bool is_there,
		    uint64_t address)
{
	if (is_there)
		block->next[block->next_count++] = count_up_to(flow, address) - 1;
}

enum code_status code_flow_build(struct code_reader *reader, const struct code_function *function,
				 struct code_flow *flow)
{
	struct builder builder = { .reader = reader, .function = function, .flow = flow };

	flow->count = 0;
	flow->entry = function->entry;
	flow->is_complete = true;
	enum code_status status = add_leader(&builder, function->entry);

	if (status == CODE_OK)
		status = follow_all(&builder);
	if (status != CODE_OK) {
		flow->is_complete = false;
		flow->count = 0;
		return status;
	}
	for (uint32_t i = 0; i < flow->count; i++) {
		struct code_block *block = &flow->blocks[i];

		connect(flow, block, block->goes_on, block->end);
		connect(flow, block, block->jumps, block->target);
		connect(flow, block, block->pad, block->pad);
	}
	return CODE_OK;
}

// ---- Searching -------------------------------------------------------------------------------

/** A question about ways. */
struct search {
	const struct code_flow *flow;
	code_avoid *avoid;
	void *context;
	uint64_t to;
	uint32_t first; // block that was found last, and links to the one before
};

// The first of a block's next ones that the search goes on with: what is avoided may throw.
static unsigned int first_next(const struct search *search, const struct code_block *block)
{
	if (!search->avoid || !search->avoid(search->context, block))
		return 0;
	return block->pad ? block->next_count - 1u : block->next_count;
}

static void enter_next(struct search *search, const struct code_block *block)
{
	for (unsigned int i = first_next(search, block); i < block->next_count; i++) {
		struct code_block *next = &search->flow->blocks[block->next[i]];

		if (next->mark & ENTERED)
			continue;
		next->mark |= ENTERED;
		next->link = search->first;
		search->first = block->next[i];
	}
}

// Mark the blocks that can be entered after @p start, not past `to`; true if one has that.
static bool enter_all(struct search *search, const struct code_block *start)
{
	bool is_found = false;

	for (uint32_t i = 0; i < search->flow->count; i++)
		search->flow->blocks[i].mark = 0;
	search->first = none;
	enter_next(search, start);
	while (search->first != none) {
		const struct code_block *block = &search->flow->blocks[search->first];

		search->first = block->link;
		if (holds(block, search->to))
			is_found = true;
		else
			enter_next(search, block);
	}
	return is_found;
}

bool code_flow_reaches(const struct code_flow *flow, uint64_t from, uint64_t to, code_avoid *avoid,
		       void *context)
{
	struct search search = { .flow = flow, .avoid = avoid, .context = context, .to = to };
	const struct code_block *start = code_flow_block(flow, from);

	if (!start)
		return false;
	return (holds(start, to) && to >= from) || enter_all(&search, start);
}

static bool leads_on(const struct search *search, const struct code_block *block)
{
	for (unsigned int i = first_next(search, block); i < block->next_count; i++) {
		if (search->flow->blocks[block->next[i]].mark & LEADS)
			return true;
	}
	return false;
}

// Mark the blocks from whose beginning a way leads to `to`.
static void mark_leading(const struct search *search)
{
	const struct code_flow *flow = search->flow;
	bool is_changed = true;

	while (is_changed) {
		is_changed = false;
		for (uint32_t i = flow->count; i--;) {
			struct code_block *block = &flow->blocks[i];

			if (block->mark & LEADS ||
			    !(holds(block, search->to) || leads_on(search, block)))
				continue;
			block->mark |= LEADS;
			is_changed = true;
		}
	}
}

static bool visit_all(struct code_reader *reader, const struct search *search, uint64_t from,
		      uint64_t end, code_visit *visit)
{
	struct code_instruction instruction;

	for (uint64_t at = from; at < end; at = code_end(&instruction)) {
		if (code_decode(reader, at, &instruction) != CODE_OK ||
		    !visit(search->context, &instruction))
			return false;
	}
	return true;
}

bool code_flow_between(struct code_reader *reader, const struct code_flow *flow, uint64_t from,
		       uint64_t to, code_avoid *avoid, code_visit *visit, void *context)
{
	struct search search = { .flow = flow, .avoid = avoid, .context = context, .to = to };
	const struct code_block *start = code_flow_block(flow, from);

	if (!start)
		return true;
	if (holds(start, to) && to >= from)
		return visit_all(reader, &search, from, to, visit);
	if (!enter_all(&search, start))
		return true;
	mark_leading(&search);
	if (!visit_all(reader, &search, from, start->end, visit))
		return false;
	for (uint32_t i = 0; i < flow->count; i++) {
		const struct code_block *block = &flow->blocks[i];
		const uint64_t end = holds(block, to) ? to : block->end;

		if (block->mark != (ENTERED | LEADS))
			continue;
		if (!visit_all(reader, &search, block->begin, end, visit))
			return false;
	}
	return true;
}
