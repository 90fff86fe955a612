// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of the target on its way out: names may hold any bytes. Inside, they are bytes in UTF-8.

#ifndef OMPDBG_FOREIGN_H
#define OMPDBG_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/** Set in a character that is a byte which belongs to no character. */
#define FOREIGN_BYTE UINT32_C(0x80000000)

/** Return the next character, and move behind it; at the end 0, without moving. */
uint32_t foreign_next(const char **text);
/** Return a text as a terminal may get it, in the locale's encoding: control characters and bytes
 *  that are no characters become escapes (\n, \x1b, \xff). */
const char *foreign_visible(struct arena *arena, const char *text);
/** Return the columns that a visible text takes. */
size_t foreign_width(const char *visible);
/** Return the columns that the first bytes of a visible text take. */
size_t foreign_width_of(const char *visible, size_t length);
/** Return a visible text cut to @p width columns, with "..." where something is missing. */
const char *foreign_cut(struct arena *arena, const char *visible, size_t width);

#endif
