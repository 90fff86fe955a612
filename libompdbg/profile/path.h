// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The longest path to a point of the run: how long it is, and how much of it each construct has. Paths
// are shared; they are counted, and copied when one of their users goes on. NULL is the empty path.

#ifndef OMPDBG_PROFILE_PATH_H
#define OMPDBG_PROFILE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/pool.h"

struct path_part {
	uint32_t construct; // index
	uint32_t tasks;	    // explicit tasks on the path
	uint64_t time;	    // ns
};
struct path {
	uint32_t users, num_parts;
	uint64_t length; // ns
	struct path_part parts[];
};

static inline uint64_t path_length(const struct path *path)
{
	return path ? path->length : 0;
}

struct path *path_share(struct path *path);
void path_drop(struct pool *pool, struct path **path);
/** Go on in a construct. */
void path_extend(struct pool *pool, struct path **path, uint32_t construct, uint64_t time,
		 uint32_t tasks);
/** Take the other path if it is longer. @return whether it was. */
bool path_join(struct pool *pool, struct path **path, struct path *other);

#endif
