// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an OpenMP program does, for debuggers and tools: a debugger fills the table of services.h,
// and asks for threads, teams and tasks. Core files and processes need no debugger: target.h.
//
// - Functions that can fail return an error, which the caller releases with ompdbg_error_destroy(),
//   or NULL (error.h).
// - What is unknown is NULL, or -1 of numbers that are never less than 0. Strings may hold any bytes.
// - A visitor gets a structure that it may use until it returns; the strings and arrays in it stay
//   until the program is refreshed or closed. It returns NULL to go on; an error ends the visit, and
//   is what the function returns. Members may be added to the ends of structures.
// - No two functions may run at the same time in a process, nor may a service call them.

#ifndef OMPDBG_OMPDBG_H
#define OMPDBG_OMPDBG_H

#include "ompdbg/error.h"
#include "ompdbg/services.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A program with OpenMP runtimes. */
struct ompdbg_program;

/**
 * Open a stopped program.
 * @param services of the debugger, which stay the caller's until the program is closed.
 * @param library path of the OMPD library, libompd.so.
 * @return an error with the code OMPDBG_ABSENT: no OpenMP runtime is there; OMPDBG_INCOMPATIBLE:
 *         none that is there is understood, and the message has the reasons.
 */
struct ompdbg_error *ompdbg_program_open(const struct ompdbg_services *services,
					 const char *library, struct ompdbg_program **ret);
void ompdbg_program_close(struct ompdbg_program *program);
/** Look at the program anew: it has run on, with the same files. All that visitors got is gone. */
struct ompdbg_error *ompdbg_program_refresh(struct ompdbg_program *program);
/** List runtimes that are there and are not understood, a line each. The lines stay the program's. */
const char *const *ompdbg_program_problems(const struct ompdbg_program *program, size_t *count);

/** A place in the source. */
struct ompdbg_place {
	const char *function;
	const char *file;
	int line;	  // 0: unknown
	uint64_t address; // of the code; 0: unknown
};

// ---- Threads ---------------------------------------------------------------------------------

struct ompdbg_thread {
	int number;	     // the debugger's
	int64_t lwp;	     // the system's
	const char *name;    // that the system has for it; "": none
	int is_running;	     // 1: it was not stopped, and nothing else is known
	int is_openmp;	     // 1, 0, or -1: unknown
	int is_helper;	     // 1: the runtime's own, for target tasks
	const char *error;   // why nothing is known, if that is a failure
	const char *runtime; // "libgomp", "libomp"
	const char *team;    // label of its team: "1.2"; NULL: none
	int thread_num;	     // in its team
	int team_size, level, active_level;
	uint64_t task;		  // identity of the task that it executes; 0: none
	const char *task_kind;	  // NULL: none
	const char *state;	  // "wait_barrier"
	const char *state_reason; // why its state is unknown
	const char *wait; // "barrier lock critical ...": docs/json.md; NULL: it does not wait
	const char *wait_function; // of the runtime, in which it waits
	const char *wait_symbol;   // of what it waits for
	uint64_t wait_address;	   // 0: unknown
	struct ompdbg_place place; // of its innermost frame in the user's code
};

/** Visit all threads, in the order of the debugger. */
struct ompdbg_error *ompdbg_visit_threads(
	struct ompdbg_program *program,
	struct ompdbg_error *(*visit)(void *context, const struct ompdbg_thread *thread),
	void *context);

// ---- Teams -----------------------------------------------------------------------------------

struct ompdbg_team {
	const char *label; // "1", and "1.2" for the team that thread 2 of team 1 formed
	const char *runtime;
	int level, active_level, size;
	const char *parent; // label of the team around it; NULL: none
	int primary;	    // the debugger's number of thread 0
	const int *threads; // the debugger's numbers of the threads that work in it now
	size_t num_threads;
	struct ompdbg_place opened; // where thread 0 encountered the construct
};

/** Visit the teams of all parallel regions: a team before those that it encloses. */
struct ompdbg_error *
ompdbg_visit_teams(struct ompdbg_program *program,
		   struct ompdbg_error *(*visit)(void *context, const struct ompdbg_team *team),
		   void *context);

// ---- Tasks -----------------------------------------------------------------------------------

struct ompdbg_task {
	uint64_t id;
	uint64_t parent; // identity of the task that generated it; 0: unknown
	const char *runtime;
	const char *team;   // label of the team of its region, "-": outside of all; NULL: unknown
	const char *kind;   // "initial implicit explicit target"
	const char *status; // "running suspended queued blocked ...": docs/json.md
	int thread_num;	    // of the thread that executes it
	int priority;
	struct ompdbg_place code; // function that contains its construct, and where that is
};

/** Visit all tasks. *is_damaged, if not NULL, becomes 1 if a list of a runtime was found damaged. */
struct ompdbg_error *
ompdbg_visit_tasks(struct ompdbg_program *program,
		   struct ompdbg_error *(*visit)(void *context, const struct ompdbg_task *task),
		   void *context, int *is_damaged);

// ---- Output ----------------------------------------------------------------------------------

/** Views that `ompdbg` and the commands in GDB print. */
enum ompdbg_view {
	OMPDBG_VIEW_THREADS,
	OMPDBG_VIEW_TASKS,
	OMPDBG_VIEW_QUEUED_TASKS,
	OMPDBG_VIEW_TASK_COUNTS, // by function
	OMPDBG_VIEW_STACKS,
	OMPDBG_VIEW_REGIONS,
	OMPDBG_VIEW_LOCKS,
	OMPDBG_VIEW_WHY,
	OMPDBG_VIEW_STATUS,
	OMPDBG_VIEW_ICVS,
	OMPDBG_VIEW_ENVIRONMENT,
	OMPDBG_VIEW_HISTORY, // the latest events, of a program that was recorded
};

/** How it is printed. All 0: as text, in lines as long as they are, without colors. */
struct ompdbg_form {
	int is_json; // docs/json.md
	int has_color;
	size_t width; // of text, in columns; 0: any
};

/** Print a view of all threads. @p write gets the text piece by piece; an error from it ends the
 *  output, and is what the function returns. */
struct ompdbg_error *
ompdbg_print(struct ompdbg_program *program, enum ompdbg_view view, const struct ompdbg_form *form,
	     struct ompdbg_error *(*write)(void *context, const char *text, size_t size),
	     void *context);

#ifdef __cplusplus
}
#endif

#endif
