// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A growing hash map from target addresses to numbers, or a set of addresses, in memory of the
// debugger's allocator.

#ifndef OMPDBG_IDMAP_H
#define OMPDBG_IDMAP_H

#include "target/target.h"

/** Zero-initialised is an empty map; with is_set, an empty set, of half the size. */
struct idmap {
	bool is_set;
	uint64_t *keys;		// addresses plus one; 0: free
	uint64_t *values;	// NULL in a set
	size_t count, capacity; // capacity is a power of two, or 0
};

/**
 * Add @p address with @p value unless it is there; the first value stays. A set ignores values.
 * @param[out] added whether it was new. May be NULL.
 */
ompd_rc_t idmap_add(struct idmap *map, const struct target *target, uint64_t address,
		    uint64_t value, bool *added);
/** Check whether @p address is there. @p value may be NULL, and is not set by a set. */
bool idmap_find(const struct idmap *map, uint64_t address, uint64_t *value);
/** Return a pointer to the value of @p address, for changes; NULL if it is not there. */
uint64_t *idmap_value(const struct idmap *map, uint64_t address);
void idmap_close(struct idmap *map, const struct target *target);

#endif
