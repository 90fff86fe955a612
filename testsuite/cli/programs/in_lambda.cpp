// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of a reduction: one in a function, which generates another in a lambda expression, and one that no
// thread is left to run. Those in the lambda expression wait for a lock.

#include <omp.h>

static omp_lock_t lock;

template <class Body> static void call(Body body)
{
	body();
}

int main()
{
	long total = 0;

	omp_init_lock(&lock);
	omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : total)
	{
		for (int k = 0; k < 3; k++)
#pragma omp task in_reduction(+ : total) firstprivate(k) // LINE: outer
		{
			total += k;
			call([&] {
#pragma omp task in_reduction(+ : total) firstprivate(k) // LINE: inner
				{
					omp_set_lock(&lock);
					total += 10 * k;
				}
#pragma omp taskwait
			});
		}
	}
	return (int)total;
}
