// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of commands: lines for people.

#ifndef OMPDBG_OUTPUT_TEXT_H
#define OMPDBG_OUTPUT_TEXT_H

#include "output/output.h"
#include "output/text/table.h"

/** Text that is being written of a process. */
struct text {
	struct process *process;
	struct paper paper;
	struct lines lines;
	bool addresses;	     // of frames are shown
	struct table *stuck; // threads that can never go on, by number; NULL: not asked yet
};

void text_init(struct text *text, struct process *process, const struct form *form);
/** Add a line as it is, or a text broken between words. */
void text_add(struct text *text, const char *line);
void text_wrap(struct text *text, const char *line);
/** Add a line of foreign text: visible, cut to the width, and painted by @p paint, if that is not NULL. */
void text_cut(struct text *text, const char *line, painter *paint);
/** Do that with a text that is written as by printf(). */
#define TEXT_ADD(text, ...) text_add(text, arena_printf((text)->paper.arena, __VA_ARGS__))
#define TEXT_WRAP(text, ...) text_wrap(text, arena_printf((text)->paper.arena, __VA_ARGS__))
#define TEXT_CUT(text, ...) text_cut(text, arena_printf((text)->paper.arena, __VA_ARGS__), NULL)
/** Add the lines of a table. */
void text_table_add(struct text *text, struct text_table *table);
/** Put the lines into a sink. */
struct ompdbg_error *text_write(struct text *text, struct sink *sink);

// ---- Words -------------------------------------------------------------------------------------

/** Write a number with its thousands apart. */
const char *grouped_text(struct arena *arena, uint64_t number);
/** Write a place: "work at hang.c:12"; "" for NULL. */
const char *place_text(struct arena *arena, const struct location *location);
/** Write a file and line of a function. */
const char *function_place_text(struct arena *arena, const struct task_function *function);
/** Write where a thread is, in the program's own files; at the end of a region, where that was opened;
 *  "region of main at a.c:9" where the code of the region has no frame. */
const char *where_text(struct thread *thread);
/** Write a thread's number in its team, and the size of that: "3/8"; "none" of one that is not OpenMP's. */
const char *number_text(struct arena *arena, struct thread *thread);
/** Write a thread by the debugger's number, and its number in its team: "thread 5 (3/8)". */
const char *thread_text(struct arena *arena, struct thread *thread);
/** Write a task: "task of fib at fib.c:9", "implicit task of thread 3 (1/4)". */
const char *task_title(struct task *task);
/** Write the same after the number of an explicit task: "#17 task of fib at fib.c:9". */
const char *numbered_title(struct task *task);
/** Write the thread that executes a task, or owns it: "thread 3 (1/4)". */
const char *task_thread_text(const struct task *task);

/** Write the elements of depend clauses: "in: a, out: b"; "at least out: b" if there may be more. */
const char *dependences_text(struct task *task);
/** Write who created a task, and when: "by thread 2 12.3 s ago"; "" if that is not recorded. */
const char *creation_text(struct task *task);
/** Write the variables that a task was given which has not begun: "n = 3, shared sum = 1.5"; "". */
const char *given_text(const struct task *task);
/** Write the numbers of tasks: "#12, #14"; of many, the first ones. */
const char *task_numbers_text(struct arena *arena, const uint64_t *numbers, size_t count);
/** Write for which tasks a blocked one waits: "#12, #14", or how many where these are unknown. */
const char *predecessors_text(struct task *task);

/** Tell how what a thread does is painted: one that has crashed, can never go on, or waits. */
enum style thread_style(struct text *text, struct thread *thread);

/** A list of lines, or of what lines are made from. */
struct cycle_list {
	const void *items;
	size_t count;
	bool (*are_equal)(const void *items, size_t index, size_t other);
};
/** Return how many lines, from the one at an index on, recur behind themselves, as those of a recursion do;
 *  0: none does. @p least: how often they must be there. @p times: how often they are. */
size_t cycle_at(const struct cycle_list *list, size_t index, size_t least, size_t *times);

/** Write what some threads do: "sleeps in poll", or of several "sleep in poll". */
const char *doing_text(struct arena *arena, const char *what, size_t count);
/** Say that no thread does something, as far as that is known: @p does is "waits for a lock". */
void text_nobody(struct text *text, const char *does);
/** Say of how many threads nothing is known, and why. */
void text_unseen(struct text *text);

// ---- Views -------------------------------------------------------------------------------------

typedef struct ompdbg_error *text_view(struct text *text, const struct view_options *options);
text_view text_threads, text_tasks, text_task, text_task_counts, text_stacks, text_frame,
	text_regions, text_values, text_locks, text_why, text_history, text_status, text_icvs,
	text_environment, text_inquiries;
/** Write the stacks of many threads as one tree. */
void text_tree(struct text *text, const struct view_options *options);
/** Check whether that is what is wanted. */
bool is_shown_as_tree(const struct view_options *options);

#endif
