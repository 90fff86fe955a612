// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared objects and symbols that are known by their names.

#ifndef OMPDBG_OBJECTS_H
#define OMPDBG_OBJECTS_H

#include <stdbool.h>

/** Return the name without folders. */
const char *base_name(const char *path);
/** Check for the path of the C library, of a language's run-time library, or of our recorder. NULL is
 *  none. */
bool is_system_object(const char *path);
/** Name the runtime that a shared object is by its own name, "libgomp"; NULL. */
const char *runtime_of_object(const char *path);
/** Check for the path of the library through which programs call libgomp if it was preloaded, and
 *  libgomp calls their code: its frames belong to the runtime. NULL is none. */
bool is_interposer_object(const char *path);
bool is_recorder_object(const char *path);

/** Check for a stub in a program that calls the runtime: "GOMP_barrier@plt". */
bool is_runtime_stub(const char *symbol);
/** Check for a name with a prefix of the runtimes. */
bool is_runtime_symbol(const char *symbol);

#endif
