// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef OMPDBG_TARGET_GLOBALS_H
#define OMPDBG_TARGET_GLOBALS_H

#include "services/internal.h"

/** A variable outside of functions. */
struct global {
	struct unit *unit; // NULL: there is none
	Dwarf_Die die;
	bool is_ambiguous; // there are several of the name
};

/** Find the variable that code of a unit calls by a name. @p index: the object of the unit. */
struct global global_named(struct unit *own, ssize_t index, const char *name);

#endif
