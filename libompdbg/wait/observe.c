// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be observed of a thread: its newest frames, its registers, and what OMPD records.

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "history/history.h"
#include "wait/room.h"

enum {
	MAX_FOREIGN = 256, // frames of runtime and libraries on top of the user's code
	MAX_RUNTIME = 64,  // frames of the runtime that are looked at
	MAX_OWN = 64,	   // frames from the innermost user frame on
};

/** How far away a function of the same object can be. */
static const int64_t same_object = 1 << 27;

/** The frames down to the innermost user frame. */
struct top {
	struct thread *thread;
	struct stack *stack;
	struct stack_frame *runtime[MAX_RUNTIME]; // of the runtime, innermost first
	size_t num_runtime;
	struct stack_frame *oldest;	// the oldest of the runtime's
	struct stack_frame *interposer; // the oldest of the interposer's; NULL
	struct stack_frame *user;	// NULL: none
	struct stack_frame *place;	// user, or an older frame that has source lines
	bool has_first, starts_in_runtime, is_outside;
	bool is_cut;	 // the debugger failed before a user frame was found: there may be some
	bool in_handler; // of a signal
	bool is_jump;	 // the user's code jumped to a function of the runtime that has no name
};

// ---- Frames ------------------------------------------------------------------------------------

/** Add a frame of the runtime. Of very many the youngest are kept, and the oldest. */
static void add_runtime_frame(struct top *top, struct stack_frame *frame)
{
	if (top->num_runtime == MAX_RUNTIME)
		top->num_runtime--;
	top->runtime[top->num_runtime++] = frame;
	top->oldest = frame;
}

/** Remove each ".." of a path with the folder before it: Clang names headers of GCC's library so. */
static void remove_parents(char *path)
{
	char *const start = path, *end = path;

	while (*path) {
		if (!starts_with(path, "/../")) {
			*end++ = *path++;
			continue;
		}
		path += 3;
		while (end > start && *--end != '/')
			;
	}
	*end = '\0';
}

static bool is_header(struct arena *arena, const char *file)
{
	static const char *const folders[] = { "/usr/include/", "/usr/lib/",
					       "/usr/local/include/" };
	char *path = arena_strdup(arena, file);

	if (!path)
		return false;
	remove_parents(path);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (starts_with(path, folders[i]))
			return true;
	}
	return false;
}

/** Find the frame where a thread is in the program's own files: the innermost user frame, if no older one is
 *  better. What headers of libraries made is the libraries' affair. @p index: of that one. */
static struct stack_frame *own_frame(struct thread *thread, size_t index)
{
	struct stack *stack = thread_stack(thread);
	struct stack_frame *innermost = stack_frame(stack, index), *with_line = NULL;

	for (size_t i = index; i < index + MAX_OWN; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame || stack_owner(stack, frame) == FRAME_RUNTIME)
			break;
		if (stack_owner(stack, frame) != FRAME_USER || !stack_place(stack, frame)->line)
			continue;
		if (!is_header(&thread->runtime->process->arena, stack_place(stack, frame)->file))
			return frame;
		if (!with_line)
			with_line = frame;
	}
	return with_line ? with_line : innermost;
}

static void find_top(struct top *top)
{
	enum code_owner owner = FRAME_UNKNOWN;

	for (size_t i = 0; i <= MAX_FOREIGN; i++) {
		struct stack_frame *frame = stack_frame(top->stack, i);
		if (!frame)
			break;
		top->has_first = true;
		top->is_cut = frame->at.is_cut_off;
		if (frame->at.is_signal) {
			top->in_handler = true;
			continue;
		}
		owner = stack_owner(top->stack, frame);
		if (owner == FRAME_USER) {
			top->user = frame;
			top->is_cut = false;
			top->place = own_frame(top->thread, i);
			return;
		}
		// The interposer waits for nothing, and is not what the runtime's frames are about.
		if (owner == FRAME_RUNTIME && is_interposer_object(frame->at.object)) {
			top->interposer = frame;
		} else if (owner == FRAME_RUNTIME) {
			top->starts_in_runtime |= i == 0;
			add_runtime_frame(top, frame);
		}
		if (i == MAX_FOREIGN)
			owner = FRAME_UNKNOWN;
	}
	top->is_outside = !top->num_runtime && owner == FRAME_SYSTEM && !top->is_cut;
}

// ---- Calls -------------------------------------------------------------------------------------

static struct runtime *runtime_of(const struct top *top)
{
	return top->thread->runtime;
}

/** Check whether the runtime's oldest frame waits by itself: it called a function of its own, and not
 *  the user's through a pointer. */
static bool went_on(struct top *top)
{
	const struct code_instruction *call;

	if (top->num_runtime < 2)
		return true;
	call = call_before(runtime_of(top)->process, top->oldest->at.pc);
	if (!call || !call->is_direct)
		return false;
	return llabs((int64_t)(call->target - top->oldest->at.pc)) < same_object;
}

/** Find the address on which the thread sleeps in a futex system call made by the runtime. */
static uint64_t futex_of(struct top *top)
{
	struct system_call call;

	if (!top->starts_in_runtime || !thread_system_call(top->thread, &call) ||
	    !call.is_futex_wait)
		return 0;
	return call.address;
}

/** Find for what a thread sleeps where the function that was called may have jumped to several of the
 *  runtime's: those that do not wait do not count. */
static bool classify_sleep(struct top *top, ompd_ext_wait_site *ret)
{
	struct call_sites sites;
	size_t count = 0;
	bool is_one = true, are_mutexes = true;

	if (!top->user || !futex_of(top) || !call_sites(runtime_of(top), top->user, &sites))
		return false;
	for (size_t i = 0; i < sites.count; i++) {
		if (sites.all[i].kind == ompd_ext_wait_none)
			continue;
		is_one &= !count++ || sites.all[i].kind == ret->kind;
		are_mutexes &= site_is_mutex(&sites.all[i]);
		*ret = sites.all[i];
	}
	top->is_jump |= count && are_mutexes && !is_one;
	return count && is_one;
}

/** Find the function that the user's code called last. *entered: how many frames of the runtime its
 *  call made. */
static bool innermost_call(struct top *top, size_t *entered, ompd_ext_wait_site *ret)
{
	struct runtime *runtime = runtime_of(top);

	*entered = top->num_runtime;
	// User code that jumped to a function of the runtime left no frame between that function and
	// the one that called the user's code through a pointer.
	for (size_t i = 1; i < top->num_runtime; i++) {
		if (!calls_users_code(runtime->process, top->runtime[i]))
			continue;
		if (classify_frame(runtime, top->thread, top->runtime[i - 1], ret)) {
			*entered = i;
			return true;
		}
		top->is_jump = true;
	}
	if (top->user && classify_call(runtime, top->user, ret))
		return true;
	// The oldest frame of a thread without user frames is the one that called the user's code, or
	// the user's code jumped to it and opened a region there.
	if (!top->user) {
		if (classify_frame(runtime, top->thread, top->oldest, ret) &&
		    ret->kind == ompd_ext_wait_parallel)
			return true;
		(*entered)--;
	}
	if (!*entered)
		return false;
	return classify_frame(runtime, top->thread, top->runtime[*entered - 1], ret) ||
	       (top->interposer && classify_frame(runtime, top->thread, top->interposer, ret)) ||
	       classify_sleep(top, ret);
}

/** Find the function of the runtime that the user's code called, or what that one waits in. */
static bool called(struct top *top, ompd_ext_wait_site *ret)
{
	struct runtime *runtime = runtime_of(top);
	ompd_ext_wait_site site;
	size_t entered;

	if (!innermost_call(top, &entered, ret))
		return false;
	if (site_waits(ret))
		return true;
	// Functions that do more than to wait: their callees tell, if they have names.
	for (size_t i = 0; i + 1 < entered; i++) {
		if (classify_frame(runtime, top->thread, top->runtime[i], &site) &&
		    site_waits(&site)) {
			*ret = site;
			return true;
		}
	}
	if (entered > 1 && classify_call(runtime, top->runtime[entered - 1], &site) &&
	    site_waits(&site))
		*ret = site;
	return true;
}

/** Check whether the user's code called a function of the runtime that does not wait. It may have
 *  jumped to another one, and have no frame. */
static bool in_routine(struct top *top)
{
	struct runtime *runtime = runtime_of(top);
	struct ompdbg_symbol symbol;
	uint64_t entry;

	if (!top->user)
		return false;
	if (is_routine(stack_place(top->stack, top->oldest)->symbol))
		return true;
	if (!top->user->at.is_call ||
	    !is_ok(SPACE_CALL(runtime->space, ext_get_call_target, space_handle(runtime->space),
			      top->user->at.pc, &entry)))
		return false;
	return is_ok(SERVICE(runtime->process, symbol_at, entry, &symbol)) && symbol.offset == 0 &&
	       is_routine(symbol.name);
}

// ---- What the runtime records, and what the thread sleeps on -----------------------------------

static void read_state(struct thread *thread, struct evidence *evidence)
{
	ompd_word_t state;
	ompd_wait_id_t wait_id = 0;

	evidence->recorded = STATE_UNKNOWN;
	if (thread->handle && is_ok(SPACE_CALL(thread->runtime->space, get_state, thread->handle,
					       &state, &wait_id))) {
		evidence->recorded = (int64_t)state;
		evidence->wait_id = wait_id;
	}
}

/** Find the lock that a thread waits for in the recording; 0: none. */
static uint64_t recorded_lock(struct thread *thread, const ompd_ext_wait_site *call)
{
	const struct record_wait *wait = history_wait(thread);

	if (!wait || wait->kind != RECORD_ACQUIRE ||
	    (call->kind != ompd_ext_wait_lock && call->kind != ompd_ext_wait_nest_lock))
		return 0;
	return wait->object;
}

static void observe_futex(struct top *top, struct evidence *e)
{
	struct thread *thread = top->thread;
	struct runtime *runtime = thread->runtime;

	e->futex = futex_of(top);
	if (e->futex && thread->handle)
		e->has_futex_site = is_ok(SPACE_CALL(runtime->space, ext_classify_futex,
						     thread->handle, e->futex, &e->futex_site));
	// What jumped to where the thread sleeps was called later than what was found.
	if (e->futex && top->is_jump && !e->has_futex_site)
		e->has_call = false;
	if (!e->futex && e->has_call && site_is_mutex(&e->call))
		e->futex = passed_lock(thread, top->user, top->oldest, &e->call);
	if (!e->futex && e->has_call)
		e->futex = recorded_lock(thread, &e->call);
	if (!e->futex)
		return;
	if (!is_ok(SERVICE(runtime->process, symbol_at, e->futex, &e->futex_symbol)))
		e->futex_symbol.name = NULL;
	bool has_symbol = e->futex_symbol.name;
	e->is_users = !e->has_futex_site && is_users_data(runtime->process, e->futex,
							  has_symbol ? &e->futex_symbol : NULL);
	e->is_from_jump = top->is_jump && !e->has_futex_site && !has_symbol;
	if (!e->has_futex_site && !is_critical_symbol(&e->futex_symbol))
		e->name = name_lock(thread, top->place, e->futex);
}

/** Check whether the runtime did not wait, but failed: at a lock that is none, or in an assertion. Other
 *  signals end a thread where it waits; so does one that a handler raises again. */
static bool has_failed(const struct top *top)
{
	static const char *const faults[] = { "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE" };
	const char *name = thread_signal(top->thread);
	bool fails = name && strcmp(name, "SIGABRT") == 0 && !top->starts_in_runtime;
	struct system_call call;

	for (size_t i = 0; name && i < sizeof(faults) / sizeof(*faults); i++)
		fails |= strcmp(name, faults[i]) == 0;
	return fails && !top->in_handler &&
	       !(thread_system_call(top->thread, &call) && call.is_futex_wait);
}

static bool waits_for_dependences(struct thread *thread)
{
	const uint32_t bit = ompd_ext_task_in_depend_wait;
	const struct task *task = thread_task(thread);

	return task && task->info.flags & task->info.flags_known & bit;
}

void observe(struct thread *thread, struct verdict *verdict)
{
	struct top top = { .thread = thread, .stack = thread_stack(thread) };
	struct evidence *e = &verdict->evidence;
	int level = thread_level(thread);

	e->level = level > 0 ? level : 0;
	read_state(thread, e);
	find_top(&top);
	if (top.num_runtime && !top.starts_in_runtime &&
	    calls_users_code(thread->runtime->process, top.runtime[0]))
		// As the last thing that it did, that code jumped to a function of the system.
		top.num_runtime = 0;
	verdict->place = top.place;
	if (!top.starts_in_runtime)
		awaited_system_lock(thread, &e->lock);
	if (!e->lock.kind)
		tested_lock(thread, &e->lock);
	if (e->lock.address)
		e->name = name_lock(thread, top.place, e->lock.address);
	e->is_outside = top.is_outside;
	if (!top.num_runtime || e->recorded == STATE_IDLE) {
		e->in_runtime = top.num_runtime;
		e->in_users_code = !top.num_runtime && top.user;
		e->is_unseen = !top.has_first || top.is_cut;
		return;
	}
	e->in_runtime = true;
	e->is_unseen = top.is_cut;
	e->has_failed = has_failed(&top);
	e->in_no_users_code = !top.user;
	// Of a stack that was not unwound, the oldest frame need not be the one that was called.
	e->has_call = !top.is_cut && called(&top, &e->call);
	e->in_routine = !e->has_call && in_routine(&top);
	e->after_user_code =
		!top.is_cut &&
		(!top.user || (e->has_call && e->call.kind == ompd_ext_wait_parallel)) &&
		went_on(&top);
	e->for_dependences = e->recorded == STATE_TASKWAIT && waits_for_dependences(thread);
	observe_futex(&top, e);
}
