// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The document of a report: what all commands tell, an element of a section on each line.

#include "output/json/report.h"
#include "output/json/documents.h"

enum { REPORTED_EVENTS = 1000 }; // the latest ones

struct report {
	struct json_document
		document; // the sections: no sink, for what comes before is not known yet
	const char **problems;
	size_t num_problems, capacity;
	struct view_options findings;
};

// ---- Sections ----------------------------------------------------------------------------------

static struct ompdbg_error *verdict(struct json_document *document, const void *what)
{
	const struct report *report = what;
	const struct finding *worst =
		worst_finding(report->findings.findings, report->findings.num_findings);
	struct json *json = &document->json;

	json_begin_object(json);
	json_member_string(json, "severity", worst ? severity_name(worst->severity) : "none");
	json_member_string(json, "rule", worst ? rule_name(worst->rule) : NULL);
	json_member_string(json, "text", verdict_text(worst));
	json_end_object(json);
	return NULL;
}

static struct ompdbg_error *findings(struct json_document *document, const void *what)
{
	const struct report *report = what;

	return json_finding_list(document, &report->findings);
}

static struct ompdbg_error *status(struct json_document *document, const void *what)
{
	(void)what;
	json_begin_object(&document->json);
	json_status_members(&document->json, document->process);
	json_end_object(&document->json);
	return NULL;
}

static struct ompdbg_error *teams(struct json_document *document, const void *what)
{
	(void)what;
	json_teams(&document->json, document->process);
	return NULL;
}

static struct ompdbg_error *threads(struct json_document *document, const void *what)
{
	const struct process *process = document->process;
	const struct view_options all = { .threads = process->threads,
					  .num_threads = process->num_targets };

	(void)what;
	return json_thread_list(document, &all);
}

/** Tell in which functions of the system the threads are that wait for nothing of OpenMP. */
static struct ompdbg_error *doing(struct json_document *document, const void *what)
{
	struct process *process = document->process;
	struct json *json = &document->json;
	struct ompdbg_error *error = NULL;

	(void)what;
	for (size_t i = 0; i < process->num_targets && !error; i++) {
		struct thread *thread = process->threads[i];
		struct system_call call;
		if (thread->target->running || thread_wait(thread) || thread_is_in_runtime(thread))
			continue;
		const char *function = thread_system_function(thread);
		if (!function)
			continue;
		error = json_document_element(document);
		if (error)
			break;
		json_begin_object(json);
		json_member_thread(json, "thread", thread);
		json_member_string(json, "function", function);
		json_member_bool(json, "in_kernel", thread_system_call(thread, &call));
		json_end_object(json);
	}
	return error;
}

static struct ompdbg_error *stacks(struct json_document *document, const void *what)
{
	const struct shown_frames shown = { 0 };
	struct process *process = document->process;
	struct json *json = &document->json;
	struct ompdbg_error *error = NULL;
	size_t count;
	const struct stack_group *groups =
		stack_groups(process, process->threads, process->num_targets, false, true, &count);

	(void)what;
	for (size_t i = 0; i < count && !error; i++) {
		error = json_document_element(document);
		if (error)
			break;
		json_begin_object(json);
		json_member_threads(json, "threads", groups[i].threads, groups[i].num_threads);
		if (groups[i].stack) {
			json_stack_members(json, groups[i].stack, &shown);
		} else {
			json_member_array(json, "parts");
			json_end_array(json);
			json_member_string(json, "note", "the threads are running");
		}
		json_end_object(json);
	}
	return error;
}

static struct ompdbg_error *icvs(struct json_document *document, const void *what)
{
	struct process *process = document->process;
	struct thread **openmp =
		ARENA_ARRAY(&process->arena, struct thread *, process->num_targets);
	struct view_options shown = { .threads = openmp };

	(void)what;
	for (size_t i = 0; i < process->num_targets; i++) {
		if (process->threads[i]->handle)
			openmp[shown.num_threads++] = process->threads[i];
	}
	return json_icv_list(document, &shown);
}

static struct ompdbg_error *environment(struct json_document *document, const void *what)
{
	(void)what;
	json_environments(&document->json, document->process);
	return NULL;
}

/** Write the latest events of the recording; null if nothing was recorded. */
static struct ompdbg_error *recorded(struct json_document *document, const void *what)
{
	struct history *history = process_history(document->process);
	const char *problem = history_problem(document->process);
	struct json *json = &document->json;
	struct history_event *events;
	size_t count;

	(void)what;
	if (problem)
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "%s", problem);
	if (!history) {
		json_null(json);
		return NULL;
	}
	struct ompdbg_error *error =
		history_events(history, NULL, REPORTED_EVENTS, &events, &count);
	if (error)
		return error;
	const struct shown_events shown = { history, events, count };
	json_begin_object(json);
	json_key(json, "recording");
	json_recording(json, document->process);
	error = json_document_list(document, "events", json_event_list, &shown);
	json_end_object(json);
	return error;
}

// ---- The document ------------------------------------------------------------------------------

/** A member of the document: a list, or what @p write writes as a value. */
struct section {
	const char *name;
	json_list *list, *write;
};

/** Add a section; null with a problem if it cannot be told. Fails only if it is interrupted. */
static struct ompdbg_error *add(struct report *report, const struct section *section)
{
	struct json_document *document = &report->document;
	struct arena *arena = &document->process->arena;

	buffer_put(&document->buffer, ",\n ");
	document->json.needs_comma = false;
	json_key(&document->json, section->name);
	size_t begin = document->buffer.size;
	struct ompdbg_error *error = section->list ?
					     json_document_array(document, section->list, report) :
					     section->write(document, report);
	if (!error || error->code == OMPDBG_INTERRUPTED)
		return error;
	*ARENA_APPEND(arena, report->problems, report->num_problems, report->capacity) =
		arena_printf(arena, "%s: %s", section->name, error->message);
	ompdbg_error_destroy(error);
	document->buffer.size = begin;
	document->json.needs_comma = false;
	json_null(&document->json);
	return NULL;
}

struct ompdbg_error *json_report(struct process *process,
				 void (*write_about)(void *context, struct json *json,
						     const char *const *problems, size_t count),
				 void *context, struct sink *sink)
{
	static const struct section sections[] = {
		{ "verdict", .write = verdict },
		{ "findings", .list = findings },
		{ "status", .write = status },
		{ "teams", .write = teams },
		{ "regions", .list = json_region_list },
		{ "threads", .list = threads },
		{ "doing", .list = doing },
		{ "stacks", .list = stacks },
		{ "sources", .list = report_sources },
		{ "variables", .list = report_variables },
		{ "locks", .list = json_lock_list },
		{ "tasks", .write = report_tasks },
		{ "task_counts", .list = json_task_count_list },
		{ "icvs", .list = icvs },
		{ "environment", .write = environment },
		{ "history", .write = recorded },
	};
	struct report report = { .document.process = process };
	struct json_document head;
	struct ompdbg_error *error = NULL;

	report.document.json.out = &report.document.buffer;
	report.findings.findings = diagnose(process, NULL, &report.findings.num_findings);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !error; i++)
		error = add(&report, &sections[i]);
	if (!error) {
		json_document_begin(&head, process, sink);
		json_member_string(&head.json, "kind", "report");
		json_key(&head.json, "about");
		write_about(context, &head.json, report.problems, report.num_problems);
		error = sink->write(sink->context, head.buffer.data, head.buffer.size);
		buffer_deinit(&head.buffer);
	}
	report.document.sink = sink;
	return json_document_end(&report.document, error);
}
