// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The documents of threads and tasks.

#include <string.h>

#include "output/icv_rows.h"
#include "output/json/documents.h"

// ---- Threads -----------------------------------------------------------------------------------

struct ompdbg_error *next_element(struct json_document *document, struct process *process)
{
	if (process_is_interrupted(process))
		return &ompdbg_error_interrupted;
	return json_document_element(document);
}

struct ompdbg_error *json_threads(struct process *process, const struct threads_options *options,
				  struct sink *sink)
{
	struct json_document document;
	struct ompdbg_error *error = NULL;

	json_document_begin(&document, sink);
	json_key(&document.json, "teams");
	json_teams(&document.json, process);
	json_document_list(&document, "threads");
	for (size_t i = 0; i < options->num_threads && !error; i++) {
		error = next_element(&document, process);
		if (!error)
			json_thread(&document.json, options->threads[i]);
	}
	json_document_end_list(&document);
	return json_document_end(&document, error);
}

// ---- Tasks -------------------------------------------------------------------------------------

static void json_task_function(struct json *json, const struct task_function *function)
{
	if (!function) {
		json_null(json);
		return;
	}
	json_begin_object(json);
	json_member_string(json, "name", function->name);
	json_member_string(json, "symbol", function->symbol);
	json_member_string(json, "file", function->file);
	json_member_known_int(json, "line", function->line ? function->line : NOT_KNOWN);
	json_end_object(json);
}

static void json_flags(struct json *json, const struct task *task)
{
	json_begin_array(json);
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
	json_key(json, "values");
	json_begin_array(json);
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

void json_task_members(struct json *json, struct task *task, bool in_full)
{
	struct team *team = task_team(task);
	int number = task_thread_num(task);
	struct thread *member = team && number != NOT_KNOWN ? team_member(team, number) : NULL;
	const struct depend *depends;
	bool is_complete;
	size_t count = task_depends(task, &depends, &is_complete);

	json_member_identity(json, "id", task->info.id);
	json_member_number(json, "number", task_number(task));
	json_member_string(json, "runtime", task->runtime->name);
	json_member_string(json, "kind", task_kind(task));
	json_member_string(json, "status", task_status(task));
	json_member_identity(json, "team", task->info.parallel_id);
	json_member_known_int(json, "thread", member ? member->target->number : NOT_KNOWN);
	json_member_known_int(json, "thread_num", number);
	json_member_identity(json, "parent", task->info.parent_id);
	json_key(json, "function");
	json_task_function(json, task_function(task));
	json_key(json, "flags");
	json_flags(json, task);
	json_member_int(json, "priority", task->info.priority);
	json_member_identity(json, "taskgroup", task->info.taskgroup);
	json_member_int(json, "predecessors", task->info.num_predecessors);
	json_predecessors(json, task);
	json_member_bool(json, "depends_complete", is_complete);
	json_key(json, "depends");
	json_begin_array(json);
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

struct task_writer {
	struct json_document *document;
	bool queued;
};

static struct ompdbg_error *write_task(void *context, struct task *task)
{
	struct task_writer *writer = context;

	if (writer->queued && task_has_begun(task))
		return NULL;
	struct ompdbg_error *error = next_element(writer->document, task->runtime->process);
	if (!error) {
		json_begin_object(&writer->document->json);
		json_task_members(&writer->document->json, task, false);
		json_end_object(&writer->document->json);
	}
	return error;
}

struct ompdbg_error *json_tasks(struct process *process, bool queued, struct sink *sink)
{
	struct json_document document;
	struct task_writer writer = { .document = &document, .queued = queued };
	struct ompdbg_error *error = NULL;
	bool is_damaged = false;
	int64_t unreached = 0;

	json_document_begin(&document, sink);
	json_key(&document.json, "teams");
	json_teams(&document.json, process);
	json_document_list(&document, "tasks");
	for (size_t i = 0; i < process->num_runtimes && !error; i++) {
		bool damaged = false;
		int64_t more = NOT_KNOWN;
		error = tasks_visit(process->runtimes[i], write_task, &writer, &damaged, &more);
		is_damaged |= damaged;
		unreached = more == NOT_KNOWN || unreached == NOT_KNOWN ? NOT_KNOWN :
									  unreached + more;
	}
	json_document_end_list(&document);
	json_member_bool(&document.json, "damaged", is_damaged);
	json_member_known_int(&document.json, "unreached", unreached);
	return json_document_end(&document, error);
}

// ---- Counts ------------------------------------------------------------------------------------

void json_count(struct json *json, const struct task_count *count)
{
	json_begin_object(json);
	json_key(json, "function");
	json_task_function(json, count->function);
	json_member_string(json, "kind", count->kind);
	json_member_string(json, "status", count->status);
	json_member_int(json, "count", (int64_t)count->number);
	json_end_object(json);
}

struct ompdbg_error *json_tasks_by_function(struct process *process, struct sink *sink)
{
	struct task_count *counts;
	struct json_document document;
	size_t count;
	struct ompdbg_error *error = process_task_counts(process, &counts, &count);

	if (error)
		return error;
	json_document_begin(&document, sink);
	json_document_list(&document, "counts");
	for (size_t i = 0; i < count && !error; i++) {
		error = next_element(&document, process);
		if (!error)
			json_count(&document.json, &counts[i]);
	}
	json_document_end_list(&document);
	return json_document_end(&document, error);
}
