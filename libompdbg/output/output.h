// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each command prints of a process, as text or JSON (docs/json.md, schema "ompdbg/1"): the same
// in a debugger and without one.

#ifndef OMPDBG_OUTPUT_H
#define OMPDBG_OUTPUT_H

#include "diagnose/diagnose.h"
#include "diagnose/values.h"

/** Where lines go. Returns an error to end the output (a closed pipe, an interrupt). */
struct sink {
	struct ompdbg_error *(*write)(void *context, const char *text, size_t size);
	void *context;
};

/** How it is printed. */
struct form {
	bool json;
	size_t width;		    // of text, in columns; 0: lines are as long as they are
	bool color;		    // escape sequences of terminals
	const char *const *palette; // the one of each style, "" for none; NULL: those of GDB
	bool addresses;		    // of frames of runtimes and libraries
};

enum { SHOWN_EVENTS = 20 }; // of the recording, unless the user wants another number

struct threads_options {
	struct thread *const *threads; // those that are shown
	size_t num_threads;
};
/** How stacks are shown as text. */
enum bt_form {
	BT_STACKS, // one after another
	BT_TREE,   // as one tree
	BT_FOLDED, // as a tree if there are many OpenMP threads, and nothing was asked that it lacks
};
struct bt_options {
	struct thread *const *threads;
	size_t num_threads;
	bool raw, full;
	size_t limit; // of innermost frames; 0: all
	enum bt_form form;
};

struct ompdbg_error *print_threads(struct process *process, const struct threads_options *options,
				   const struct form *form, struct sink *sink);
struct ompdbg_error *print_tasks(struct process *process, bool queued, const struct form *form,
				 struct sink *sink);
/** Print one task in full. An error with OMPDBG_BAD_INPUT tells that none has the number. */
struct ompdbg_error *print_task(struct process *process, uint64_t number, const struct form *form,
				struct sink *sink);
struct ompdbg_error *print_tasks_by_function(struct process *process, const struct form *form,
					     struct sink *sink);
struct ompdbg_error *print_stacks(struct process *process, const struct bt_options *options,
				  const struct form *form, struct sink *sink);
/** Print where a thread is: its place in its team, and a frame of its own stack by the debugger's
 *  number; NOT_KNOWN for none. Always text. */
struct ompdbg_error *print_frame(struct process *process, struct thread *thread, int level,
				 const struct form *form, struct sink *sink);
/** Print the values that an expression has in threads. */
struct ompdbg_error *print_values(struct process *process, const struct values *values,
				  const struct form *form, struct sink *sink);
struct ompdbg_error *print_regions(struct process *process, const struct form *form,
				   struct sink *sink);
struct ompdbg_error *print_locks(struct process *process, const struct form *form,
				 struct sink *sink);
/** @p thread: only what it waits for; NULL: all. *suspicious may be NULL. */
struct ompdbg_error *print_why(struct process *process, struct thread *thread,
			       const struct form *form, struct sink *sink, bool *suspicious);
struct history_options {
	struct thread *thread; // NULL: all
	size_t last;	       // so many events; 0: all
};
/** Print the events of a recording. An error tells that there is none, or why it cannot be read. */
struct ompdbg_error *print_history(struct process *process, const struct history_options *options,
				   const struct form *form, struct sink *sink);
struct ompdbg_error *print_status(struct process *process, const struct form *form,
				  struct sink *sink);
/** @p scope: "process", "thread", "region", "task" or NULL for all. */
struct ompdbg_error *print_icvs(struct process *process, struct thread *const *threads,
				size_t num_threads, const char *scope, const struct form *form,
				struct sink *sink);
struct ompdbg_error *print_environment(struct process *process, bool all, const struct form *form,
				       struct sink *sink);
enum inquiry_kind { INQUIRY_THREAD, INQUIRY_TASK, INQUIRY_PARALLEL };
/** @p level: NOT_KNOWN for all. */
struct ompdbg_error *print_inquiries(struct process *process, struct thread *const *threads,
				     size_t num_threads, enum inquiry_kind which, int level,
				     const struct form *form, struct sink *sink);

/** Print a text, broken between words where the form has a width. */
struct ompdbg_error *print_line(struct process *process, const char *line, const struct form *form,
				struct sink *sink);

#endif
