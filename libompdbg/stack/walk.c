// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of one thread, with the regions and tasks whose code lies on it.

#include "stack/walk.h"

#include <string.h>

#include "stack/names.h"

enum { MAX_NESTING = 1024 }; // regions nested deeper are damaged memory

// ---- Regions of a thread -----------------------------------------------------------------------

static bool contains(struct team *const *teams, size_t count, const struct team *team)
{
	for (size_t i = 0; i < count; i++) {
		if (teams[i] == team)
			return true;
	}
	return false;
}

/** Find the regions that a thread opened itself, and the one in which it is a worker. */
static void find_regions(struct arena *arena, struct view *view)
{
	size_t capacity = 0;

	for (struct team *team = view->thread->team; team && team->level != 0;
	     team = team_parent(team)) {
		int number = thread_number_in(view->thread, team);

		if (number == NOT_KNOWN || view->num_formed == MAX_NESTING ||
		    contains(view->formed, view->num_formed, team))
			return;
		if (number != 0) {
			view->worker_region = team;
			return;
		}
		*ARENA_APPEND(arena, view->formed, view->num_formed, capacity) = team;
	}
}

/** Check for a call that may have opened a region: code that jumps to the runtime's function leaves
 *  no frame, and with it goes the trace of the call. The oldest frame of a worker alone is none. */
static bool may_be_parallel(const struct walk *walk, const struct runtime_call *call)
{
	return call->kind == NOT_KNOWN && (call->caller < walk->depth || call->depth > 1);
}

/** Find the calls that opened the regions of a view. */
static void find_openings(struct walk *walk, struct view *view)
{
	size_t *possible =
		ARENA_ARRAY(&walk->thread->runtime->process->arena, size_t, 2 * walk->num_calls);
	size_t *known = possible + walk->num_calls;
	size_t num_possible = 0, num_known = 0;

	for (size_t i = 0; i < walk->num_calls; i++) {
		const struct runtime_call *call = &walk->calls[i];

		if (call->kind == ompd_ext_wait_target)
			break; // within target code that the host runs, levels count anew
		if (call->runtime != view->thread->runtime)
			continue;
		if (call->kind == ompd_ext_wait_parallel)
			known[num_known++] = i;
		if (call->kind == ompd_ext_wait_parallel || may_be_parallel(walk, call))
			possible[num_possible++] = i;
	}
	bool are_all = num_known < view->num_formed && view->num_formed == num_possible;
	view->calls = are_all ? possible : known;
	view->num_calls = are_all ? num_possible : num_known;
}

// ---- The walk ----------------------------------------------------------------------------------

/** Tell whether a function of the C library may be the one that the start code calls. Others are called by
 *  the program, whose file may be missing, and with it names and the way on. */
static bool starts_program(const char *symbol)
{
	return !symbol || strstr(symbol, "libc_start");
}

/** Make the system's what starts a program: the start code that is linked into it, and the function
 *  that gfortran makes to call the main program. A stub for a call is the runtime's. */
static void hide_start(struct walk *walk)
{
	size_t last = walk->depth - 1;

	if (!walk->depth)
		return;
	if (is_runtime_stub(symbol_of(walk, 0)))
		walk->owners[0] = FRAME_RUNTIME;
	if (last && walk->owners[last - 1] == FRAME_SYSTEM) {
		const char *symbol = symbol_of(walk, last);

		if (symbol ? strcmp(symbol, "_start") == 0 :
			     starts_program(symbol_of(walk, last - 1)))
			walk->owners[last] = FRAME_SYSTEM;
	}
	for (size_t i = 1; i < walk->depth; i++) {
		const struct ompdbg_function *place;

		if (walk->owners[i] != FRAME_USER)
			continue;
		place = stack_place(walk->stack, walk->frames[i]);
		if (place->symbol && strcmp(place->symbol, "main") == 0 &&
		    is_fortran_file(place->file))
			walk->owners[i] = FRAME_SYSTEM;
	}
}

static void find_views(struct walk *walk)
{
	struct process *process = walk->thread->runtime->process;
	struct thread **threads =
		ARENA_ARRAY(&process->arena, struct thread *, process->num_runtimes);

	walk->num_views = thread_views(walk->thread, threads);
	walk->views = ARENA_ARRAY(&process->arena, struct view, walk->num_views);
	for (size_t i = 0; i < walk->num_views; i++) {
		walk->views[i].thread = threads[i];
		find_regions(&process->arena, &walk->views[i]);
	}
}

static struct walk *create_walk(struct thread *thread)
{
	struct arena *arena = &thread->runtime->process->arena;
	struct walk *walk = ARENA_NEW(arena, struct walk);

	walk->thread = thread;
	walk->stack = thread_stack(thread);
	walk->depth = stack_depth(walk->stack);
	walk->frames = ARENA_ARRAY(arena, struct stack_frame *, walk->depth);
	walk->owners = ARENA_ARRAY(arena, enum code_owner, walk->depth);
	walk->call_at = ARENA_ARRAY(arena, int, walk->depth);
	for (size_t i = 0; i < walk->depth; i++) {
		walk->frames[i] = stack_frame(walk->stack, i);
		walk->owners[i] = stack_owner(walk->stack, walk->frames[i]);
		walk->call_at[i] = NO_CALL;
	}
	hide_start(walk);
	find_views(walk);
	find_calls(walk);
	bool lacks_calls = false;
	for (size_t i = 0; i < walk->num_views; i++) {
		find_openings(walk, &walk->views[i]);
		lacks_calls |= walk->views[i].num_calls < walk->views[i].num_formed;
	}
	if (lacks_calls) {
		add_regions_run_by_code(walk);
		for (size_t i = 0; i < walk->num_views; i++)
			find_openings(walk, &walk->views[i]);
	}
	return walk;
}

struct walk *thread_walk(struct thread *thread)
{
	if (!thread->walk)
		thread->walk = create_walk(thread);
	return thread->walk;
}

const struct logical_frame *walk_frames(struct walk *walk, size_t *count)
{
	if (!walk->logical)
		name_frames(walk);
	*count = walk->depth;
	return walk->logical;
}

struct team *walk_worker_region(struct walk *walk)
{
	for (size_t i = 0; i < walk->num_views; i++) {
		if (walk->views[i].worker_region)
			return walk->views[i].worker_region;
	}
	return NULL;
}

int walk_number_in(struct walk *walk, struct team *team)
{
	for (size_t i = 0; i < walk->num_views; i++) {
		if (walk->views[i].thread->runtime == team->runtime)
			return thread_number_in(walk->views[i].thread, team);
	}
	return NOT_KNOWN;
}

/** Find the call that opened one of a view's regions; NULL. */
static const struct runtime_call *opening_in(const struct walk *walk, const struct view *view,
					     size_t region)
{
	// There may be a region more or less that is about to begin or to end: the oldest are
	// certain.
	size_t outside = view->num_formed - 1 - region;

	if (outside >= view->num_calls)
		return NULL;
	return &walk->calls[view->calls[view->num_calls - 1 - outside]];
}

size_t walk_opening_of(struct walk *walk, struct team *region)
{
	for (size_t i = 0; i < walk->num_views; i++) {
		const struct view *view = &walk->views[i];

		for (size_t j = 0; j < view->num_formed; j++) {
			if (view->formed[j] == region) {
				const struct runtime_call *call = opening_in(walk, view, j);

				return call ? call->caller : SIZE_MAX;
			}
		}
	}
	return SIZE_MAX;
}

struct team *walk_team_around(struct walk *walk, struct team *opened, size_t begin)
{
	struct team *found = NULL;
	size_t nearest = SIZE_MAX;

	if (walk->num_views == 1)
		return team_parent(opened);
	for (size_t i = 0; i < walk->num_views; i++) {
		const struct view *view = &walk->views[i];

		for (size_t j = 0; j < view->num_formed; j++) {
			const struct runtime_call *call = opening_in(walk, view, j);

			if (call && call->caller > begin && call->caller < nearest) {
				nearest = call->caller;
				found = view->formed[j];
			}
		}
	}
	if (!found)
		found = walk_worker_region(walk);
	return found ? found : team_parent(opened);
}

const struct runtime_call *walk_teams_call(struct walk *walk)
{
	for (size_t i = 0; i < walk->num_calls; i++) {
		if (walk->calls[i].kind == ompd_ext_wait_teams)
			return &walk->calls[i];
	}
	return NULL;
}

struct team *walk_league(struct walk *walk)
{
	for (size_t i = 0; i < walk->num_views; i++) {
		struct team *team = walk->views[i].thread->team;

		for (int level = 0; team && team->level != 0 && level < MAX_NESTING; level++)
			team = team_parent(team);
		if (team && team_is_league(team))
			return team;
	}
	return NULL;
}

/** Describe the construct of a region in the frame that opened it: the call may have another line, or may
 *  be that of several constructs. */
static const struct location *locate_opening(struct team *team, struct thread *thread,
					     struct stack_frame *frame)
{
	struct process *process = team->runtime->process;
	const struct construct_source *source = team_source(team);
	const struct location *construct =
		frame->at.is_call ? construct_location(process, frame->at.pc) : NULL;
	struct location *location = ARENA_NEW(&process->arena, struct location);

	*location = *locate(thread, frame);
	if (construct) {
		location->file = construct->file;
		location->line = construct->line;
	}
	if (!source)
		return location;
	if (!location->function) {
		location->function = source->function;
		location->title = NULL;
	}
	if (!location->file)
		location->file = source->file;
	if (location->file)
		location->line = source->line;
	return location;
}

const struct location *team_opened(struct team *team)
{
	if (!team->has_opened) {
		struct thread *primary = team_primary(team);

		team->has_opened = true;
		if (primary && !primary->target->running) {
			struct walk *walk = thread_walk(primary);
			size_t index = walk_opening_of(walk, team);

			if (index < walk->depth)
				team->opened = locate_opening(team, primary, walk->frames[index]);
		}
	}
	return team->opened;
}

/** Find the frame that has the variables of code which the runtime called: Clang makes a function of its
 *  own that only passes on to that code. NULL: there is none. */
static const struct logical_frame *find_code(const struct logical_frame *frames, size_t index)
{
	while (index && frames[index].owner != FRAME_USER)
		index--;
	const struct logical_frame *code = &frames[index];
	return code->owner == FRAME_USER && is_task_construct(code->construct) ? code : NULL;
}

/** Check for a frame of the runtime that called the interposer, which calls the user's code. */
static bool enters_interposer(const struct walk *walk, size_t index)
{
	return is_interposer_object(walk->frames[index - 1]->at.object) &&
	       !is_interposer_object(walk->frames[index]->at.object);
}

/** Check for code that a call of the runtime ran, and that is not on the stack: it has left by a jump to
 *  another function. @p begin: index of the first frame of the call that may have run such code. */
static bool has_lost_code(const struct walk *walk, const struct runtime_call *call, size_t begin)
{
	struct process *process = walk->thread->runtime->process;

	for (size_t i = begin; i < call->caller; i++) {
		const struct stack_frame *frame = walk->frames[i];

		if (walk->owners[i] == FRAME_RUNTIME && frame->at.is_call &&
		    !(i && enters_interposer(walk, i)) && calls_users_code(process, frame))
			return true;
	}
	return false;
}

const struct task_frame *walk_task_frames(struct walk *walk, bool of_all, size_t *count)
{
	struct arena *arena = &walk->thread->runtime->process->arena;
	struct task_frame *found = NULL;
	size_t capacity = 0, num_frames;
	const struct logical_frame *frames = walk_frames(walk, &num_frames);
	bool is_certain = true;

	*count = 0;
	for (size_t i = 0; i < walk->num_calls; i++) {
		const struct runtime_call *call = &walk->calls[i];
		size_t begin = call->begin;
		bool has_code = begin && walk->owners[begin - 1] == FRAME_USER;
		bool is_task = has_code && is_task_construct(frames[begin - 1].construct);

		if (has_code && !is_task && !of_all)
			break;
		if (is_task)
			*ARENA_APPEND(arena, found, *count, capacity) = (struct task_frame){
				.entry = stack_place(walk->stack, walk->frames[begin - 1])->start,
				.call = call->kind,
				.is_certain = is_certain,
				.code = find_code(frames, begin - 1),
			};
		is_certain &= !has_lost_code(walk, call, begin + has_code);
	}
	return found;
}
