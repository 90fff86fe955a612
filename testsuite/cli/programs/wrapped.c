// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers of locks, in a file of their own as libraries have them: optimized ones end with a jump.

#include <stdlib.h>

#include "wrapped.h"

void thing_lock(struct thing *thing)
{
	omp_set_lock(&thing->lock);
}

void thing_unlock(struct thing *thing)
{
	omp_unset_lock(&thing->lock);
}

void thing_lock_in(struct thing **table, int index)
{
	thing_lock(table[index]);
}

void thing_nest(struct thing *thing)
{
	omp_set_nest_lock(&thing->nest);
}

void thing_either(struct thing *thing, int nested)
{
	if (nested)
		omp_set_nest_lock(&thing->nest);
	else
		omp_set_lock(&thing->lock);
}

int thing_take(struct thing *thing, int waits)
{
	if (!waits)
		return omp_test_lock(&thing->lock);
	omp_set_lock(&thing->lock);
	return 1;
}

/** The call that does not come back is the last code of the function. */
void thing_checked(struct thing *thing)
{
	if (!thing)
		abort();
	omp_set_lock(&thing->lock);
}

void thing_mutex(struct thing *thing)
{
	pthread_mutex_lock(&thing->mutex);
}
