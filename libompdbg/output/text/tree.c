// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of many threads as one tree: what they have in common from main on is shown once. At each
// fork it says how many threads went which way, and at each end what they do there.

#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "base/text.h"
#include "diagnose/words.h"
#include "output/text/text.h"

enum {
	TREE_FROM = 16, // OpenMP threads: of fewer, each stack is shown
	STEP = 2,	// columns by which a branch is indented
	MOST_INDENTS = 12,
	LEAST_CYCLES = 4,   // of frames that recur in a recursion: only the first is shown
	LEAST_NUMBERS = 12, // columns of the threads' numbers
	LEAST_STACK = 24,
};

/** A frame, or what threads do at the end of their stacks, below the same frames. */
struct branch {
	const char *label;
	bool is_end;	  // no frame: what the threads do there
	bool is_line;	  // the line where they are in the construct above
	enum style style; // of an end
	struct branch **inner;
	size_t num_inner, capacity;
	struct string_table by_label; // of `inner`
	struct thread_list threads;
};

// ---- Labels ------------------------------------------------------------------------------------

/** Write a frame without the line where it is in a construct: "parallel region of main at x.c:17", "work
 *  at x.c:33", "fread from libc.so.6". */
static const char *frame_label(struct arena *arena, const struct stack_part *part,
			       const struct logical_frame *frame,
			       const struct ompdbg_function *place)
{
	const struct ompdbg_frame *at = &frame->frame->at;
	const char *name = frame->function;

	if (at->is_signal)
		return "<signal handler called>";
	if (!name)
		name = code_title(part->thread->runtime->process, at->pc, at->is_call);
	if (frame->construct)
		return at_text(arena,
			       arena_printf(arena, "%s of %s", construct_name(frame->construct),
					    name),
			       frame->construct_file, frame->construct_line);
	if (frame->function && at->object && !(place->file && place->line))
		return arena_printf(arena, "%s from %s", name, base_name(at->object));
	return at_text(arena, name, place->file, place->line);
}

/** Write where a frame is in its construct: "line 19", "at y.h:3"; NULL if that is unknown. */
static const char *line_label(struct arena *arena, const struct logical_frame *frame,
			      const struct ompdbg_function *place)
{
	if (!frame->construct || !place->file || !place->line)
		return NULL;
	if (frame->construct_file && strcmp(place->file, frame->construct_file) == 0)
		return arena_printf(arena, "line %d", place->line);
	return arena_printf(arena, "at %s:%d", base_name(place->file), place->line);
}

// ---- Growing -----------------------------------------------------------------------------------

/** Find the branch below another one; a new one if there is none. */
static struct branch *inner_branch(struct arena *arena, struct branch *branch, const char *label)
{
	struct branch **known = (struct branch **)string_table_put(&branch->by_label, arena, label);

	if (!*known) {
		struct branch *made = ARENA_NEW(arena, struct branch);
		made->label = label;
		made->style = STYLE_NONE;
		*known = made;
		*ARENA_APPEND(arena, branch->inner, branch->num_inner, branch->capacity) = made;
	}
	return *known;
}

/** Go on to a branch with all threads of a group. */
static struct branch *go_on(struct arena *arena, struct branch *branch, const char *label,
			    const struct stack_group *group)
{
	struct branch *inner = inner_branch(arena, branch, label);

	for (size_t i = 0; i < group->threads.count; i++)
		thread_list_append(&inner->threads, arena, group->threads.all[i]);
	return inner;
}

/** Add the frames of a stack, the outermost first. @return the branch of the innermost. */
static struct branch *add_frames(struct arena *arena, struct branch *branch,
				 const struct stack_group *group, bool raw)
{
	const struct logical_stack *stack = group->stack;
	bool has_frame = false;

	if (stack->note)
		branch = go_on(arena, branch,
			       arena_printf(arena, "(unknown callers: %s)", stack->note), group);
	for (size_t i = stack->num_parts; i-- > 0;) {
		const struct stack_part *part = &stack->parts[i];
		for (size_t k = part->num_frames; k-- > 0;) {
			const struct logical_frame *frame = &part->frames[k];
			if (!raw && frame->owner != FRAME_USER)
				continue;
			const struct ompdbg_function *place =
				stack_place(thread_stack(part->thread), frame->frame);
			const char *line = line_label(arena, frame, place);
			branch =
				go_on(arena, branch, frame_label(arena, part, frame, place), group);
			if (line) {
				branch = go_on(arena, branch, line, group);
				branch->is_line = true;
			}
			has_frame = true;
		}
	}
	return has_frame ? branch : go_on(arena, branch, "no frame of the program", group);
}

/** Return what a thread does at the end of its stack. */
static const char *end_label(struct arena *arena, struct thread *thread)
{
	return arena_printf(arena, "- %s", thread_doing(thread)->text);
}

static void add_group(struct text *text, struct branch *root, const struct stack_group *group,
		      bool raw)
{
	struct arena *arena = text->paper.arena;
	struct branch *branch;

	if (!group->stack) {
		go_on(arena, root, "- running", group)->is_end = true;
		return;
	}
	branch = add_frames(arena, root, group, raw);
	for (size_t i = 0; i < group->threads.count; i++) {
		struct thread *thread = group->threads.all[i];
		struct branch *end = inner_branch(arena, branch, end_label(arena, thread));
		end->is_end = true;
		end->style = thread_style(text, thread);
		thread_list_append(&end->threads, arena, thread);
	}
}

// ---- Showing -----------------------------------------------------------------------------------

static int compare_branches(const void *a, const void *b)
{
	const struct branch *left = *(struct branch *const *)a;
	const struct branch *right = *(struct branch *const *)b;
	int first = left->threads.all[0]->target->number,
	    other = right->threads.all[0]->target->number;

	if (left->threads.count != right->threads.count)
		return left->threads.count < right->threads.count ? 1 : -1;
	return (first > other) - (first < other);
}

/** Paint a line of the tree. */
static const char *paint_line(const struct paper *paper, const char *text)
{
	static const char of[] = " of ";
	const char *label = text + strspn(text, " ");
	const char *name = strstr(label, of), *line = strstr(label, ", line ");
	const char *begin, *place;

	if (!paper->color || starts_with(label, "- "))
		return text;
	if (*label == '(')
		return paint(paper, STYLE_METADATA, text);
	if (starts_with(label, "line ") || starts_with(label, "at "))
		return text;
	begin = name ? name + strlen(of) : label;
	place = arena_strndup(paper->arena, begin, line ? (size_t)(line - begin) : strlen(begin));
	return arena_printf(paper->arena, "%.*s%s%s", (int)(begin - text), text,
			    paint_place(paper, place), line ? line : "");
}

enum { COUNT, STACK, THREADS, NUM_COLUMNS };
static const struct column columns[NUM_COLUMNS] = {
	[COUNT] = NUMBER_COLUMN("Count"),
	[STACK] = { .title = "Stack",
		    .squeeze = LEAST_STACK,
		    .cut = cut_place,
		    .paint = paint_line,
		    .is_marked = true },
	[THREADS] = { .title = "Threads", .squeeze = LEAST_NUMBERS, .cut = cut_numbers },
};

/** A branch that is still to be shown. */
struct pending {
	struct branch *branch;
	size_t depth;
};

/** The frames from one fork to the next, or to an end. */
struct chain {
	struct branch **branches;
	size_t count, capacity;
};

static bool are_alike(const void *items, size_t index, size_t other)
{
	struct branch *const *branches = items;

	return strcmp(branches[index]->label, branches[other]->label) == 0;
}

static const char **add_row(struct text_table *table, size_t depth, const char *label)
{
	const char **row = text_table_row(table);
	size_t indents = depth < MOST_INDENTS ? depth : MOST_INDENTS;

	row[STACK] = arena_printf(table->paper->arena, "%*s%s", (int)(STEP * indents), "", label);
	return row;
}

/** Join the place of a construct and the line in it where the threads are, if there is room for both. */
static const char *joined(const struct paper *paper, size_t depth, const char *construct,
			  const char *line)
{
	const size_t others = strlen("Count") + LEAST_NUMBERS + (size_t)2 * STEP;
	const char *text = arena_printf(paper->arena, "%s, %s", construct, line);

	return foreign_width(text) + depth * STEP + others <= paper->width ? text : NULL;
}

/** Add the rows of a chain: how many threads, and which, is said in the first. */
static void add_chain(struct text_table *table, const struct chain *chain, size_t depth)
{
	struct arena *arena = table->paper->arena;
	const struct branch *head = chain->branches[0];
	const struct cycle_list list = { chain->branches, chain->count, are_alike };
	size_t times, length, next, rows;

	for (size_t i = 0; i < chain->count; i = next) {
		length = cycle_at(&list, i, LEAST_CYCLES, &times);
		next = i + (length ? length : 1);
		rows = table->num_rows;
		for (size_t k = i; k < next; k++) {
			const struct branch *one = chain->branches[k];
			const char *both = NULL;
			if (k + 1 < chain->count && chain->branches[k + 1]->is_line)
				both = joined(table->paper, depth, one->label,
					      chain->branches[k + 1]->label);
			const char **row = add_row(table, depth, both ? both : one->label);
			text_table_mark(table, one->style);
			if (one == head) {
				row[COUNT] = arena_printf(arena, "%zu", head->threads.count);
				row[THREADS] = thread_numbers(arena, &head->threads);
			}
			k += both != NULL;
			next = k >= next ? k + 1 : next;
		}
		if (!length)
			continue;
		rows = table->num_rows - rows;
		add_row(table, depth,
			rows == 1 ? arena_printf(arena, "(this line %zu more times)", times - 1) :
				    arena_printf(arena, "(these %zu lines %zu more times)", rows,
						 times - 1));
		next = i + length * times;
	}
}

static void show(struct text *text, struct branch *root)
{
	struct arena *arena = text->paper.arena;
	struct pending *pending = NULL;
	size_t count = 0, capacity = 0;
	struct text_table table;

	text_table_init(&table, &text->paper, columns, NUM_COLUMNS);
	*ARENA_APPEND(arena, pending, count, capacity) = (struct pending){ root, 0 };
	while (count && !process_is_interrupted(text->process)) {
		struct pending next = pending[--count];
		struct branch *branch = next.branch;
		struct chain chain = { 0 };
		size_t depth = branch == root ? 0 : next.depth + 1;
		if (branch != root) {
			*ARENA_APPEND(arena, chain.branches, chain.count, chain.capacity) = branch;
			while (branch->num_inner == 1) {
				branch = branch->inner[0];
				*ARENA_APPEND(arena, chain.branches, chain.count, chain.capacity) =
					branch;
			}
			add_chain(&table, &chain, next.depth);
		}
		qsort(branch->inner, branch->num_inner, sizeof(struct branch *), compare_branches);
		for (size_t i = branch->num_inner; i-- > 0;)
			*ARENA_APPEND(arena, pending, count, capacity) =
				(struct pending){ branch->inner[i], depth };
	}
	text_table_add(text, &table);
}

void text_tree(struct text *text, const struct view_options *options)
{
	size_t count;
	const struct stack_group *groups = stack_groups(
		text->process, options->threads, options->num_threads, options->raw, true, &count);
	struct branch root = { 0 };

	for (size_t i = 0; i < count && !process_is_interrupted(text->process); i++)
		add_group(text, &root, &groups[i], options->raw);
	show(text, &root);
}

bool is_shown_as_tree(const struct view_options *options)
{
	size_t count = 0;

	if (options->form != BT_FOLDED)
		return options->form == BT_TREE;
	if (options->raw || options->full || options->limit)
		return false;
	for (size_t i = 0; i < options->num_threads; i++)
		count += thread_is_openmp(options->threads[i]) == YES;
	return count >= TREE_FROM;
}
