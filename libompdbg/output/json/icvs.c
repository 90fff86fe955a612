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

static void json_icv(struct json *json, const struct icv_row *row)
{
	const struct icv *icv = row->icv;

	json_begin_object(json);
	json_member_string(json, "name", icv->name);
	json_member_string(json, "scope", icv_scope_name(icv->scope));
	json_member_string(json, "value", icv->value);
	json_member_string(json, "reason", icv->reason);
	json_member_string(json, "initial", icv->initial);
	if (json_member_optional(json, "environment", icv->setting)) {
		json_member_string(json, "name", icv->setting->name);
		json_member_string(json, "value", icv->setting->value);
		json_end_object(json);
	}
	json_member_threads(json, "threads", &row->threads);
	json_end_object(json);
}

void json_icv_list(struct json *json, const struct view_options *options)
{
	size_t count;
	const struct icv_row *rows = icv_rows(json->process, options->threads, options->num_threads,
					      options->scope, &count);

	json_begin_lines(json);
	for (size_t i = 0; i < count && json_line(json); i++)
		json_icv(json, &rows[i]);
	json_end_lines(json);
}

void json_environment(struct json *json, const struct view_options *options)
{
	const struct process *process = json->process;

	(void)options;
	json_begin_array(json);
	for (size_t i = 0; i < process->num_runtimes; i++) {
		size_t count;
		const struct control_variable *variables =
			runtime_control_variables(process->runtimes[i], &count);
		json_begin_object(json);
		json_member_string(json, "runtime", process->runtimes[i]->title);
		json_member_array(json, "variables");
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
	json_member_thread(json, "thread", inquiry->thread);
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
	json_member_object(json, "reasons");
	for (int answer = 0; answer < NUM_ANSWERS; answer++) {
		if (inquiry->reasons[answer])
			json_member_string(json, answer_name((enum answer)answer),
					   inquiry->reasons[answer]);
	}
	json_end_object(json);
	json_end_object(json);
}

void json_inquiry_list(struct json *json, const struct view_options *options)
{
	json_begin_lines(json);
	for (size_t i = 0; i < options->num_threads; i++) {
		size_t count;
		const struct inquiry *found =
			inquiries_of(options->threads[i], options->inquiry, options->level, &count);
		for (size_t k = 0; k < count && json_line(json); k++)
			json_inquiry(json, &found[k]);
	}
	json_end_lines(json);
}

// ---- Status ------------------------------------------------------------------------------------

static void json_library(struct json *json, const struct runtime_status *runtime)
{
	json_member_object(json, "library");
	json_member_string(json, "path", runtime->library.path);
	json_member_string(json, "version", runtime->library.version);
	json_member_int(json, "api_version", (int64_t)runtime->library.api_version);
	json_end_object(json);
}

static void json_openmp(struct json *json, const struct runtime_status *runtime)
{
	json_member_object(json, "openmp");
	json_member_known_int(json, "version", runtime->omp_version);
	json_member_string(json, "version_string", runtime->omp_version_string);
	json_end_object(json);
}

static void json_layout(struct json *json, const struct runtime_status *runtime)
{
	if (!json_member_optional(json, "layout", runtime->has_layout))
		return;
	json_member_string(json, "runtime", runtime->layout.runtime);
	json_member_string(json, "release", runtime->layout.release);
	json_member_string(json, "source", layout_source_name(runtime->layout.source));
	json_member_int(json, "probes_agreed", runtime->layout.probes_agreed);
	json_member_int(json, "probes_silent", runtime->layout.probes_silent);
	json_member_int(json, "doubted", runtime->layout.doubted);
	json_end_object(json);
}

void json_status(struct json *json, const struct view_options *options)
{
	const struct status *status = process_status(json->process);

	(void)options;
	json_library(json, &status->runtimes[0]);
	json_openmp(json, &status->runtimes[0]);
	json_layout(json, &status->runtimes[0]);
	json_member_array(json, "runtimes");
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
	json_member_object(json, "threads");
	json_member_int(json, "total", (int64_t)status->threads);
	json_member_int(json, "openmp", (int64_t)status->openmp_threads);
	json_member_int(json, "running", (int64_t)status->running_threads);
	json_end_object(json);
	json_member_object(json, "teams");
	json_member_int(json, "total", (int64_t)status->teams);
	json_member_int(json, "nesting", status->nesting);
	json_end_object(json);
	if (process_history(json->process)) {
		json_key(json, "recording");
		json_recording(json);
	}
	json_member_array(json, "unavailable");
	for (size_t i = 0; i < status->num_unavailable; i++) {
		json_begin_object(json);
		json_member_string(json, "what", status->unavailable[i].what);
		json_member_string(json, "reason", status->unavailable[i].reason);
		json_member_string(json, "runtime", status->unavailable[i].runtime);
		json_end_object(json);
	}
	json_end_array(json);
}
