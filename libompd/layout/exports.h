// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef OMPDBG_EXPORTS_H
#define OMPDBG_EXPORTS_H

#include "layout/layout.h"

/**
 * Return a number for the set of OpenMP's entry points that a library exports, as the generated
 * tables have it of each release.
 *
 * @param inside address of anything in the library.
 * @param[out] ret 0 if it can't be told.
 * @return ompd_rc_ok, or ompd_rc_nomem.
 */
ompd_rc_t exports_digest(const struct target *target, uint64_t inside, uint64_t *ret);

enum exports_verdict {
	EXPORTS_NONE, // it has no list of what it exports: it is linked statically
	EXPORTS_SAME, // exactly what one of the releases does
	EXPORTS_OTHER,
};

/** Compare what a library exports with what @p release does, by the list that is generated. */
ompd_rc_t exports_identify(const struct target *target, uint64_t inside, uint32_t release,
			   const struct layout_release *releases, size_t count,
			   enum exports_verdict *ret);

#endif
