// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libomp in a target, and how its layout is proven. Internal to layout.

#ifndef OMPDBG_KMP_LIBRARY_H
#define OMPDBG_KMP_LIBRARY_H

#include "layout/kmp_layout.h"

struct kmp_library {
	const struct target *target;
	const char *name;      // "libomp", for messages
	const char *file_name; // for look-ups; NULL: in all objects
	uint64_t fork_call;    // the address of __kmpc_fork_call
	uint32_t release;      // by the symbols that are there
	uint32_t last_release; // another one that has the same symbols, or the same
};

/** Find the runtime that is called @p name, and tell its release by its symbols. */
ompd_rc_t kmp_library_find(const struct target *target, const char *name, struct kmp_library *ret);

/** Address of a symbol of the library. */
ompd_rc_t kmp_library_symbol(const struct kmp_library *library, const char *name, uint64_t *ret);

/** Tell whether the runtime has variables for its layout, be they filled or not. */
ompd_rc_t kmp_tells_layout(const struct kmp_library *library, bool *ret);

/**
 * Read the layout from the variables that the runtime, or the debugger in its place, offers.
 * ompd_rc_unavailable if there are none, or the runtime has not filled them.
 *
 * @param[out] confirmed whether the runtime told all that releases do, as the table has it that
 *             @p layout held before.
 */
ompd_rc_t kmp_access_layout(const struct kmp_library *library, struct kmp_layout *layout,
			    bool *confirmed);

/**
 * Look up the variables by name. unavailable: not all of those without which nothing can be known
 * have a symbol.
 */
ompd_rc_t kmp_named_globals(const struct kmp_library *library, struct kmp_layout *layout);

/** Compare @p layout with the code of the library; find the variables. */
ompd_rc_t kmp_prove(const struct kmp_library *library, struct kmp_layout *layout);

/** Find the variables of settings; ompd_rc_incompatible if other code shows them elsewhere. */
ompd_rc_t kmp_settings_globals(const struct kmp_library *library, struct kmp_layout *layout);

#endif
