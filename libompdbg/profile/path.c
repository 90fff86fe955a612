// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/path.h"

#include <string.h>

static size_t size_of(uint32_t num_parts)
{
	return sizeof(struct path) + num_parts * sizeof(struct path_part);
}

struct path *path_share(struct path *path)
{
	if (path)
		path->users++;
	return path;
}

void path_drop(struct pool *pool, struct path **path)
{
	if (*path && !--(*path)->users)
		pool_give(pool, *path, size_of((*path)->num_parts));
	*path = NULL;
}

/** Return the index of a construct's part; num_parts: it has none. */
static uint32_t part_of(const struct path *path, uint32_t construct)
{
	uint32_t i = 0;

	while (i < path->num_parts && path->parts[i].construct != construct)
		i++;
	return i;
}

/** Make an own copy, with some parts more. */
static void copy(struct pool *pool, struct path **path, uint32_t more)
{
	uint32_t count = *path ? (*path)->num_parts : 0;
	struct path *result = pool_take(pool, size_of(count + more));

	if (*path)
		memcpy(result, *path, size_of(count));
	result->users = 1;
	result->num_parts = count + more;
	path_drop(pool, path);
	*path = result;
}

void path_extend(struct pool *pool, struct path **path, uint32_t construct, uint64_t time,
		 uint32_t tasks)
{
	uint32_t i = *path ? part_of(*path, construct) : 0;
	bool is_new = !*path || i == (*path)->num_parts;

	if (is_new || (*path)->users > 1)
		copy(pool, path, is_new);
	struct path_part *part = &(*path)->parts[i];
	part->construct = construct;
	part->time += time;
	part->tasks += tasks;
	(*path)->length += time;
}

bool path_join(struct pool *pool, struct path **path, struct path *other)
{
	if (path_length(other) <= path_length(*path))
		return false;
	path_share(other);
	path_drop(pool, path);
	*path = other;
	return true;
}
