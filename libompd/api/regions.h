// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of regions, each once.

#ifndef OMPDBG_REGIONS_H
#define OMPDBG_REGIONS_H

#include "api/handles.h"
#include "target/idmap.h"

/** Zero-initialised is empty. */
struct region_list {
	uint8_t *records; // of the family's size each
	size_t count, capacity;
	struct idmap known;
	bool damaged; // some thread or region could not be read, and was left out
};

struct region *region_list_at(const struct region_list *list, const struct api_space *space,
			      size_t index);

/** Add a region unless it is there. ompd_rc_nomem. */
ompd_rc_t region_list_add(struct region_list *list, const struct api_space *space,
			  const struct region *region);

/**
 * Add the regions of every thread of the process, an enclosing one before those within. Threads
 * that cannot be read are left out.
 * @return ok; unavailable (the threads cannot be enumerated); nomem.
 */
ompd_rc_t region_list_collect(struct region_list *list, struct api_space *space);

void region_list_close(struct region_list *list, const struct target *target);

#endif
