// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/regions.h"

#include <string.h>

ompd_rc_t region_list_add(struct region_list *list, const struct target *target,
			  const struct gomp_region *region)
{
	bool added;
	ompd_rc_t rc = idmap_add(&list->known, target, gomp_region_id(region), 0, &added);

	if (rc != ompd_rc_ok || !added)
		return rc;
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 4;
		struct gomp_region *regions = target_alloc(target, capacity * sizeof(*regions));

		if (!regions)
			return ompd_rc_nomem;
		if (list->count)
			memcpy(regions, list->regions, list->count * sizeof(*regions));
		target_free(target, list->regions);
		list->regions = regions;
		list->capacity = capacity;
	}
	list->regions[list->count++] = *region;
	return ompd_rc_ok;
}

// Adds the region at @p level of those that enclose @p region, counted from outside.
static ompd_rc_t add_from_outside(struct region_list *list, const struct gomp_runtime *runtime,
				  const struct gomp_region *region)
{
	for (uint32_t level = 0; level <= region->level; level++) {
		struct gomp_region enclosing = *region;

		while (enclosing.level > level) {
			struct gomp_region outer;

			if (gomp_enclosing_region(runtime, &enclosing, &outer) != ompd_rc_ok) {
				list->damaged = true;
				return ompd_rc_ok;
			}
			enclosing = outer;
		}
		ompd_rc_t rc = region_list_add(list, &runtime->target, &enclosing);

		if (rc != ompd_rc_ok)
			return rc;
	}
	return ompd_rc_ok;
}

// ompd_rc_unavailable: it is no OpenMP thread, or in no region.
static ompd_rc_t region_of_thread(const struct gomp_runtime *runtime, uint64_t pthread,
				  struct gomp_region *ret)
{
	struct gomp_thread thread;
	ompd_rc_t rc = gomp_read_thread(runtime, gomp_thread_of_pthread(runtime, pthread), &thread);

	if (rc == ompd_rc_ok)
		rc = gomp_check_openmp_thread(runtime, &thread);
	return rc == ompd_rc_ok ? gomp_current_region(runtime, &thread, ret) : rc;
}

ompd_rc_t region_list_collect(struct region_list *list, const struct gomp_runtime *runtime)
{
	struct nptl_cursor cursor = { 0 };
	uint64_t pthread;

	while (nptl_next(&runtime->nptl, &runtime->target, &cursor, &pthread) == ompd_rc_ok) {
		struct gomp_region region;
		ompd_rc_t rc = region_of_thread(runtime, pthread, &region);

		if (rc == ompd_rc_ok)
			rc = add_from_outside(list, runtime, &region);
		if (rc == ompd_rc_nomem)
			return rc;
		list->damaged |= rc != ompd_rc_ok && rc != ompd_rc_unavailable;
	}
	list->damaged |= cursor.damaged;
	return ompd_rc_ok;
}

void region_list_close(struct region_list *list, const struct target *target)
{
	target_free(target, list->regions);
	idmap_close(&list->known, target);
	*list = (struct region_list){ 0 };
}
