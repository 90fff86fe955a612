// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this folder share. What is found out about the target is kept in one arena, as
// long as the services live: nothing of it changes.

#ifndef OMPDBG_TARGET_SERVICES_INTERNAL_H
#define OMPDBG_TARGET_SERVICES_INTERNAL_H

#include "base/arena.h"
#include "base/budget.h"
#include "base/demangle.h"
#include "base/table.h"
#include "base/text.h"
#include "services.h"

enum { NO_OBJECT = -1, BITS = 8 };
#define WORD_SIZE ((size_t)8)
enum { MAX_SCOPES = 256 };  // around an instruction
enum { MAX_NESTING = 200 }; // of entries of debug information: damaged ones may go round in circles

/** A mapped file as the loader knows it. */
struct object {
	const char *path;   // in the list of the loader, else that of the mapping
	uint64_t link_map;  // the loader's structure; 0: the object was not loaded by it
	bool is_named;	    // the loader's list has it
	bool is_used;	    // the file is the one that is in memory
	bool is_of_system;  // of the C library, or of a language's run-time support
	bool is_of_runtime; // an OpenMP runtime

	// variables.c
	bool has_units;
	struct unit *units; // the first

	// structures.c
	bool has_structures;
	struct string_table structures, typedefs; // name -> struct known_structure
};

/** A part of memory that an object takes, also where no file is mapped. */
struct object_range {
	uint64_t start, end;
	ssize_t object;
};

/** All files of a target, by their indices in it. */
struct objects {
	struct object *all;
	size_t count;
	ssize_t program;   // NO_OBJECT if it is unknown
	ssize_t *in_order; // those in use: the program, then as they were loaded
	size_t num_in_order;
	struct object_range *ranges; // by address
	size_t num_ranges, max_ranges;
	uint64_t *unwind_tables; // addresses of the sections .eh_frame_hdr
	size_t num_unwind_tables, max_unwind_tables;
	uint64_t vdso; // 0: there is none
};

struct target_services {
	struct ompdbg_services table;
	struct target *target;
	struct arena arena;
	struct arena scratch;			// of one question
	struct arena stop;			// what is known of frames
	const struct ompdbg_services *debugger; // that has the threads; NULL: the target has
	pid_t pid;
	uint64_t opened; // ns of CLOCK_MONOTONIC; 0: of a core file
	bool is_detailed;
	struct objects objects;
	size_t *order; // index in the target of each thread, by number
	struct ompdbg_target_thread *threads;
	size_t num_threads;

	// symbols.c
	struct demangler demangler;
	struct string_table by_name; // -> struct known_symbol
	struct table by_address;

	struct table units;		// lines.c: Dwarf_CU -> struct unit
	struct table functions;		// functions.c: address -> struct known_function
	struct table codes;		// functions.c: address -> struct code_list
	struct table jumps;		// tail_calls.c: entry of a function -> struct jumps
	struct table tail_calls;	// tail_calls.c: address -> struct answer
	struct table stacks;		// stacks.c: index of a thread -> struct stack
	struct table variable_names[2]; // variables.c: address -> text; of any variable, of a lock
	struct table declared;		// structures.c: entry of a structure -> struct type
	struct table contexts;	     // frames/context.c: thread and number -> struct frame_context
	struct table scopes;	     // scopes.c: thread and level -> struct scope
	struct table living;	     // enclosing.c: address -> struct known_living
	struct table blocks;	     // scopes.c: entry of a block -> struct entries
	struct table copies;	     // copies.c: entry of a variable -> bool
	struct string_table globals; // globals.c: unit and name -> struct global
};

struct scope;

/** Check whether all work is to end: the user wants that, or it takes too much memory. */
static inline bool is_interrupted(const struct target_services *services)
{
	const struct ompdbg_services *debugger = services->debugger;

	return budget_is_spent() || (debugger && debugger->interrupted(debugger->context));
}

/** Find the index in the target of a thread. */
struct ompdbg_error *thread_index(const struct target_services *services, int thread, size_t *ret);
/** Read registers of the innermost frame of a thread, by its index in the target. */
struct ompdbg_registers registers_of(const struct target_services *services, size_t index,
				     uint32_t wanted);
/** Find the scope of a frame, to answer a question; NULL: it is unknown. */
struct ompdbg_error *asked_scope(struct target_services *services, int thread,
				 const struct ompdbg_frame *frame, const struct scope **ret);
/** End a question: forget what was made for it. @return why there is no answer; @p error or NULL. */
struct ompdbg_error *answered(struct target_services *services, struct ompdbg_error *error);
/** Read exactly @p size bytes of memory. */
bool read_all(struct target_services *services, uint64_t address, void *buffer, size_t size);

// ---- Objects (objects.c) ---------------------------------------------------------------------

void objects_init(struct target_services *services);
/** Find the object that an address belongs to, with its memory that no file is mapped to. */
ssize_t object_index_at(const struct target_services *services, uint64_t address);
/** Return the path of the shared object at an address; NULL: the program, or none. */
const char *object_path_at(const struct target_services *services, uint64_t address);
/** Check whether a file name stands for an object: "libgomp.so.1" does for
 *  /opt/lib/libgomp.so.1.0.0. */
bool object_is_named(const struct target_services *services, ssize_t index, const char *name);

struct ompdbg_error *service_object_at(void *context, uint64_t address, struct ompdbg_object *ret);
struct ompdbg_error *service_file_address(void *context, uint64_t address, uint64_t *ret);

// ---- Symbols (symbols.c) ---------------------------------------------------------------------

/** Demangle a C++ name; NULL if it is none, or there is no demangler. */
const char *demangle_symbol(struct target_services *services, const char *symbol);
/** Find where a symbol is defined: in objects whose file is named @p object, or in any (NULL). */
bool symbol_find(struct target_services *services, const char *name, const char *object,
		 uint64_t *ret);

struct ompdbg_error *service_symbol_address(void *context, const char *name, const char *object,
					    int thread, uint64_t *ret);
struct ompdbg_error *service_symbol_at(void *context, uint64_t address, struct ompdbg_symbol *ret);

// ---- Entries of debug information (entries.c) ------------------------------------------------

/** Read an attribute of an entry, or of that of which it is an instance. The type must fit: NULL or
 *  false if it does not. */
const char *entry_text(Dwarf_Die *die, unsigned int name);
bool entry_number(Dwarf_Die *die, unsigned int name, int64_t *ret);
bool entry_flag(Dwarf_Die *die, unsigned int name);
bool entry_referred(Dwarf_Die *die, unsigned int name, Dwarf_Die *ret);
/** Read the number of a line; 0 if there is none. */
int entry_line(Dwarf_Die *die, unsigned int name);
/** Read an attribute of the entry alone. */
bool entry_own_referred(Dwarf_Die *die, unsigned int name, Dwarf_Die *ret);

// ---- Units and lines (lines.c) ---------------------------------------------------------------

/** A line of the source. */
struct place {
	const char *file; // NULL: unknown
	int line;	  // 0: unknown
};

/** A unit of debug information. Addresses are those of the target. */
struct unit {
	struct target_services *services;
	Dwarf_Die die;
	uint64_t bias;
	const char *name, *folder;
	bool is_cxx, is_fortran;
	char *path;	    // of its own file, made of `folder` and `name`
	struct table files; // name in libdw's table -> name that is shown
	bool has_rows;
	struct line_row *rows; // by address
	size_t num_rows;
	bool has_spans;
	struct span *spans; // outlined.c
	size_t num_spans;
	bool has_variables;
	struct table variables; // variables.c: address without the bias -> struct variable
	struct unit *next;	// of the same object, once they were listed
};

/** The variables that debug information has at an address. */
struct variable {
	bool has_any, has_global;
	Dwarf_Die any;	  // the first one
	Dwarf_Die global; // the first that is not local to a function
};

/** Find the unit of the code at an address. NULL: there is none, or it is of a library of the system,
 *  of which mostly only symbols are used. */
struct unit *unit_at(struct target_services *services, uint64_t address);
/** Return the unit with that entry, always the same. */
struct unit *unit_of(struct target_services *services, Dwarf_Die *die, uint64_t bias);
/** Find the functions that code belongs to, the one that was inlined last first. @p ret has room for
 *  MAX_SCOPES. @return how many there are. */
size_t unit_functions(struct unit *unit, uint64_t address, Dwarf_Die *ret);
/** Find the function that code belongs to, whatever is inlined there. @p unit: NULL has none. */
bool unit_function(struct unit *unit, uint64_t address, Dwarf_Die *ret);
/** Find where the code of a function begins. */
bool unit_entry(const struct unit *unit, Dwarf_Die *function, uint64_t *ret);
/** Name the file of which an attribute has the number; NULL. */
const char *unit_file(struct unit *unit, Dwarf_Die *die, unsigned int name);
/** Find the line of the instruction at an address. */
struct place unit_place(struct unit *unit, uint64_t address);
/** Find the line of an instruction in inlined code. One without a line, as a jump of Clang's, has that of the
 *  code before it in the same inlined function. */
struct place unit_inlined_place(struct unit *unit, uint64_t address, Dwarf_Die *inlined);
/** Find the line of the construct of an outlined function, which has no line of definition: that of the
 *  first statement at its entry point. Rows before it are of a function that ends there, and those after
 *  it may be of code that is inlined. gfortran may have put there a line at the end of the construct;
 *  then that of the second statement is closer. */
struct place unit_first_line(struct unit *unit, uint64_t start);
/** Go to the next address that has a line. @p position: 0 at first. */
bool unit_next_line(struct unit *unit, size_t *position, uint64_t *address, struct place *ret);
/** Return who made the debug information of a unit. Never NULL. */
const char *unit_producer(struct unit *unit);

// ---- Names (names.c, outlined.c) -------------------------------------------------------------

/** Write a function's name, with its parameters where the linkage name has them. Never NULL. */
const char *entry_function_name(struct unit *unit, Dwarf_Die *die);
/** Write the name of a function or variable with the scopes around it. Never NULL. */
const char *entry_qualified_name(struct unit *unit, Dwarf_Die *die);
const char *name_without_parameters(struct target_services *services, const char *name);
/** Check for a function that a compiler made of the code of a construct. */
bool is_outlined(const char *name);
/** Complete the name of a function that Clang made of a construct in a line of a file (NULL: the unit's
 *  own) as Clang 17 gives it, "solve.omp_outlined"; other names are left as they are. */
const char *outlined_full_name(struct unit *unit, const char *name, const char *file, int line);

// ---- Functions (functions.c, unwind_table.c) -------------------------------------------------

/** A function that has code at a place. */
struct code {
	const char *name, *symbol; // NULL: unknown
	uint64_t start;		   // 0: unknown
	struct place place;
	bool is_inlined; // into the next one
};

/** A list of the functions at an address: those that are inlined there, the one that was inlined last
 *  first, then the function around them. A frame stands for each. */
struct code_list {
	const char *object; // path of the shared object; NULL: the program
	size_t count;	    // at least 1
	struct code *codes;
};

const struct code_list *code_at(struct target_services *services, uint64_t address);
/** Find where the function begins that code without symbols belongs to; 0 if that is unknown. */
uint64_t unwind_table_start(struct target_services *services, uint64_t address);

struct ompdbg_error *service_function_at(void *context, uint64_t address,
					 struct ompdbg_function *ret);
struct ompdbg_error *service_function_named(void *context, const char *symbol,
					    struct ompdbg_function *ret);

// ---- Stacks (stacks.c, tail_calls.c) ---------------------------------------------------------

/** Where jumps were made, the last first. */
struct tail_calls {
	size_t count;
	uint64_t *after; // address of the next instruction
};

/** Find the jumps that were made after the call that returns to an address, until the function that
 *  begins at @p start was reached. */
struct tail_calls tail_calls_between(struct target_services *services, uint64_t returns,
				     uint64_t start);

/** Check whether the function that begins at @p start may have been left by jumps that led to it
 *  again. */
bool tail_calls_may_return_to(struct target_services *services, uint64_t start);
/** Find where the code of a function begins that may be only declared in a unit. */
bool unit_function_start(struct unit *unit, Dwarf_Die *function, uint64_t *ret);

/** Find a frame that was pushed, by its number from the innermost on. @p is_call: its pc is a return
 *  address. */
bool stack_pushed(struct target_services *services, size_t thread, size_t index,
		  struct target_frame *ret, bool *is_call);
/** Find a frame by its level. @return false: there is none. */
bool stack_frame_at(struct target_services *services, size_t thread, size_t level,
		    struct ompdbg_frame *ret);
/** Find the number of the frame that was pushed; false: a jump left none. */
bool frame_pushed(const struct ompdbg_frame *frame, size_t *ret);
/** Return the index of the function of a frame in the list of those that are inlined there. */
size_t frame_within(const struct ompdbg_frame *frame, const struct code_list *list);

struct ompdbg_error *service_unwind(void *context, int thread, size_t most,
				    const struct ompdbg_frame **ret, size_t *count);
struct ompdbg_error *service_frame_register(void *context, int thread,
					    const struct ompdbg_frame *frame,
					    enum ompdbg_register number, uint64_t *ret);
struct ompdbg_error *service_code_place(void *context, uint64_t address,
					struct ompdbg_function *ret);
struct ompdbg_error *service_frame_place(void *context, int thread,
					 const struct ompdbg_frame *frame,
					 struct ompdbg_function *ret);
struct ompdbg_error *service_source_path(void *context, uint64_t address, const char *file,
					 const char **ret);

/** List the units of an object: the first, and those that follow it. */
struct unit *object_units(struct target_services *services, ssize_t index);
/** Find the variable at an address, first in the units of code that may see it: @p near, and the main
 *  program. There it may be one of a function. */
struct unit *variable_unit(struct target_services *services, uint64_t address, uint64_t near,
			   Dwarf_Die *ret);

// ---- Variables (variables.c, compilers.c, frame_name.c, frame_variables.c, storage.c) ----------

struct ompdbg_error *service_variable_at(void *context, uint64_t address, bool is_lock,
					 uint64_t near, const char **ret);
struct ompdbg_error *service_frame_name(void *context, int thread, const struct ompdbg_frame *frame,
					uint64_t address, enum ompdbg_naming naming,
					const char **ret);
struct ompdbg_error *service_variables(void *context, int thread, const struct ompdbg_frame *frame,
				       enum ompdbg_variables which,
				       const struct ompdbg_variable **ret, size_t *count);
struct ompdbg_error *service_task_variables(void *context, uint64_t code, uint64_t argument,
					    const struct ompdbg_given **ret, size_t *count);
struct ompdbg_error *service_evaluate(void *context, int thread, const struct ompdbg_frame *frame,
				      const char *expression, char format,
				      struct ompdbg_value *ret);
struct ompdbg_error *service_variable_storage(void *context, int thread,
					      const struct ompdbg_frame *frame, const char *name,
					      enum ompdbg_storage *ret);
struct ompdbg_error *service_access_name(void *context, int thread,
					 const struct ompdbg_frame *frame,
					 const struct ompdbg_pointer *pointers, size_t count,
					 uint64_t address, unsigned int width, const char **ret,
					 const char **last);
struct ompdbg_error *service_layout(void *context, const char *structure, const char *field,
				    const char *object, struct ompdbg_layout *ret);
struct ompdbg_error *service_newest_gcc(void *context, uint64_t address, int *ret);

#endif
