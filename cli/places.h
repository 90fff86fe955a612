// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the parts of ompdbg are that the program loads or starts: never told by what is looked at.

#ifndef OMPDBG_PLACES_H
#define OMPDBG_PLACES_H

struct arena;

/** Find the OMPD library. */
const char *libompd_path(struct arena *arena);
/** Find the libraries that are preloaded into programs to be recorded. */
const char *interposer_path(struct arena *arena);
const char *recorder_path(struct arena *arena);
/** Find the folder of the Python package that makes pages. */
const char *python_path(struct arena *arena);

#endif
