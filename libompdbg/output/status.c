// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of things as a whole.

#include "output/status.h"

#include <string.h>

#include "diagnose/words.h"
#include "history/history.h"
#include "model/room.h"
#include "stack/stack.h"

struct list {
	struct process *process;
	struct status *status;
	size_t capacity;
};

const char *layout_source_name(uint32_t source)
{
	static const char *const names[] = {
		[ompd_ext_layout_none] = "none",
		[ompd_ext_layout_runtime] = "runtime",
		[ompd_ext_layout_debug_info] = "debug_info",
		[ompd_ext_layout_table] = "table",
	};

	return source < sizeof(names) / sizeof(*names) ? names[source] : "none";
}

static void add(struct list *list, const char *what, const char *reason, struct runtime *runtime)
{
	struct unavailable *one = ARENA_APPEND(&list->process->arena, list->status->unavailable,
					       list->status->num_unavailable, list->capacity);

	one->what = what;
	one->reason = reason;
	one->runtime = runtime && has_several_runtimes(list->process) ? runtime->title : NULL;
}

// ---- Runtimes ------------------------------------------------------------------------------------

/** Name the runtime that names OMPD libraries, whichever it is: the one for which others answer. */
static const char *object_name(struct process *process)
{
	struct ompdbg_symbol symbol;
	uint64_t address;

	if (!is_ok(SERVICE(process, symbol_address, "ompd_dll_locations", NULL, 0, &address)) ||
	    !is_ok(SERVICE(process, symbol_at, address, &symbol)))
		return NULL;
	return runtime_of_object(symbol.object);
}

static void describe(struct runtime *runtime, struct runtime_status *ret)
{
	struct process *process = runtime->process;
	struct space *space = runtime->space;
	ompd_word_t version;
	const char *text;

	ret->name = runtime->title;
	ret->library = *ompd_library_info(space_library(space));
	ret->omp_version = NOT_KNOWN;
	if (is_ok(SPACE_CALL(space, get_omp_version, space_handle(space), &version)))
		ret->omp_version = (int64_t)version;
	if (is_ok(SPACE_CALL(space, get_omp_version_string, space_handle(space), &text))) {
		ret->omp_version_string = arena_strdup(&process->arena, text);
		space_free(space, text);
	}
	ret->layout.size = sizeof(ret->layout);
	ret->has_layout =
		runtime_is_extended(runtime) &&
		is_ok(SPACE_CALL(space, ext_get_layout_info, space_handle(space), &ret->layout));
	ret->object_name = object_name(process);
	for (size_t i = 0; i < process->num_targets; i++)
		ret->threads += process->threads[i]->runtime == runtime &&
				thread_is_openmp(process->threads[i]) == YES;
}

/** Say which variables of the process cannot be told. */
static void add_unavailable_icvs(struct list *list, struct runtime *runtime)
{
	struct arena *arena = &list->process->arena;
	struct space *space = runtime->space;
	const struct space_icv *icvs;
	size_t count;

	if (!is_ok(space_icvs(space, &icvs, &count)))
		return;
	for (size_t i = 0; i < count; i++) {
		const char *text, *reason;
		int64_t value;
		struct ompdbg_error *error;
		if (icvs[i].scope != ompd_scope_address_space)
			continue;
		error = space_icv_string(space, ompd_scope_address_space, space_handle(space),
					 icvs[i].id, arena, &text);
		// LLVM's library has strings only of variables that are no numbers.
		if (error && space_last_code(space) == ompd_rc_unsupported) {
			ompdbg_error_destroy(error);
			error = space_icv_value(space, ompd_scope_address_space,
						space_handle(space), icvs[i].id, &value);
		}
		reason = error ? arena_strdup(arena, error->message) : NULL;
		// Nor has the runtime every variable of the newest standard.
		if (error && space_last_code(space) != ompd_rc_unsupported)
			add(list, icvs[i].name, reason, runtime);
		ompdbg_error_destroy(error);
	}
}

// ---- Threads -------------------------------------------------------------------------------------

/** Say of which threads nothing is known, each reason once. */
static void add_unavailable_threads(struct list *status)
{
	struct process *process = status->process;
	struct arena *arena = &process->arena;
	struct folds folds = { 0 };

	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		const char *reason = thread->target->running ? "running" : thread->error;
		if (reason)
			thread_list_append(&fold_of(&folds, arena, reason)->threads, arena, thread);
	}
	for (size_t i = 0; i < folds.count; i++)
		add(status, threads_text(arena, &folds.all[i].threads), folds.all[i].text, NULL);
}

const struct status *process_status(struct process *process)
{
	struct arena *arena = &process->arena;
	struct status *status = ARENA_NEW(arena, struct status);
	struct list list = { .process = process, .status = status };
	struct team *const *teams = process_teams(process, &status->teams);

	for (size_t i = 0; i < process->num_problems; i++)
		add(&list, "a runtime", process->problems[i], NULL);
	status->num_runtimes = process->num_runtimes;
	status->runtimes = ARENA_ARRAY(arena, struct runtime_status, process->num_runtimes);
	for (size_t i = 0; i < process->num_runtimes; i++) {
		struct runtime *runtime = process->runtimes[i];
		describe(runtime, &status->runtimes[i]);
		if (!runtime_is_extended(runtime))
			add(&list, "tasks and wait sites", "the OMPD library has no extensions",
			    runtime);
		add_unavailable_icvs(&list, runtime);
		for (size_t k = 0; k < status->teams; k++)
			status->runtimes[i].teams += teams[k]->runtime == runtime;
	}
	status->threads = process->num_targets;
	for (size_t i = 0; i < process->num_targets; i++) {
		status->openmp_threads += thread_is_openmp(process->threads[i]) == YES;
		status->running_threads += process->targets[i].running;
	}
	for (size_t i = 0; i < status->teams; i++) {
		if (teams[i]->level > status->nesting)
			status->nesting = teams[i]->level;
	}
	add_unavailable_threads(&list);
	if (history_problem(process))
		add(&list, "the recording", history_problem(process), NULL);
	return status;
}
