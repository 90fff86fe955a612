// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owners of locks as the stacks suggest them. It is never more than a suggestion: other functions may
// have set and unset the lock, and what a frame holds it may not use.

#include "diagnose/room.h"

#include "base/text.h"
#include "libcode/code.h"
#include "wait/room.h"

enum {
	MAX_FRAMES = 64,
	MAX_CALLS = 64,
	MAX_BY_ADDRESS = 4, // if more threads hold the address, that says nothing
	MAX_SEARCHES =
		1
		<< 12, // of frames for addresses at one stop: each thread may wait for another lock
};

// ---- Whether one has set the lock ----------------------------------------------------------------

struct search {
	struct thread *thread;
	struct stack_frame *frame;
	const struct lock *lock;
	struct lock_calls *calls;
	uint64_t here;		       // what the search leads to
	bool *may_unset;	       // the lock; of each call, before the first search
	bool *blocks;		       // it sets the lock: whoever has it does not get past
	const struct lock_call *tried; // the call that may have set the lock
};

/** The lock that a frame passed in a call, which is asked for once for each lock. */
struct passed_lock {
	bool is_known;
	uint64_t address; // 0: the code does not tell
};

static uint64_t lock_of_call(const struct search *search, const struct lock_call *call)
{
	struct process *process = search->thread->runtime->process;
	const struct lock_calls *calls = search->calls;
	struct passed_lock **passed = (struct passed_lock **)table_put(
		&diagnose_room(process)->passed_locks, &process->arena,
		(uint64_t)(uintptr_t)search->frame);

	if (!*passed)
		*passed = ARENA_ARRAY(&process->arena, struct passed_lock, calls->count);
	struct passed_lock *lock = &(*passed)[call - calls->calls];
	if (!lock->is_known && !call->is_vague) {
		lock->is_known = true;
		lock->address =
			passed_lock_at(search->thread, search->frame, call->returns,
				       call->operation == SETS ? &calls->held : &calls->flow,
				       is_lock_operation, &call->operation);
	}
	return lock->address;
}

enum match { NO_MATCH, MATCHES, MAY_MATCH };

/** Compare the lock that a call has set or unset with the one that is asked for. */
static enum match is_of_lock(const struct search *search, const struct lock_call *call)
{
	const struct lock *lock = search->lock;

	if (call->family != lock_family(lock->kind) && lock->kind != WAIT_MUTEX)
		return NO_MATCH;
	if (call->is_unnamed || !lock->address) {
		const struct wait *wait = thread_wait(lock->waiters.all[0]);
		bool is_unnamed = wait && wait->function &&
				  (strcmp(wait->function, "GOMP_critical_start") == 0 ||
				   strcmp(wait->function, "GOMP_atomic_start") == 0);
		return call->is_unnamed && is_unnamed ? MATCHES : NO_MATCH;
	}
	uint64_t address = lock_of_call(search, call);

	if (!address)
		return MAY_MATCH;
	return address == lock->address ? MATCHES : NO_MATCH;
}

/** Check for a lock for which a thread waits that has set it. */
static bool is_set_once(const struct lock *lock)
{
	return lock->kind == ompd_ext_wait_lock || lock->kind == ompd_ext_wait_critical ||
	       lock->kind == WAIT_PTHREAD_SPINLOCK;
}

/** Find the calls that may have unset the lock, and those that set it. Not within a search: what a call passes is found by another
 *  one through the same blocks. */
static void find_operations(struct search *search)
{
	struct arena *arena = &search->thread->runtime->process->arena;
	const struct lock_calls *calls = search->calls;

	if (search->may_unset)
		return;
	search->may_unset = ARENA_ARRAY(arena, bool, calls->count);
	search->blocks = ARENA_ARRAY(arena, bool, calls->count);
	for (size_t i = 0; i < calls->count; i++) {
		const struct lock_call *call = &calls->calls[i];
		search->may_unset[i] = call->operation == UNSETS && call->address != search->here &&
				       is_of_lock(search, call) != NO_MATCH;
		search->blocks[i] = call->operation == SETS && !call->is_test &&
				    is_set_once(search->lock) &&
				    is_of_lock(search, call) == MATCHES;
	}
}

static bool is_blocked_there(void *context, const struct code_block *block)
{
	const struct search *search = context;
	const struct lock_call *calls = search->calls->calls;

	for (size_t i = 0; i < search->calls->count; i++) {
		if (calls[i].address == block->last && search->blocks[i] &&
		    &calls[i] != search->tried)
			return true;
	}
	return false;
}

/** Check for a call that may have unset the lock, or that sets it again: a search goes past none. */
static bool is_over_there(void *context, const struct code_block *block)
{
	const struct search *search = context;

	for (size_t i = 0; i < search->calls->count; i++) {
		if (search->calls->calls[i].address == block->last && search->may_unset[i])
			return true;
	}
	return is_blocked_there(context, block);
}

/** Check for a way to a call on which the lock was not set before. */
static bool may_get_there(const struct search *search)
{
	const struct code_flow *flow = &search->calls->flow;
	const uint64_t there = search->tried->address;

	if (code_flow_reaches(flow, flow->entry, there, is_blocked_there, (void *)search))
		return true;
	for (size_t i = 0; i < search->calls->count; i++) {
		if (search->may_unset[i] &&
		    code_flow_reaches(flow, search->calls->calls[i].returns, there,
				      is_blocked_there, (void *)search))
			return true;
	}
	return false;
}

/** Check for a way to here on which the lock that a call has set is not unset. */
static bool may_still_hold(struct search *search, const struct lock_call *call)
{
	find_operations(search);
	search->tried = call;
	return code_flow_reaches(&search->calls->flow, call->after, search->here, is_over_there,
				 search) &&
	       may_get_there(search);
}

/** Find the call on a way from which to here the lock is not unset; NULL: there is none. @p match: it has
 *  set this lock, or surely one that is unknown. */
static const struct lock_call *call_that_set_lock(struct search *search, enum match match)
{
	search->here = frame_here(search->thread->runtime->process, search->frame);
	if (!search->here)
		return NULL;
	const struct spin *spin = thread_spin(search->thread);
	for (size_t i = 0; i < search->calls->count; i++) {
		const struct lock_call *call = &search->calls->calls[i];
		// The call at which the frame is has not set it yet, nor that on which it spins.
		if (call->operation == SETS && call->address != search->here &&
		    !(spin && spin->tested == call->returns) && is_of_lock(search, call) == match &&
		    may_still_hold(search, call) &&
		    (match == MATCHES ||
		     lock_call_is_passed(&search->calls->flow, call, search->here)))
			return call;
	}
	return NULL;
}

// ---- Candidates --------------------------------------------------------------------------------

static void add_candidate(struct process *process, struct lock *lock, struct candidate candidate,
			  struct thread *thread, struct stack_frame *frame)
{
	if (!lock->candidates)
		lock->candidates =
			ARENA_ARRAY(&process->arena, struct candidate, process->num_targets);
	candidate.thread = thread;
	candidate.location = locate_by_stack(thread, frame);
	candidate.level = frame->at.level;
	lock->candidates[lock->num_candidates++] = candidate;
}

/** Call @p visit for the user's frames of a thread until it returns true. */
static bool visit_frames(struct process *process, struct lock *lock, struct thread *thread,
			 bool (*visit)(struct process *process, struct lock *lock,
				       struct thread *thread, struct stack_frame *frame))
{
	struct stack *stack;

	if (thread->target->running)
		return false;
	stack = thread_stack(thread);
	for (size_t i = 0; i < MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame)
			break;
		if (!frame->at.is_signal && stack_owner(stack, frame) == FRAME_USER &&
		    visit(process, lock, thread, frame))
			return true;
	}
	return false;
}

/** Find the function that has the call, of those that are inlined in the function of a frame and are on
 *  the stack there, innermost first; the frame itself if none has. A call in the line of a frame is not
 *  where that frame is: the function was inlined twice. */
static struct stack_frame *frame_of_call(struct thread *thread, struct stack_frame *frame,
					 const struct lock_call *call)
{
	struct stack *stack = thread_stack(thread);
	const struct location *set = call_location(thread->runtime->process, call->returns);
	size_t first = frame->index;

	while (first && stack_frame(stack, first - 1)->at.is_inlined)
		first--;
	for (size_t i = first; set && i < frame->index; i++) {
		const struct location *at = locate(thread, stack_frame(stack, i));
		if (at && at->line != set->line && is_same_text(at->function, set->function) &&
		    is_same_text(at->file, set->file))
			return stack_frame(stack, i);
	}
	return frame;
}

static bool has_set(struct process *process, struct lock *lock, struct thread *thread,
		    struct stack_frame *frame, enum match match)
{
	struct search search = { .thread = thread, .frame = frame, .lock = lock };
	const struct lock_call *call;

	if (frame->at.is_inlined || !stack_place(thread_stack(thread), frame)->start)
		return false;
	search.calls = frame_lock_calls(lock->runtime, thread, frame);
	call = search.calls->is_known ? call_that_set_lock(&search, match) : NULL;
	if (!call)
		return false;
	add_candidate(process, lock,
		      (struct candidate){ .suspicion = match == MATCHES ? SUSPECTED_BY_CODE :
									  SUSPECTED_BY_KIND },
		      thread, frame_of_call(thread, frame, call));
	if (match != MATCHES)
		lock->candidates[lock->num_candidates - 1].location =
			call_location(process, call->returns);
	return true;
}

static bool has_set_it_in(struct process *process, struct lock *lock, struct thread *thread,
			  struct stack_frame *frame)
{
	return has_set(process, lock, thread, frame, MATCHES);
}

static bool has_set_some_in(struct process *process, struct lock *lock, struct thread *thread,
			    struct stack_frame *frame)
{
	return has_set(process, lock, thread, frame, MAY_MATCH);
}

/** Check for the function of a construct: what it knows, all threads that execute it know. */
static bool is_of_construct(struct thread *thread, const struct stack_frame *frame)
{
	size_t count;
	const struct logical_frame *frames = walk_frames(thread_walk(thread), &count);

	for (size_t i = 0; i < count; i++) {
		if (frames[i].frame == frame)
			return frames[i].construct != NO_CONSTRUCT;
	}
	return false;
}

static bool holds_address_in(struct process *process, struct lock *lock, struct thread *thread,
			     struct stack_frame *frame)
{
	const char *name;

	if (is_of_construct(thread, frame) ||
	    diagnose_room(process)->num_searches++ >= MAX_SEARCHES ||
	    !is_ok(SERVICE(process, frame_name, thread->target->number, &frame->at, lock->address,
			   OMPDBG_NAME_OF_HOLDER, &name)))
		return false;
	add_candidate(process, lock,
		      (struct candidate){ .suspicion = SUSPECTED_BY_ADDRESS, .variable = name },
		      thread, frame);
	return true;
}

/** Remove the candidates from an index on which wait for the lock, if others do not. */
static void prefer_others(struct lock *lock)
{
	size_t kept = 0;

	for (size_t i = 0; i < lock->num_candidates; i++)
		kept += !thread_list_has(&lock->waiters, lock->candidates[i].thread);
	if (!kept)
		return;
	kept = 0;
	for (size_t i = 0; i < lock->num_candidates; i++) {
		if (!thread_list_has(&lock->waiters, lock->candidates[i].thread))
			lock->candidates[kept++] = lock->candidates[i];
	}
	lock->num_candidates = kept;
}

struct thread_list lock_candidates(struct arena *arena, const struct lock *lock)
{
	struct thread_list list = { 0 };

	for (size_t i = 0; i < lock->num_candidates; i++)
		thread_list_add(&list, arena, lock->candidates[i].thread);
	return list;
}

void find_candidates(struct process *process, struct lock *lock)
{
	for (size_t i = 0; i < process->num_targets && !process_is_interrupted(process); i++)
		visit_frames(process, lock, process->threads[i], has_set_it_in);
	prefer_others(lock);
	if (lock->num_candidates || !lock->address)
		return;
	for (size_t i = 0; i < process->num_targets && lock->num_candidates <= MAX_BY_ADDRESS &&
			   !process_is_interrupted(process);
	     i++) {
		if (!thread_list_has(&lock->waiters, process->threads[i]))
			visit_frames(process, lock, process->threads[i], holds_address_in);
	}
	if (lock->num_candidates > MAX_BY_ADDRESS ||
	    diagnose_room(process)->num_searches > MAX_SEARCHES)
		lock->num_candidates = 0;
	if (lock->num_candidates)
		return;
	for (size_t i = 0; i < process->num_targets && !process_is_interrupted(process); i++) {
		if (!thread_list_has(&lock->waiters, process->threads[i]))
			visit_frames(process, lock, process->threads[i], has_set_some_in);
	}
}

// ---- Locks that were left --------------------------------------------------------------------------

/** Check for a call of a function of the system that never comes back, by its name. */
static bool never_comes_back(struct process *process, const struct code_block *block)
{
	static const char *const names[] = { "longjmp",	       "_longjmp",     "siglongjmp",
					     "__longjmp_chk",  "__cxa_throw",  "__cxa_rethrow",
					     "_Unwind_Resume", "pthread_exit", NULL };
	struct code_reader *code = process_code(process);
	struct code_instruction insn;
	struct ompdbg_function function;
	uint64_t entry;

	if (block->kind != CODE_CALL || code_decode(code, block->last, &insn) != CODE_OK ||
	    code_callee(code, &insn, &entry) != CODE_OK ||
	    code_owner(process, entry) != FRAME_SYSTEM ||
	    !is_ok(SERVICE(process, function_at, entry, &function)) || !function.symbol)
		return false;
	for (size_t i = 0; names[i]; i++) {
		if (strcmp(function.symbol, names[i]) == 0)
			return true;
	}
	return false;
}

/** Check for the end of the ways on which a lock stays set in a function. */
static bool surely_ends_there(void *context, const struct code_block *block)
{
	const struct search *search = context;

	if (never_comes_back(search->thread->runtime->process, block))
		return true;
	for (size_t i = 0; i < search->calls->count; i++) {
		const struct lock_call *call = &search->calls->calls[i];
		if (call->address == block->last && search->may_unset[i])
			return true;
	}
	return false;
}

/** Check that a frame is on no way from a call that has set a lock to the one that unsets it. @return false:
 *  it may be. */
static bool is_outside(struct lock *lock, struct thread *thread, struct stack_frame *frame)
{
	struct process *process = thread->runtime->process;
	struct search search = { .thread = thread, .frame = frame, .lock = lock };

	if (frame->at.is_inlined) // its function has a frame, too
		return true;
	// Of code that was moved out of its function, the calls that led there are not known.
	const struct ompdbg_function *place = stack_place(thread_stack(thread), frame);
	search.here = frame_here(process, frame);
	if (!search.here || !place->start || !place->symbol || strstr(place->symbol, ".cold"))
		return false;
	search.calls = frame_lock_calls(lock->runtime, thread, frame);
	const struct lock_calls *calls = search.calls;
	if (!calls->is_known || !calls->flow.is_complete ||
	    (calls->has_indirect && lock->kind != ompd_ext_wait_critical))
		return false;
	search.may_unset = ARENA_ARRAY(&process->arena, bool, calls->count);
	for (size_t i = 0; i < calls->count; i++)
		search.may_unset[i] = calls->calls[i].operation == UNSETS &&
				      is_of_lock(&search, &calls->calls[i]) == MATCHES;
	for (size_t i = 0; i < calls->count; i++) {
		if (calls->calls[i].operation == SETS &&
		    is_of_lock(&search, &calls->calls[i]) != NO_MATCH &&
		    code_flow_reaches(&calls->flow, calls->calls[i].after, search.here,
				      surely_ends_there, &search))
			return false;
	}
	return true;
}

/** Check that a frame is the oldest that a thread can have. */
static bool is_first_of_thread(struct stack *stack, struct stack_frame *frame)
{
	static const char *const names[] = { "clone3",	     "__clone3", "clone",  "__clone",
					     "start_thread", "main",	 "_start", NULL };
	const char *symbol = stack_place(stack, frame)->symbol;

	for (size_t i = 0; symbol && names[i]; i++) {
		if (strcmp(symbol, names[i]) == 0)
			return true;
	}
	return false;
}

/** Check that no function on a thread's whole stack has set a lock and has still to unset it. @return false:
 *  one may have. */
static bool is_without(struct lock *lock, struct thread *thread)
{
	struct stack *stack = thread_stack(thread);
	const size_t depth = thread->target->running ? 0 : stack_depth(stack);

	// A function of the runtime to which the program's has jumped may be about to unset it.
	if (!depth || stack_is_cut(stack) ||
	    !is_first_of_thread(stack, stack_frame(stack, depth - 1)) ||
	    (thread_is_in_runtime(thread) && !thread_wait(thread)))
		return false;
	for (size_t i = 0; i < depth; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		enum code_owner owner = stack_owner(stack, frame);
		if (owner == FRAME_UNKNOWN || (owner == FRAME_USER && !frame->at.is_signal &&
					       !is_outside(lock, thread, frame)))
			return false;
	}
	return true;
}

bool lock_is_left(struct process *process, struct lock *lock)
{
	if (lock->owner)
		return is_without(lock, lock->owner);
	for (size_t i = 0; i < process->num_targets; i++) {
		if (process_is_interrupted(process) || !is_without(lock, process->threads[i]))
			return false;
	}
	return lock->is_held == YES;
}
