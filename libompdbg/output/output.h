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

/** How stacks are shown as text. */
enum bt_form {
	BT_STACKS, // one after another
	BT_TREE,   // as one tree
	BT_FOLDED, // as a tree if there are many OpenMP threads, and nothing was asked that it lacks
};

/** Views of a process: commands print one each. */
enum view {
	VIEW_THREADS,
	VIEW_TASKS,
	VIEW_TASK_COUNTS, // by function
	VIEW_TASK, // one, in full. An error with OMPDBG_BAD_INPUT tells that none has the number
	VIEW_STACKS,
	VIEW_FRAME, // where `thread` is in its team, and the frame `level` of its own stack; always text
	VIEW_VALUES, // of an expression
	VIEW_REGIONS,
	VIEW_LOCKS,
	VIEW_WHY,
	VIEW_HISTORY, // an error tells that nothing was recorded, or why it cannot be read
	VIEW_STATUS,
	VIEW_ICVS,
	VIEW_ENVIRONMENT,
	VIEW_INQUIRIES, // what OMPT would answer
	NUM_VIEWS,
};

/** Options of a view, which uses some of them. */
struct view_options {
	struct thread *const *threads; // those that are shown
	size_t num_threads;
	struct thread *thread; // only what concerns it; NULL: all
	bool queued;	       // only tasks that have not begun
	bool raw, full;	       // stacks
	enum bt_form form;
	size_t limit;	   // innermost frames; 0: all
	uint64_t number;   // of a task
	const char *scope; // of control variables: "process", "thread", "region", "task"; NULL: all
	bool all;	   // variables of the environment
	size_t last;	   // events; 0: all
	enum inquiry_kind inquiry;
	int level; // of a frame, a task or a region; NOT_KNOWN: none, or all
	const struct values *values;
	const struct finding *findings; // of diagnose()
	size_t num_findings;
};

struct ompdbg_error *print_view(struct process *process, enum view view,
				const struct view_options *options, const struct form *form,
				struct sink *sink);
/** Print a text, broken between words where the form has a width. */
struct ompdbg_error *print_line(struct process *process, const char *line, const struct form *form,
				struct sink *sink);

#endif
