// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread does.

#include <ctype.h>
#include <string.h>

#include "base/objects.h"
#include "base/text.h"
#include "stack/names.h"
#include "wait/room.h"

enum { MAX_FRAMES = 64 };

// ---- The C library's names for its own functions: `__GI___pthread_mutex_lock`, `___pthread_...` --

static const char *skip_underscores(const char *name)
{
	return name + strspn(name, "_");
}

/** Return where a name begins without what the C library puts before it. */
static const char *skip_own_prefix(const char *name)
{
	const char *rest = skip_underscores(name);
	bool is_own = true;

	if (rest == name || starts_with(rest, "cxa_"))
		return name; // the source has it, or it is the C++ compiler's own
	while (is_own) {
		is_own = starts_with(rest, "GI_") || starts_with(rest, "libc_") ||
			 starts_with(rest, "new_");
		if (is_own)
			rest = skip_underscores(rest + strcspn(rest, "_"));
	}
	return rest;
}

/** Remove one suffix of the compiler's: ".constprop", ".isra", ".part", ".cold", ".0". */
static bool remove_clone_suffix(char *name)
{
	static const char *const clones[] = { "constprop", "isra", "part", "cold" };
	char *dot = strrchr(name, '.');

	if (!dot)
		return false;
	bool is_clone = dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0';
	for (size_t i = 0; i < sizeof(clones) / sizeof(*clones); i++)
		is_clone |= strcmp(dot + 1, clones[i]) == 0;
	if (is_clone)
		*dot = '\0';
	return is_clone;
}

static const char *own_name(struct arena *arena, const char *function)
{
	static const char *const slow[] = { "_slow", "_slow32", "_slow64" };
	char *name = arena_strdup(arena, skip_own_prefix(function));

	while (remove_clone_suffix(name))
		;
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++) {
		size_t length = strlen(name), end = strlen(slow[i]);
		if (length > end && strcmp(name + length - end, slow[i]) == 0) {
			name[length - end] = '\0';
			break;
		}
	}
	return name;
}

const char *system_function_name(struct process *process, const char *function)
{
	return own_name(&process->arena, function);
}

/** Name the function of the system that a caller has called, perhaps through functions of its own that jump
 *  there; NULL: unknown, or one of several. */
static const char *called_by(struct thread *thread, const struct stack_frame *caller)
{
	struct process *process = thread->runtime->process;
	struct space *space = thread->runtime->space;
	struct ompdbg_symbol symbol;
	uint64_t entry, found = 0;

	if (!caller || !caller->at.is_call ||
	    !is_ok(SPACE_CALL(space, ext_get_call_target, space_handle(space), caller->at.pc,
			      &entry)))
		return NULL;
	const struct jumps *jumps = jumps_from(process, entry);
	for (size_t i = 0; i < jumps->count; i++) {
		if (jumps->all[i].owner == FRAME_USER)
			continue;
		if (found || !jumps->is_complete)
			return NULL;
		found = jumps->all[i].entry;
	}
	return found && is_ok(SERVICE(process, symbol_at, found, &symbol)) && !symbol.offset ?
		       symbol.name :
		       NULL;
}

/** Return how the caller calls the function of the system in which the thread is: that may have jumped to
 *  @p called, or have no name there, as the C library's own without debug information, or several. */
static const char *hidden(struct thread *thread, const struct stack_frame *caller,
			  const char *called)
{
	const bool joins = called && strstr(called, "pthread_clockjoin_ex");
	const char *name = called_by(thread, caller);

	return name && (!joins || starts_with(skip_underscores(name), "pthread_")) ? name : called;
}

const char *thread_system_function(struct thread *thread)
{
	struct process *process = thread->runtime->process;
	struct stack *stack = thread_stack(thread);
	struct stack_frame *frame = NULL;
	const char *called = NULL;
	bool in_system = false;

	for (size_t i = 0; i < MAX_FRAMES; i++) {
		frame = stack_frame(stack, i);
		enum code_owner owner = frame ? stack_owner(stack, frame) : FRAME_USER;
		// The user's code may have jumped to the function: then the runtime's frame is next.
		if (owner == FRAME_USER || owner == FRAME_RUNTIME)
			break;
		const char *name = stack_place(stack, frame)->name;
		if (name && !strstr(name, "lll_lock_wait"))
			called = name;
		in_system = true;
	}
	if (in_system)
		called = hidden(thread, frame, called);
	return called ? system_function_name(process, plain_name(process, called)) : NULL;
}

// ---- In words ----------------------------------------------------------------------------------

static const struct {
	const char *name, *word;
} activities[NUM_ACTIVITIES] = {
	[DOES_UNKNOWN] = { "unknown", "unknown" },
	[DOES_CRASH] = { "crashed", "crashed" },
	[DOES_RUN] = { "running", "running" },
	[DOES_WORK] = { "works", "works" },
	[DOES_SLEEP] = { "asleep", "sleeps" },
	[DOES_SPIN] = { "spins", "spins" },
	[DOES_START_OR_END] = { "starts_or_ends", "starting or ending" },
	[DOES_RUNTIME] = { "runtime", "in the runtime" },
	[DOES_BARRIER] = { "barrier", NULL }, // of these the kind of wait has the word
	[DOES_LOCK] = { "lock", NULL },
	[DOES_TASKS] = { "tasks", NULL },
	[DOES_IDLE] = { "idle", NULL },
};

const char *activity_name(enum activity activity)
{
	return activities[activity].name;
}

bool is_doing_word(const char *begin)
{
	for (size_t i = 0; i < NUM_ACTIVITIES; i++) {
		if (activities[i].word && starts_with(activities[i].word, begin))
			return true;
	}
	return is_wait_title(begin);
}

static enum activity activity_of_family(enum wait_family family)
{
	switch (family) {
	case FAMILY_BARRIER:
		return DOES_BARRIER;
	case FAMILY_MUTEX:
	case FAMILY_ORDERED:
	case FAMILY_DOACROSS:
	case FAMILY_RUNTIME_LOCK:
		return DOES_LOCK;
	case FAMILY_TASK:
		return DOES_TASKS;
	case FAMILY_IDLE:
		return DOES_IDLE;
	default:
		return DOES_RUNTIME;
	}
}

static struct doing simply(enum activity activity)
{
	const char *word = activities[activity].word;

	return (struct doing){ activity, word, activity == DOES_UNKNOWN ? "?" : word };
}

/** Tell in which loop that only reads memory a thread is. */
static struct doing doing_spin(struct arena *arena, const struct spin *spin)
{
	struct doing doing = simply(DOES_SPIN);
	const char *names = "";

	for (size_t i = 0; i < spin->num_variables; i++)
		names = arena_printf(arena, "%s%s%s", names, i ? ", " : "", spin->variables[i]);
	if (spin->is_endless)
		doing.text = "in an endless loop";
	else if (*names)
		doing.text = arena_printf(arena, "spins on %s", names);
	return doing;
}

/** Check for a thread in our recorder: the runtime tells it of an event. */
static bool is_recording(struct thread *thread)
{
	struct stack *stack = thread_stack(thread);

	for (size_t i = 0; i < MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame || stack_owner(stack, frame) == FRAME_USER ||
		    stack_owner(stack, frame) == FRAME_RUNTIME)
			break;
		if (is_recorder_object(frame->at.object))
			return true;
	}
	return false;
}

/** Tell which function of the system a thread has called from its own code; or it works. */
static struct doing doing_own_code(struct thread *thread)
{
	struct arena *arena = &thread->runtime->process->arena;
	const char *function = thread_system_function(thread);
	struct system_call call;
	bool sleeps = thread_system_call(thread, &call) &&
		      (call.sleeps || call.waits_outside || call.is_timed);
	struct doing doing = simply(sleeps ? DOES_SLEEP : DOES_WORK);

	if (function)
		doing.text = arena_printf(arena, sleeps ? "sleeps in %s" : "in %s", function);
	return doing;
}

static struct doing find_doing(struct thread *thread)
{
	struct arena *arena = &thread->runtime->process->arena;
	const struct verdict *verdict = thread_verdict(thread);
	const struct spin *spin;

	if (thread->target->running)
		return simply(DOES_RUN);
	if (thread_signal(thread)) {
		struct doing doing = simply(DOES_CRASH);
		doing.text = arena_printf(arena, "%s here", thread_signal(thread));
		return doing;
	}
	if (verdict->wait) {
		const struct wait_kind *kind = wait_kind(verdict->wait->kind);
		return (struct doing){ activity_of_family(kind->family),
				       *kind->title ? kind->title : kind->name,
				       verdict->wait->title };
	}
	if (verdict->state == STATE_IDLE) {
		const char *title = wait_kind(ompd_ext_wait_idle)->title;
		return (struct doing){ DOES_IDLE, title, title };
	}
	if (thread->error || verdict->evidence.is_unseen)
		return simply(DOES_UNKNOWN);
	if (verdict->evidence.is_outside)
		return simply(DOES_START_OR_END);
	spin = thread_spin(thread);
	if (spin)
		return doing_spin(arena, spin);
	if (verdict->evidence.in_runtime)
		return simply(verdict->state == STATE_WORK_SERIAL ||
					      verdict->state == STATE_WORK_PARALLEL ?
				      DOES_WORK :
				      DOES_RUNTIME);
	return is_recording(thread) ? simply(DOES_RUNTIME) : doing_own_code(thread);
}

const struct doing *thread_doing(struct thread *thread)
{
	thread_verdict(thread);
	struct verdict *verdict = thread->verdict;

	if (!verdict->has_doing) {
		verdict->doing = find_doing(thread);
		verdict->has_doing = true;
	}
	return &verdict->doing;
}

void process_set_signal(struct process *process, const struct process_signal *signal)
{
	wait_room(process)->signal = *signal;
	signal->thread->verdict = NULL;
}

const struct process_signal *process_signal(struct process *process)
{
	const struct process_signal *signal = &wait_room(process)->signal;

	return signal->thread ? signal : NULL;
}

const char *thread_signal(const struct thread *thread)
{
	const struct process_signal *signal = process_signal(thread->runtime->process);

	// It may be known to several runtimes.
	return signal && !signal->is_sent && signal->thread->target == thread->target ?
		       signal->name :
		       NULL;
}
