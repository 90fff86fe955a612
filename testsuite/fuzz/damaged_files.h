// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A core file, and the program with debug information that has left it, as an input damages them.
// libtarget and its services are asked everything about each: they must neither crash nor hang.

#ifndef DAMAGED_FILES_H
#define DAMAGED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One byte of an input's damage. */
struct damage {
	uint8_t where; // headers of the core file, anything in it, headers of the program, its sections
	uint8_t value; // that the byte gets
	uint8_t at[4]; // in there; reduced to what there is
};

/** Regions that `where` names; the rest are sections of the program. */
enum { IN_CORE_HEADERS, IN_CORE, IN_PROGRAM_HEADERS, IN_SECTIONS };

/** What was found in all questions so far. */
struct found {
	size_t opened, frames, symbols, places, values;
};
extern struct found found;

/** Run a copy of a program (its arguments end with NULL) until it aborts, and open its core file.
 *  @return false: the kernel writes none into the working folder. */
bool files_open(char **program);
/** Remove the files. */
void files_remove(void);
/** Damage the files, ask about the core file, and mend them. */
void files_ask(const uint8_t *input, size_t size);

#endif
