// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of the user's, before a debugger evaluates them.

#ifndef OMPDBG_EXPRESSION_H
#define OMPDBG_EXPRESSION_H

struct arena;

/** Find what in an expression would change something: an assignment, "++" or "--". @return how that is
 *  called; NULL: there is nothing. Functions that are called are not found. */
const char *expression_effect(const char *text);
/** Find an option that was written after an expression: in "x -all" a debugger subtracts "all". @return
 *  the option; NULL: there is none. */
const char *expression_option(struct arena *arena, const char *text);
/** Write array sections of OpenMP as debuggers have them: "a[2:5]", 5 elements from the second on, is
 *  "(a[2]@(5))". */
const char *expression_with_sections(struct arena *arena, const char *text);

#endif
