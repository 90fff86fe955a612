// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program at one stop: its runtimes, threads, teams and tasks. Objects live in the arena of their
// process, and are made when they are first asked for; whoever has one may keep it until the process
// is closed. Strings may hold any bytes (base/foreign.h).
//
// What is unknown is NULL, -1 or a tri-state, with a reason where there is one. Functions that give
// an error say so; all others answer from what could be read, and never claim more.

#ifndef OMPDBG_MODEL_H
#define OMPDBG_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/table.h"
#include "ompd/space.h"
#include "ompdbg/services.h"

struct construct_source;
struct logical_frame;
struct verdict;
struct walk;

enum tristate { UNKNOWN = -1, NO = 0, YES = 1 };

enum { NOT_KNOWN = -1 }; // of numbers that are never less than 0

// ---- Process (process.c) ---------------------------------------------------------------------

/** Rooms that keep something of their own with a process, or with the constants of a program. */
enum room { ROOM_MODEL, ROOM_HISTORY, ROOM_STACK, ROOM_WAIT, ROOM_DIAGNOSE, NUM_ROOMS };

/** Code and names of the program: they stay while it runs on, until its files change. */
struct constants {
	struct arena arena;
	const struct ompdbg_services *services;
	void *rooms
		[NUM_ROOMS]; // each of the room's own type, in the arena; NULL until it is needed
};
struct constants *constants_create(const struct ompdbg_services *services);
void constants_destroy(struct constants *constants);

struct process {
	struct arena arena;
	const struct ompdbg_services *services;
	struct constants *constants;
	struct runtime **runtimes;
	size_t num_runtimes;   // 1 at least
	const char **problems; // why runtimes that are there are not understood
	size_t num_problems;
	const struct ompdbg_target_thread *targets; // of the services
	size_t num_targets;
	struct thread **threads; // one for each of `targets`, in the runtime in which it works
	struct team **teams;	 // process_teams() asks for them
	size_t num_teams;
	bool has_teams;
	bool has_own_ids;
	uint64_t failed_jump;	// where a thread is, and nothing can be executed; 0: none
	uint64_t own_id_offset; // of a thread's id in the C library's record of it; 0: unknown
	void *rooms[NUM_ROOMS]; // as of the constants
};

/**
 * Look at a program. @p spaces: an open address space for each of its runtimes, which stay the
 * caller's, as @p constants and the services. @p problems is copied.
 */
struct ompdbg_error *process_open(const struct ompdbg_services *services,
				  struct constants *constants, struct space *const *spaces,
				  size_t num_spaces, const char *const *problems,
				  size_t num_problems, struct process **ret);
void process_close(struct process *process);

/** Check for more than one runtime in the process. */
static inline bool has_several_runtimes(const struct process *process)
{
	return process->num_runtimes > 1;
}
/** Read memory of the target, by pages that are kept until it moves. @return false: not all of it. */
bool process_read(struct process *process, uint64_t address, void *buffer, size_t size);
/** Something is known of every thread: none runs or could not be read. */
bool process_is_seen_whole(const struct process *process);
/** Find a thread by the debugger's number; NULL if there is none. */
struct thread *process_thread(struct process *process, int number);
/** Find the thread that the user has selected; NULL if there is none. */
struct thread *process_selected_thread(struct process *process);
/** List the teams of all parallel regions: a team before those that it encloses. */
struct team *const *process_teams(struct process *process, size_t *count);
/** Find the team that tables call @p label; NULL if there is none. */
struct team *process_team_named(struct process *process, const char *label);
/** Check for Ctrl-C, or too much memory: a loop over threads or tasks calls it in each round, and ends
 *  with interruption() (or its output as it is). */
static inline bool process_is_interrupted(const struct process *process)
{
	return budget_is_spent() || process->services->interrupted(process->services->context);
}

// ---- Runtime (runtime.c) ---------------------------------------------------------------------

struct runtime {
	struct process *process;
	struct space *space;
	const char *name;	    // "libgomp", "libomp"; NULL if the OMPD library does not tell
	const char *title;	    // for people: several of one name are numbered: "libomp 2"
	struct thread **threads;    // one for each of the process's targets, OpenMP or not
	struct table threads_by_id; // identity -> struct thread *
	struct table teams;	    // identity -> struct team *
	struct team **known_teams;  // the values of `teams`, in the order in which they were met
	size_t num_known_teams, team_capacity;
	// Every team in which a thread is, or that encloses one, is known.
	bool has_all_teams;
	// Teams that no other encloses, by the number of the thread that formed them.
	struct team **outermost;
	size_t num_outermost;
	bool has_outermost;
	struct table helper_teams; // identities of the regions of hidden helper threads
	bool has_helper_teams;
	struct table explicit_code; // entry of each explicit task's code -> struct explicit_code
	bool has_explicit_code;
	// Of stack/: entry of a task's code -> what is known of it; identity of a task -> struct
	// placement (NULL: not asked).
	struct table *placements;
	struct task_numbers *task_numbers; // of task_number.c; NULL: not asked
	struct origins *icv_origins;	   // of icv.c; NULL: not asked
};

/** Check that the library has the extensions of ompd_ext.h. */
bool runtime_is_extended(const struct runtime *runtime);
/** Name a state without its prefix: "wait_barrier"; "0x17" for one that the library has no name of. */
const char *runtime_state_name(struct runtime *runtime, uint64_t state);
/** List the names of all states that a thread can be in. */
const char *const *runtime_state_names(struct runtime *runtime, size_t *count);
/** Find the id of a control variable by its name. @return -1 if the library has none. */
int64_t runtime_icv(struct runtime *runtime, const char *name);
/** Find the thread of the debugger that a handle stands for; NULL if there is none. */
struct thread *runtime_thread_of(struct runtime *runtime, ompd_thread_handle_t *handle);
/** Find the team of a region's handle, which the space keeps. NULL if it has no identity. */
struct team *runtime_team(struct runtime *runtime, ompd_parallel_handle_t *handle);
/** List the teams of its parallel regions: a team before those that it encloses. */
struct team *const *runtime_teams(struct runtime *runtime, size_t *count);
/** Find the team with an identity, if a thread is in it, or in a region that it encloses. */
struct team *runtime_team_by_id(struct runtime *runtime, uint64_t id);
/** Check for a region of hidden helper threads, which are no team of the program. */
bool runtime_is_helpers(struct runtime *runtime, uint64_t parallel_id);

struct explicit_code {
	uint64_t entry, source; // as of ompd_ext_task_info
};
/** Find the code of explicit tasks that begins at an address; NULL if no living task has it. Such
 *  code is code of no other construct. */
const struct explicit_code *runtime_explicit_code(struct runtime *runtime, uint64_t entry);

// ---- Threads (thread.c; state, wait and location: wait/) ---------------------------------------

/** A place in the user's code. */
struct location {
	const char *function; // of the source; NULL in a stripped program
	const char *symbol;   // of the function that was made from it; NULL: unknown
	const char *file;     // NULL: unknown
	int line;	      // 0: unknown
	uint64_t address;     // where the frame goes on, perhaps past the code of the function
	uint64_t code; // in the instruction that it is at: of a frame that has called, the call
	const char *object; // path of the program or shared object; NULL: in no file
	const char *title;  // how code without a function is called; NULL if it has one
};

/** The wait of a thread. */
struct wait {
	uint32_t kind;	      // enum ompd_ext_wait_kind, or another of wait/wait.h
	const char *title;    // for people: "critical table", "lock mylock", "barrier"
	const char *function; // of the runtime; NULL: unknown which one was called
	uint64_t address;     // of the lock, or of what else the thread sleeps on; 0: none
	const char *symbol;   // that names the address; NULL: none
	const char *variable; // if none does: what its frame knows the address by; NULL
};

struct thread {
	struct runtime *runtime;
	const struct ompdbg_target_thread *target;
	ompd_thread_handle_t *handle; // NULL: no OpenMP thread of this runtime, or unknown
	uint64_t id;		      // identity of the handle
	const char *error;	      // why nothing is known, if that is a failure
	bool is_helper;		      // of the runtime's own, for target tasks
	int barrier_phase;	      // ompd_ext_thread_info; NOT_KNOWN
	struct team *team;	      // in which it works; NULL: none, as of helpers
	int thread_num;		      // in its team; NOT_KNOWN
	struct task *task;	      // that it executes; NULL: none; thread_task() asks for it
	bool has_task;		      // it was asked for
	struct walk *walk;	      // of stack/walk.h; NULL: not asked yet
	struct verdict *verdict;      // of wait/; NULL: not asked yet
};

/** Threads in the order in which they were added. All zero: none. */
struct thread_list {
	struct thread **all;
	size_t count, capacity;
};
/** Add a thread to a list; or, unless it is there. */
void thread_list_append(struct thread_list *list, struct arena *arena, struct thread *thread);
void thread_list_add(struct thread_list *list, struct arena *arena, struct thread *thread);
void thread_list_join(struct thread_list *list, struct arena *arena,
		      const struct thread_list *added);
bool thread_list_has(const struct thread_list *list, const struct thread *thread);

/** Check for an OpenMP thread; UNKNOWN if it runs or could not be read. */
enum tristate thread_is_openmp(const struct thread *thread);
/** Return the id that the system gives it where it runs, which mutexes keep: in a PID namespace another than
 *  debuggers outside see. */
int64_t thread_own_id(const struct thread *thread);
/** Tell its number in a team; NOT_KNOWN if it is no member. */
int thread_number_in(struct thread *thread, struct team *team);
/** Find the task that a thread executes; NULL if it has none. */
struct task *thread_task(struct thread *thread);
/** Find a thread in all runtimes that know it, its own first. @return how many; at most
 *  num_runtimes are stored. */
size_t thread_views(struct thread *thread, struct thread **views);
/** Size, level and active level of its team; NOT_KNOWN. */
int thread_team_size(struct thread *thread);
int thread_level(struct thread *thread);
int thread_active_level(struct thread *thread);

// Implemented in wait/:

/** Name the state without prefix, "work_parallel"; NULL if it is unknown. */
const char *thread_state(struct thread *thread);
/** Tell why its state is unknown; NULL. */
const char *thread_state_reason(struct thread *thread);
/** Find what a thread waits for; NULL. */
const struct wait *thread_wait(struct thread *thread);
/** Find the innermost user frame, one with source lines if there is one; NULL. */
const struct location *thread_location(struct thread *thread);
/** Return the debugger's number of that frame; NOT_KNOWN. */
int thread_users_level(struct thread *thread);
/** Check for frames of the runtime younger than those of the user's code. */
bool thread_is_in_runtime(struct thread *thread);
/** Check for a thread that the program itself has started: its stack begins in code that is neither the
 *  runtime's nor the system's. (missing_threads.c) */
bool thread_is_programs(const struct thread *thread);

/** Kinds of questions that a tool may ask about a thread (inquiry.h). */
enum inquiry_kind { INQUIRY_THREAD, INQUIRY_TASK, INQUIRY_PARALLEL };

// ---- Teams (team.c) --------------------------------------------------------------------------

/** The team of a parallel region, or the initial thread outside of any (level 0). */
struct team {
	struct runtime *runtime;
	ompd_parallel_handle_t *handle;
	uint64_t id;
	int level, active_level, size; // NOT_KNOWN
	// The rest was asked for, or was not: use the functions below.
	bool has_parent, has_primary, has_path, has_numbers;
	bool has_info, has_opened, has_source;
	struct team *parent;
	struct thread *primary;
	int *path; // the outermost team's number, and that of each founder in the team around it
	size_t path_length;
	const char *label;
	struct table numbers; // the debugger's number -> number in the team + 1, without extensions
	ompd_ext_parallel_info info; // all 0 where the library does not tell
	const struct location *opened;
	const struct construct_source *source;
};

/** Find the team of the enclosing region; NULL if there is none, or it is unknown. */
struct team *team_parent(struct team *team);
/** Find the thread with a number in the team; NULL if the debugger has no such thread. */
struct thread *team_member(struct team *team, int thread_num);
/** Thread 0, which encountered the construct. */
struct thread *team_primary(struct team *team);
/** Return the library's facts about the region. */
const ompd_ext_parallel_info *team_info(struct team *team);
/** Check for the implicit region of an initial thread of a league. */
bool team_is_league(struct team *team);
/** Check for a parallel region that no other encloses. */
bool team_is_outermost(struct team *team);
/** Name it in tables: "1", "1.2" for the team that thread 2 of team 1 formed, "-" of level 0. */
const char *team_label(struct team *team);
/** Count the regions around it in its label: 0 for "1". */
size_t team_depth(struct team *team);
/** Find where its thread 0 encountered the construct; NULL. (stack/) */
const struct location *team_opened(struct team *team);
/** Check for a member of which the runtime has a record and the process no thread. What is uncertain is
 *  none. */
bool team_has_lost(struct team *team, int thread_num);
/** Count such members. */
int team_lost(struct team *team);

// ---- Tasks (task.c) --------------------------------------------------------------------------

/** The code of a task as the source has it. */
struct task_function {
	const char *name;      // the function that contains the construct
	const char *symbol;    // the function that was made from it
	const char *file;      // NULL: unknown
	int line;	       // of the construct; 0: unknown
	const char *signature; // `name` with the parameters of C++, where they are known
};

/** An element of a depend clause. */
struct depend {
	uint64_t address;
	const char *kind;   // "in", "out", ... as in JSON
	const char *symbol; // NULL: none
};

/** The place of a begun task on a stack. */
struct placement {
	ompd_ext_task_info info;
	int thread_num; // in the task's team
	uint64_t entry; // entry point of its code; 0: unknown
	struct thread *thread;
	const struct logical_frame *frame; // that has its variables; NULL: none, or it is uncertain
};

struct task {
	struct runtime *runtime;
	ompd_ext_task_info info;
	uint64_t number;		   // 0: not asked, or it has none: task_number() tells
	ompd_task_handle_t *handle;	   // NULL: found when it is needed
	const struct placement *placement; // NULL: none
	const struct task_function *function;
	bool has_function;
	bool is_visited; // it is that of tasks_visit(), which changes
};

/** One flag of enum ompd_ext_task_flag, with its names. */
struct task_flag {
	uint32_t bit;
	const char *name;  // as in JSON: "in_taskwait"
	const char *words; // for people: "in taskwait"
};
enum { NUM_TASK_FLAGS = 9 };
extern const struct task_flag task_flags[NUM_TASK_FLAGS];
/** Check whether a task is known to have a flag. */
static inline bool task_has_flag(const struct task *task, const struct task_flag *flag)
{
	return task->info.flags & task->info.flags_known & flag->bit;
}

/** Name a kind and a status as in JSON: "explicit", "queued". */
const char *task_kind_name(struct runtime *runtime, uint32_t kind);
const char *task_status_name(struct runtime *runtime, uint32_t status);
const char *task_kind(const struct task *task);
const char *task_status(const struct task *task);
/** Return its status: enum ompd_ext_task_status, with what the stacks tell. */
uint32_t task_status_code(const struct task *task);
/** Number in its team of the thread that executes it; NOT_KNOWN. */
int task_thread_num(const struct task *task);
/** Check for an implicit task whose thread the process does not have. */
bool task_is_lost(const struct task *task);
/** Find the thread with that number in its team; NULL. */
struct thread *task_runner(const struct task *task);
/** Find the team of the region to which it is bound; NULL. */
struct team *task_team(const struct task *task);
/** Find the task that generated it; NULL if that is gone, or unknown. */
struct task *task_parent(struct task *task);
/** Find what a tool (OMPT) has stored for it. @return false: nothing, or it is unknown. */
bool task_tool_data(struct task *task, uint64_t *ret);
/** Find the thread on whose stack it lies; NULL if it has not begun, or that is unknown. */
struct thread *task_thread(struct task *task);
/** Find its code; NULL where that is unknown. */
const struct task_function *task_function(struct task *task);
/** Describe the code at an entry point; @p source as of ompd_ext_task_info. NULL if entry is 0.
 *  (stack/) */
const struct task_function *code_function(struct runtime *runtime, uint64_t entry, uint64_t source);
/** Find where the tasks lie that have begun: identity -> struct placement. (stack/) */
const struct table *runtime_placements(struct runtime *runtime);
/** Name the variable, or else the symbol, at an address; NULL. @p near: code that may see the variable,
 *  or 0. (stack/) */
const char *address_name(struct process *process, uint64_t address, uint64_t near);
/** Name an address in a depend clause of a task by a variable: also by one of a function in which the task
 *  that created it is. NULL: none is there. (stack/) */
const char *depend_name(struct task *task, uint64_t address);
/** List the elements of its depend clauses. *complete: whether these are all. */
size_t task_depends(struct task *task, const struct depend **ret, bool *complete);
/** List the identities of the tasks that wait for it. @return false: they cannot be read. */
bool task_dependers(struct task *task, const uint64_t **ret, size_t *count);
/** List the variables that it was given. @return false: it has begun, or debug information does not tell. */
bool task_given(const struct task *task, const struct ompdbg_given **ret, size_t *count);
/** Count its children and tasks of its taskgroup that are not done; all 0 where the runtime does
 *  not count them. */
ompd_ext_task_counts task_counts(struct task *task);

/** Visit every task of a runtime, one after another; none is kept: @p task is the same object each
 *  time. Returns what @p visit returned if that was not NULL. *damaged: a list was found damaged;
 *  *unreached: how many more the runtime counts, NOT_KNOWN. Both may be NULL. */
struct ompdbg_error *tasks_visit(struct runtime *runtime,
				 struct ompdbg_error *(*visit)(void *context, struct task *task),
				 void *context, bool *damaged, int64_t *unreached);
/** Copy a task that is being visited, to keep it. */
struct task *task_keep(const struct task *task);

// Numbers of tasks (task_number.c). They are asked for only by what shows them: of very many tasks, the
// lists take time.

/** Check for a task that a construct generated: it has a number. */
static inline bool task_is_explicit(const struct task *task)
{
	return task->info.kind == ompd_ext_task_explicit || task->info.kind == ompd_ext_task_target;
}
/** Check that a task is neither queued nor blocked. */
bool task_has_begun(const struct task *task);
/** Return the number of a task among the explicit ones, from 1 on: the same in all commands of a stop.
 *  0: it is implicit, or in no list. */
uint64_t task_number(const struct task *task);
/** Return the number of the task with an identity; 0. */
uint64_t runtime_task_number(struct runtime *runtime, uint64_t id);
/** Find the task with a number. *ret: NULL if there is none. */
struct ompdbg_error *process_task_numbered(struct process *process, uint64_t number,
					   struct task **ret);
/** Return the greatest number of a task; 0: there is none. */
uint64_t process_last_task_number(struct process *process);

/** How many tasks of one function, kind and status there are. */
struct task_count {
	const struct task_function *function; // NULL: unknown
	const char *kind, *status;	      // as in JSON
	uint64_t number;
	size_t order; // in which they were met
};
/** Count the tasks of all runtimes, the largest number first; no object is made for a task.
 *  *damaged: not all could be read. */
struct ompdbg_error *process_task_counts(struct process *process, struct task_count **ret,
					 size_t *count, bool *damaged);

#endif
