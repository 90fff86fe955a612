// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files and the variables of frames, in a report.

#include <string.h>

#include "base/foreign.h"
#include "base/text.h"
#include "output/json/documents.h"

// Of variables: of so many frames of a thread, the innermost ones; so many of a frame; characters of
// a value.
enum { FRAMES_WITH_VARIABLES = 8, MOST_VARIABLES = 100, MOST_OF_VALUE = 160 };

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
static void note_source(struct sources *sources, struct thread *thread,
			const struct logical_frame *frame)
{
	struct process *process = thread->runtime->process;
	const struct ompdbg_function *place = stack_place(thread_stack(thread), frame->frame);
	const struct ompdbg_frame *at = &frame->frame->at;
	const char *path = NULL;
	size_t i = 0;

	if (frame->owner != FRAME_USER || !place->file)
		return;
	struct ompdbg_error *error = SERVICE(process, source_path,
					     at->is_call ? at->pc - 1 : at->pc, place->file, &path);
	ompdbg_error_destroy(error);
	while (i < sources->count && strcmp(sources->all[i].file, place->file) != 0)
		i++;
	if (i == sources->count)
		*ARENA_APPEND(&process->arena, sources->all, sources->count, sources->capacity) =
			(struct source){ place->file, path };
	else if (!path || !is_same_text(sources->all[i].path, path))
		sources->all[i].path = NULL;
}

void report_sources(struct json *json, const struct view_options *options)
{
	struct sources found = { 0 };

	json_begin_lines(json);
	for (size_t i = 0; i < options->num_threads; i++) {
		struct thread *thread = options->threads[i];
		size_t count = 0;
		const struct logical_frame *frames =
			thread->target->running ? NULL : walk_frames(thread_walk(thread), &count);
		for (size_t k = 0; k < count; k++)
			note_source(&found, thread, &frames[k]);
		if (process_is_interrupted(json->process))
			break;
	}
	for (size_t i = 0; i < found.count && json_line(json); i++) {
		json_begin_object(json);
		json_member_string(json, "file", found.all[i].file);
		json_member_string(json, "path", found.all[i].path);
		json_end_object(json);
	}
	json_end_lines(json);
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

/** Write the arguments or the locals of a frame as a member. */
static void member_variables(struct json *json, const char *name, struct thread *thread,
			     const struct logical_frame *frame, enum ompdbg_variables which)
{
	size_t count;
	const struct ompdbg_variable *found = frame_variables(thread, frame, which, &count);

	json_member_array(json, name);
	for (size_t i = 0; i < count && i < MOST_VARIABLES; i++) {
		const char *sharing = which == OMPDBG_LOCALS ?
					      variable_sharing(thread, frame, found[i].name) :
					      NULL;

		json_begin_object(json);
		json_member_string(json, "name", found[i].name);
		json_member_string(json, "value",
				   short_value(&json->process->arena, found[i].value));
		json_member_string(json, "sharing", sharing);
		json_end_object(json);
	}
	json_end_array(json);
}

/** Write a thread with the variables of its innermost frames. */
static void variables_of_thread(struct json *json, struct thread *thread)
{
	size_t count, shown = 0;
	const struct logical_frame *frames = walk_frames(thread_walk(thread), &count);

	json_begin_object(json);
	json_member_thread(json, "thread", thread);
	json_member_array(json, "frames");
	for (size_t i = 0; i < count && shown < FRAMES_WITH_VARIABLES; i++) {
		if (frames[i].owner != FRAME_USER)
			continue;
		shown++;
		json_begin_object(json);
		json_member_int(json, "level", frames[i].frame->at.level);
		member_variables(json, "arguments", thread, &frames[i], OMPDBG_ARGUMENTS);
		member_variables(json, "locals", thread, &frames[i], OMPDBG_LOCALS);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}

void report_variables(struct json *json, const struct view_options *options)
{
	json_begin_lines(json);
	for (size_t i = 0; i < options->num_threads; i++) {
		if (!options->threads[i]->target->running && json_line(json))
			variables_of_thread(json, options->threads[i]);
	}
	json_end_lines(json);
}
