// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frames of a stack as the source has them: which constructs their code is of.

#include <string.h>

#include "base/text.h"
#include "stack/names.h"
#include "stack/walk.h"

enum { MAX_WRAPPERS = 2 };

const char *construct_name(enum construct construct)
{
	static const char *const names[] = {
		[CONSTRUCT_PARALLEL] = "parallel region", [CONSTRUCT_TASK] = "task",
		[CONSTRUCT_TASKLOOP] = "taskloop task",	  [CONSTRUCT_TEAMS] = "teams region",
		[CONSTRUCT_TARGET] = "target region",	  [CONSTRUCT_COPY] = "copy of task data",
		[CONSTRUCT_OUTLINED] = "outlined code",
	};

	return names[construct];
}

/** Check for the code of explicit tasks that there are now. */
static const struct explicit_code *code_of_tasks(struct runtime *runtime, uint64_t entry)
{
	return entry ? runtime_explicit_code(runtime, entry) : NULL;
}

// ---- One frame ---------------------------------------------------------------------------------

/** Check for the function by which LLVM's runtime calls the code of regions only; where GCC compiled
 *  that, a wrapper is in between. */
static bool is_region(const struct walk *walk, size_t begin)
{
	for (size_t i = begin; i < walk->depth && i < begin + MAX_WRAPPERS; i++) {
		const char *symbol = symbol_of(walk, i);

		if (symbol && strcmp(symbol, "__kmp_invoke_microtask") == 0)
			return true;
	}
	return false;
}

static bool opened_region(const struct walk *walk, const struct runtime_call *call)
{
	size_t index = (size_t)(call - walk->calls);

	for (size_t i = 0; i < walk->num_views; i++) {
		for (size_t j = 0; j < walk->views[i].num_calls; j++) {
			if (walk->views[i].calls[j] == index)
				return true;
		}
	}
	return false;
}

/** Check for a call that ran the code of a parallel region, which code that has no frame any more has
 *  opened by a jump: that was called by the same runtime, for another construct. */
static bool is_region_in_call(struct walk *walk, const struct runtime_call *call)
{
	ompd_ext_wait_site site;
	size_t entry = call->begin; // of the runtime

	if (is_region(walk, entry)) {
		while (entry < call->caller &&
		       !is_same_text(symbol_of(walk, entry), "__kmp_fork_call"))
			entry++;
		entry++;
	}
	return entry < call->caller && walk->owners[entry] == FRAME_RUNTIME &&
	       classify_frame(call->runtime, walk->thread, walk->frames[entry], &site) &&
	       site.kind == ompd_ext_wait_parallel;
}

/** Tell what construct a function is the code of that a runtime called. */
static enum construct called_by_runtime(struct walk *walk, size_t index,
					const struct runtime_call *call)
{
	const struct ompdbg_function *place = stack_place(walk->stack, walk->frames[index]);

	if (is_copy_name(place->symbol))
		return CONSTRUCT_COPY;
	switch (is_region_in_call(walk, call) ? (int)ompd_ext_wait_parallel : call->kind) {
	case ompd_ext_wait_task:
		return CONSTRUCT_TASK;
	case ompd_ext_wait_taskloop:
		return CONSTRUCT_TASKLOOP;
	case ompd_ext_wait_teams:
		return CONSTRUCT_TEAMS;
	case ompd_ext_wait_target:
		return CONSTRUCT_TARGET;
	case ompd_ext_wait_none: // no task runs in these calls
	case ompd_ext_wait_critical:
	case ompd_ext_wait_lock:
	case ompd_ext_wait_nest_lock:
	case ompd_ext_wait_atomic:
		return CONSTRUCT_OUTLINED;
	case ompd_ext_wait_parallel:
	case NOT_KNOWN:
		break;
	default: // one may run in every other call
		return CONSTRUCT_TASK;
	}
	bool has_caller = call->caller < walk->depth;
	if (!has_caller && call->depth == 1)
		return CONSTRUCT_PARALLEL; // the runtime starts its threads with that call
	if (code_of_tasks(call->runtime, place->start))
		return CONSTRUCT_TASK;
	if (call->kind != NOT_KNOWN || opened_region(walk, call))
		return CONSTRUCT_PARALLEL;
	return has_caller ? CONSTRUCT_OUTLINED : CONSTRUCT_TASK;
}

/** Tell what construct code is of that no runtime called: of an undeferred task that is about to
 *  begin, of a target region for the host, or of a parallel region that one thread executes. */
static enum construct called_by_user(const struct walk *walk, size_t index)
{
	if (is_task_entry(function_of(walk, index)))
		return CONSTRUCT_TASK;
	if (is_target_name(symbol_of(walk, index)))
		return CONSTRUCT_TARGET;
	if (index + 1 >= walk->depth || is_task_entry(function_of(walk, index + 1)))
		return CONSTRUCT_OUTLINED;
	return is_clangs_name(symbol_of(walk, index)) ? CONSTRUCT_PARALLEL : CONSTRUCT_OUTLINED;
}

static void begin_at(struct walk *walk, struct logical_frame *frame, size_t index)
{
	const struct ompdbg_function *place = stack_place(walk->stack, walk->frames[index]);

	frame->construct_file = place->file;
	frame->construct_line = place->line;
}

/** Describe code that was inlined. Clang calls the code of an undeferred task where the task is made,
 *  through a function of its own, which calls it at the construct. */
static void describe_inlined(struct walk *walk, size_t index, struct logical_frame *frame,
			     const char *enclosing)
{
	size_t entry = index + 1; // of the function in between

	if (is_task_entry(frame->function)) {
		if (index || entry == walk->depth) {
			frame->owner = FRAME_SYSTEM;
			return;
		}
		entry = index; // it has not called the code yet, or no more
	}
	frame->function = enclosing;
	if (entry + 1 < walk->depth && is_task_entry(function_of(walk, entry))) {
		frame->construct = CONSTRUCT_TASK;
		begin_at(walk, frame, entry + 1);
		return;
	}
	frame->construct = called_by_user(walk, index);
	if (frame->construct != CONSTRUCT_OUTLINED && index + 1 < walk->depth)
		begin_at(walk, frame, index + 1);
}

/** Find what the runtime was told of the code of explicit tasks that there are now; NULL. */
static const struct task_function *task_at(struct runtime *runtime, uint64_t entry)
{
	const struct explicit_code *code = code_of_tasks(runtime, entry);

	return code ? code_function(runtime, code->entry, code->source) : NULL;
}

/** Describe code of flang's that no runtime called: it, too, calls that of an undeferred task where
 *  the task is made. */
static void describe_flangs(struct walk *walk, size_t index, struct logical_frame *frame,
			    const char *enclosing)
{
	struct runtime *runtime = walk->thread->runtime;
	struct ompdbg_function function;

	frame->construct = CONSTRUCT_OUTLINED;
	frame->function = enclosing;
	if (!is_ok(SERVICE(runtime->process, function_named, symbol_of(walk, index), &function)))
		return;
	const struct task_function *task = task_at(runtime, function.start);
	if (!task)
		return;
	frame->construct = CONSTRUCT_TASK;
	frame->construct_file = task->file;
	frame->construct_line = task->line;
}

/** Check for a function of the source that the runtime seems to call: the construct's code ended with
 *  a jump to it, and left no frame. */
static bool is_jumped_to(const struct ompdbg_frame *frame, const struct ompdbg_function *place)
{
	return place->file && place->symbol && !is_outlined_name(place->symbol) &&
	       !frame->is_inlined;
}

/** Describe one frame by itself. */
static void describe(struct walk *walk, size_t index, struct logical_frame *frame)
{
	struct process *process = walk->thread->runtime->process;
	const struct ompdbg_frame *at = &walk->frames[index]->at;
	const struct runtime_call *call = call_at(walk, index + 1);

	frame->frame = walk->frames[index];
	frame->owner = walk->owners[index];
	const struct place *place = stack_named_place(walk->stack, frame->frame);
	frame->function = place->plain;
	if (frame->owner != FRAME_USER || at->is_signal)
		return;
	const char *symbol = place->function.symbol, *enclosing = place->enclosing;
	if (!call && !is_outlined_name(symbol))
		return;
	if (!call && is_flangs_name(symbol)) {
		describe_flangs(walk, index, frame, enclosing);
		return;
	}
	if (at->is_inlined) {
		if (enclosing)
			describe_inlined(walk, index, frame, enclosing);
		return;
	}
	if (!enclosing && (!call || is_jumped_to(at, &place->function)))
		return;
	if (!call && is_task_entry(place->function.name) && index &&
	    walk->frames[index - 1]->at.is_inlined) {
		frame->owner = FRAME_SYSTEM; // it passes on to an undeferred task's code, inlined
		return;
	}
	frame->construct = call ? called_by_runtime(walk, index, call) :
				  called_by_user(walk, index);
	if (call && is_region(walk, index + 1))
		frame->construct = call->kind == ompd_ext_wait_teams &&
						   !is_region_in_call(walk, call) ?
					   CONSTRUCT_TEAMS :
					   CONSTRUCT_PARALLEL;
	uint64_t start = place->function.start;
	const struct task_function *task =
		call && frame->construct == CONSTRUCT_TASK ? task_at(call->runtime, start) : NULL;
	if (enclosing)
		frame->function = enclosing;
	else if (is_nameless(symbol))
		frame->function = task && !is_nameless(task->signature) ? task->name : NULL;
	const struct ompdbg_function *function = find_function(process, start ? start : at->pc);
	if (function) {
		frame->construct_file = function->file;
		frame->construct_line = function->line;
	}
}

// ---- Frames together ---------------------------------------------------------------------------

/** Hide the function that the runtime calls and that only passes on to the one with the code: Clang
 *  makes two of a construct with -g. */
static void hide_wrappers(struct walk *walk)
{
	struct logical_frame *frames = walk->logical;

	for (size_t outer = 1; outer < walk->depth; outer++) {
		size_t inner = outer - 1;

		if (walk->owners[inner] != FRAME_USER || walk->owners[outer] != FRAME_USER)
			continue;
		if (call_at(walk, outer))
			continue;
		if (!call_at(walk, outer + 1) &&
		    !only_passes_on(function_of(walk, outer), function_of(walk, inner)))
			continue;
		if (!is_outlined_name(symbol_of(walk, outer)) ||
		    !is_outlined_name(symbol_of(walk, inner)))
			continue;
		frames[inner] = frames[outer];
		frames[inner].frame = walk->frames[inner];
		frames[inner].owner = FRAME_USER;
		frames[outer].owner = FRAME_SYSTEM;
	}
}

/** Name the code of a region as the runtime was told, if debug information says less: a stripped
 *  program has none, and flang's does not tell where a construct begins. */
static void name_region(struct walk *walk, size_t index, struct team *region)
{
	const struct runtime_call *call = &walk->calls[index];
	struct logical_frame *frame = call->begin ? &walk->logical[call->begin - 1] : NULL;

	if (!frame || frame->construct != CONSTRUCT_PARALLEL)
		return;
	bool is_known = frame->construct_file && frame->function;
	if (is_known && !is_flangs_name(stack_place(walk->stack, frame->frame)->symbol))
		return;
	const struct construct_source *source = team_source(region);
	if (source) {
		if (!is_known)
			frame->function = source->function;
		if (source->file)
			frame->construct_file = source->file;
		frame->construct_line = source->line;
	} else if (!frame->function && call->caller < walk->depth) {
		// Code that has no name is called by the function with the construct.
		frame->function = walk->logical[call->caller].function;
	} else if (!frame->function) {
		const struct location *opened = team_opened(region);

		frame->function = opened ? opened->function : NULL;
	}
}

static void name_regions(struct walk *walk)
{
	size_t outermost = walk->num_calls - 1; // called the code of a worker's region

	for (size_t i = 0; walk->num_calls && i < walk->num_views; i++) {
		const struct view *view = &walk->views[i];
		size_t call = view->num_calls, region = view->num_formed;

		while (call && region) {
			size_t index = view->calls[--call];

			region--;
			if (index != outermost || !view->worker_region)
				name_region(walk, index, view->formed[region]);
		}
		if (view->worker_region)
			name_region(walk, outermost, view->worker_region);
	}
}

/** Name the code of an initial thread of a league, whose thread the runtime made. */
static void name_league(struct walk *walk)
{
	const struct runtime_call *outermost = walk->num_calls ? &walk->calls[walk->num_calls - 1] :
								 NULL;

	if (!outermost || !outermost->begin || outermost->caller < walk->depth ||
	    walk_worker_region(walk))
		return;
	size_t end = outermost->begin; // the code may have a wrapper around it
	for (size_t i = end > MAX_WRAPPERS ? end - MAX_WRAPPERS : 0; i < end; i++) {
		struct logical_frame *frame = &walk->logical[i];

		if (frame->construct == CONSTRUCT_PARALLEL && frame->owner == FRAME_USER &&
		    walk_league(walk))
			frame->construct = CONSTRUCT_TEAMS;
	}
}

void name_frames(struct walk *walk)
{
	struct arena *arena = &walk->thread->runtime->process->arena;

	walk->logical = ARENA_ARRAY(arena, struct logical_frame, walk->depth);
	for (size_t i = 0; i < walk->depth; i++)
		describe(walk, i, &walk->logical[i]);
	name_regions(walk);
	hide_wrappers(walk);
	name_league(walk);
}
