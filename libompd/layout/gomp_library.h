// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libgomp in a target. Internal to layout.

#ifndef OMPDBG_GOMP_LIBRARY_H
#define OMPDBG_GOMP_LIBRARY_H

#include "layout/layout.h"

struct gomp_library {
	const struct target *target;
	const char *file_name; // for look-ups; NULL: the whole program
	uint32_t release;      // the newest whose symbols are there
	uint64_t
		thread_slot; // the word in the GOT with the thread-local offset, 0 if there is none
};

/** Find libgomp and tell its release by its symbols. */
ompd_rc_t gomp_library_find(const struct target *target, struct gomp_library *ret);

/** Address of a symbol of the library. */
ompd_rc_t gomp_library_symbol(const struct gomp_library *library, const char *name, uint64_t *ret);

/**
 * Read the layout from the variables that the runtime, or the debugger in its place, offers.
 * ompd_rc_unavailable if there are none.
 */
ompd_rc_t gomp_access_layout(const struct gomp_library *library, struct gomp_layout *layout);

/** Compare @p layout with the code of the library; find tls_offset and the variables. */
ompd_rc_t gomp_prove(struct gomp_library *library, struct gomp_layout *layout);

/** Find variables that only omp_display_env() shows, by the text that it prints with them. */
void gomp_display_globals(const struct gomp_library *library, struct gomp_layout *layout);

/** Find the lists of nthreads-var and bind-var in the library's own table of variables. */
void gomp_envvar_globals(const struct gomp_library *library, struct gomp_layout *layout);

/** Find variables by their symbols where there are some, and compare them with the code's. */
ompd_rc_t gomp_name_globals(const struct gomp_library *library, struct gomp_layout *layout);

#endif
