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
	MAX_STEPS = 16,		 // instructions from a call to the condition on what it returned
};

/** Effects of a call, or of a function, on locks; SET and UNSET of each family that has functions. */
enum {
	IS_UNBOUND = 1, // there is a call that nobody has made yet: it may unset one
	IS_UNKNOWN = 2,
	HAS_TESTED = 4,	  // it may have set one, or not
	IS_INDIRECT = 8,  // there is a call through a pointer
	HAS_TRIED = 1024, // it has tested by a function that returns 0 for a lock that it has set
	SET = 16,
	UNSET = 32,
	FAMILY_SHIFT = 2,
	NUM_FAMILIES = FAMILY_OF_CRITICALS,
	HAS_SET = SET | SET << FAMILY_SHIFT | SET << 2 * FAMILY_SHIFT,
	HAS_UNSET = UNSET | UNSET << FAMILY_SHIFT | UNSET << 2 * FAMILY_SHIFT,
};

/** A function of the user's. */
struct users_function {
	uint16_t effects;
	bool may_unset;	     // what it has set, by a call that nobody has made yet
	bool never_returned; // each way out of it leads past such a call
};

bool is_unset_function(const char *function)
{
	// In the GNU C library the code that unlocks a spin lock also initialises it, and may be found by
	// either name.
	if (strcmp(function, "pthread_spin_init") == 0)
		return true;
	return strstr(function, "_unset_") || strstr(function, "_unlock") ||
	       strcmp(function, "GOMP_critical_end") == 0 ||
	       strcmp(function, "GOMP_critical_name_end") == 0 ||
	       strcmp(function, "GOMP_atomic_end") == 0 ||
	       strcmp(function, "__kmpc_end_critical") == 0;
}

enum lock_family lock_family(uint32_t kind)
{
	switch (kind) {
	case ompd_ext_wait_critical:
		return FAMILY_OF_CRITICALS;
	case ompd_ext_wait_atomic:
		return FAMILY_OF_ATOMICS;
	case WAIT_PTHREAD_RWLOCK:
		return FAMILY_OF_RWLOCKS;
	case WAIT_PTHREAD_SPINLOCK:
		return FAMILY_OF_SPINLOCKS;
	default:
		return FAMILY_OF_LOCKS;
	}
}

/** Tell what a call of the runtime does to locks. @return false: nothing. */
static bool classify_lock_call(const ompd_ext_wait_site *site, struct lock_call *call)
{
	if (!site->function)
		return false;
	call->family = strstr(site->function, "critical") ? FAMILY_OF_CRITICALS :
		       strstr(site->function, "atomic")	  ? FAMILY_OF_ATOMICS :
							    lock_family(site->kind);
	call->is_unnamed = strcmp(site->function, "GOMP_critical_start") == 0 ||
			   strcmp(site->function, "GOMP_critical_end") == 0 ||
			   call->family == FAMILY_OF_ATOMICS;
	if (is_unset_function(site->function)) {
		call->operation = UNSETS;
		return true;
	}
	call->operation = SETS;
	call->is_test = is_test_function(site->function);
	call->is_try = call->is_test && strstr(site->function, "_try");
	return site->kind == ompd_ext_wait_lock || site->kind == ompd_ext_wait_nest_lock ||
	       is_system_lock_kind(site->kind) || site->kind == ompd_ext_wait_critical ||
	       strcmp(site->function, "GOMP_atomic_start") == 0;
}

bool is_lock_operation(const ompd_ext_wait_site *site, const void *operation)
{
	struct lock_call call = { 0 };

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

static uint16_t block_effects(struct runtime *runtime, const struct code_block *block, size_t depth)
{
	const struct users_function *callee;
	struct lock_call call = { 0 };
	ompd_ext_wait_site site;
	uint64_t entry;

	switch (callee_of(runtime, block, &entry)) {
	case CODE_OK:
		break;
	case CODE_UNBOUND:
		return IS_UNBOUND;
	default:
		return !block->is_direct && !block->jumps &&
				       (block->kind == CODE_CALL || block->kind == CODE_JUMP) ?
			       IS_INDIRECT :
			       0;
	}
	if (classify_lock_entry(runtime, entry, &site)) {
		if (!classify_lock_call(&site, &call) || (int)call.family >= NUM_FAMILIES)
			return 0;
		return (uint16_t)((call.operation == SETS ? SET : UNSET)
				  << (FAMILY_SHIFT * call.family)) |
		       (call.is_test ? HAS_TESTED : 0) | (call.is_try ? HAS_TRIED : 0);
	}
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
static bool may_unset_what_it_sets(const struct code_flow *flow, const uint16_t *effects)
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

/** Find where control goes on if a call has set a lock, and says so: past the first condition on that. */
static void find_success(struct process *process, struct lock_call *call)
{
	struct code_reader *code = process_code(process);
	const struct code_architecture *architecture = code->architecture;
	struct code_machine machine = { .architecture = architecture, .memory = code->memory };
	struct code_instruction insn;
	uint64_t at = call->returns;
	bool is_taken;

	machine.registers[architecture->result] =
		(struct code_known){ .known = true, .bits = !call->is_try };
	for (size_t i = 0; i < MAX_STEPS && code_decode(code, at, &insn) == CODE_OK; i++) {
		if (insn.kind == CODE_JUMP_IF) {
			if (!architecture->is_taken(insn.condition, &machine.comparison, &is_taken))
				return;
			call->after = is_taken ? insn.target : code_end(&insn);
			call->condition = insn.address;
			return;
		}
		if (insn.kind == CODE_JUMP && insn.is_direct) {
			at = insn.target;
		} else if (insn.kind == CODE_OTHER) {
			code_carry_out(&machine, &insn);
			at = code_end(&insn);
		} else {
			return;
		}
	}
}

static bool is_call_there(void *context, const struct code_block *block)
{
	const struct lock_call *call = context;

	return block->last == call->address;
}

bool lock_call_is_passed(struct code_flow *flow, const struct lock_call *call, uint64_t here)
{
	if (code_flow_reaches(flow, flow->entry, here, is_call_there, (void *)call))
		return false;
	if (!call->is_test)
		return true;
	struct code_block *block = call->condition ? code_flow_block(flow, call->condition) : NULL;
	if (!block)
		return false;
	const struct code_block kept = *block;
	block->next_count = 0;
	for (uint8_t i = 0; i < kept.next_count; i++) {
		if (flow->blocks[kept.next[i]].begin != call->after)
			block->next[block->next_count++] = kept.next[i];
	}
	bool may_be_here = code_flow_reaches(flow, call->returns, here, NULL, NULL);
	*block = kept;
	return !may_be_here;
}

/** Check that a function comes back only when its one test has set the lock, as one does that tests in a loop.
 *  @p effects: of the blocks of its flow. */
static bool tests_until_set(struct runtime *runtime, struct code_flow *flow,
			    const uint16_t *effects)
{
	struct lock_call test = { .is_test = true };

	for (uint32_t i = 0; i < flow->count; i++) {
		const struct code_block *block = &flow->blocks[i];
		if (!(effects[i] & HAS_TESTED))
			continue;
		if (test.address || block->kind != CODE_CALL)
			return false;
		test.is_try = effects[i] & HAS_TRIED;
		if (test.is_try && users_callee(runtime, block, 0))
			return false; // what that returns is unknown
		test.address = block->last;
		test.returns = test.after = block->end;
	}
	find_success(runtime->process, &test);
	for (uint32_t i = 0; i < flow->count; i++) {
		const struct code_block *block = &flow->blocks[i];
		bool leaves = block->kind == CODE_RETURN ||
			      (!block->jumps &&
			       (block->kind == CODE_JUMP || block->kind == CODE_JUMP_IF));
		if (leaves && !lock_call_is_passed(flow, &test, block->last))
			return false;
	}
	return flow->is_complete;
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
	uint16_t *effects = ARENA_ARRAY(&process->arena, uint16_t, flow.count), all = 0;
	for (uint32_t i = 0; i < flow.count; i++) {
		const struct users_function *callee;
		effects[i] = block_effects(runtime, &flow.blocks[i], depth + 1);
		all |= effects[i];
		callee = users_callee(runtime, &flow.blocks[i], depth + 1);
		found->may_unset |= callee && callee->may_unset;
	}
	if (all & HAS_TESTED && tests_until_set(runtime, &flow, effects))
		all &= (uint16_t) ~(HAS_TESTED | HAS_TRIED);
	found->effects = all;
	remove_unmade(runtime, &flow, depth + 1);
	found->never_returned = has_no_way_out(runtime, &flow);
	if (all & HAS_SET && all & IS_UNBOUND)
		found->may_unset |= may_unset_what_it_sets(&flow, effects);
	return found;
}

// ---- One function --------------------------------------------------------------------------------

/** Tell what a call of a function does to locks. @return false: nothing, it is unknown, or it both sets and
 *  unsets some. */
static bool classify_call_of(struct runtime *runtime, uint64_t entry, struct lock_call *call)
{
	const struct users_function *callee;
	ompd_ext_wait_site site;

	if (classify_lock_entry(runtime, entry, &site))
		return classify_lock_call(&site, call);
	if (code_owner(runtime->process, entry) != FRAME_USER)
		return false;
	callee = users_function(runtime, entry, 0);
	// Of a function of the user's that has tried, what it returns is unknown.
	if (callee->effects & (IS_UNKNOWN | HAS_TRIED) || callee->never_returned)
		return false;
	const unsigned int effects = callee->effects & (HAS_SET | HAS_UNSET);
	for (unsigned int family = 0; family < NUM_FAMILIES; family++) {
		const unsigned int shift = family * FAMILY_SHIFT;
		if (effects != (unsigned int)SET << shift && effects != (unsigned int)UNSET
										<< shift)
			continue;
		call->family = family;
		call->operation = effects == (unsigned int)SET << shift ? SETS : UNSETS;
		call->is_test = callee->effects & HAS_TESTED;
		return call->operation == UNSETS || !callee->may_unset;
	}
	return false;
}

/** Add a call. @return false: there are too many. */
static bool add_call(struct lock_calls *found, struct process *process, struct lock_call call)
{
	call.after = call.returns;
	if (call.is_test)
		find_success(process, &call);
	if (found->count == MAX_CALLS) {
		found->is_known = false; // of so many, some would be missed
		return false;
	}
	found->calls[found->count++] = call;
	return true;
}

/** Check for a function of the user's with calls through pointers. */
static bool is_indirect(struct runtime *runtime, uint64_t entry)
{
	ompd_ext_wait_site site;

	return code_owner(runtime->process, entry) == FRAME_USER &&
	       !classify_lock_entry(runtime, entry, &site) &&
	       users_function(runtime, entry, 0)->effects & IS_INDIRECT;
}

static void find_calls(struct runtime *runtime, struct lock_calls *found)
{
	for (uint32_t i = 0; i < found->flow.count; i++) {
		const struct code_block *block = &found->flow.blocks[i];
		struct lock_call call = { .address = block->last, .returns = block->end };
		uint64_t entry;
		// What has jumped to such a function has no frame any more.
		if (block->kind != CODE_CALL)
			continue;
		if (callee_of(runtime, block, &entry) != CODE_OK)
			found->has_indirect |= !block->is_direct;
		else if (!classify_call_of(runtime, entry, &call))
			found->has_indirect |= is_indirect(runtime, entry);
		else if (!add_call(found, runtime->process, call))
			return;
	}
}

/** Tell what a call does to locks if it is carried out. @return false: nothing, it is unknown, or more than one
 *  thing. */
static bool classify_by_doing(struct runtime *runtime, struct thread *thread,
			      struct stack_frame *frame, const struct code_flow *flow,
			      struct lock_call *call)
{
	struct lock_operations operations;
	struct lock_call one;
	size_t count = 0;

	if (runtime != thread->runtime ||
	    !lock_operations_at(thread, frame, call->returns, flow, &operations))
		return false;
	for (size_t i = 0; i < operations.count; i++) {
		one = *call;
		if (classify_lock_call(&operations.all[i], &one) &&
		    one.family < FAMILY_OF_CRITICALS) {
			if (count++ || one.is_try)
				return false;
			*call = one;
		}
	}
	call->is_vague = true;
	return count;
}

/** Find the calls through pointers that a frame makes, or has made. */
static void find_indirect_calls(struct runtime *runtime, struct thread *thread,
				struct stack_frame *frame, struct lock_calls *found)
{
	for (uint32_t i = 0; i < found->flow.count; i++) {
		const struct code_block *block = &found->flow.blocks[i];
		struct lock_call call = { .address = block->last, .returns = block->end };
		uint64_t entry;
		if (block->kind != CODE_CALL)
			continue;
		bool is_known = callee_of(runtime, block, &entry) == CODE_OK;
		if (is_known &&
		    (classify_call_of(runtime, entry, &call) || !is_indirect(runtime, entry)))
			continue; // found already, or it does nothing
		if (!is_known && !block->is_direct)
			entry = called_function_at(thread, frame, block->end, &found->flow);
		else if (!is_known)
			continue;
		if (!entry || (!classify_call_of(runtime, entry, &call) &&
			       !(is_indirect(runtime, entry) &&
				 classify_by_doing(runtime, thread, frame, &found->flow, &call))))
			continue;
		if (!add_call(found, runtime->process, call))
			return;
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

/** Find the calls of a function. */
static struct lock_calls *lock_calls_at(struct runtime *runtime, uint64_t start)
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

struct lock_calls *frame_lock_calls(struct runtime *runtime, struct thread *thread,
				    struct stack_frame *frame)
{
	struct arena *arena = &runtime->process->arena;
	struct lock_calls *all =
		lock_calls_at(runtime, stack_place(thread_stack(thread), frame)->start);

	if (!all->is_known || !all->has_indirect)
		return all;
	struct lock_calls **known = (struct lock_calls **)table_put(
		&diagnose_room(runtime->process)->frame_calls, arena, (uint64_t)(uintptr_t)frame);
	if (!*known) {
		struct lock_calls *own = *known = ARENA_NEW(arena, struct lock_calls);
		*own = *all;
		own->calls = ARENA_ARRAY(arena, struct lock_call, MAX_CALLS);
		memcpy(own->calls, all->calls, all->count * sizeof(*all->calls));
		find_indirect_calls(runtime, thread, frame, own);
		if (own->count)
			cut_unsets(arena, own);
	}
	return *known;
}
