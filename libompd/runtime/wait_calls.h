// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a runtime in which threads may wait, known by where they begin.

#ifndef OMPDBG_WAIT_CALLS_H
#define OMPDBG_WAIT_CALLS_H

#include "ompd/ompd_ext.h"
#include "target/idmap.h"
#include "target/target.h"

struct wait_function {
	const char *name;
	enum ompd_ext_wait_kind kind;
	ompt_state_t state;
};

#define WAIT_FUNCTION(function, kind, state) \
	{ #function, ompd_ext_wait_##kind, ompt_state_##state },

/** Where they are in one process. */
struct wait_calls {
	const struct wait_function *functions;
	struct idmap entries; // entry point -> index
	uint64_t first, last; // the lowest and the highest of the runtime's own
};

/**
 * Look all functions up, in the object called @p file_name, and those of the same names of the interposer
 * if the program calls the runtime through it; unless they are known.
 *
 * @param is_libgomp look in the whole program, too: in a static one, nothing is of an object.
 * @return ompd_rc_ok, ompd_rc_nomem, or what a look-up failed with.
 */
ompd_rc_t wait_calls_open(const struct target *target, const struct wait_function *functions,
			  size_t count, const char *file_name, bool is_libgomp,
			  struct wait_calls **ret);
/** @p calls may be NULL. */
void wait_calls_close(const struct target *target, struct wait_calls *calls);

/** Return the function that begins at @p entry, or to which a stub of the linker's there jumps. */
ompd_rc_t wait_calls_find(const struct target *target, const struct wait_calls *calls,
			  uint64_t entry, ompd_ext_wait_site *ret);

#endif
