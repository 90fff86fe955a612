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
};

void text_init(struct text *text, struct process *process, const struct form *form);
/** Add a line as it is, or a text broken between words. */
void text_add(struct text *text, const char *line);
void text_wrap(struct text *text, const char *line);
/** Add a line of foreign text: visible, cut to the width, and painted. */
void text_cut(struct text *text, const char *line, painter *paint);
/** Add the lines of a table. */
void text_table_add(struct text *text, struct text_table *table);
/** Put the lines into a sink. */
struct ompdbg_error *text_write(struct text *text, struct sink *sink);

// ---- Words -------------------------------------------------------------------------------------

/** Write a number with its thousands apart. */
const char *grouped_text(struct arena *arena, uint64_t number);
/** Write a place: "work at hang.c:12"; "" for NULL. */
const char *place_text(struct arena *arena, const struct location *location);
/** Write how a frame without any symbol is called: "0x401136 in program". */
const char *bare_place(struct process *process, const struct ompdbg_frame *at);
/** Write a file and line of a function. */
const char *function_place_text(struct arena *arena, const struct task_function *function);
/** Write where a thread is: of a worker at the end of its region, where that region was opened. */
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

/** Say that no thread does something, as far as that is known: @p does is "waits for a lock". */
void text_nobody(struct text *text, const char *does);
/** Say of how many threads nothing is known, and why. */
void text_unseen(struct text *text);

// ---- Commands ----------------------------------------------------------------------------------

void text_threads(struct text *text, const struct threads_options *options);
struct ompdbg_error *text_tasks(struct text *text, bool queued);
struct ompdbg_error *text_task(struct text *text, uint64_t number);
struct ompdbg_error *text_tasks_by_function(struct text *text);
void text_stacks(struct text *text, const struct bt_options *options, const struct form *form);
/** Write the stacks of many threads as one tree. */
void text_tree(struct text *text, const struct bt_options *options);
/** Check whether that is what is wanted. */
bool is_shown_as_tree(const struct bt_options *options);
void text_frame(struct text *text, struct thread *thread, int level, const struct form *form);
void text_regions(struct text *text);
void text_values(struct text *text, const struct values *values);
void text_locks(struct text *text);
/** @p thread: only what it waits for; NULL. */
void text_why(struct text *text, struct thread *thread, const struct finding *findings,
	      size_t count);
struct ompdbg_error *text_history(struct text *text, struct history *history,
				  const struct history_options *options);
void text_status(struct text *text);
void text_icvs(struct text *text, struct thread *const *threads, size_t num_threads,
	       const char *scope);
void text_environment(struct text *text, bool all);
void text_inquiries(struct text *text, struct thread *const *threads, size_t num_threads,
		    enum inquiry_kind which, int level);

#endif
