// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends by an exception that leaves a parallel region ("region"), a task ("task"), or main ("main"); by abort()
// in a region ("abort").

#include <cstdlib>
#include <stdexcept>
#include <string>

static __attribute__((noinline)) void check(const std::string &way, const char *here)
{
	if (way == here)
		throw std::runtime_error(way); // THROWS
}

int main(int, char **argv)
{
	const std::string way = argv[1];

#pragma omp parallel num_threads(2) shared(way) // REGION
	{
		check(way, "region");
		if (way == "abort")
			abort();
#pragma omp single
#pragma omp task shared(way) // TASK
		check(way, "task");
	}
	check(way, "main");
	return 0;
}
