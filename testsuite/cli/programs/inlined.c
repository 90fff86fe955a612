// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads in a deadlock, each of whose locks a function sets that is inlined twice, and a thread in a
// critical construct of an inlined function that has called another.

#include <omp.h>
#include <unistd.h>

#define INLINED static inline __attribute__((always_inline))

static omp_lock_t first, second;
static int entered, sum;

static void meet(void)
{
	__atomic_add_fetch(&entered, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&entered, __ATOMIC_SEQ_CST) < 3)
		usleep(1000);
}

INLINED void take(omp_lock_t *lock)
{
	omp_set_lock(lock);
}

INLINED void take_both(omp_lock_t *one, omp_lock_t *other)
{
	take(one);
	meet();
	take(other);
	sum++;
	omp_unset_lock(other);
	omp_unset_lock(one);
}

INLINED void add(int number)
{
#pragma omp critical(sum)
	sum += number;
}

INLINED void add_twice(int number)
{
#pragma omp critical(sum)
	{
		sum += number;
		meet();
		add(number);
	}
}

int main(void)
{
	alarm(3600);
	omp_init_lock(&first);
	omp_init_lock(&second);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			take_both(&first, &second);
		else if (omp_get_thread_num() == 1)
			take_both(&second, &first);
		else
			add_twice(1);
#pragma omp barrier
		sum++;
	}
	return sum;
}
