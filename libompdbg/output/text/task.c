// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One task in full.

#include <string.h>

#include "base/foreign.h"
#include "diagnose/words.h"
#include "output/json/documents.h"
#include "output/text/text.h"

enum { MOST_OF_VALUE = 180 }; // columns

/** The children of a task, as they are met. */
struct children {
	uint64_t parent;
	uint64_t *numbers;
	size_t count, capacity;
};

static struct ompdbg_error *note_child(void *context, struct task *task)
{
	struct children *children = context;

	if (task->info.parent_id == children->parent && task_is_explicit(task))
		*ARENA_APPEND(&task->runtime->process->arena, children->numbers, children->count,
			      children->capacity) = task->number;
	return NULL;
}

static struct ompdbg_error *find_children(struct task *task, struct children *ret)
{
	*ret = (struct children){ .parent = task->info.id };
	return tasks_visit(task->runtime, note_child, ret, NULL, NULL);
}

static struct ompdbg_error *find_numbered(struct process *process, uint64_t number,
					  struct task **ret)
{
	struct ompdbg_error *error = process_task_numbered(process, number, ret);

	if (error || *ret)
		return error;
	uint64_t last = process_last_task_number(process);
	if (!last)
		return ompdbg_error_create(OMPDBG_BAD_INPUT,
					   "no task #%lu (there are no explicit tasks)",
					   (unsigned long)number);
	return ompdbg_error_create(OMPDBG_BAD_INPUT, "no task #%lu (the last one is #%lu)",
				   (unsigned long)number, (unsigned long)last);
}

// ---- Text --------------------------------------------------------------------------------------

static void add_row(struct text *text, const char *title, const char *value)
{
	if (*value)
		TEXT_WRAP(text, "  %-12s %s", title, value);
}

static const char *flags_text(struct arena *arena, const struct task *task)
{
	const char *text = "";

	for (size_t i = 0; i < NUM_TASK_FLAGS; i++) {
		if (task_has_flag(task, &task_flags[i]))
			text = listed_text(arena, text, task_flags[i].words);
	}
	return text;
}

static const char *team_text(struct arena *arena, struct task *task)
{
	struct team *team = task_team(task);

	if (!team)
		return "?";
	if (team->level <= 0)
		return "outside of parallel regions";
	return arena_printf(arena, "%s, level %d", team_label(team), team->level);
}

static const char *dependers_text(struct arena *arena, struct task *task)
{
	const uint64_t *ids;
	uint64_t *numbers;
	size_t count;

	if (!task_dependers(task, &ids, &count))
		return "?";
	numbers = ARENA_ARRAY(arena, uint64_t, count + 1);
	for (size_t i = 0; i < count; i++)
		numbers[i] = runtime_task_number(task->runtime, ids[i]);
	return task_numbers_text(arena, numbers, count);
}

/** Write why no variable of a task is known; "": it has none any more. */
static const char *lack_of_values(const struct task *task)
{
	switch (task_status_code(task)) {
	case ompd_ext_task_queued:
	case ompd_ext_task_blocked:
		return "<unavailable>: debug information does not name them";
	case ompd_ext_task_running:
	case ompd_ext_task_suspended:
	case ompd_ext_task_started:
		return task->placement && task->placement->frame ?
			       "<unavailable>: debug information does not name them" :
			       "<unavailable>: the stacks do not show its frame";
	default:
		return "";
	}
}

static void add_variables(struct text *text, struct task *task)
{
	struct arena *arena = text->paper.arena;
	const struct task_variable *variables;
	size_t count;

	if (!task_variables(task, &variables, &count))
		add_row(text, "Values", lack_of_values(task));
	for (size_t i = 0; i < count; i++) {
		const char *sharing = variables[i].sharing;
		const char *title = !sharing			    ? "Value" :
				    strcmp(sharing, "shared") == 0  ? "Shared" :
				    strcmp(sharing, "private") == 0 ? "Private" :
								      "Firstprivate";
		add_row(text, title,
			arena_printf(arena, "%s = %s", variables[i].name,
				     foreign_cut(arena, foreign_visible(arena, variables[i].value),
						 MOST_OF_VALUE)));
	}
}

struct ompdbg_error *text_task(struct text *text, const struct view_options *options)
{
	struct arena *arena = text->paper.arena;
	struct children children;
	struct task *task, *parent;
	struct ompdbg_error *error = find_numbered(text->process, options->number, &task);

	if (!error)
		error = find_children(task, &children);
	if (error)
		return error;
	parent = task_parent(task);
	text_cut(text, numbered_title(task), paint_task);
	add_row(text, "Status", task_status(task));
	if (task->info.num_predecessors)
		add_row(text, "Waits for", predecessors_text(task));
	if (task_thread_num(task) != NOT_KNOWN)
		add_row(text, "Executed by", task_thread_text(task));
	add_row(text, "Team", team_text(arena, task));
	add_row(text, "Parent", parent ? numbered_title(parent) : "?");
	add_row(text, "Created", creation_text(task));
	add_row(text, "Children", task_numbers_text(arena, children.numbers, children.count));
	add_row(text, "Dependences", dependences_text(task));
	add_row(text, "Awaited by", dependers_text(arena, task));
	add_variables(text, task);
	add_row(text, "Flags", flags_text(arena, task));
	if (task->info.priority)
		add_row(text, "Priority", arena_printf(arena, "%d", task->info.priority));
	return NULL;
}

// ---- JSON --------------------------------------------------------------------------------------

void json_task(struct json *json, const struct view_options *options)
{
	struct children children = { 0 };
	struct task *task;
	struct ompdbg_error *error = find_numbered(json->process, options->number, &task);

	if (!error)
		error = find_children(task, &children);
	json_fail(json, error);
	if (json->error)
		return;
	json_begin_object(json);
	json_task_members(json, task, true);
	json_member_dependers(json, task);
	json_member_array(json, "children");
	for (size_t i = 0; i < children.count; i++)
		json_int(json, (int64_t)children.numbers[i]);
	json_end_array(json);
	json_end_object(json);
}
