// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this room keeps with the constants of a program, and with a process.

#ifndef OMPDBG_STACK_ROOM_H
#define OMPDBG_STACK_ROOM_H

#include "base/demangle.h"
#include "model/model.h"
#include "stack/stack.h"

struct kept_name {
	const char *text; // NULL: none
};

struct stack_constants {
	struct arena *arena; // of the constants
	const struct ompdbg_services *services;

	// owner.c
	bool has_looked_for_runtime;
	uint64_t static_runtime;    // where the runtime's code begins in a static program; 0: not
	struct string_table owners; // path of an object -> owner

	// names.c
	struct demangler demangler;
	struct string_table demangled, enclosing, plain; // symbol -> struct kept_name

	// places.c
	struct table places;	// pc and depth of inlining -> struct place
	struct table functions; // address -> struct ompdbg_function
};

struct stack_room {
	struct code_reader *code;	  // NULL: not asked
	struct table stacks;		  // number of a thread -> struct stack
	struct table call_locations;	  // address to which a call returns -> struct location
	struct table construct_locations; // the same, of constructs that begin with the call
	struct table logical;		  // address of a struct thread -> struct logical_stack
	struct table task_code;		  // entry point -> struct known_code
	struct table place_names;	  // address in a depend clause -> struct kept_name
	size_t num_place_searches;
	struct table calls;	   // return address -> struct known_site *, one for each runtime
	struct table instructions; // return address -> struct code_instruction *, that of the call
	struct table entries;	   // entry of a function -> likewise
	struct table jumps;	   // entry of a function -> struct jumps *
};

struct stack_constants *stack_constants(struct process *process);
struct stack_room *stack_room(struct process *process);

/** How a service answered. */
enum answer { ANSWER_FAILED, ANSWER_ABSENT, ANSWER_FOUND };
/** Tell how, and release the error: what failed must not be kept as absent. */
enum answer answer_of(struct ompdbg_error *error);

/** Tell whose code at an address is. @p object: path of the shared object, NULL in the program. */
enum code_owner place_owner(struct process *process, const char *object, uint64_t pc,
			    const struct ompdbg_function *place);

/** Find the function with a construct's code that a call passes to GCC's runtime; false: unknown. */
bool stack_passed_code(struct process *process, uint64_t returns, struct ompdbg_function *ret);

struct stack {
	struct process *process;
	int thread; // the debugger's number
	struct stack_frame **frames;
	size_t count, capacity;
	size_t step; // of frame.c: the next one
	bool is_cut; // it has perhaps more frames
};
/** Find the names of a frame's place: its function's, and that of the function from which it was
 *  outlined. */
const struct place *stack_named_place(struct stack *stack, struct stack_frame *frame);

// ---- Places (places.c) -------------------------------------------------------------------------

/** The place of a frame, for all frames that go on there. */
struct place {
	struct ompdbg_function function; // members are NULL or 0 if they are unknown
	bool has_names;
	const char *plain;     // `function.name` without the parameters of C++; NULL
	const char *enclosing; // function of the source, if this one was outlined from it; NULL
};
struct place *find_place(struct process *process, int thread, const struct ompdbg_frame *frame,
			 size_t inlined_around);
/** Name the function of a place and the one that it was outlined from. */
void name_place(struct process *process, struct place *place);
/** Find the function that covers an address. @return NULL if there is none. */
const struct ompdbg_function *find_function(struct process *process, uint64_t address);

// ---- Source texts (source.c) -------------------------------------------------------------------

/** Where a construct begins, as the runtime was told by Clang's and flang's code. */
struct construct_source {
	const char *function;
	const char *file; // NULL: flang does not tell
	int line;
};
/** Parse such a text; NULL if it is none, or tells nothing. */
const struct construct_source *parse_construct_source(struct arena *arena, const char *text);
/** Read the text at an address (ompd_ext_task_info.source). NULL if it says nothing. */
const struct construct_source *construct_source_at(struct runtime *runtime, uint64_t address);
/** Read the text about a team's region; NULL. */
const struct construct_source *team_source(struct team *team);

#endif
