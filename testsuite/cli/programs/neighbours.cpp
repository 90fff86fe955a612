// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three threads wait, awake, for what nobody will do: for a neighbour's count, which they copy into a local
// variable; for one of the stages, in a loop around the loop that waits; for a flag. One works, and has loops
// that look alike.

#include <atomic>
#include <cstdlib>
#include <omp.h>

struct progress {
	int sweep;
	char pad[60];
};

struct stage {
	std::atomic<int> ready{ 0 };
	double value = 0;
};

static progress *done;
static stage stages[9];
int table[64];
static volatile int stop;

static void wait_for(int neighbour, int sweep)
{
	int seen;

	do {
#pragma omp atomic read acquire
		seen = done[neighbour].sweep;
	} while (seen < sweep);
}

static double consume()
{
	double sum = 0;

	for (int i = 1; i <= 8; i++) {
		while (stages[i].ready.load(std::memory_order_acquire) == 0)
			;
		sum += stages[i].value;
	}
	return sum;
}

static long work()
{
	long sum = 0;

	for (unsigned i = 0; !stop; i++) {
		int seen;
		do {
			seen = table[i % 64];
		} while (seen < 0);
		sum += seen;
	}
	return sum;
}

static void wait_flag(int index)
{
	while (!(stages[index].ready & 1))
		;
}

int main()
{
	long sum = 0;

	done = static_cast<progress *>(std::calloc(4, sizeof(*done)));
	for (int i = 0; i < 64; i++)
		table[i] = i;
	for (int i = 0; i < 8; i++)
		stages[i].ready = 1;
	stages[3].ready = 2;
	stages[3].ready++;
	stages[2].ready = 2;
#pragma omp parallel num_threads(4) reduction(+ : sum)
	switch (omp_get_thread_num()) {
	case 0:
		sum += work();
		break;
	case 1:
		wait_for(2, 5);
		break;
	case 2:
		sum += static_cast<long>(consume());
		break;
	default:
		wait_flag(2);
	}
	return sum > 1;
}
