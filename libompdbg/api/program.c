// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public interface (ompdbg/ompdbg.h) over the model.

#include "ompdbg/ompdbg.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "model/model.h"
#include "ompd/runtimes.h"
#include "output/output.h"

struct ompdbg_program {
	const struct ompdbg_services *services;
	struct ompd_library *library;
	struct arena arena; // what `runtimes` has
	struct runtimes runtimes;
	struct constants *constants;
	struct process *process;
};

// ---- Life ------------------------------------------------------------------------------------

/** Make the error for a program without a runtime that is understood. */
static struct ompdbg_error *not_opened(const struct runtimes *runtimes)
{
	struct buffer text = { 0 };

	if (!runtimes->num_problems)
		return ompdbg_error_create(OMPDBG_ABSENT, "%s", runtimes->absent);
	for (size_t i = 0; i < runtimes->num_problems; i++)
		buffer_printf(&text, "%s%s", i ? "; " : "", runtimes->problems[i]);
	struct ompdbg_error *error = ompdbg_error_create(OMPDBG_INCOMPATIBLE, "%s", text.data);
	buffer_deinit(&text);
	return error;
}

static struct ompdbg_error *open_process(struct ompdbg_program *program)
{
	const struct runtimes *runtimes = &program->runtimes;

	return process_open(program->services, program->constants, runtimes->spaces,
			    runtimes->num_spaces, runtimes->problems, runtimes->num_problems,
			    &program->process);
}

struct ompdbg_error *ompdbg_program_open(const struct ompdbg_services *services,
					 const char *library, struct ompdbg_program **ret)
{
	struct ompdbg_program *program = NULL;
	struct ompdbg_error *error = NULL;

	if (!services || services->size < offsetof(struct ompdbg_services, open_source) ||
	    !library || !ret)
		return ompdbg_error_create(OMPDBG_BAD_INPUT,
					   "ompdbg_program_open: services, library or result "
					   "pointer is missing or too old");
	program = calloc(1, sizeof(*program));
	if (!program)
		return &ompdbg_error_no_memory;
	program->services = services;
	program->constants = constants_create(services);
	error = ompd_library_open(library, -1, &program->library);
	if (!error)
		error = runtimes_open(&program->arena, program->library, services,
				      &program->runtimes);
	if (!error && !program->runtimes.num_spaces)
		error = not_opened(&program->runtimes);
	if (!error)
		error = open_process(program);
	if (error) {
		ompdbg_program_close(program);
		return error;
	}
	*ret = program;
	return NULL;
}

void ompdbg_program_close(struct ompdbg_program *program)
{
	if (!program)
		return;
	process_close(program->process);
	constants_destroy(program->constants);
	runtimes_close(&program->runtimes);
	ompd_library_close(program->library);
	arena_deinit(&program->arena);
	free(program);
}

struct ompdbg_error *ompdbg_program_refresh(struct ompdbg_program *program)
{
	process_close(program->process);
	program->process = NULL;
	for (size_t i = 0; i < program->runtimes.num_spaces; i++)
		space_forget(program->runtimes.spaces[i]);
	return open_process(program);
}

const char *const *ompdbg_program_problems(const struct ompdbg_program *program, size_t *count)
{
	*count = program->runtimes.num_problems;
	return program->runtimes.problems;
}

/** Check that the program could be looked at when that was last tried. */
static struct ompdbg_error *check(const struct ompdbg_program *program)
{
	if (program->process)
		return NULL;
	return ompdbg_error_create(OMPDBG_BAD_INPUT, "the program could not be refreshed");
}

// ---- Threads ---------------------------------------------------------------------------------

static void tell_place(const struct location *location, struct ompdbg_place *ret)
{
	if (location)
		*ret = (struct ompdbg_place){ location->function, location->file, location->line,
					      location->address };
}

static void tell_wait(struct thread *thread, struct ompdbg_thread *ret)
{
	const struct wait *wait = thread_wait(thread);

	if (!wait)
		return;
	ret->wait = wait_kind(wait->kind)->name;
	ret->wait_function = wait->function;
	ret->wait_symbol = wait->symbol;
	ret->wait_address = wait->address;
}

static void tell_thread(struct thread *thread, struct ompdbg_thread *ret)
{
	const struct ompdbg_target_thread *target = thread->target;
	struct task *task = thread_task(thread);

	*ret = (struct ompdbg_thread){
		.number = target->number,
		.lwp = target->lwp,
		.name = target->name,
		.is_running = target->running,
		.is_openmp = thread_is_openmp(thread),
		.is_helper = thread->is_helper,
		.error = thread->error,
		.runtime = thread_is_openmp(thread) == YES ? thread->runtime->name : NULL,
		.team = thread->team ? team_label(thread->team) : NULL,
		.thread_num = thread->thread_num,
		.team_size = thread_team_size(thread),
		.level = thread_level(thread),
		.active_level = thread_active_level(thread),
		.task = task ? task->info.id : 0,
		.task_kind = task ? task_kind(task) : NULL,
		.state = thread_state(thread),
		.state_reason = thread_state_reason(thread),
	};
	tell_wait(thread, ret);
	tell_place(thread_location(thread), &ret->place);
}

struct ompdbg_error *ompdbg_visit_threads(
	struct ompdbg_program *program,
	struct ompdbg_error *(*visit)(void *context, const struct ompdbg_thread *thread),
	void *context)
{
	struct process *process = program->process;
	struct ompdbg_error *error = check(program);

	for (size_t i = 0; !error && i < process->num_targets; i++) {
		struct ompdbg_thread told;

		tell_thread(process->threads[i], &told);
		error = process_is_interrupted(process) ? interruption() : visit(context, &told);
	}
	return error;
}

// ---- Teams -----------------------------------------------------------------------------------

/** List the debugger's numbers of the threads that work in a team. */
static void tell_members(struct process *process, struct team *team, struct ompdbg_team *ret)
{
	size_t capacity = 0;
	int *numbers = NULL;

	for (size_t i = 0; i < process->num_targets; i++) {
		if (process->threads[i]->team == team)
			*ARENA_APPEND(&process->arena, numbers, ret->num_threads, capacity) =
				process->targets[i].number;
	}
	ret->threads = numbers;
}

struct ompdbg_error *
ompdbg_visit_teams(struct ompdbg_program *program,
		   struct ompdbg_error *(*visit)(void *context, const struct ompdbg_team *team),
		   void *context)
{
	struct process *process = program->process;
	struct ompdbg_error *error = check(program);
	struct team *const *teams = NULL;
	size_t count = 0;

	if (!error)
		teams = process_teams(process, &count);
	for (size_t i = 0; !error && i < count; i++) {
		struct team *parent = team_parent(teams[i]);
		struct thread *primary = team_primary(teams[i]);

		struct ompdbg_team told = {
			.label = team_label(teams[i]),
			.runtime = teams[i]->runtime->name,
			.level = teams[i]->level,
			.active_level = teams[i]->active_level,
			.size = teams[i]->size,
			.parent = parent && parent->level != 0 ? team_label(parent) : NULL,
			.primary = primary ? primary->target->number : NOT_KNOWN,
		};
		tell_members(process, teams[i], &told);
		tell_place(team_opened(teams[i]), &told.opened);
		error = process_is_interrupted(process) ? interruption() : visit(context, &told);
	}
	return error;
}

// ---- Tasks -----------------------------------------------------------------------------------

struct task_visit {
	struct ompdbg_error *(*visit)(void *context, const struct ompdbg_task *task);
	void *context;
};

static struct ompdbg_error *visit_task(void *context, struct task *task)
{
	struct task_visit *visit = context;
	const struct task_function *function = task_function(task);
	struct team *team = task_team(task);
	struct ompdbg_task told = {
		.id = task->info.id,
		.parent = task->info.parent_id,
		.runtime = task->runtime->name,
		.team = team ? team_label(team) : NULL,
		.kind = task_kind(task),
		.status = task_status(task),
		.thread_num = task_thread_num(task),
		.priority = task->info.priority,
	};

	if (function)
		told.code = (struct ompdbg_place){ function->name, function->file, function->line,
						   task->info.function };
	return visit->visit(visit->context, &told);
}

struct ompdbg_error *
ompdbg_visit_tasks(struct ompdbg_program *program,
		   struct ompdbg_error *(*visit)(void *context, const struct ompdbg_task *task),
		   void *context, int *is_damaged)
{
	struct task_visit bound = { visit, context };
	struct ompdbg_error *error = check(program);

	if (is_damaged)
		*is_damaged = 0;
	for (size_t i = 0; !error && i < program->process->num_runtimes; i++) {
		bool damaged = false;

		error = tasks_visit(program->process->runtimes[i], visit_task, &bound, &damaged,
				    NULL);
		if (damaged && is_damaged)
			*is_damaged = 1;
	}
	return error;
}

// ---- Output ----------------------------------------------------------------------------------

static struct ompdbg_error *print(struct process *process, enum ompdbg_view which,
				  const struct form *form, struct sink *sink)
{
	static const enum view views[] = {
		[OMPDBG_VIEW_THREADS] = VIEW_THREADS,
		[OMPDBG_VIEW_TASKS] = VIEW_TASKS,
		[OMPDBG_VIEW_QUEUED_TASKS] = VIEW_TASKS,
		[OMPDBG_VIEW_TASK_COUNTS] = VIEW_TASK_COUNTS,
		[OMPDBG_VIEW_STACKS] = VIEW_STACKS,
		[OMPDBG_VIEW_REGIONS] = VIEW_REGIONS,
		[OMPDBG_VIEW_LOCKS] = VIEW_LOCKS,
		[OMPDBG_VIEW_WHY] = VIEW_WHY,
		[OMPDBG_VIEW_STATUS] = VIEW_STATUS,
		[OMPDBG_VIEW_ICVS] = VIEW_ICVS,
		[OMPDBG_VIEW_ENVIRONMENT] = VIEW_ENVIRONMENT,
		[OMPDBG_VIEW_HISTORY] = VIEW_HISTORY,
	};
	struct view_options options = {
		.threads = process->threads,
		.num_threads = process->num_targets,
		.queued = which == OMPDBG_VIEW_QUEUED_TASKS,
		.last = SHOWN_EVENTS,
	};

	if ((size_t)which >= sizeof(views) / sizeof(*views))
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "ompdbg_print: unknown view %d",
					   (int)which);
	if (which == OMPDBG_VIEW_WHY)
		options.findings = diagnose(process, NULL, &options.num_findings);
	return print_view(process, views[which], &options, form, sink);
}

struct ompdbg_error *
ompdbg_print(struct ompdbg_program *program, enum ompdbg_view view, const struct ompdbg_form *form,
	     struct ompdbg_error *(*write)(void *context, const char *text, size_t size),
	     void *context)
{
	struct form own = { .json = form->is_json, .width = form->width, .color = form->has_color };
	struct sink sink = { write, context };
	struct ompdbg_error *error = check(program);

	return error ? error : print(program->process, view, &own, &sink);
}
