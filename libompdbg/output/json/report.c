// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The document of a report: what all commands tell, an element of a section on each line.

#include "base/foreign.h"
#include "base/table.h"
#include "base/text.h"
#include "output/json/documents.h"

// Of tasks alike so many are listed, and only the first where so many tasks are listed already: what
// a handle has of a task costs a search through those of its region.
enum { LISTED_ALIKE = 50, LISTED_IN_ALL = 500 };

enum { REPORTED_EVENTS = 1000 }; // the latest ones

// Of variables: of so many frames of a thread, the innermost ones; so many of a frame; characters of
// a value.
enum { FRAMES_WITH_VARIABLES = 8, MOST_VARIABLES = 100, MOST_OF_VALUE = 160 };

struct report {
	struct process *process;
	struct json json;
	struct buffer buffer; // the sections
	const char **problems;
	size_t num_problems, capacity;
	const struct finding *findings;
	size_t num_findings;
};

typedef struct ompdbg_error *section(struct report *report);

// ---- Lists -------------------------------------------------------------------------------------

static void begin_list(struct report *report)
{
	json_begin_array(&report->json);
	buffer_put(&report->buffer, "\n");
}

/** Go on to the next element, on a line of its own, unless the user interrupts. */
static struct ompdbg_error *next(struct report *report, size_t index)
{
	if (process_is_interrupted(report->process))
		return &ompdbg_error_interrupted;
	if (index)
		buffer_put(&report->buffer, ",\n");
	report->json.needs_comma = false;
	return NULL;
}

// ---- Sections ----------------------------------------------------------------------------------

static struct ompdbg_error *verdict(struct report *report)
{
	struct json *json = &report->json;
	const struct finding *worst = NULL;

	for (size_t i = 0; i < report->num_findings; i++) {
		if (!worst || report->findings[i].severity < worst->severity)
			worst = &report->findings[i];
	}
	json_begin_object(json);
	json_member_string(json, "severity", worst ? severity_name(worst->severity) : "none");
	json_member_string(json, "rule", worst ? rule_name(worst->rule) : NULL);
	json_member_string(json, "text", worst ? worst->text : "No thread waits for another.");
	json_end_object(json);
	return NULL;
}

static struct ompdbg_error *findings(struct report *report)
{
	struct ompdbg_error *error = NULL;

	begin_list(report);
	for (size_t i = 0; i < report->num_findings && !error; i++) {
		error = next(report, i);
		if (!error)
			json_finding(&report->json, &report->findings[i]);
	}
	json_end_array(&report->json);
	return error;
}

static struct ompdbg_error *status(struct report *report)
{
	json_begin_object(&report->json);
	json_status_members(&report->json, report->process);
	json_end_object(&report->json);
	return NULL;
}

static struct ompdbg_error *teams(struct report *report)
{
	json_teams(&report->json, report->process);
	return NULL;
}

static struct ompdbg_error *regions(struct report *report)
{
	struct ompdbg_error *error = NULL;
	size_t count;
	struct region *found = process_regions(report->process, &count);

	begin_list(report);
	for (size_t i = 0; i < count && !error; i++) {
		error = next(report, i);
		if (!error)
			json_region(&report->json, &found[i]);
	}
	json_end_array(&report->json);
	return error;
}

static struct ompdbg_error *threads(struct report *report)
{
	struct process *process = report->process;
	struct ompdbg_error *error = NULL;

	begin_list(report);
	for (size_t i = 0; i < process->num_targets && !error; i++) {
		error = next(report, i);
		if (!error)
			json_thread(&report->json, process->threads[i]);
	}
	json_end_array(&report->json);
	return error;
}

/** Tell in which functions of the system the threads are that wait for nothing of OpenMP. */
static struct ompdbg_error *doing(struct report *report)
{
	struct process *process = report->process;
	struct json *json = &report->json;
	struct ompdbg_error *error = NULL;
	size_t written = 0;

	begin_list(report);
	for (size_t i = 0; i < process->num_targets && !error; i++) {
		struct thread *thread = process->threads[i];
		struct system_call call;
		if (thread->target->running || thread_wait(thread) || thread_is_in_runtime(thread))
			continue;
		const char *function = thread_system_function(thread);
		if (!function)
			continue;
		error = next(report, written++);
		if (error)
			break;
		json_begin_object(json);
		json_member_int(json, "thread", thread->target->number);
		json_member_string(json, "function", function);
		json_member_bool(json, "in_kernel", thread_system_call(thread, &call));
		json_end_object(json);
	}
	json_end_array(json);
	return error;
}

static struct ompdbg_error *stacks(struct report *report)
{
	const struct shown_frames shown = { 0 };
	struct process *process = report->process;
	struct json *json = &report->json;
	struct ompdbg_error *error = NULL;
	size_t count;
	const struct stack_group *groups =
		stack_groups(process, process->threads, process->num_targets, false, true, &count);

	begin_list(report);
	for (size_t i = 0; i < count && !error; i++) {
		error = next(report, i);
		if (error)
			break;
		json_begin_object(json);
		json_key(json, "threads");
		json_begin_array(json);
		for (size_t k = 0; k < groups[i].num_threads; k++)
			json_int(json, groups[i].threads[k]->target->number);
		json_end_array(json);
		if (groups[i].stack) {
			json_stack_members(json, groups[i].stack, &shown);
		} else {
			json_key(json, "parts");
			json_begin_array(json);
			json_end_array(json);
			json_member_string(json, "note", "the threads are running");
		}
		json_end_object(json);
	}
	json_end_array(json);
	return error;
}

// ---- Source files ------------------------------------------------------------------------------

/** A file as frames name it. */
struct source {
	const char *file;
	const char *path; // NULL: unknown, or several files have this name
};

struct sources {
	struct source *all;
	size_t count, capacity;
};

/** Note the file of a frame. */
static void note_source(struct report *report, struct sources *sources, struct thread *thread,
			const struct logical_frame *frame)
{
	const struct ompdbg_services *services = report->process->services;
	const struct ompdbg_function *place = stack_place(thread_stack(thread), frame->frame);
	const struct ompdbg_frame *at = &frame->frame->at;
	const char *path = NULL;
	size_t i = 0;

	if (frame->owner != FRAME_USER || !place->file)
		return;
	struct ompdbg_error *error = services->source_path(
		services->context, at->is_call ? at->pc - 1 : at->pc, place->file, &path);
	ompdbg_error_destroy(error);
	while (i < sources->count && strcmp(sources->all[i].file, place->file) != 0)
		i++;
	if (i == sources->count)
		*ARENA_APPEND(&report->process->arena, sources->all, sources->count,
			      sources->capacity) = (struct source){ place->file, path };
	else if (!path || !is_same_text(sources->all[i].path, path))
		sources->all[i].path = NULL;
}

static struct ompdbg_error *sources(struct report *report)
{
	struct process *process = report->process;
	struct json *json = &report->json;
	struct sources found = { 0 };
	size_t count;

	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		const struct logical_frame *frames =
			thread->target->running ? NULL : walk_frames(thread_walk(thread), &count);
		for (size_t k = 0; frames && k < count; k++)
			note_source(report, &found, thread, &frames[k]);
		if (process_is_interrupted(process))
			return &ompdbg_error_interrupted;
	}
	begin_list(report);
	for (size_t i = 0; i < found.count; i++) {
		struct ompdbg_error *error = next(report, i);
		if (error)
			return error;
		json_begin_object(json);
		json_member_string(json, "file", found.all[i].file);
		json_member_string(json, "path", found.all[i].path);
		json_end_object(json);
	}
	json_end_array(json);
	return NULL;
}

// ---- Variables ---------------------------------------------------------------------------------

/** Return a value, cut after a whole character. */
static const char *short_value(struct arena *arena, const char *value)
{
	const char *at = value;

	for (int i = 0; i < MOST_OF_VALUE && foreign_next(&at); i++)
		;
	return *at ? arena_printf(arena, "%.*s...", (int)(at - value), value) : value;
}

/** Write the arguments or the locals of a frame. */
static struct ompdbg_error *variables_of(struct report *report, struct thread *thread,
					 const struct logical_frame *frame,
					 enum ompdbg_variables which)
{
	const struct ompdbg_services *services = report->process->services;
	struct json *json = &report->json;
	const struct ompdbg_variable *found = NULL;
	size_t count = 0;
	struct ompdbg_error *error = services->variables(services->context, thread->target->number,
							 &frame->frame->at, which, &found, &count);

	if (error) {
		if (error->code == OMPDBG_INTERRUPTED)
			return error;
		ompdbg_error_destroy(error);
		count = 0;
	}
	json_begin_array(json);
	for (size_t i = 0; i < count && i < MOST_VARIABLES; i++) {
		json_begin_object(json);
		json_member_string(json, "name", found[i].name);
		json_member_string(json, "value",
				   short_value(&report->process->arena, found[i].value));
		json_member_string(json, "sharing",
				   which == OMPDBG_LOCALS ?
					   variable_sharing(thread, frame, found[i].name) :
					   NULL);
		json_end_object(json);
	}
	json_end_array(json);
	return NULL;
}

/** Write a thread with the variables of its innermost frames. */
static struct ompdbg_error *variables_of_thread(struct report *report, struct thread *thread)
{
	struct json *json = &report->json;
	struct ompdbg_error *error = NULL;
	size_t count, shown = 0;
	const struct logical_frame *frames = walk_frames(thread_walk(thread), &count);

	json_begin_object(json);
	json_member_int(json, "thread", thread->target->number);
	json_key(json, "frames");
	json_begin_array(json);
	for (size_t i = 0; i < count && shown < FRAMES_WITH_VARIABLES && !error; i++) {
		if (frames[i].owner != FRAME_USER)
			continue;
		shown++;
		json_begin_object(json);
		json_member_int(json, "level", frames[i].frame->at.level);
		json_key(json, "arguments");
		error = variables_of(report, thread, &frames[i], OMPDBG_ARGUMENTS);
		if (error)
			break;
		json_key(json, "locals");
		error = variables_of(report, thread, &frames[i], OMPDBG_LOCALS);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
	return error;
}

static struct ompdbg_error *variables(struct report *report)
{
	struct process *process = report->process;
	struct ompdbg_error *error = NULL;
	size_t written = 0;

	begin_list(report);
	for (size_t i = 0; i < process->num_targets && !error; i++) {
		if (process->threads[i]->target->running)
			continue;
		error = next(report, written++);
		if (!error)
			error = variables_of_thread(report, process->threads[i]);
	}
	json_end_array(&report->json);
	return error;
}

// ---- Locks -------------------------------------------------------------------------------------

static struct ompdbg_error *locks(struct report *report)
{
	struct ompdbg_error *error = NULL;
	size_t count;
	const struct lock *found = process_locks(report->process, &count);

	begin_list(report);
	for (size_t i = 0; i < count && !error; i++) {
		error = next(report, i);
		if (!error)
			json_lock(&report->json, &found[i]);
	}
	json_end_array(&report->json);
	return error;
}

// ---- Tasks -------------------------------------------------------------------------------------

/** Tasks that have not begun, and differ in nothing that a table shows. */
struct alike {
	struct runtime *runtime;
	uint64_t parallel_id, parent_id, function;
	uint32_t status, kind;
	uint64_t count, num_listed;
	uint64_t last_listed; // identity
	struct alike *next;   // with the same hash
};

struct task_section {
	struct report *report;
	struct table by_hash;
	struct alike **all;
	size_t num_alike, capacity;
	uint64_t total;
	size_t listed;
};

static bool is_like(const struct alike *alike, const struct task *task)
{
	return alike->runtime == task->runtime && alike->parallel_id == task->info.parallel_id &&
	       alike->parent_id == task->info.parent_id && alike->function == task->info.function &&
	       alike->status == task->info.status && alike->kind == task->info.kind;
}

/** Find those that a task is like, with the task counted. */
static struct alike *count_alike(struct task_section *section, const struct task *task)
{
	const uint64_t prime = UINT64_C(0x100000001b3);
	struct arena *arena = &section->report->process->arena;
	const ompd_ext_task_info *info = &task->info;
	uint64_t hash = info->parallel_id;

	hash = hash * prime ^ info->parent_id;
	hash = hash * prime ^ info->function;
	hash = hash * prime ^ ((uint64_t)info->status << 32 | info->kind);
	struct alike **place = (struct alike **)table_put(&section->by_hash, arena, hash);
	struct alike *alike = *place;
	while (alike && !is_like(alike, task))
		alike = alike->next;
	if (!alike) {
		alike = ARENA_NEW(arena, struct alike);
		*alike = (struct alike){
			.runtime = task->runtime,
			.parallel_id = info->parallel_id,
			.parent_id = info->parent_id,
			.function = info->function,
			.status = info->status,
			.kind = info->kind,
			.next = *place,
		};
		*place = alike;
		*ARENA_APPEND(arena, section->all, section->num_alike, section->capacity) = alike;
	}
	alike->count++;
	return alike;
}

/** Decide whether a task is listed: if it has begun, or not too many like it were. */
static bool is_listed(struct task_section *section, const struct task *task)
{
	if (task_has_begun(task))
		return true;
	struct alike *alike = count_alike(section, task);

	if (alike->num_listed &&
	    (alike->num_listed == LISTED_ALIKE || section->listed >= LISTED_IN_ALL))
		return false;
	alike->num_listed++;
	alike->last_listed = task->info.id;
	return true;
}

static struct ompdbg_error *list_task(void *context, struct task *task)
{
	struct task_section *section = context;
	struct report *report = section->report;
	struct json *json = &report->json;
	const uint64_t *dependers;

	section->total++;
	if (process_is_interrupted(report->process))
		return &ompdbg_error_interrupted;
	if (!is_listed(section, task))
		return NULL;
	struct ompdbg_error *error = next(report, section->listed++);
	if (error)
		return error;
	size_t count = task->info.num_depends ? task_dependers(task, &dependers) : 0;
	json_begin_object(json);
	json_task_members(json, task, false);
	json_key(json, "dependers");
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		json_identity(json, dependers[i]);
	json_end_array(json);
	json_end_object(json);
	return NULL;
}

static struct ompdbg_error *tasks(struct report *report)
{
	struct process *process = report->process;
	struct json *json = &report->json;
	struct task_section section = { .report = report };
	struct ompdbg_error *error = NULL;
	bool is_damaged = false;
	int64_t unreached = 0;

	json_begin_object(json);
	json_key(json, "listed");
	begin_list(report);
	for (size_t i = 0; i < process->num_runtimes && !error; i++) {
		bool damaged = false;
		int64_t more = NOT_KNOWN;
		error = tasks_visit(process->runtimes[i], list_task, &section, &damaged, &more);
		is_damaged |= damaged;
		unreached = more == NOT_KNOWN || unreached == NOT_KNOWN ? NOT_KNOWN :
									  unreached + more;
	}
	json_end_array(json);
	json_member_int(json, "total", (int64_t)section.total);
	json_key(json, "more");
	json_begin_array(json);
	for (size_t i = 0; i < section.num_alike; i++) {
		const struct alike *alike = section.all[i];
		if (alike->count == alike->num_listed)
			continue;
		json_begin_object(json);
		json_member_identity(json, "like", alike->last_listed);
		json_member_int(json, "count", (int64_t)(alike->count - alike->num_listed));
		json_end_object(json);
	}
	json_end_array(json);
	json_member_bool(json, "damaged", is_damaged);
	json_member_known_int(json, "unreached", unreached);
	json_end_object(json);
	return error;
}

static struct ompdbg_error *counts_by_function(struct report *report)
{
	struct task_count *counts;
	size_t count;
	struct ompdbg_error *error = process_task_counts(report->process, &counts, &count);

	if (error)
		return error;
	begin_list(report);
	for (size_t i = 0; i < count && !error; i++) {
		error = next(report, i);
		if (!error)
			json_count(&report->json, &counts[i]);
	}
	json_end_array(&report->json);
	return error;
}

// ---- Control variables -------------------------------------------------------------------------

static struct ompdbg_error *icvs(struct report *report)
{
	struct process *process = report->process;
	struct thread **openmp =
		ARENA_ARRAY(&process->arena, struct thread *, process->num_targets);
	struct ompdbg_error *error = NULL;
	size_t num_openmp = 0, count;

	for (size_t i = 0; i < process->num_targets; i++) {
		if (process->threads[i]->handle)
			openmp[num_openmp++] = process->threads[i];
	}
	const struct icv_row *rows = icv_rows(process, openmp, num_openmp, NULL, &count);
	begin_list(report);
	for (size_t i = 0; i < count && !error; i++) {
		error = next(report, i);
		if (!error)
			json_icv(&report->json, &rows[i]);
	}
	json_end_array(&report->json);
	return error;
}

static struct ompdbg_error *environment(struct report *report)
{
	json_environments(&report->json, report->process);
	return NULL;
}

// ---- The recording -----------------------------------------------------------------------------

/** Write the latest events; null if nothing was recorded. */
static struct ompdbg_error *recorded(struct report *report)
{
	struct history *history = process_history(report->process);
	struct json *json = &report->json;
	struct history_event *events;
	size_t count;

	if (history_problem(report->process))
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "%s",
					   history_problem(report->process));
	if (!history) {
		json_null(json);
		return NULL;
	}
	struct ompdbg_error *error =
		history_events(history, NULL, REPORTED_EVENTS, &events, &count);
	if (error)
		return error;
	json_begin_object(json);
	json_key(json, "recording");
	json_recording(json, report->process);
	json_key(json, "events");
	begin_list(report);
	for (size_t i = 0; i < count && !error; i++) {
		error = next(report, i);
		if (!error)
			json_event(json, history, &events[i]);
	}
	json_end_array(json);
	json_end_object(json);
	return error;
}

// ---- The document ------------------------------------------------------------------------------

/** Write a section; null with a problem if it cannot be told. Fails only if it is interrupted. */
static struct ompdbg_error *add(struct report *report, const char *name, section *write)
{
	struct buffer *buffer = &report->buffer;
	struct arena *arena = &report->process->arena;

	buffer_put(buffer, ",\n ");
	report->json.needs_comma = false;
	json_key(&report->json, name);
	size_t begin = buffer->size;
	struct ompdbg_error *error = write(report);
	if (!error || error->code == OMPDBG_INTERRUPTED)
		return error;
	*ARENA_APPEND(arena, report->problems, report->num_problems, report->capacity) =
		arena_printf(arena, "%s: %s", name, error->message);
	ompdbg_error_destroy(error);
	buffer->size = begin;
	report->json.needs_comma = false;
	json_null(&report->json);
	return NULL;
}

struct ompdbg_error *json_report(struct process *process,
				 void (*write_about)(void *context, struct json *json,
						     const char *const *problems, size_t count),
				 void *context, struct sink *sink)
{
	static const struct {
		const char *name;
		section *write;
	} sections[] = {
		{ "verdict", verdict },
		{ "findings", findings },
		{ "status", status },
		{ "teams", teams },
		{ "regions", regions },
		{ "threads", threads },
		{ "doing", doing },
		{ "stacks", stacks },
		{ "sources", sources },
		{ "variables", variables },
		{ "locks", locks },
		{ "tasks", tasks },
		{ "task_counts", counts_by_function },
		{ "icvs", icvs },
		{ "environment", environment },
		{ "history", recorded },
	};
	struct report report = { .process = process };
	struct buffer head = { 0 };
	struct json json = { .out = &head };
	struct ompdbg_error *error = NULL;

	report.json.out = &report.buffer;
	report.findings = diagnose(process, NULL, &report.num_findings);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !error; i++)
		error = add(&report, sections[i].name, sections[i].write);
	if (!error) {
		json_begin_object(&json);
		json_member_string(&json, "schema", "ompdbg/1");
		json_member_string(&json, "kind", "report");
		json_key(&json, "about");
		write_about(context, &json, report.problems, report.num_problems);
		error = sink->write(sink->context, head.data, head.size);
	}
	if (!error) {
		buffer_put(&report.buffer, "}\n");
		error = sink->write(sink->context, report.buffer.data, report.buffer.size);
	}
	buffer_deinit(&head);
	buffer_deinit(&report.buffer);
	return error;
}
