// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of regions, each once.

#ifndef OMPDBG_REGIONS_H
#define OMPDBG_REGIONS_H

#include "gomp/gomp.h"

/** Zero-initialised is empty. */
struct region_list {
	struct gomp_region *regions;
	size_t count, capacity;
	struct idmap known;
	bool damaged; // some thread or region could not be read, and was left out
};

/** Adds a region unless it is there. ompd_rc_nomem. */
ompd_rc_t region_list_add(struct region_list *list, const struct target *target,
			  const struct gomp_region *region);

/** Adds the regions of every thread of the process, an enclosing one before those within. Threads
 * that cannot be read are left out. */
ompd_rc_t region_list_collect(struct region_list *list, const struct gomp_runtime *runtime);

void region_list_close(struct region_list *list, const struct target *target);

#endif
