// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that run with rights of their own: set-user-id, set-group-id, file capabilities.
//
// The kernel withholds these rights from a program that is traced by somebody who has not got them.
// The tracer sees it when the program has been loaded, before its first instruction. The program then
// runs itself again, with the arguments and environment that lie on its stack, and is not traced any
// more. It does so by the name by which it was called if that leads to it, else as /proc/self/exe.

#ifndef OMPDBG_RIGHTS_H
#define OMPDBG_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/** Let a program that has just been loaded run with its own rights, if tracing has taken them.
 *  @return whether it is no longer traced. */
bool give_back_rights(pid_t pid, void (*say)(const char *format, ...));

#endif
