// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of four threads stays in the combiner of a reduction, for which the others wait.

#include <omp.h>
#include <unistd.h>

struct sums {
	double of[8];
};

static __attribute__((noinline)) void combine(struct sums *to, const struct sums *from)
{
	for (int i = 0; i < 8; i++)
		to->of[i] += from->of[i];
	if (from->of[0] == 2)
		for (;;)
			pause();
}

#pragma omp declare reduction(plus                          \
			      : struct sums                 \
			      : combine(&omp_out, &omp_in)) \
	initializer(omp_priv = (struct sums){ { 0 } })

int main(void)
{
	struct sums sum = { { 0 } };
	int turn = 0;

#pragma omp parallel num_threads(4) reduction(plus : sum)
	{
		int number = omp_get_thread_num(), now = 0;

		sum.of[0] = number;
		// The third thread comes first, and has the lock when the others come.
		while (number != 2 && !now) {
#pragma omp atomic read
			now = turn;
		}
		if (number == 2) {
#pragma omp atomic write
			turn = 1;
		} else {
			usleep(200000);
		}
	}
	return (int)sum.of[0];
}
