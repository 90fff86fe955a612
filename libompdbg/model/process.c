// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with all of its OpenMP runtimes. A process may hold several, each with teams of its own:
// a program of GCC's, say, that loads a library of Clang's. Every thread is asked of each, and shown
// with the one in which it works.

#include <stdlib.h>
#include <string.h>

#include "base/objects.h"
#include "model/room.h"

enum { MAX_FRAMES = 256 }; // that are looked at to find the runtime in which a thread is

struct ompdbg_error *unless_interrupted(struct ompdbg_error *error)
{
	if (ends_command(error))
		return error;
	ompdbg_error_destroy(error);
	return NULL;
}

// ---- Life ------------------------------------------------------------------------------------

struct constants *constants_create(const struct ompdbg_services *services)
{
	struct constants *constants = calloc(1, sizeof(*constants));

	if (!constants)
		out_of_memory();
	constants->services = services;
	return constants;
}

void constants_destroy(struct constants *constants)
{
	if (!constants)
		return;
	arena_deinit(&constants->arena);
	free(constants);
}

/** Title a runtime by its name, and number it if there are several of that name. */
static const char *title_of(struct process *process, const struct runtime *runtime)
{
	const char *name = runtime->name ? runtime->name : "OpenMP";
	int number = 1;

	for (size_t i = 0; i < process->num_runtimes; i++) {
		const char *other = process->runtimes[i]->name;

		number += strcmp(other ? other : "OpenMP", name) == 0;
	}
	return number == 1 ? name : arena_printf(&process->arena, "%s %d", name, number);
}

static struct ompdbg_error *open_runtimes(struct process *process, struct space *const *spaces,
					  size_t count)
{
	process->runtimes = ARENA_ARRAY(&process->arena, struct runtime *, count);
	for (size_t i = 0; i < count; i++) {
		struct ompdbg_error *error =
			runtime_open(process, spaces[i], &process->runtimes[i]);

		if (error)
			return error;
		process->runtimes[i]->title = title_of(process, process->runtimes[i]);
		process->num_runtimes++;
	}
	for (size_t i = 0; i < count; i++) {
		struct ompdbg_error *error = runtime_open_threads(process->runtimes[i]);

		if (error)
			return error;
	}
	return NULL;
}

static struct thread *choose(struct process *process, size_t index);

struct ompdbg_error *process_open(const struct ompdbg_services *services,
				  struct constants *constants, struct space *const *spaces,
				  size_t num_spaces, const char *const *problems,
				  size_t num_problems, struct process **ret)
{
	struct process *process = calloc(1, sizeof(*process));

	if (!process)
		out_of_memory();
	process->services = services;
	process->constants = constants;
	process->problems = ARENA_ARRAY(&process->arena, const char *, num_problems);
	process->num_problems = num_problems;
	for (size_t i = 0; i < num_problems; i++)
		process->problems[i] = arena_strdup(&process->arena, problems[i]);
	struct ompdbg_error *error =
		services->threads(services->context, &process->targets, &process->num_targets);
	if (!error)
		error = open_runtimes(process, spaces, num_spaces);
	if (error) {
		process_close(process);
		return error;
	}
	process->threads = ARENA_ARRAY(&process->arena, struct thread *, process->num_targets);
	for (size_t i = 0; i < process->num_targets; i++)
		process->threads[i] = choose(process, i);
	*ret = process;
	return NULL;
}

void process_close(struct process *process)
{
	if (!process)
		return;
	arena_deinit(&process->arena);
	free(process);
}

// ---- Threads ---------------------------------------------------------------------------------

/** Check for a thread that waits in the pool of its runtime. */
static bool is_idle(struct thread *thread)
{
	ompd_wait_id_t wait_id;
	ompd_word_t state;

	return is_ok(SPACE_CALL(thread->runtime->space, get_state, thread->handle, &state,
				&wait_id)) &&
	       state == ompt_state_idle;
}

/** Choose the view of the runtime whose frames come first on the thread's stack. */
static struct thread *choose_by_stack(struct process *process, struct thread *const *views,
				      size_t count)
{
	const struct ompdbg_frame *frames;
	size_t num_frames;

	if (!is_ok(SERVICE(process, unwind, views[0]->target->number, MAX_FRAMES, &frames,
			   &num_frames)))
		return views[0];
	for (size_t i = 0; i < num_frames; i++) {
		const char *name = runtime_of_object(frames[i].object);

		for (size_t j = 0; name && j < count; j++) {
			const char *own = views[j]->runtime->name;

			if (own && strcmp(own, name) == 0)
				return views[j];
		}
	}
	return views[0];
}

/** Choose the runtime in which a thread does what it does: the innermost region on its stack is that
 *  of the runtime whose frames come first. */
static struct thread *choose(struct process *process, size_t index)
{
	size_t most = process->num_runtimes, num_known = 0, num_working = 0;
	struct thread **known = ARENA_ARRAY(&process->arena, struct thread *, most);
	struct thread **working = ARENA_ARRAY(&process->arena, struct thread *, most);
	struct thread *failed = NULL, *idle = NULL;

	for (size_t i = 0; i < most; i++) {
		struct thread *view = process->runtimes[i]->threads[index];

		if (!view->handle) {
			if (view->error && !failed)
				failed = view;
			continue;
		}
		known[num_known++] = view;
		if (thread_level(view) > 0)
			working[num_working++] = view;
	}
	if (num_known == 0)
		return failed ? failed : process->runtimes[0]->threads[index];
	if (num_known == 1)
		return known[0];
	if (num_working == 1)
		return working[0];
	for (size_t i = 0; !num_working && !idle && i < num_known; i++) {
		if (is_idle(known[i]))
			idle = known[i];
	}
	if (idle)
		return idle;
	return num_working ? choose_by_stack(process, working, num_working) :
			     choose_by_stack(process, known, num_known);
}

bool process_read(struct process *process, uint64_t address, void *buffer, size_t size)
{
	return is_ok(space_read(process->runtimes[0]->space, address, buffer, size));
}

bool process_is_seen_whole(const struct process *process)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		const struct thread *thread = process->threads[i];

		if (thread->target->running || thread->error)
			return false;
	}
	return true;
}

struct thread *process_thread(struct process *process, int number)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		if (process->targets[i].number == number)
			return process->threads[i];
	}
	return NULL;
}

struct thread *process_selected_thread(struct process *process)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		if (process->targets[i].selected)
			return process->threads[i];
	}
	return NULL;
}

// ---- Teams -----------------------------------------------------------------------------------

struct team *const *process_teams(struct process *process, size_t *count)
{
	size_t capacity = 0;

	for (size_t i = 0; !process->has_teams && i < process->num_runtimes; i++) {
		size_t num_teams;
		struct team *const *teams = runtime_teams(process->runtimes[i], &num_teams);

		for (size_t j = 0; j < num_teams; j++)
			*ARENA_APPEND(&process->arena, process->teams, process->num_teams,
				      capacity) = teams[j];
	}
	process->has_teams = true;
	*count = process->num_teams;
	return process->teams;
}

struct team *process_team_named(struct process *process, const char *label)
{
	size_t count;
	struct team *const *teams = process_teams(process, &count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(team_label(teams[i]), label) == 0)
			return teams[i];
	}
	return NULL;
}
