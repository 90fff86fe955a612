// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for what belongs to a task.

#include "output/text/text.h"

#include <string.h>

#include "base/foreign.h"
#include "diagnose/words.h"

enum { MOST_LISTED = 8, MOST_GIVEN = 8, MOST_OF_VALUE = 40 }; // tasks, variables, characters

const char *dependences_text(struct task *task)
{
	struct arena *arena = &task->runtime->process->arena;
	const struct depend *depends;
	bool is_complete;
	size_t count = task_depends(task, &depends, &is_complete);
	struct folds folds = { 0 };
	const char *text = "";

	for (size_t i = 0; i < count; i++) {
		struct fold *fold = fold_of(&folds, arena, depends[i].kind);
		const char *name =
			depends[i].symbol ?
				depends[i].symbol :
			depends[i].address ?
				arena_printf(arena, "%#lx", (unsigned long)depends[i].address) :
				"all memory";
		fold->items = arena_printf(arena, "%s %s", fold->items, name);
	}
	for (size_t i = 0; i < folds.count; i++)
		text = listed_text(arena, text,
				   arena_printf(arena, "%s:%s", folds.all[i].text,
						folds.all[i].items));
	return *text && !is_complete ? arena_printf(arena, "at least %s", text) : text;
}

const char *creation_text(struct task *task)
{
	struct process *process = task->runtime->process;
	struct history *history = process_history(process);
	const struct history_thread *creator;
	const char *line = "", *text, *age;
	struct record_task record;

	if (!history || !history_task(task, &record))
		return "";
	creator = history_numbered(history, record.creator);
	if (!task_function(task)) // else the place of its construct is shown
		line = line_text(&process->arena, construct_location(process, record.code));
	text = *line ? arena_printf(&process->arena, "at %s", line) : "";
	if (creator && creator->thread)
		text = arena_printf(&process->arena, "%s%sby thread %s", text, *text ? " " : "",
				    creator->thread->target->label);
	age = ago_text(history, record.created);
	return *age ? arena_printf(&process->arena, "%s%s", text, *text ? age : age + 1) : text;
}

const char *task_numbers_text(struct arena *arena, const uint64_t *numbers, size_t count)
{
	const char *text = "";

	for (size_t i = 0; i < count && i < MOST_LISTED; i++)
		text = arena_printf(arena, numbers[i] ? "%s%s#%lu" : "%s%s?", text, i ? ", " : "",
				    (unsigned long)numbers[i]);
	return count > MOST_LISTED ?
		       arena_printf(arena, "%s and %zu more", text, count - MOST_LISTED) :
		       text;
}

const char *predecessors_text(struct task *task)
{
	struct arena *arena = &task->runtime->process->arena;
	struct task *const *tasks;
	size_t count;
	bool is_complete = task_predecessors(task, &tasks, &count);
	const char *counted = counted_text(arena, task->info.num_predecessors, "task");

	if (!count)
		return counted;
	uint64_t *numbers = ARENA_ARRAY(arena, uint64_t, count);
	for (size_t i = 0; i < count; i++)
		numbers[i] = task_number(tasks[i]);
	const char *listed = task_numbers_text(arena, numbers, count);
	return is_complete ? listed : arena_printf(arena, "%s, among them %s", counted, listed);
}

/** Check for a value that says little: an address. */
static bool is_address(const struct ompdbg_given *given)
{
	return strstr(given->value, "0x") != NULL;
}

const char *given_text(const struct task *task)
{
	struct arena *arena = &task->runtime->process->arena;
	const struct ompdbg_given *given;
	size_t count, listed = 0;
	const char *text = "";

	task_given(task, &given, &count);

	for (int last = 0; last < 2; last++) { // addresses come last
		for (size_t i = 0; i < count && listed < MOST_GIVEN; i++) {
			const char *value = given[i].value;

			if (is_address(&given[i]) != last)
				continue;
			if (foreign_width(value) > MOST_OF_VALUE)
				value = foreign_cut(arena, value, MOST_OF_VALUE);
			text = arena_printf(arena, "%s%s%s%s = %s", text, listed++ ? ", " : "",
					    given[i].is_shared ? "shared " : "", given[i].name,
					    value);
		}
	}
	return count > MOST_GIVEN ?
		       arena_printf(arena, "%s and %zu more", text, count - MOST_GIVEN) :
		       text;
}
