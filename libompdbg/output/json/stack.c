// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/json/documents.h"

static const char *kind_of(const struct logical_frame *frame)
{
	if (frame->frame->at.is_signal)
		return "signal";
	return frame->owner == FRAME_RUNTIME ? "runtime" :
	       frame->owner == FRAME_SYSTEM  ? "system" :
					       "user";
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
	if (json_member_optional(json, "construct_at", frame->construct)) {
		json_member_string(json, "file", frame->construct_file);
		json_member_number(json, "line", (uint64_t)frame->construct_line);
		json_end_object(json);
	}
	json_member_string(json, "file", place->file);
	json_member_number(json, "line", (uint64_t)place->line);
	json_member_identity(json, "address", at->pc);
	json_member_title(
		json, frame->function,
		frame->function ? NULL : code_title(thread->runtime->process, at->pc, at->is_call));
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
	json_member_thread(json, "thread", part->thread);
	json_member_known_int(json, "thread_num", part->thread_num);
	json_member_known_int(json, "team_size", team ? team->size : NOT_KNOWN);
	json_member_known_int(json, "level", team ? team->level : NOT_KNOWN);
	json_member_identity(json, "team", team ? team->id : 0);
	json_member_number(json, "task_number", task ? task_number(task) : 0);
	json_member_array(json, "frames");
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

	json_member_array(json, "parts");
	for (size_t i = 0; i < stack->num_parts && left; i++)
		json_part(json, &stack->parts[i], !i, shown->raw, &left);
	json_end_array(json);
	json_member_string(json, "note", stack->note);
}

void json_stack_list(struct json *json, const struct view_options *options)
{
	const struct shown_frames shown = { options->raw, options->limit };

	json_begin_lines(json);
	for (size_t i = 0; i < options->num_threads; i++) {
		if (options->threads[i]->target->running || !json_line(json))
			continue;
		json_begin_object(json);
		json_stack_members(json, thread_logical_stack(options->threads[i]), &shown);
		json_end_object(json);
	}
	json_end_lines(json);
}
