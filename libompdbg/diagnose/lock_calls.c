// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of a function that set or unset locks: those of the runtime, and of the user's functions that
// do so and come back, as wrappers and constructors do.

#include "diagnose/room.h"

#include "base/text.h"
#include "libcode/code.h"

enum {
	MAX_CALLS = 64,
	MAX_DEPTH = 6,		 // of functions that call one another
	MAX_LOOKED_AT = 1 << 12, // functions at one stop
	MAX_SETS = 16,		 // calls in one function that set locks
};

/** Effects of a call, or of a function, on locks. */
enum {
	HAS_SET = 1,
	HAS_UNSET = 2,
	IS_UNBOUND = 4, // there is a call that nobody has made yet: it may unset one
	IS_UNKNOWN = 8,
};

/** A function of the user's. */
struct users_function {
	uint8_t effects;
	bool may_unset;	     // what it has set, by a call that nobody has made yet
	bool never_returned; // each way out of it leads past such a call
};

bool is_unset_function(const char *function)
{
	return strstr(function, "_unset_") || strcmp(function, "GOMP_critical_end") == 0 ||
	       strcmp(function, "GOMP_critical_name_end") == 0 ||
	       strcmp(function, "GOMP_atomic_end") == 0 ||
	       strcmp(function, "__kmpc_end_critical") == 0;
}

/** Tell what a call of the runtime does to locks. @return false: nothing. */
static bool classify_lock_call(const ompd_ext_wait_site *site, struct lock_call *call)
{
	if (!site->function)
		return false;
	call->family = strstr(site->function, "critical") ? FAMILY_OF_CRITICALS :
		       strstr(site->function, "atomic")	  ? FAMILY_OF_ATOMICS :
							    FAMILY_OF_LOCKS;
	call->is_unnamed = strcmp(site->function, "GOMP_critical_start") == 0 ||
			   strcmp(site->function, "GOMP_critical_end") == 0 ||
			   call->family == FAMILY_OF_ATOMICS;
	if (is_unset_function(site->function)) {
		call->operation = UNSETS;
		return true;
	}
	call->operation = SETS;
	return site->kind == ompd_ext_wait_lock || site->kind == ompd_ext_wait_nest_lock ||
	       site->kind == ompd_ext_wait_critical ||
	       strcmp(site->function, "GOMP_atomic_start") == 0;
}

bool is_lock_operation(const ompd_ext_wait_site *site, const void *operation)
{
	struct lock_call call;

	return classify_lock_call(site, &call) &&
	       call.operation == *(const enum lock_operation *)operation;
}

// ---- Functions of the user's ---------------------------------------------------------------------

/** Find the function that a block calls or jumps to. CODE_UNKNOWN: none, or it is unknown. */
static enum code_status callee_of(struct runtime *runtime, const struct code_block *block,
				  uint64_t *ret)
{
	struct code_reader *code = process_code(runtime->process);
	struct code_instruction insn;

	// The others go on in the function.
	if (block->jumps ||
	    (block->kind != CODE_CALL && block->kind != CODE_JUMP && block->kind != CODE_JUMP_IF))
		return CODE_UNKNOWN;
	enum code_status status = code_decode(code, block->last, &insn);
	return status == CODE_OK ? code_callee(code, &insn, ret) : status;
}

static const struct users_function *users_function(struct runtime *runtime, uint64_t entry,
						   size_t depth);

/** Find the function of the user's that a block calls or jumps to; NULL: another, or unknown. */
static const struct users_function *users_callee(struct runtime *runtime,
						 const struct code_block *block, size_t depth)
{
	uint64_t entry;

	return callee_of(runtime, block, &entry) == CODE_OK &&
			       code_owner(runtime->process, entry) == FRAME_USER ?
		       users_function(runtime, entry, depth) :
		       NULL;
}

static uint8_t block_effects(struct runtime *runtime, const struct code_block *block, size_t depth)
{
	const struct users_function *callee;
	struct lock_call call;
	ompd_ext_wait_site site;
	uint64_t entry;

	switch (callee_of(runtime, block, &entry)) {
	case CODE_OK:
		break;
	case CODE_UNBOUND:
		return IS_UNBOUND;
	default:
		return 0;
	}
	if (classify_entry(runtime, entry, &site))
		return !classify_lock_call(&site, &call) || call.family != FAMILY_OF_LOCKS ? 0 :
		       call.operation == SETS ? HAS_SET :
						HAS_UNSET;
	callee = users_callee(runtime, block, depth);
	return callee ? callee->effects : 0;
}

/** Remove the ways past calls that nobody can have made yet, or that have not come back: functions that
 *  these call were not bound. */
static void remove_unmade(struct runtime *runtime, struct code_flow *flow, size_t depth)
{
	code_flow_remove_unbound(process_code(runtime->process), flow);
	for (uint32_t i = 0; i < flow->count; i++) {
		struct code_block *block = &flow->blocks[i];
		const struct users_function *callee =
			block->kind == CODE_CALL ? users_callee(runtime, block, depth) : NULL;
		if (callee && callee->never_returned)
			block->next_count = 0;
	}
}

/** Check that no way leads out of a function. */
static bool has_no_way_out(struct runtime *runtime, const struct code_flow *flow)
{
	bool has_way = !flow->is_complete;

	for (uint32_t i = 0; i < flow->count && !has_way; i++) {
		const struct code_block *block = &flow->blocks[i];
		bool leaves = !block->jumps &&
			      (block->kind == CODE_JUMP || block->kind == CODE_JUMP_IF);
		uint64_t entry;
		has_way = (block->kind == CODE_RETURN ||
			   (leaves && callee_of(runtime, block, &entry) != CODE_UNBOUND)) &&
			  code_flow_reaches(flow, flow->entry, block->last, NULL, NULL);
	}
	return !has_way;
}

/** Check for a call that nobody has made yet, on a way from one that sets a lock. */
static bool may_unset_what_it_sets(const struct code_flow *flow, const uint8_t *effects)
{
	size_t num_sets = 0;

	for (uint32_t i = 0; i < flow->count; i++) {
		if (!(effects[i] & HAS_SET) || flow->blocks[i].kind != CODE_CALL)
			continue; // nothing follows a jump
		if (num_sets++ == MAX_SETS)
			return true;
		for (uint32_t k = 0; k < flow->count; k++) {
			if (k != i && effects[k] & IS_UNBOUND &&
			    code_flow_reaches(flow, flow->blocks[i].end, flow->blocks[k].last, NULL,
					      NULL))
				return true;
		}
	}
	return false;
}

/** Find out what a function does to locks, itself or by others; kept with the process. */
static const struct users_function *users_function(struct runtime *runtime, uint64_t entry,
						   size_t depth)
{
	struct process *process = runtime->process;
	struct diagnose_room *room = diagnose_room(process);
	static const struct users_function too_deep = { .effects = IS_UNKNOWN };
	struct code_flow flow;

	if (depth == MAX_DEPTH)
		return &too_deep;
	struct users_function **known =
		(struct users_function **)table_put(&room->users_functions, &process->arena, entry);
	if (*known)
		return *known;
	struct users_function *found = *known = ARENA_NEW(&process->arena, struct users_function);
	if (room->num_looked_at++ >= MAX_LOOKED_AT || !function_own_flow(process, entry, &flow)) {
		found->effects = IS_UNKNOWN;
		return found;
	}
	uint8_t *effects = ARENA_ARRAY(&process->arena, uint8_t, flow.count), all = 0;
	for (uint32_t i = 0; i < flow.count; i++) {
		const struct users_function *callee;
		effects[i] = block_effects(runtime, &flow.blocks[i], depth + 1);
		all |= effects[i];
		callee = users_callee(runtime, &flow.blocks[i], depth + 1);
		found->may_unset |= callee && callee->may_unset;
	}
	found->effects = all;
	remove_unmade(runtime, &flow, depth + 1);
	found->never_returned = has_no_way_out(runtime, &flow);
	if (all & HAS_SET && all & IS_UNBOUND)
		found->may_unset |= may_unset_what_it_sets(&flow, effects);
	return found;
}

// ---- One function --------------------------------------------------------------------------------

/** Tell what a call of a function of the user's does to locks. @return false: nothing, it is unknown, or it
 *  both sets and unsets some. */
static bool classify_users_call(struct runtime *runtime, const struct code_block *block,
				struct lock_call *call)
{
	const struct users_function *callee = users_callee(runtime, block, 0);

	if (!callee || callee->effects & IS_UNKNOWN || callee->never_returned)
		return false;
	call->family = FAMILY_OF_LOCKS;
	switch (callee->effects & (HAS_SET | HAS_UNSET)) {
	case HAS_SET:
		call->operation = SETS;
		return !callee->may_unset;
	case HAS_UNSET:
		call->operation = UNSETS;
		return true;
	default:
		return false;
	}
}

static void find_calls(struct runtime *runtime, struct lock_calls *found)
{
	for (uint32_t i = 0; i < found->flow.count; i++) {
		const struct code_block *block = &found->flow.blocks[i];
		struct lock_call call = { .address = block->last, .returns = block->end };
		ompd_ext_wait_site site;
		// What has jumped to such a function has no frame any more.
		if (block->kind != CODE_CALL)
			continue;
		if (classify_block(runtime, block, &site) ?
			    !classify_lock_call(&site, &call) :
			    !classify_users_call(runtime, block, &call))
			continue;
		if (found->count == MAX_CALLS) {
			found->is_known = false; // of so many, some would be missed
			return;
		}
		found->calls[found->count++] = call;
	}
}

/** Copy the flow without the ways on which a lock is unset: a lock that is held was set on another. */
static void cut_unsets(struct arena *arena, struct lock_calls *found)
{
	found->held = found->flow;
	found->held.blocks = ARENA_ARRAY(arena, struct code_block, found->flow.count);
	memcpy(found->held.blocks, found->flow.blocks,
	       found->flow.count * sizeof(*found->held.blocks));
	for (size_t i = 0; i < found->count; i++) {
		struct code_block *block = code_flow_block(&found->held, found->calls[i].address);
		if (block && found->calls[i].operation == UNSETS)
			block->next_count = 0;
	}
}

struct lock_calls *lock_calls_at(struct runtime *runtime, uint64_t start)
{
	struct process *process = runtime->process;
	struct arena *arena = &process->arena;
	struct lock_calls **known =
		(struct lock_calls **)table_put(&diagnose_room(process)->lock_calls, arena, start);

	if (!*known) {
		struct lock_calls *found = *known = ARENA_NEW(arena, struct lock_calls);
		found->calls = ARENA_ARRAY(arena, struct lock_call, MAX_CALLS);
		found->is_known = function_flow(process, start, &found->flow);
		if (found->is_known) {
			remove_unmade(runtime, &found->flow, 0);
			find_calls(runtime, found);
		}
		if (found->count)
			cut_unsets(arena, found);
	}
	return *known;
}
