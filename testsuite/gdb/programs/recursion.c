// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * A recursion through tasks, each with calls that compilers inline, and so many levels deep as the
 * argument says: 1,000 without one. Stops in inspect().
 */
#include <stdio.h>
#include <stdlib.h>

#define INLINED static inline __attribute__((always_inline))
#define CALLED static __attribute__((noinline))

struct item {
	const struct item *next;
	double weight;
	char name[16];
};

CALLED int solve(int depth, const struct item *list, double scale);

CALLED int inspect(int depth)
{
	puts("bottom");
	return depth;
}

INLINED double weigh(const struct item *list, double scale)
{
	double sum = 0;
	int steps = 0;
	for (const struct item *one = list; one && steps < 4; one = one->next) {
		double part = one->weight * scale;
		sum += part;
		steps++;
	}
	return sum;
}

INLINED int descend(int depth, const struct item *list, double scale, int *count)
{
	int found;
	int rest = depth - 1;
	double weight = weigh(list, scale);
	if (depth > 0)
		found = solve(rest, list, scale + weight / 1e9);
	else
		found = inspect(rest);
	*count += found;
	return found % 100 + (int)scale + rest;
}

CALLED int solve(int depth, const struct item *list, double scale)
{
	struct item own = { list, depth, "" };
	int value = 0, count = 1;
	snprintf(own.name, sizeof(own.name), "%d", depth);
#pragma omp task shared(value, own, count) firstprivate(depth, scale)
	{
		int local = depth % 2;
		double factor = scale / 2;
		value = descend(depth, &own, factor, &count) + local + (int)factor;
	}
#pragma omp taskwait
	return value % 100 + count % 100 + own.name[0];
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 1000;
	int result = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
	result = solve(depth, NULL, 1.0);
	printf("%d\n", result);
	return 0;
}
