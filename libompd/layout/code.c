// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of following instructions that no architecture changes: values, records, paths.

#include "layout/code.h"

#include <string.h>

bool code_value_equal(const struct code_value *a, const struct code_value *b)
{
	if (a->base == CODE_UNKNOWN || a->base != b->base || a->depth != b->depth)
		return false;
	for (unsigned int i = 0; i <= a->depth; i++)
		if (a->offset[i] != b->offset[i])
			return false;
	return true;
}

struct code_value code_number(int64_t number)
{
	struct code_value value = { .base = CODE_ABSOLUTE };

	value.offset[0] = number;
	return value;
}

struct code_value code_value_plus(struct code_value value, int64_t number)
{
	int64_t *last = &value.offset[value.depth];

	*last = (int64_t)((uint64_t)*last + (uint64_t)number);
	return value;
}

// The slot of the global offset table that held this value becomes known as such.
static void mark_thread_slot(struct code_report *report, int64_t slot)
{
	for (unsigned int i = 0; i < report->count; i++) {
		struct code_access *access = &report->access[i];

		if (access->address.base == CODE_ABSOLUTE && access->address.depth == 0 &&
		    access->address.offset[0] == slot)
			access->thread_slot = true;
	}
}

struct code_value code_value_sum(struct code_explorer *explorer, const struct code_value *a,
				 const struct code_value *b)
{
	const struct code_value unknown = { .base = CODE_UNKNOWN };
	const struct code_window *window = explorer->window;
	uint64_t word;

	if (b->base == CODE_ABSOLUTE && b->depth == 0)
		return code_value_plus(*a, b->offset[0]);
	if (a->base == CODE_ABSOLUTE && a->depth == 0)
		return code_value_plus(*b, a->offset[0]);
	if (b->base == CODE_THREAD && b->depth == 0) {
		const struct code_value *other = a;

		a = b;
		b = other;
	}
	if (a->base != CODE_THREAD || a->depth != 0 || b->base != CODE_ABSOLUTE || b->depth != 1)
		return unknown;
	if (!window->read_word(window->context, (uint64_t)b->offset[0], &word))
		return unknown;
	mark_thread_slot(explorer->report, b->offset[0]);
	return code_value_plus(code_value_plus(*a, (int64_t)word), b->offset[1]);
}

struct code_value code_touch(struct code_explorer *explorer, const struct code_value *address,
			     enum code_access_kind kind, unsigned int width)
{
	struct code_value result = { .base = CODE_UNKNOWN };
	struct code_report *report = explorer->report;
	unsigned int i;

	if (address->base == CODE_UNKNOWN || address->base == CODE_STACK)
		return result;
	for (i = 0; i < report->count; i++) {
		const struct code_access *known = &report->access[i];

		if (known->kind == kind && known->width == width &&
		    code_value_equal(&known->address, address))
			break;
	}
	if (i == CODE_ACCESSES) {
		report->complete = false;
		return result;
	}
	if (i == report->count) {
		struct code_access *access = &report->access[report->count++];

		access->address = *address;
		access->kind = (uint8_t)kind;
		access->width = (uint8_t)width;
		access->thread_slot = false;
	}
	if (width != 8 || address->depth == CODE_DEPTH)
		return result;
	result = *address;
	result.depth++;
	result.offset[result.depth] = 0;
	return result;
}

bool code_fork(struct code_explorer *explorer, const struct code_state *state, uint64_t pc)
{
	uint64_t site = state->pc - explorer->window->address;

	if (explorer->forks[site] == CODE_FORKS) {
		explorer->report->cut = true;
		return false;
	}
	if (explorer->pending_count == CODE_PENDING) {
		explorer->report->complete = false;
		return false;
	}
	explorer->forks[site]++;
	explorer->pending[explorer->pending_count] = *state;
	explorer->pending[explorer->pending_count].pc = pc;
	explorer->pending_count++;
	return true;
}

void code_explore(const struct code_architecture *architecture, const struct code_window *window,
		  struct code_report *report)
{
	struct code_explorer explorer;
	struct code_state state;

	if (!window->further)
		report->count = 0;
	report->callee_count = 0;
	report->complete = true;
	report->cut = false;
	report->tail = 0;
	explorer.window = window;
	explorer.report = report;
	explorer.steps = 0;
	memset(explorer.forks, 0, sizeof(explorer.forks));
	memset(&explorer.pending[0], 0, sizeof(explorer.pending[0]));
	explorer.pending[0].pc = window->address;
	architecture->enter(&explorer.pending[0]);
	explorer.pending_count = 1;
	while (explorer.pending_count) {
		enum code_step step = CODE_NEXT;

		state = explorer.pending[--explorer.pending_count];
		while (step == CODE_NEXT && explorer.steps++ < CODE_STEPS)
			step = architecture->step(&explorer, &state);
		if (step != CODE_END)
			report->complete = false;
	}
}
