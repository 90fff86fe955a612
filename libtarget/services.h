// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The services that libompdbg asks of a debugger (ompdbg/services.h), for a core file or a process.

#ifndef OMPDBG_TARGET_SERVICES_H
#define OMPDBG_TARGET_SERVICES_H

#include <signal.h>

#include "ompdbg/services.h"
#include "target.h"

/**
 * Create the services of a target. @p target stays the caller's and must live as long; nothing in it
 * may change. @p pid: the process; 0 for a core file.
 */
struct ompdbg_error *target_services_create(struct target *target, pid_t pid,
					    const struct ompdbg_services **ret);
/** Release the services and all that they gave. NULL is left alone. */
void target_services_destroy(const struct ompdbg_services *services);

/** Use the debug information of the system's libraries, too: to open it takes long. To be called
 *  before anything else is asked. */
void target_services_set_detailed(const struct ompdbg_services *services);
/** Let the services end with OMPDBG_INTERRUPTED once @p flag, which a signal handler sets, is not 0.
 *  NULL: never. */
void target_services_set_interrupt(const struct ompdbg_services *services,
				   const volatile sig_atomic_t *flag);
/** Check whether the stack of a thread can be read: a core file may hold nothing but registers. */
bool target_services_have_memory(const struct ompdbg_services *services);

#endif
