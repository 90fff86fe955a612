// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The services that libompdbg asks of a debugger (ompdbg/services.h), for a core file or a process.

#ifndef OMPDBG_TARGET_SERVICES_H
#define OMPDBG_TARGET_SERVICES_H

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

/** The cookie of a frame: one more than the number of the frame that was pushed, from 0 for the
 *  innermost on, 0 for none; and from this bit on, into how many others the function was inlined. */
enum { TARGET_FRAME_INLINED = 32 };
/** The cookie of a frame that left no trace, for the innermost of the functions that are inlined there. */
#define TARGET_FRAME_INNERMOST (~UINT64_C(0) << TARGET_FRAME_INLINED)

/** Take threads, registers and frames from another debugger; NULL: from none. What was known of frames
 *  is forgotten. */
void target_services_set_debugger(const struct ompdbg_services *services,
				  const struct ompdbg_services *debugger);
/** Check whether an inlined function begins at an address, which does not have the code before. */
bool target_services_begins_inlined(const struct ompdbg_services *services, uint64_t address);
/** Check that the arrays of a name that Clang's code at an address has copies of are copied as a whole. */
bool target_services_copies_whole(const struct ompdbg_services *services, uint64_t address,
				  const char *name);
/** List the functions that compilers made of the code of constructs. Their places are those of the
 *  constructs. */
const struct ompdbg_function *target_services_constructs(const struct ompdbg_services *services,
							 size_t *count);
/** Check that what code at an address has by a name is not the variable of a loop that it seems to be
 *  (scope_is_of_precondition()). */
bool target_services_is_of_precondition(const struct ompdbg_services *services, uint64_t address,
					const char *name);
/** Find a function in each OpenMP runtime, or program with one in it. @return how many addresses
 *  there are, at most @p most. */
size_t target_services_in_runtimes(const struct ompdbg_services *services, const char *name,
				   uint64_t *ret, size_t most);

/** Use the debug information of the system's libraries, too: to open it takes long. To be called
 *  before anything else is asked. */
void target_services_set_detailed(const struct ompdbg_services *services);
/** Check whether the stack of a thread can be read: a core file may hold nothing but registers. */
bool target_services_have_memory(const struct ompdbg_services *services);

#endif
