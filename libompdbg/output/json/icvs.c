// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The documents of control variables, the environment, inquiries and the status.

#include <stdio.h>
#include <string.h>

#include "model/inquiry.h"
#include "output/icv_rows.h"
#include "output/json/documents.h"
#include "output/status.h"

// ---- Control variables -------------------------------------------------------------------------

void json_icv(struct json *json, const struct icv_row *row)
{
	const struct icv *icv = row->icv;

	json_begin_object(json);
	json_member_string(json, "name", icv->name);
	json_member_string(json, "scope", icv_scope_name(icv->scope));
	json_member_string(json, "value", icv->value);
	json_member_string(json, "reason", icv->reason);
	json_member_string(json, "initial", icv->initial);
	json_key(json, "environment");
	if (icv->setting) {
		json_begin_object(json);
		json_member_string(json, "name", icv->setting->name);
		json_member_string(json, "value", icv->setting->value);
		json_end_object(json);
	} else {
		json_null(json);
	}
	json_key(json, "threads");
	json_begin_array(json);
	for (size_t i = 0; i < row->num_threads; i++)
		json_int(json, row->threads[i]->target->number);
	json_end_array(json);
	json_end_object(json);
}

struct ompdbg_error *json_icvs(struct process *process, struct thread *const *threads,
			       size_t num_threads, const char *scope, struct sink *sink)
{
	struct ompdbg_error *error = NULL;
	struct json_document document;
	size_t count;
	const struct icv_row *rows = icv_rows(process, threads, num_threads, scope, &count);

	json_document_begin(&document, sink);
	json_document_list(&document, "icvs");
	for (size_t i = 0; i < count && !error; i++) {
		error = next_element(&document, process);
		if (!error)
			json_icv(&document.json, &rows[i]);
	}
	json_document_end_list(&document);
	return json_document_end(&document, error);
}

void json_environments(struct json *json, struct process *process)
{
	json_begin_array(json);
	for (size_t i = 0; i < process->num_runtimes; i++) {
		size_t count;
		const struct control_variable *variables =
			runtime_control_variables(process->runtimes[i], &count);
		json_begin_object(json);
		json_member_string(json, "runtime", process->runtimes[i]->title);
		json_key(json, "variables");
		json_begin_array(json);
		for (size_t k = 0; k < count; k++) {
			const struct setting *setting = variables[k].setting;
			json_begin_object(json);
			json_member_string(json, "name", variables[k].name);
			json_member_string(json, "value", variables[k].value);
			json_member_string(json, "set_to", setting ? setting->value : NULL);
			json_end_object(json);
		}
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
}

struct ompdbg_error *json_environment(struct process *process, struct sink *sink)
{
	struct json_document document;

	json_document_begin(&document, sink);
	json_key(&document.json, "environment");
	json_environments(&document.json, process);
	return json_document_end(&document, NULL);
}

// ---- What OMPT answers -------------------------------------------------------------------------

static void json_hexadecimal(struct json *json, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%#lx", (unsigned long)number);
	json_string(json, number ? text : "0x0");
}

/** Write one answer, which is known. */
static void json_answer(struct json *json, const struct inquiry *inquiry, enum answer answer)
{
	const char *names[MAX_TYPE_NAMES];
	size_t count;

	switch (answer) {
	case ANSWER_STATE:
		json_string(json, inquiry->state);
		break;
	case ANSWER_TYPE:
		count = task_type_names(inquiry->type, names, MAX_TYPE_NAMES);
		json_begin_array(json);
		for (size_t i = 0; i < count; i++)
			json_string(json, names[i]);
		json_end_array(json);
		break;
	case ANSWER_PARTITION:
		json_begin_array(json);
		json_int(json, inquiry->partition[0]);
		json_int(json, inquiry->partition[1]);
		json_end_array(json);
		break;
	case ANSWER_MEMORY:
		json_begin_object(json);
		json_key(json, "address");
		json_hexadecimal(json, inquiry->numbers[answer]);
		json_member_int(json, "size", (int64_t)inquiry->memory_size);
		json_end_object(json);
		break;
	case ANSWER_PLACE:
	case ANSWER_PROCESSOR:
	case ANSWER_THREAD_NUM:
	case ANSWER_TEAM_SIZE:
		json_int(json, (int64_t)inquiry->numbers[answer]);
		break;
	default:
		json_hexadecimal(json, inquiry->numbers[answer]);
	}
}

static void json_inquiry(struct json *json, const struct inquiry *inquiry)
{
	json_begin_object(json);
	json_member_int(json, "thread", inquiry->thread->target->number);
	json_member_known_int(json, "level", inquiry->level);
	for (int answer = 0; answer < NUM_ANSWERS; answer++) {
		if (!(inquiry->asked >> answer & 1))
			continue;
		json_key(json, answer_name((enum answer)answer));
		if (inquiry->known >> answer & 1)
			json_answer(json, inquiry, (enum answer)answer);
		else
			json_null(json);
	}
	json_key(json, "reasons");
	json_begin_object(json);
	for (int answer = 0; answer < NUM_ANSWERS; answer++) {
		if (inquiry->reasons[answer])
			json_member_string(json, answer_name((enum answer)answer),
					   inquiry->reasons[answer]);
	}
	json_end_object(json);
	json_end_object(json);
}

struct ompdbg_error *json_inquiries(struct process *process, struct thread *const *threads,
				    size_t num_threads, enum inquiry_kind which, int level,
				    struct sink *sink)
{
	struct ompdbg_error *error = NULL;
	struct json_document document;

	json_document_begin(&document, sink);
	json_document_list(&document, "inquiries");
	for (size_t i = 0; i < num_threads && !error; i++) {
		size_t count;
		const struct inquiry *found = thread_inquiries(threads[i], which, level, &count);
		for (size_t k = 0; k < count && !error; k++) {
			error = next_element(&document, process);
			if (!error)
				json_inquiry(&document.json, &found[k]);
		}
	}
	json_document_end_list(&document);
	return json_document_end(&document, error);
}

// ---- Status ------------------------------------------------------------------------------------

static void json_library(struct json *json, const struct runtime_status *runtime)
{
	json_key(json, "library");
	json_begin_object(json);
	json_member_string(json, "path", runtime->library.path);
	json_member_string(json, "version", runtime->library.version);
	json_member_int(json, "api_version", (int64_t)runtime->library.api_version);
	json_end_object(json);
}

static void json_openmp(struct json *json, const struct runtime_status *runtime)
{
	json_key(json, "openmp");
	json_begin_object(json);
	json_member_known_int(json, "version", runtime->omp_version);
	json_member_string(json, "version_string", runtime->omp_version_string);
	json_end_object(json);
}

static void json_layout(struct json *json, const struct runtime_status *runtime)
{
	json_key(json, "layout");
	if (!runtime->has_layout) {
		json_null(json);
		return;
	}
	json_begin_object(json);
	json_member_string(json, "runtime", runtime->layout.runtime);
	json_member_string(json, "release", runtime->layout.release);
	json_member_string(json, "source", layout_source_name(runtime->layout.source));
	json_member_int(json, "probes_agreed", runtime->layout.probes_agreed);
	json_member_int(json, "probes_silent", runtime->layout.probes_silent);
	json_member_int(json, "doubted", runtime->layout.doubted);
	json_end_object(json);
}

void json_status_members(struct json *json, struct process *process)
{
	const struct status *status = process_status(process);

	json_library(json, &status->runtimes[0]);
	json_openmp(json, &status->runtimes[0]);
	json_layout(json, &status->runtimes[0]);
	json_key(json, "runtimes");
	json_begin_array(json);
	for (size_t i = 0; i < status->num_runtimes; i++) {
		const struct runtime_status *runtime = &status->runtimes[i];
		json_begin_object(json);
		json_member_string(json, "name", runtime->name);
		json_library(json, runtime);
		json_openmp(json, runtime);
		json_layout(json, runtime);
		json_member_int(json, "threads", (int64_t)runtime->threads);
		json_member_int(json, "teams", (int64_t)runtime->teams);
		json_end_object(json);
	}
	json_end_array(json);
	json_key(json, "threads");
	json_begin_object(json);
	json_member_int(json, "total", (int64_t)status->threads);
	json_member_int(json, "openmp", (int64_t)status->openmp_threads);
	json_member_int(json, "running", (int64_t)status->running_threads);
	json_end_object(json);
	json_key(json, "teams");
	json_begin_object(json);
	json_member_int(json, "total", (int64_t)status->teams);
	json_member_int(json, "nesting", status->nesting);
	json_end_object(json);
	if (process_history(process)) {
		json_key(json, "recording");
		json_recording(json, process);
	}
	json_key(json, "unavailable");
	json_begin_array(json);
	for (size_t i = 0; i < status->num_unavailable; i++) {
		json_begin_object(json);
		json_member_string(json, "what", status->unavailable[i].what);
		json_member_string(json, "reason", status->unavailable[i].reason);
		json_member_string(json, "runtime", status->unavailable[i].runtime);
		json_end_object(json);
	}
	json_end_array(json);
}

struct ompdbg_error *json_status(struct process *process, struct sink *sink)
{
	struct json_document document;

	json_document_begin(&document, sink);
	json_status_members(&document.json, process);
	return json_document_end(&document, NULL);
}
