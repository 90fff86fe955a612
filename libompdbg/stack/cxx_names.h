// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions of C++, as demanglers and debuggers write them.

#ifndef OMPDBG_CXX_NAMES_H
#define OMPDBG_CXX_NAMES_H

#include <stddef.h>

struct arena;

enum {
	CXX_BOUND = 1000, // bytes of a name of which a text has all: more than a line has room for
	CXX_SHOWN =
		70, // bytes of a function's name of which a text has all if it can be abbreviated
};

/** Return the length of a function's name without its parameters, and the qualifiers after them: the
 *  whole length if it has none. Functions of lambda expressions keep theirs, as in GDB. */
size_t cxx_length_without_parameters(const char *name);
/** Return the part of a function's name after the return type, which only templates have. */
const char *cxx_without_return_type(const char *name);
/** Return a name with "..." for what is in its outermost brackets, if it is longer than @p width:
 *  "main()::{lambda(...)#1}::operator()(...) const", "Box<...>::run". */
const char *cxx_abbreviated(struct arena *arena, const char *name, size_t width);
/** Return a name for a text: one that is longer than #CXX_BOUND bytes is abbreviated, and cut at its end
 *  if that is not enough. */
const char *cxx_bounded(struct arena *arena, const char *name);
/** Return a function's name as all texts show it: one that is longer than #CXX_SHOWN bytes is abbreviated. */
const char *cxx_shown(struct arena *arena, const char *name);

#endif
