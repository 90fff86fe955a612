// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CLIENT_H
#define CLIENT_H

#include <stdarg.h>

#include "debugger.h"
#include "questions.h"

extern long failures;
extern bool thorough;

/** Counts a failure, and prints the first of them. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/** Compares what the library says of all threads with what the program's routines answered. */
void check_values(const struct handles *places, size_t count);

/** Calls every routine with handles and pointers that are NULL, of another kind, or released. */
void check_arguments(const struct handles *handles);

#endif
