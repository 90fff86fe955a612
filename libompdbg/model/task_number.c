// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers by which people call explicit tasks: #1, #2, ... in the order in which the OMPD library lists
// them, which the memory of the target alone decides. So all commands of one stop, and every look at
// one core file, give a task the same number. Lists are read only when a number is asked for.

#include "model/room.h"

/** The numbers of a runtime's tasks. */
struct task_numbers {
	uint64_t count;	      // of explicit tasks
	struct table numbers; // identity -> number + 1, of an implicit task 1
	bool has_all;	      // else those that have not begun are missing
};

/** A walk over the tasks of a runtime. */
struct numbering {
	struct runtime *runtime;
	struct task_numbers *numbers;
	bool with_all;
};

bool task_has_begun(const struct task *task)
{
	return task->info.status != ompd_ext_task_queued &&
	       task->info.status != ompd_ext_task_blocked;
}

static struct ompdbg_error *note_number(void *context, struct task *task)
{
	struct numbering *numbering = context;
	struct task_numbers *numbers = numbering->numbers;

	numbers->count += task->number != 0;
	if (numbering->with_all || task_has_begun(task))
		*table_put(&numbers->numbers, &task->runtime->process->arena, task->info.id) =
			(void *)(uintptr_t)(task->number + 1);
	return NULL;
}

/** Read the numbers of a runtime. @p with_all: of tasks that have not begun, too, which may be very
 *  many. */
static const struct task_numbers *numbers_of(struct runtime *runtime, bool with_all)
{
	struct task_numbers *numbers = runtime->task_numbers;

	if (!numbers || (with_all && !numbers->has_all)) {
		numbers = ARENA_NEW(&runtime->process->arena, struct task_numbers);
		struct numbering numbering = { runtime, numbers, with_all };
		runtime->task_numbers = numbers;
		numbers->has_all = with_all;
		ompdbg_error_destroy(tasks_visit(runtime, note_number, &numbering, NULL, NULL));
	}
	return numbers;
}

uint64_t runtime_first_task_number(struct runtime *runtime)
{
	struct process *process = runtime->process;
	uint64_t first = 1;

	for (size_t i = 0; i < process->num_runtimes && process->runtimes[i] != runtime; i++)
		first += numbers_of(process->runtimes[i], false)->count;
	return first;
}

uint64_t runtime_task_number(struct runtime *runtime, uint64_t id)
{
	uintptr_t found = 0;

	if (!id || !runtime_is_extended(runtime))
		return 0;
	for (int with_all = 0; with_all < 2 && !found; with_all++)
		found = (uintptr_t)table_get(&numbers_of(runtime, with_all)->numbers, id);
	return found ? found - 1 : 0;
}

uint64_t task_number(const struct task *task)
{
	if (task->number || !task_is_explicit(task))
		return task->number;
	return runtime_task_number(task->runtime, task->info.id);
}

// ---- The task with a number --------------------------------------------------------------------

struct search {
	uint64_t number;
	struct task *found;
};

static struct ompdbg_error *check_number(void *context, struct task *task)
{
	struct search *search = context;

	if (task->number != search->number)
		return NULL;
	search->found = task_keep(task);
	return &ompdbg_error_absent; // no more are wanted
}

struct ompdbg_error *process_task_numbered(struct process *process, uint64_t number,
					   struct task **ret)
{
	struct search search = { .number = number };
	struct ompdbg_error *error = NULL;

	for (size_t i = 0; i < process->num_runtimes && number && !search.found && !error; i++) {
		error = tasks_visit(process->runtimes[i], check_number, &search, NULL, NULL);
		if (search.found) {
			ompdbg_error_destroy(error);
			error = NULL;
		}
	}
	*ret = search.found;
	return error;
}

uint64_t process_last_task_number(struct process *process)
{
	uint64_t last = 0;

	for (size_t i = 0; i < process->num_runtimes; i++)
		last += numbers_of(process->runtimes[i], false)->count;
	return last;
}
