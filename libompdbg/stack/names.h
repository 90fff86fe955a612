// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, as far as only this room needs them.

#ifndef OMPDBG_STACK_NAMES_H
#define OMPDBG_STACK_NAMES_H

#include <stdbool.h>

struct arena;
struct process;

// ---- Outlined functions (outlined_names.c); NULL is the name of none ---------------------------

/** Check for the name of an outlined function. */
bool is_outlined_name(const char *symbol);

/** Return the symbol of the function that contains the construct of an outlined one; "" if the name
 *  does not tell, NULL if it is none. */
const char *outlined_base(struct arena *arena, const char *symbol);
/** Check for GCC's function that copies the data of a task. */
bool is_copy_name(const char *symbol);
/** Check for the function with the code, of two that Clang makes of one construct with -g. */
bool is_debug_body(const char *function);
/** Return what Clang's function for a declared reduction does, "combiner" or "initializer"; NULL. */
const char *reduction_role(const char *function);
/** Check for an outlined function of an older Clang, whose name tells nothing. */
bool is_nameless(const char *symbol);
bool is_clangs_name(const char *symbol);
bool is_flangs_name(const char *symbol);
bool is_target_name(const char *symbol);
/** Check for the function that Clang makes between the runtime and the code of a task. */
bool is_task_entry(const char *function);

// ---- Fortran (fortran_names.c) -----------------------------------------------------------------

/** flang's name of the main program. */
extern const char FLANGS_MAIN[];

/** Write a procedure or variable as Fortran has it, "heat::solve"; NULL if it is none of a module
 *  or of flang's. */
const char *fortran_name(struct arena *arena, const char *symbol);
bool is_fortran_file(const char *file);

// ---- Names of the source (names.c) -------------------------------------------------

/** Demangle a C++ name; NULL if it is none, or there is no demangler. */
const char *demangle(struct process *process, const char *symbol);
/** Write the name of a function that has none in the source for people; others as they are. */
const char *name_for_people(struct arena *arena, const char *name);
/** Write a name as the source has it, without the parameters of C++. */
const char *plain_name(struct process *process, const char *name);
/** Name the function of the source whose construct was outlined into @p symbol, with the parameters
 *  of C++; NULL if that is no outlined function, or it cannot be told. */
const char *enclosing_function(struct process *process, const char *symbol, const char *file);

#endif
