// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without a debugger: a core file or a process of x86-64 Linux, as the services that
// ompdbg.h wants.

#ifndef OMPDBG_TARGET_PROGRAM_H
#define OMPDBG_TARGET_PROGRAM_H

#include "ompdbg/error.h"
#include "ompdbg/services.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ompdbg_target;

/**
 * Open a core file.
 * @param program the program's file; NULL: where the core file says that it is.
 * @param sysroot put before every other path; NULL: nothing.
 */
struct ompdbg_error *ompdbg_target_open_core(const char *path, const char *program,
					     const char *sysroot, struct ompdbg_target **ret);
/** Stop a process; it goes on when its memory has been copied or, if that is too much, when the target
 *  is closed. The thread that calls this must also ask all that is asked. */
struct ompdbg_error *ompdbg_target_attach(int pid, const char *program, const char *sysroot,
					  struct ompdbg_target **ret);
/** Close a target after the programs that are open over its services. */
void ompdbg_target_close(struct ompdbg_target *target);
/** Return the services of a target, which stay its own. */
const struct ompdbg_services *ompdbg_target_services(const struct ompdbg_target *target);

#ifdef __cplusplus
}
#endif

#endif
