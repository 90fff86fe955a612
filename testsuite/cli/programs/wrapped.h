/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <omp.h>
#include <pthread.h>

/** An object with locks. */
struct thing {
	double value;
	omp_lock_t lock;
	omp_nest_lock_t nest;
	pthread_mutex_t mutex;
};

void thing_lock(struct thing *thing);
void thing_unlock(struct thing *thing);
void thing_lock_in(struct thing **table, int index);
void thing_nest(struct thing *thing);
void thing_either(struct thing *thing, int nested);
int thing_take(struct thing *thing, int waits);
void thing_checked(struct thing *thing);
void thing_mutex(struct thing *thing);
