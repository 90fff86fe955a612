// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/regions.h"

#include <string.h>

enum {
	MAX_NESTED = 1 << 12, // regions around one another; more are taken for damage
};

struct region *region_list_at(const struct region_list *list, const struct api_space *space,
			      size_t index)
{
	return (struct region *)(list->records + index * space->family->region_size);
}

// Append a record that is all zero.
static ompd_rc_t append(struct region_list *list, const struct api_space *space,
			struct region **ret)
{
	const size_t size = space->family->region_size;
	uint8_t *records =
		target_grow(&space->target, list->records, list->count, &list->capacity, size);

	if (!records)
		return ompd_rc_nomem;
	list->records = records;
	*ret = region_list_at(list, space, list->count++);
	memset(*ret, 0, size);
	return ompd_rc_ok;
}

ompd_rc_t region_list_add(struct region_list *list, const struct api_space *space,
			  const struct region *region)
{
	struct region *record;
	bool added;
	ompd_rc_t rc = idmap_add(&list->known, &space->target, space->family->region_id(region), 0,
				 &added);

	if (rc != ompd_rc_ok || !added)
		return rc;
	rc = append(list, space, &record);
	if (rc == ompd_rc_ok)
		memcpy(record, region, space->family->region_size);
	return rc;
}

// Store the thread's region and those around it, from within.
static ompd_rc_t chain_of_thread(struct region_list *chain, const struct api_thread *thread)
{
	const struct api_space *space = thread->space;
	const struct family *family = space->family;
	struct region *record;
	ompd_rc_t rc = append(chain, space, &record);

	if (rc == ompd_rc_ok)
		rc = thread_read(thread, THREAD_REGION);
	if (rc == ompd_rc_ok)
		rc = family->current_region(space->runtime, thread->thread, record);
	while (rc == ompd_rc_ok && chain->count < MAX_NESTED) {
		rc = append(chain, space, &record);
		if (rc == ompd_rc_ok)
			rc = family->enclosing_region(
				space->runtime, region_list_at(chain, space, chain->count - 2),
				record);
	}
	return rc;
}

static ompd_rc_t add_from_outside(struct region_list *list, struct region_list *chain,
				  const struct api_thread *thread)
{
	const struct api_space *space = thread->space;

	chain->count = 0;
	ompd_rc_t rc = chain_of_thread(chain, thread);

	// The walk ends with a record that was not filled, beyond the outermost region. What
	// encloses a damaged region is not known; where it belongs is.
	list->damaged |= rc != ompd_rc_unavailable;
	if (rc == ompd_rc_nomem)
		return rc;
	for (size_t i = chain->count - 1; i-- > 0;) {
		rc = region_list_add(list, space, region_list_at(chain, space, i));
		if (rc != ompd_rc_ok)
			return rc;
	}
	return ompd_rc_ok;
}

ompd_rc_t region_list_collect(struct region_list *list, struct api_space *space)
{
	struct thread_cursor cursor = { .next = 0 };
	struct region_list chain = { 0 };
	struct api_thread *thread = handle_new_thread(space);
	ompd_rc_t rc = thread ? ompd_rc_ok : ompd_rc_nomem;

	while (rc == ompd_rc_ok) {
		rc = space->family->next_thread(space->runtime, &cursor, thread->thread);
		if (rc == ompd_rc_ok)
			rc = add_from_outside(list, &chain, thread);
	}
	target_free(&space->target, thread);
	region_list_close(&chain, &space->target);
	list->damaged |= cursor.damaged;
	if (rc == ompd_rc_unsupported)
		return ompd_rc_unavailable;
	return rc == ompd_rc_nomem ? rc : ompd_rc_ok;
}

void region_list_close(struct region_list *list, const struct target *target)
{
	target_free(target, list->records);
	idmap_close(&list->known, target);
	*list = (struct region_list){ 0 };
}
