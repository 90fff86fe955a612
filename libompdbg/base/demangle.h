// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of C++ as the source has them.

#ifndef OMPDBG_DEMANGLE_H
#define OMPDBG_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/** The demangler of the run-time library of C++, where there is one: a program with mangled names has it,
 *  and GDB as well. Once loaded it stays. All zero has not looked for it. */
struct demangler {
	bool has_looked;
	char *(*function)(const char *mangled, char *output, size_t *size, int *status);
};

/** Demangle a symbol; NULL if it is no mangled name, or there is no demangler. A name that would become
 *  longer than any that is written stays as it is, too: one of 300 characters may stand for 10^12. */
const char *demangle_name(struct demangler *demangler, struct arena *arena, const char *symbol);

#endif
