// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/json/parts.h"

static const char *kind_of(const struct logical_frame *frame)
{
	if (frame->frame->at.is_signal)
		return "signal";
	return frame->owner == FRAME_RUNTIME ? "runtime" :
	       frame->owner == FRAME_SYSTEM  ? "system" :
					       "user";
}

/** Write a line, null if it is unknown. */
static void member_line(struct json *json, int line)
{
	json_member_known_int(json, "line", line ? line : NOT_KNOWN);
}

static void json_frame(struct json *json, struct thread *thread, const struct logical_frame *frame)
{
	const struct ompdbg_frame *at = &frame->frame->at;
	const struct ompdbg_function *place = stack_place(thread_stack(thread), frame->frame);

	json_begin_object(json);
	json_member_int(json, "level", at->level);
	json_member_string(json, "kind", kind_of(frame));
	json_member_string(json, "function", frame->function);
	json_member_string(json, "symbol", place->symbol);
	json_member_string(json, "construct", construct_name(frame->construct));
	json_key(json, "construct_at");
	if (frame->construct) {
		json_begin_object(json);
		json_member_string(json, "file", frame->construct_file);
		member_line(json, frame->construct_line);
		json_end_object(json);
	} else {
		json_null(json);
	}
	json_member_string(json, "file", place->file);
	member_line(json, place->line);
	json_member_identity(json, "address", at->pc);
	json_member_bool(json, "inlined", at->is_inlined);
	json_member_bool(json, "tail_call", at->is_tail_call);
	json_end_object(json);
}

/** Write a part of a stack, with at most *left of its frames. @p is_innermost: it has the task that the
 *  thread executes. */
static void json_part(struct json *json, const struct stack_part *part, bool is_innermost, bool raw,
		      size_t *left)
{
	const struct team *team = part->team;
	const struct task *task = is_innermost ? thread_task(part->thread) : NULL;

	json_begin_object(json);
	json_member_int(json, "thread", part->thread->target->number);
	json_member_known_int(json, "thread_num", part->thread_num);
	json_member_known_int(json, "team_size", team ? team->size : NOT_KNOWN);
	json_member_known_int(json, "level", team ? team->level : NOT_KNOWN);
	json_member_identity(json, "team", team ? team->id : 0);
	json_member_number(json, "task_number", task ? task_number(task) : 0);
	json_key(json, "frames");
	json_begin_array(json);
	for (size_t i = 0; i < part->num_frames && *left; i++) {
		if (raw || part->frames[i].owner == FRAME_USER) {
			json_frame(json, part->thread, &part->frames[i]);
			--*left;
		}
	}
	json_end_array(json);
	json_end_object(json);
}

void json_stack_members(struct json *json, const struct logical_stack *stack,
			const struct shown_frames *shown)
{
	size_t left = shown->limit ? shown->limit : SIZE_MAX;

	json_key(json, "parts");
	json_begin_array(json);
	for (size_t i = 0; i < stack->num_parts && left; i++)
		json_part(json, &stack->parts[i], !i, shown->raw, &left);
	json_end_array(json);
	json_member_string(json, "note", stack->note);
}

struct ompdbg_error *print_stacks_json(struct process *process, const struct bt_options *options,
				       struct sink *sink)
{
	const struct shown_frames shown = { options->raw, options->limit };
	struct json_document document;
	struct ompdbg_error *error = NULL;

	json_document_begin(&document, sink);
	json_document_list(&document, "stacks");
	for (size_t i = 0; !error && i < options->num_threads; i++) {
		struct thread *thread = options->threads[i];

		if (thread->target->running)
			continue;
		if (process_is_interrupted(process))
			error = &ompdbg_error_interrupted;
		else
			error = json_document_element(&document);
		if (!error) {
			json_begin_object(&document.json);
			json_stack_members(&document.json, thread_logical_stack(thread), &shown);
			json_end_object(&document.json);
		}
	}
	json_document_end_list(&document);
	return json_document_end(&document, error);
}
