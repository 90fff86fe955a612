// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The document of a report: what all commands tell, an element of a section on each line.

#include "output/json/documents.h"

enum { REPORTED_EVENTS = 1000 }; // the latest ones

// ---- Sections ----------------------------------------------------------------------------------

static void verdict(struct json *json, const struct view_options *options)
{
	const struct finding *worst = worst_finding(options->findings, options->num_findings);

	json_begin_object(json);
	json_member_string(json, "severity", worst ? severity_name(worst->severity) : "none");
	json_member_string(json, "rule", worst ? rule_name(worst->rule) : NULL);
	json_member_string(json, "text", verdict_text(worst));
	json_end_object(json);
}

static void status(struct json *json, const struct view_options *options)
{
	json_begin_object(json);
	json_status(json, options);
	json_end_object(json);
}

/** Tell in which functions of the system the threads are that wait for nothing of OpenMP. */
static void doing(struct json *json, const struct view_options *options)
{
	json_begin_lines(json);
	for (size_t i = 0; i < options->num_threads; i++) {
		struct thread *thread = options->threads[i];
		struct system_call call;
		if (thread->target->running || thread_wait(thread) || thread_is_in_runtime(thread))
			continue;
		const char *function = thread_system_function(thread);
		if (!function || !json_line(json))
			continue;
		json_begin_object(json);
		json_member_thread(json, "thread", thread);
		json_member_string(json, "function", function);
		json_member_bool(json, "in_kernel", thread_system_call(thread, &call));
		json_end_object(json);
	}
	json_end_lines(json);
}

static void stacks(struct json *json, const struct view_options *options)
{
	static const struct logical_stack running = { .note = "the threads are running" };
	const struct shown_frames shown = { 0 };
	size_t count;
	const struct stack_group *groups = stack_groups(json->process, options->threads,
							options->num_threads, false, true, &count);

	json_begin_lines(json);
	for (size_t i = 0; i < count && json_line(json); i++) {
		json_begin_object(json);
		json_member_threads(json, "threads", &groups[i].threads);
		json_stack_members(json, groups[i].stack ? groups[i].stack : &running, &shown);
		json_end_object(json);
	}
	json_end_lines(json);
}

static void icvs(struct json *json, const struct view_options *options)
{
	struct thread **openmp =
		ARENA_ARRAY(&json->process->arena, struct thread *, options->num_threads);
	struct view_options shown = { .threads = openmp };

	for (size_t i = 0; i < options->num_threads; i++) {
		if (options->threads[i]->handle)
			openmp[shown.num_threads++] = options->threads[i];
	}
	json_icv_list(json, &shown);
}

/** Write the latest events of the recording; null if nothing was recorded. */
static void recorded(struct json *json, const struct view_options *options)
{
	const char *problem = history_problem(json->process);

	(void)options;
	if (problem) {
		json_fail(json, ompdbg_error_create(OMPDBG_UNAVAILABLE, "%s", problem));
	} else if (!process_history(json->process)) {
		json_null(json);
	} else {
		json_begin_object(json);
		json_key(json, "recording");
		json_recording(json);
		json_member_events(json, NULL, REPORTED_EVENTS);
		json_end_object(json);
	}
}

// ---- The document ------------------------------------------------------------------------------

/** Reasons why something could not be told. */
struct problems {
	const char **texts;
	size_t count, capacity;
};

/** Add a section; null with a problem if it cannot be told. Fails only if it is interrupted. */
static void add(struct json *json, const char *name, json_view *write,
		const struct view_options *options, struct problems *problems)
{
	struct arena *arena = &json->process->arena;

	buffer_put(&json->buffer, ",\n ");
	json->needs_comma = false;
	json_key(json, name);
	size_t begin = json->buffer.size;
	write(json, options);
	if (!json->error || ends_command(json->error))
		return;
	*ARENA_APPEND(arena, problems->texts, problems->count, problems->capacity) =
		arena_printf(arena, "%s: %s", name, json->error->message);
	ompdbg_error_destroy(json->error);
	json->error = NULL;
	json->buffer.size = begin;
	json->needs_comma = false;
	json_null(json);
}

struct ompdbg_error *json_report(struct process *process,
				 void (*write_about)(void *context, struct json *json,
						     const char *const *problems, size_t count),
				 void *context, struct sink *sink)
{
	static const struct {
		const char *name;
		json_view *write;
	} sections[] = {
		{ "verdict", verdict },
		{ "findings", json_finding_list },
		{ "status", status },
		{ "teams", json_team_list },
		{ "regions", json_region_list },
		{ "threads", json_thread_list },
		{ "doing", doing },
		{ "stacks", stacks },
		{ "sources", report_sources },
		{ "variables", report_variables },
		{ "locks", json_lock_list },
		{ "tasks", report_tasks },
		{ "task_counts", json_task_count_list },
		{ "icvs", icvs },
		{ "environment", json_environment },
		{ "history", recorded },
	};
	struct view_options options = { .threads = process->threads,
					.num_threads = process->num_targets };
	struct json head, body = { .process = process }; // no sink: the head comes before
	struct problems problems = { 0 };

	options.findings = diagnose(process, NULL, &options.num_findings);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !body.error; i++)
		add(&body, sections[i].name, sections[i].write, &options, &problems);
	if (!body.error) {
		json_begin_document(&head, process, sink);
		json_member_string(&head, "kind", "report");
		json_key(&head, "about");
		write_about(context, &head, problems.texts, problems.count);
		json_flush(&head);
		body.error = head.error;
		buffer_deinit(&head.buffer);
	}
	body.sink = sink;
	return json_end_document(&body);
}
