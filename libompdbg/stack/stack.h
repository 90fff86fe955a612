// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks in the terms of the source: whose each frame is, which construct its code belongs to, and
// how the stack of a worker goes on in the thread that encountered its region.

#ifndef OMPDBG_STACK_H
#define OMPDBG_STACK_H

#include "base/objects.h"
#include "model/model.h"

// ---- Whose code (owner.c) --------------------------------------------------------------------

enum code_owner { FRAME_USER, FRAME_RUNTIME, FRAME_SYSTEM, FRAME_UNKNOWN };

/** Tell whose the function is that begins at an address. */
enum code_owner code_owner(struct process *process, uint64_t entry);
/** Check for the address of a variable of the program or of a library of the user's. @p symbol: the
 *  one there, or NULL. */
bool is_users_data(struct process *process, uint64_t address, const struct ompdbg_symbol *symbol);

// ---- Names (names.c; more in names.h) ----------------------------------------------------------

/** Write how an address is called: the symbol, and the distance from it; NULL: it has no name. */
const char *symbol_title(struct process *process, const struct ompdbg_symbol *symbol);

// ---- Code without names (places.c) -------------------------------------------------------------

/** Check for code that is in no file: it was made while the program runs. */
bool is_made_at_run_time(struct process *process, uint64_t address);
/** Check for an address, to which a thread has jumped, at which nothing can be executed. */
bool is_no_code(struct process *process, uint64_t address);
/** Write how code without a name is called: by its file and the address that it has there, which is the
 *  same in all processes ("prog+0x11aa"), or "code made at run time (0x7f…)". @p is_call: @p address is a
 *  return address. */
const char *code_title(struct process *process, uint64_t address, bool is_call);

// ---- Frames (frame.c) --------------------------------------------------------------------------

struct place;
struct code_block;
struct code_flow;
struct code_instruction;
struct code_reader;

/** A frame, whose place and owner are looked up once. */
struct stack_frame {
	struct ompdbg_frame at;
	size_t index;	     // in the stack
	struct place *place; // NULL until stack_place() is called
	enum code_owner owner;
	bool has_owner; // false until stack_owner() is called
};

/** The frames of one thread, unwound only as far as they are asked for. */
struct stack;
/** Find the stack of a thread, empty if it runs; it is kept with the process. */
struct stack *thread_stack(struct thread *thread);
/** Return the frame of that index, innermost first; NULL past the end. It stays where it is. */
struct stack_frame *stack_frame(struct stack *stack, size_t index);
/** Unwind all of it. @return the number of frames. */
size_t stack_depth(struct stack *stack);
/** Check whether it perhaps has older frames than those: it is damaged, or an endless recursion. */
bool stack_is_cut(struct stack *stack);
/** Find the place of a frame. Never NULL; members that are unknown are NULL or 0. */
const struct ompdbg_function *stack_place(struct stack *stack, struct stack_frame *frame);
/** Tell whose the code of a frame is. A signal frame is the user's: it is part of his story. */
enum code_owner stack_owner(struct stack *stack, struct stack_frame *frame);
/** Describe the place of a frame in terms of the source. */
const struct location *locate(struct thread *thread, struct stack_frame *frame);
/** Describe where a frame is; code without a name is called as in the logical stack (logical.c). */
const struct location *locate_by_stack(struct thread *thread, struct stack_frame *frame);
/** Describe the place of a call by the address to which it returns; NULL if there is no code, or it is a
 *  runtime's: LLVM's gives tools such an address where it calls itself, which is no place of the user's. */
const struct location *call_location(struct process *process, uint64_t returns);
/** Describe the construct that begins with a call, as above: its line is that of its own code. */
const struct location *construct_location(struct process *process, uint64_t returns);

// ---- Calls of a runtime (site.c) ---------------------------------------------------------------

/** Find which function of the runtime a call returns from, also through functions of the user's that jump
 *  there and leave no frame, or a frame of the runtime belongs to. @return false: none, or it cannot be
 *  told. */
bool classify_call(struct runtime *runtime, struct stack_frame *frame, ompd_ext_wait_site *ret);
bool classify_frame(struct runtime *runtime, struct thread *thread, struct stack_frame *frame,
		    ompd_ext_wait_site *ret);
/** Find which function of the runtime begins at an address. */
bool classify_entry(struct runtime *runtime, uint64_t entry, ompd_ext_wait_site *ret);
/** Functions of the runtime that a call may reach, directly or through functions that jump there. */
struct call_sites {
	ompd_ext_wait_site *all;
	size_t count;
	bool has_others; // it may reach others, of which the runtime's library knows no wait
};
/** List them. @return false: the ways from the call are not all known. */
bool call_sites(struct runtime *runtime, struct stack_frame *frame, struct call_sites *ret);
/** A function that a call reaches by jumps. */
struct jump {
	uint64_t entry;
	enum code_owner owner; // FRAME_USER: it jumps on, or returns
};
struct jumps {
	struct jump *all; // the called function first
	size_t count;
	bool is_complete;
};
/** Find where functions lead that jump as the last that they do; kept with the process. */
const struct jumps *jumps_from(struct process *process, uint64_t entry);
/** Decode the call from which code at @p pc was returned to; kept with the process. @return NULL: there
 *  is none. */
const struct code_instruction *call_before(struct process *process, uint64_t pc);
/** Check whether a frame of the runtime called the user's code: through a pointer that a register leads
 *  to. Functions of the system are called directly, or through the table of their addresses. */
bool calls_users_code(struct process *process, const struct stack_frame *frame);
/** Return the code of the process, for libcode; kept with the process (room.c). */
struct code_reader *process_code(struct process *process);
/** Number a register of libcode's as the services do. */
enum ompdbg_register service_register(unsigned int number);
/** Find the flow of control of the function that begins at an address. @return false: it is unknown. */
bool function_flow(struct process *process, uint64_t start, struct code_flow *ret);
/** Find it without the functions to which this one jumps, as far as there are names. */
bool function_own_flow(struct process *process, uint64_t start, struct code_flow *ret);
/** Return the address of the instruction in which a frame is: the call, if it has called; 0: unknown. */
uint64_t frame_here(struct process *process, const struct stack_frame *frame);
/** Find the function of a runtime that the code at the end of a block calls, or jumps to. @return false:
 *  none. */
bool classify_block(struct runtime *runtime, const struct code_block *block,
		    ompd_ext_wait_site *ret);

// ---- A thread's own stack (walk.c, calls.c, constructs.c) --------------------------------------

enum construct {
	NO_CONSTRUCT,
	CONSTRUCT_PARALLEL,
	CONSTRUCT_TASK,
	CONSTRUCT_TASKLOOP,
	CONSTRUCT_TEAMS,
	CONSTRUCT_TARGET,
	CONSTRUCT_COPY,	    // copies a task's data
	CONSTRUCT_OUTLINED, // it is unknown which
};
/** Name a construct as in JSON: "parallel region"; NULL for NO_CONSTRUCT. */
const char *construct_name(enum construct construct);
/** Check for the code of an explicit task. */
static inline bool is_task_construct(enum construct construct)
{
	return construct == CONSTRUCT_TASK || construct == CONSTRUCT_TASKLOOP;
}

/** One frame as the source has it. */
struct logical_frame {
	struct stack_frame *frame;
	enum code_owner owner;
	enum construct construct;
	const char *function; // of the source: of a construct, the one that contains it; NULL
	const char *construct_file;
	int construct_line; // where the construct begins; 0: unknown
};

// Variables (variables.c).

/** List the variables of a frame of the user's. */
const struct ompdbg_variable *frame_variables(struct thread *thread,
					      const struct logical_frame *frame,
					      enum ompdbg_variables which, size_t *count);
/** Tell the data-sharing attribute of a local variable in the code of a construct: "shared",
 *  "firstprivate", "private"; NULL: unknown, as of what reductions and loops within have copies of. */
const char *variable_sharing(struct thread *thread, const struct logical_frame *frame,
			     const char *name);

/** A variable of a task. */
struct task_variable {
	const char *name, *value;
	const char *
		sharing; // as of variable_sharing(); NULL: unknown, or a copy that the task was given
};
/** List the variables that a task was given, or those of its code's frame if it has begun. @return false:
 *  debug information does not tell, or the frame is unknown. */
bool task_variables(struct task *task, const struct task_variable **ret, size_t *count);

/** The whole stack of one thread, with the regions and tasks whose code lies on it. */
struct walk;
struct walk *thread_walk(struct thread *thread);
/** List all frames, innermost first. */
const struct logical_frame *walk_frames(struct walk *walk, size_t *count);

/** A task on a stack. */
struct task_frame {
	uint64_t entry;	 // entry point of its code; 0: unknown
	int call;	 // enum ompd_ext_wait_kind of the call that executes it; NOT_KNOWN
	bool is_certain; // no task that was above it has left its code by a jump
	const struct logical_frame *code; // that has its variables; NULL: none
};
/** List the tasks that lie on a thread's stack, innermost first. @p of_all: not only those on top of its
 *  innermost region. */
const struct task_frame *walk_task_frames(struct walk *walk, bool of_all, size_t *count);

// ---- Logical stacks (logical.c, groups.c) ------------------------------------------------------

/** The frames that lie on one thread's stack. */
struct stack_part {
	struct thread *thread;
	struct team *team; // in which the innermost of these frames works; NULL
	int thread_num;	   // in that team; NOT_KNOWN
	const struct logical_frame *frames;
	size_t num_frames;
};

struct logical_stack {
	struct stack_part *parts; // innermost first
	size_t num_parts;
	const char *note; // why it ends before main; NULL
};
/** Follow the stack of a stopped thread to main. It is kept with the process. */
const struct logical_stack *thread_logical_stack(struct thread *thread);

/** Threads with the same stack. */
struct stack_group {
	struct thread_list threads;
	const struct logical_stack *stack; // of the first thread; NULL: the threads are running
};
/** Group threads by their stacks, in the order of the first thread of each. @p by_line: frames in the
 *  same line of a function are alike; else those at the same address. @p raw: frames of runtimes and
 *  libraries count, too. */
struct stack_group *stack_groups(struct process *process, struct thread *const *threads,
				 size_t num_threads, bool raw, bool by_line, size_t *count);

#endif
