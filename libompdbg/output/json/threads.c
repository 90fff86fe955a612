// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The documents of threads and tasks.

#include <string.h>

#include "output/icv_rows.h"
#include "output/json/documents.h"

// ---- Threads -----------------------------------------------------------------------------------

void json_thread_list(struct json *json, const struct view_options *options)
{
	json_begin_lines(json);
	for (size_t i = 0; i < options->num_threads && json_line(json); i++)
		json_thread(json, options->threads[i]);
	json_end_lines(json);
}

void json_threads(struct json *json, const struct view_options *options)
{
	json_key(json, "teams");
	json_team_list(json, options);
	json_key(json, "threads");
	json_thread_list(json, options);
}

// ---- Tasks -------------------------------------------------------------------------------------

static void member_function(struct json *json, const struct task_function *function)
{
	if (!json_member_optional(json, "function", function))
		return;
	json_member_string(json, "name", function->name);
	json_member_string(json, "symbol", function->symbol);
	json_member_string(json, "file", function->file);
	json_member_number(json, "line", (uint64_t)function->line);
	json_member_title(json, function->name, NULL);
	json_end_object(json);
}

static void member_flags(struct json *json, const struct task *task)
{
	json_member_array(json, "flags");
	for (size_t i = 0; i < NUM_TASK_FLAGS; i++) {
		if (task_has_flag(task, &task_flags[i]))
			json_string(json, task_flags[i].name);
	}
	json_end_array(json);
}

/** Write the numbers of the tasks for which a blocked one waits; null if not all are known. */
static void json_predecessors(struct json *json, struct task *task)
{
	struct task *const *tasks;
	size_t count;
	bool is_complete = task_predecessors(task, &tasks, &count);

	json_key(json, "waits_for");
	if (!is_complete) {
		json_null(json);
		return;
	}
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		json_known_int(json, (int64_t)task_number(tasks[i]));
	json_end_array(json);
}

/** Write the variables of a task; none of one that has begun, unless @p in_full. */
static void json_variables(struct json *json, struct task *task, bool in_full)
{
	bool has_begun = task_has_begun(task);
	const struct task_variable *variables;
	size_t count = 0;

	if (!has_begun || in_full)
		task_variables(task, &variables, &count);
	json_member_array(json, "values");
	for (size_t i = 0; i < count; i++) {
		const char *sharing = variables[i].sharing;

		json_begin_object(json);
		json_member_string(json, "name", variables[i].name);
		json_member_string(json, "value", variables[i].value);
		json_key(json, "shared");
		if (sharing || !has_begun)
			json_bool(json, sharing && strcmp(sharing, "shared") == 0);
		else
			json_null(json);
		json_end_object(json);
	}
	json_end_array(json);
}

void json_member_dependers(struct json *json, struct task *task)
{
	const uint64_t *dependers;
	size_t count;

	if (!task_dependers(task, &dependers, &count)) {
		json_key(json, "dependers");
		json_null(json);
		return;
	}
	json_member_array(json, "dependers");
	for (size_t i = 0; i < count; i++)
		json_identity(json, dependers[i]);
	json_end_array(json);
}

void json_task_members(struct json *json, struct task *task, bool in_full)
{
	const struct depend *depends;
	bool is_complete;
	size_t count = task_depends(task, &depends, &is_complete);

	json_member_identity(json, "id", task->info.id);
	json_member_number(json, "number", task_number(task));
	json_member_string(json, "runtime", task->runtime->name);
	json_member_string(json, "kind", task_kind(task));
	json_member_string(json, "status", task_status(task));
	json_member_identity(json, "team", task->info.parallel_id);
	json_member_thread(json, "thread", task_runner(task));
	json_member_known_int(json, "thread_num", task_thread_num(task));
	json_member_identity(json, "parent", task->info.parent_id);
	member_function(json, task_function(task));
	member_flags(json, task);
	json_member_int(json, "priority", task->info.priority);
	json_member_identity(json, "taskgroup", task->info.taskgroup);
	json_member_int(json, "predecessors", task->info.num_predecessors);
	json_predecessors(json, task);
	json_member_bool(json, "depends_complete", is_complete);
	json_member_array(json, "depends");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json);
		json_member_identity(json, "address", depends[i].address);
		json_member_string(json, "kind", depends[i].kind);
		json_member_string(json, "symbol", depends[i].symbol);
		json_end_object(json);
	}
	json_end_array(json);
	json_variables(json, task, in_full);
	json_recorded_task(json, task);
}

/** The list of tasks that is being written. */
struct task_writer {
	struct json *json;
	bool queued;
};

static struct ompdbg_error *write_task(void *context, struct task *task)
{
	const struct task_writer *writer = context;
	struct json *json = writer->json;

	if ((writer->queued && task_has_begun(task)) || !json_line(json))
		return json->error;
	json_begin_object(json);
	json_task_members(json, task, false);
	json_end_object(json);
	return NULL;
}

void json_tasks(struct json *json, const struct view_options *options)
{
	struct task_writer writer = { json, options->queued };
	struct tasks_visited visited;

	json_key(json, "teams");
	json_team_list(json, options);
	json_key(json, "tasks");
	json_begin_lines(json);
	json_fail(json, process_tasks_visit(json->process, write_task, &writer, &visited));
	json_end_lines(json);
	json_member_bool(json, "damaged", visited.is_damaged);
	json_member_known_int(json, "unreached", visited.unreached);
}

// ---- Counts ------------------------------------------------------------------------------------

static void json_count(struct json *json, const struct task_count *count)
{
	json_begin_object(json);
	member_function(json, count->function);
	json_member_string(json, "kind", count->kind);
	json_member_string(json, "status", count->status);
	json_member_int(json, "count", (int64_t)count->number);
	json_end_object(json);
}

void json_task_count_list(struct json *json, const struct view_options *options)
{
	struct task_count *counts;
	size_t count;
	bool damaged;

	(void)options;
	json_begin_lines(json);
	json_fail(json, process_task_counts(json->process, &counts, &count, &damaged));
	for (size_t i = 0; !json->error && i < count && json_line(json); i++)
		json_count(json, &counts[i]);
	json_end_lines(json);
}
