// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that left no frame because a jump was the last that they did. Debug information has the
// calls and the jumps of each function: where only one way leads from a call to the function whose
// frame follows, its jumps are known, and otherwise those with which all ways begin and end.

#include "services/internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

// More of them are given up.
enum { MAX_CALLS = 1 << 12, MAX_STEPS = 1 << 12 };

/** A call or jump to another function. */
struct jump {
	uint64_t after; // address of the next instruction
	uint64_t entry; // of the function that it leads to; 0: unknown
	bool is_jump;
};

/** All of a function. */
struct jumps {
	size_t count;
	struct jump *all;
};

/** A step on a way from a call: a jump in the function to which the step before leads. */
struct step {
	const struct step *before; // NULL: the call
	struct jump jump;
	size_t depth;		    // number of jumps
	const struct step *pending; // the next to go on from
};

/** A question that was answered, of those about the calls that return to the same address. */
struct answer {
	struct answer *next;
	uint64_t start;
	struct tail_calls found;
};

bool unit_function_start(struct unit *unit, Dwarf_Die *function, uint64_t *ret)
{
	if (unit_entry(unit, function, ret))
		return true;
	const char *name = entry_text(function, DW_AT_linkage_name);
	if (!name || !*name)
		name = entry_text(function, DW_AT_name);
	return name && symbol_find(unit->services, name, NULL, ret);
}

/** The calls of a function that are being read. */
struct reading {
	struct unit *unit;
	struct jumps *jumps;
	size_t capacity;
};

static bool take_call(void *context, struct target_call *call)
{
	struct reading *reading = context;
	struct unit *unit = reading->unit;
	struct jumps *jumps = reading->jumps;
	struct jump *jump =
		ARENA_APPEND(&unit->services->arena, jumps->all, jumps->count, reading->capacity);

	*jump = (struct jump){ .after = call->returns + unit->bias, .is_jump = call->is_tail };
	if (!call->has_callee || !unit_function_start(unit, &call->callee, &jump->entry))
		jump->entry = 0;
	return jumps->count < MAX_CALLS;
}

/** Read the calls of a function. */
static const struct jumps *jumps_of(struct unit *unit, Dwarf_Die *function)
{
	struct target_services *services = unit->services;
	uint64_t entry;

	if (!unit_entry(unit, function, &entry))
		entry = 0;
	struct jumps *known = table_get(&services->jumps, entry);
	if (!known) {
		known = ARENA_NEW(&services->arena, struct jumps);
		target_visit_calls(function, take_call, &(struct reading){ unit, known, 0 });
		*table_put(&services->jumps, &services->arena, entry) = known;
	}
	return known;
}

/** Read the calls of the function that begins at an address. NULL: they are unknown. */
static const struct jumps *jumps_from(struct target_services *services, uint64_t entry)
{
	struct unit *unit = unit_at(services, entry);
	Dwarf_Die function;
	uint64_t begin;

	if (!unit_function(unit, entry, &function) || !unit_entry(unit, &function, &begin) ||
	    begin != entry)
		return NULL;
	return jumps_of(unit, &function);
}

// ---- Ways ------------------------------------------------------------------------------------

/** A search, in memory of its own. */
struct search {
	struct target_services *services;
	struct arena arena;
	uint64_t start;		    // where all ways are to lead
	const struct step *pending; // where to go on, the newest first
	int num_steps;
	uint64_t *first;   // where the jumps of the first way end, the first jump first; NULL
	size_t length;	   // of it
	size_t begin, end; // how many jumps all ways have in common there
};

static bool has_passed(const struct step *step, uint64_t after)
{
	for (; step->before; step = step->before) {
		if (step->jump.after == after)
			return true;
	}
	return false;
}

static void add_step(struct search *search, const struct step *before, const struct jump *jump)
{
	struct step *step = ARENA_NEW(&search->arena, struct step);

	*step = (struct step){ before, *jump, before ? before->depth + 1 : 0, search->pending };
	search->pending = step;
	search->num_steps++;
}

/** Add the jumps with which ways go on. @return false: they are unknown, or too many. */
static bool add_steps(struct search *search, const struct step *before)
{
	const struct jumps *jumps = jumps_from(search->services, before->jump.entry);

	for (size_t i = 0; jumps && i < jumps->count; i++) {
		if (jumps->all[i].is_jump && !has_passed(before, jumps->all[i].after))
			add_step(search, before, &jumps->all[i]);
	}
	return jumps && search->num_steps <= MAX_STEPS;
}

/** Compare a way with the first. @return false: nothing is left in common. */
static bool add_way(struct search *search, const struct step *last)
{
	uint64_t *way = ARENA_ARRAY(&search->arena, uint64_t, last->depth);
	size_t length = last->depth, begin = 0, end = 0;

	for (const struct step *step = last; step->before; step = step->before)
		way[step->depth - 1] = step->jump.after;
	if (!search->first) {
		search->first = way;
		search->length = search->begin = search->end = length;
		return true;
	}
	while (begin < search->begin && begin < length && way[begin] == search->first[begin])
		begin++;
	while (end < search->end && end < length &&
	       way[length - 1 - end] == search->first[search->length - 1 - end])
		end++;
	search->begin = begin;
	search->end = end;
	return begin || end;
}

/** Follow all ways from a call. @return false: a jump may lead anywhere, or nothing is in common. */
static bool follow(struct search *search, const struct jump *call)
{
	add_step(search, NULL, call);
	while (search->pending) {
		const struct step *step = search->pending;

		search->pending = step->pending;
		if (!step->jump.entry || is_interrupted(search->services))
			return false;
		if (step->jump.entry == search->start ? !add_way(search, step) :
							!add_steps(search, step))
			return false;
	}
	return search->first != NULL;
}

/** Collect what all ways have in common, the last jump first. */
static struct tail_calls collect(const struct search *search)
{
	struct tail_calls found = { 0 };
	size_t end = search->end, begin = search->begin;

	if (begin == search->length && end == search->length)
		begin = 0;
	found.after = ARENA_ARRAY(&search->services->arena, uint64_t, begin + end);
	for (size_t i = 0; i < end; i++)
		found.after[found.count++] = search->first[search->length - 1 - i];
	while (begin--)
		found.after[found.count++] = search->first[begin];
	return found;
}

static struct tail_calls find(struct target_services *services, uint64_t returns, uint64_t start)
{
	struct search search = { .services = services, .start = start };
	struct unit *unit = unit_at(services, returns - 1);
	Dwarf_Die function;
	const struct jumps *calls =
		unit_function(unit, returns - 1, &function) ? jumps_of(unit, &function) : NULL;
	struct tail_calls found = { 0 };

	for (size_t i = 0; calls && i < calls->count; i++) {
		if (calls->all[i].after != returns || calls->all[i].is_jump)
			continue;
		if (follow(&search, &calls->all[i]))
			found = collect(&search);
		break;
	}
	arena_deinit(&search.arena);
	return found;
}

struct tail_calls tail_calls_between(struct target_services *services, uint64_t returns,
				     uint64_t start)
{
	struct answer **first =
		(struct answer **)table_put(&services->tail_calls, &services->arena, returns);

	for (const struct answer *answer = *first; answer; answer = answer->next) {
		if (answer->start == start)
			return answer->found;
	}
	struct answer *answer = ARENA_NEW(&services->arena, struct answer);
	*answer = (struct answer){ *first, start, find(services, returns, start) };
	if (!is_interrupted(services))
		*first = answer;
	return answer->found;
}

// ---- Circles ---------------------------------------------------------------------------------

/** Follow the jumps from a function. @return false: one may lead anywhere, or to @p start. */
static bool follow_jumps(struct search *search, uint64_t entry, struct table *seen,
			 uint64_t **entries, size_t *count, size_t *max)
{
	const struct jumps *jumps = jumps_from(search->services, entry);

	for (size_t i = 0; jumps && i < jumps->count; i++) {
		const struct jump *jump = &jumps->all[i];

		if (!jump->is_jump)
			continue;
		if (!jump->entry || jump->entry == search->start)
			return false;
		void **known = table_put(seen, &search->arena, jump->entry);
		if (*known)
			continue;
		*known = search;
		*ARENA_APPEND(&search->arena, *entries, *count, *max) = jump->entry;
	}
	return jumps != NULL;
}

bool tail_calls_may_return_to(struct target_services *services, uint64_t start)
{
	struct search search = { .services = services, .start = start };
	struct table seen = { 0 };
	uint64_t *entries = NULL;
	size_t count = 0, max = 0;
	bool is_known = follow_jumps(&search, start, &seen, &entries, &count, &max);

	for (size_t i = 0; is_known && i < count; i++)
		is_known = i < MAX_STEPS && !is_interrupted(services) &&
			   follow_jumps(&search, entries[i], &seen, &entries, &count, &max);
	arena_deinit(&search.arena);
	return !is_known;
}
