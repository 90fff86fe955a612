// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logical stacks as text.

#include <string.h>

#include "base/foreign.h"
#include "base/text.h"
#include "diagnose/words.h"
#include "output/text/text.h"
#include "stack/cxx_names.h"
#include "wait/evidence.h"

enum {
	INDENT = 3, // of what a heading continues with
	// Columns of an argument and of all of them, of a local variable with its name
	// and its attribute, and of its value.
	MOST_ARGUMENT = 40,
	MOST_ARGUMENTS = 110,
	MOST_LOCAL = 185,
	LEAST_VALUE = 40,
	MOST_DOINGS = 4,   // of threads that share a stack
	LEAST_CYCLES = 16, // of frames that recur in a recursion: the first and the last are shown
};

/** The parts that are shown. */
struct shown {
	struct text *text;
	const struct view_options *options;
	bool is_group; // it stands for several threads, whose arguments may differ
};

// ---- Headings ----------------------------------------------------------------------------------

/** Write threads: "threads 2-64"; with several inferiors "threads 1.2-64". */
static const char *threads_title(struct arena *arena, const struct thread_list *threads)
{
	return arena_printf(arena, "thread%s %s", threads->count == 1 ? "" : "s",
			    thread_numbers(arena, threads));
}

/** Write the numbers that threads have in their team: "1-63". */
static const char *numbers_title(struct arena *arena, const struct thread_list *threads)
{
	int *numbers = ARENA_ARRAY(arena, int, threads->count);
	size_t known = 0;

	for (size_t i = 0; i < threads->count; i++) {
		if (threads->all[i]->thread_num != NOT_KNOWN)
			numbers[known++] = threads->all[i]->thread_num;
	}
	return ranges_text(arena, numbers, known);
}

/** Write what threads do: "barrier", or "2 barrier, 1 lock l". If that is too much: in which a signal has
 *  come; NULL. */
static const char *doing_title(struct arena *arena, const struct thread_list *threads)
{
	const char *crash = NULL, *title = "";
	struct folds folds = { 0 };

	for (size_t i = 0; i < threads->count; i++) {
		struct thread *thread = threads->all[i];
		if (thread_signal(thread))
			crash = arena_printf(arena, "%s in %s", thread_signal(thread),
					     thread_text(arena, thread));
		fold_of(&folds, arena, thread_doing(thread)->text)->count++;
	}
	if (folds.count > MOST_DOINGS)
		return crash;
	if (folds.count == 1)
		return doing_text(arena, folds.all[0].text, folds.all[0].count);
	for (size_t k = 0; k < folds.count; k++)
		title = listed_text(
			arena, title,
			arena_printf(arena, "%zu %s", folds.all[k].count,
				     doing_text(arena, folds.all[k].text, folds.all[k].count)));
	return title;
}

/** Write the explicit task that a thread executes: ", task #17", of the part with its innermost frame. */
static const char *task_part(struct arena *arena, const struct stack_part *part)
{
	const struct task *task = thread_task(part->thread);
	bool is_innermost = part->num_frames && !part->frames[0].frame->at.level;
	uint64_t number = task && is_innermost ? task_number(task) : 0;

	return number ? arena_printf(arena, ", task #%lu", (unsigned long)number) : "";
}

/** Write the heading of a part: "-- thread 3 (2/4), team 1.0, level 2 --". @p group: the threads that have
 *  the stack, if they are several; NULL. @p with_task: and which explicit task. @p with_doing: and what they
 *  do. */
static const char *heading(struct arena *arena, const struct stack_part *part,
			   const struct thread_list *group, bool with_task, bool with_doing)
{
	struct thread *thread = part->thread;
	const struct wait *wait = thread_wait(thread);
	const struct thread_list *threads = group ? group : &(struct thread_list){ &thread, 1, 0 };
	const char *who = threads_title(arena, threads);
	const char *s = group ? "s" : "";
	const char *what = "";

	if (part->team && part->team->level && (group || part->thread_num != NOT_KNOWN)) {
		const char *size = part->team->size == NOT_KNOWN ?
					   "?" :
					   arena_printf(arena, "%d", part->team->size);
		const char *numbers = group ? numbers_title(arena, threads) :
					      arena_printf(arena, "%d", part->thread_num);
		what = arena_printf(arena, " (%s/%s), team %s, level %d", numbers, size,
				    team_label(part->team), part->team->level);
	} else if (part->team) {
		what = ": outside of parallel regions";
	} else if (thread->is_helper) {
		what = arena_printf(arena, ": hidden helper thread%s", s);
	} else if (thread_is_openmp(thread) == NO) {
		what = arena_printf(arena, ": no OpenMP thread%s", s);
	} else if (wait && !with_doing) {
		what = arena_printf(arena, ": %s",
				    thread_signal(thread) ? thread_doing(thread)->text :
							    wait->title);
	}
	if (with_task && !group)
		what = arena_printf(arena, "%s%s", what, task_part(arena, part));
	if (with_doing) {
		const char *does = doing_title(arena, threads);
		if (does)
			what = arena_printf(arena, "%s%s%s", what, *what ? ", " : ": ", does);
	}
	return arena_printf(arena, "-- %s%s --", who, what);
}

/** Add a heading, broken behind commas if it is too long. */
static void add_heading(struct text *text, const char *line)
{
	struct arena *arena = text->paper.arena;
	size_t width = text->paper.width;

	line = foreign_visible(arena, line);
	while (width && foreign_width(line) > width) {
		size_t end = 0;
		for (size_t i = 0; i < width && line[i]; i++)
			end = line[i] == ',' ? i + 1 : end;
		if (end <= INDENT)
			break;
		text_add(text,
			 paint(&text->paper, STYLE_METADATA, arena_strndup(arena, line, end)));
		line = arena_printf(arena, "%*s%s", INDENT, "",
				    line + end + strspn(line + end, " "));
	}
	text_add(text, paint(&text->paper, STYLE_METADATA, line));
}

// ---- Frames ------------------------------------------------------------------------------------

static const char *visible(struct shown *shown, const char *text)
{
	return foreign_visible(shown->text->paper.arena, text);
}

static const char *file_and_line(struct shown *shown, const char *file, int line)
{
	const struct paper *paper = &shown->text->paper;

	return arena_printf(paper->arena, "%s:%d",
			    paint(paper, STYLE_FILE, visible(shown, base_name(file))), line);
}

/** Write the name of a function, which templates may make long. */
static const char *function_name(struct shown *shown, const char *name)
{
	struct arena *arena = shown->text->paper.arena;

	return foreign_cut(arena, cxx_shown(arena, visible(shown, name ? name : "??")), CXX_SHOWN);
}

/** Write "parallel region of main at x.c:17, line 19". */
static const char *construct_text(struct shown *shown, const struct logical_frame *frame,
				  const struct ompdbg_function *place)
{
	const struct paper *paper = &shown->text->paper;
	struct arena *arena = paper->arena;
	struct process *process = shown->text->process;
	const struct ompdbg_frame *at = &frame->frame->at;
	const char *begin = place->start ? code_title(process, place->start, false) : NULL;
	const char *name = frame->function ? frame->function : begin;
	const char *bare = name && place->name ? NULL : code_title(process, at->pc, at->is_call);
	const char *text =
		arena_printf(arena, "%s of %s", construct_name(frame->construct),
			     paint_place(paper, function_name(shown, name ? name : bare)));

	if (frame->construct_file && frame->construct_line)
		text = arena_printf(arena, "%s at %s", text,
				    file_and_line(shown, frame->construct_file,
						  frame->construct_line));
	if (!place->name && name)
		return arena_printf(arena, "%s, at %s", text,
				    paint_place(paper, visible(shown, bare)));
	if (!place->file || !place->line)
		return text;
	if (frame->construct_file && strcmp(place->file, frame->construct_file) == 0)
		return arena_printf(arena, "%s, line %d", text, place->line);
	return arena_printf(arena, "%s, at %s", text,
			    file_and_line(shown, place->file, place->line));
}

/** Write the value of an argument: of a structure or array that is long, no part. */
static const char *argument_value(struct shown *shown, const char *value)
{
	const char *text = visible(shown, value);

	if (foreign_width(text) <= MOST_ARGUMENT)
		return text;
	return strchr("{(@", *text) ? "..." :
				      foreign_cut(shown->text->paper.arena, text, MOST_ARGUMENT);
}

static const char *arguments_text(struct shown *shown, const struct stack_part *part,
				  const struct logical_frame *frame)
{
	const struct paper *paper = &shown->text->paper;
	size_t count;
	const struct ompdbg_variable *found =
		frame_variables(part->thread, frame, OMPDBG_ARGUMENTS, &count);
	const char *text = "";

	if (count && shown->is_group)
		return "...";
	for (size_t i = 0, width = 0; i < count; i++) {
		const char *name = visible(shown, found[i].name);
		const char *value = argument_value(shown, found[i].value);

		width += foreign_width(name) + foreign_width(value) + strlen("=, ");
		if (width > MOST_ARGUMENTS)
			return arena_printf(paper->arena, "%s%s...", text, i ? ", " : "");
		text = arena_printf(paper->arena, "%s%s%s%s%s", text, i ? ", " : "",
				    paint(paper, STYLE_VARIABLE, name), *name ? "=" : "", value);
	}
	return text;
}

static void add_frame(struct shown *shown, const struct stack_part *part,
		      const struct logical_frame *frame)
{
	struct text *text = shown->text;
	struct arena *arena = text->paper.arena;
	const struct ompdbg_frame *at = &frame->frame->at;
	const struct ompdbg_function *place = stack_place(thread_stack(part->thread), frame->frame);
	const char *number = arena_printf(arena, "#%-2d ", at->level), *address = "", *line;
	bool raw = shown->options->raw;

	if (at->is_signal) {
		TEXT_ADD(text, "%s<signal handler called>", number);
		return;
	}
	if (raw && text->addresses && !at->is_inlined)
		address =
			arena_printf(arena, "%s in ",
				     paint(&text->paper, STYLE_ADDRESS,
					   arena_printf(arena, "0x%016lx", (unsigned long)at->pc)));
	if (frame->construct) {
		line = construct_text(shown, frame, place);
	} else if (!frame->function && !raw) {
		line = paint_place(&text->paper,
				   visible(shown, code_title(text->process, at->pc, at->is_call)));
	} else {
		line = arena_printf(arena, "%s (%s)",
				    paint(&text->paper, STYLE_FUNCTION,
					  function_name(shown, frame->function)),
				    arguments_text(shown, part, frame));
		if (place->file && place->line)
			line = arena_printf(arena, "%s at %s", line,
					    file_and_line(shown, place->file, place->line));
		else if (at->object)
			line = arena_printf(arena, "%s from %s", line,
					    paint(&text->paper, STYLE_FILE,
						  visible(shown, base_name(at->object))));
	}
	TEXT_ADD(text, "%s%s%s%s", number, address, line, at->is_tail_call ? " (tail call)" : "");
}

static void add_locals(struct shown *shown, const struct stack_part *part,
		       const struct logical_frame *frame)
{
	struct text *text = shown->text;
	size_t count;
	const struct ompdbg_variable *found;

	if (!shown->options->full || frame->frame->at.is_signal || frame->owner != FRAME_USER)
		return;
	found = frame_variables(part->thread, frame, OMPDBG_LOCALS, &count);
	if (!count)
		text_add(text, "        No locals.");
	for (size_t i = 0; i < count; i++) {
		const char *name = visible(shown, found[i].name), *end = "";
		const char *sharing = variable_sharing(part->thread, frame, found[i].name);
		if (sharing)
			end = arena_printf(text->paper.arena, " (%s)", sharing);
		size_t taken = foreign_width(name) + strlen(end);
		size_t room = taken + LEAST_VALUE < MOST_LOCAL ? MOST_LOCAL - taken : LEAST_VALUE;

		TEXT_ADD(text, "        %s = %s%s", paint(&text->paper, STYLE_VARIABLE, name),
			 foreign_cut(text->paper.arena, visible(shown, found[i].value), room), end);
	}
}

// ---- Recursions --------------------------------------------------------------------------------

/** The frames of a part that are shown. */
struct shown_frames_of_part {
	const struct stack_part *part;
	const struct logical_frame **frames;
};

/** Check for frames of the same function at the same line: their arguments may differ. */
static bool are_alike(const void *items, size_t index, size_t other)
{
	const struct shown_frames_of_part *shown = items;
	const struct logical_frame *a = shown->frames[index], *b = shown->frames[other];
	struct stack *stack = thread_stack(shown->part->thread);
	const struct ompdbg_function *place = stack_place(stack, a->frame);
	const struct ompdbg_function *other_place = stack_place(stack, b->frame);

	return !a->frame->at.is_signal && !b->frame->at.is_signal && a->construct == b->construct &&
	       is_same_text(a->function, b->function) &&
	       (place->line ? place->line == other_place->line &&
				      is_same_text(place->file, other_place->file) :
			      a->frame->at.pc == b->frame->at.pc);
}

/** Say how many frames of a recursion are not shown. */
static void add_folded(struct shown *shown, const struct stack_part *part,
		       const struct logical_frame *frame, size_t length, size_t times)
{
	struct arena *arena = shown->text->paper.arena;
	const struct ompdbg_function *place = stack_place(thread_stack(part->thread), frame->frame);
	const char *count = grouped_text(arena, length * times);
	const char *what;

	if (length > 1) {
		what = arena_printf(arena, ": these %zu lines %s more times", length,
				    grouped_text(arena, times));
	} else {
		what = arena_printf(arena, " of %s", function_name(shown, frame->function));
		if (place->file && place->line)
			what = arena_printf(arena, "%s at %s", what,
					    file_and_line(shown, place->file, place->line));
	}
	TEXT_ADD(shown->text, "... %s more frames%s", count, what);
}

static void add_frames(struct shown *shown, const struct stack_part *part,
		       const struct logical_frame **frames, size_t count)
{
	const struct view_options *options = shown->options;
	const struct shown_frames_of_part all = { part, frames };
	const struct cycle_list list = { &all, count, are_alike };
	size_t folded = 0, times, length = 0;

	for (size_t i = 0; i < count; i++) {
		if (!length && !options->raw && !options->full) {
			length = cycle_at(&list, i, LEAST_CYCLES, &times);
			folded = i + length;
		}
		if (length && i == folded) {
			add_folded(shown, part, frames[i], length, times - 2);
			i += length * (times - 2);
			length = 0;
		}
		add_frame(shown, part, frames[i]);
		add_locals(shown, part, frames[i]);
	}
}

// ---- Stacks ------------------------------------------------------------------------------------

static void add_stack(struct shown *shown, const struct stack_group *group)
{
	const struct logical_stack *stack = group->stack;
	struct text *text = shown->text;
	size_t left = shown->options->limit ? shown->options->limit : SIZE_MAX;
	bool is_cut = false;

	for (size_t i = 0; i < stack->num_parts; i++) {
		const struct stack_part *part = &stack->parts[i];
		const struct logical_frame **frames = ARENA_ARRAY(
			text->paper.arena, const struct logical_frame *, part->num_frames + 1);
		size_t num_frames = 0;
		bool is_first = i == 0;
		shown->is_group = is_first && group->threads.count > 1;
		if (left)
			add_heading(text,
				    heading(text->paper.arena, part,
					    shown->is_group ? &group->threads : NULL, is_first,
					    is_first && shown->options->num_threads > 1));
		bool has_heading = left;
		for (size_t k = 0; k < part->num_frames; k++) {
			const struct logical_frame *frame = &part->frames[k];
			if (!shown->options->raw && frame->owner != FRAME_USER)
				continue;
			is_cut |= !left;
			if (!left)
				continue;
			left--;
			frames[num_frames++] = frame;
		}
		add_frames(shown, part, frames, num_frames);
		if (has_heading && !num_frames)
			text_add(text, "no frame of the program");
	}
	if (is_cut)
		text_add(text, "(More stack frames follow...)");
	else if (stack->note)
		TEXT_WRAP(text, "(The stack ends here: %s.)", stack->note);
}

struct ompdbg_error *text_stacks(struct text *text, const struct view_options *options)
{
	struct arena *arena = text->paper.arena;
	struct shown shown = { .text = text, .options = options };
	bool by_line = !(options->raw && text->addresses);
	size_t count;
	struct stack_group *groups;

	if (is_shown_as_tree(options)) {
		text_tree(text, options);
		return NULL;
	}
	if (options->full) {
		// Each thread has local variables of its own.
		count = options->num_threads;
		groups = ARENA_ARRAY(arena, struct stack_group, count);
		for (size_t i = 0; i < count; i++) {
			struct thread *thread = options->threads[i];
			thread_list_append(&groups[i].threads, arena, thread);
			if (!thread->target->running)
				groups[i].stack = thread_logical_stack(thread);
		}
	} else {
		groups = stack_groups(text->process, options->threads, options->num_threads,
				      options->raw, by_line, &count);
	}
	for (size_t i = 0; i < count && !process_is_interrupted(text->process); i++) {
		if (i)
			text_add(text, "");
		if (groups[i].stack)
			add_stack(&shown, &groups[i]);
		else
			add_heading(text, arena_printf(arena, "-- %s: running --",
						       threads_title(arena, &groups[i].threads)));
	}
	return NULL;
}

struct ompdbg_error *text_frame(struct text *text, const struct view_options *options)
{
	struct thread *thread = options->thread;
	int level = options->level;
	size_t count = 0;
	const struct logical_frame *frames =
		level == NOT_KNOWN ? NULL : walk_frames(thread_walk(thread), &count);
	const struct stack_part part = { thread, thread->team, thread->thread_num, frames, count };

	add_heading(text, heading(text->paper.arena, &part, NULL, false, false));
	if (level < 0 || (size_t)level >= count)
		return NULL;
	const struct view_options own = { .raw = frames[level].owner != FRAME_USER };
	struct shown shown = { text, &own, false };
	add_frame(&shown, &part, &frames[level]);
	return NULL;
}
