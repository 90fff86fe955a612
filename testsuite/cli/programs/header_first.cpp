// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of constructs that begins with what a header of the C++ library has inlined, and code that is never
// left: it ends with a call, and the next function begins there.

#include <memory>
#include <unistd.h>
#include <vector>

struct Cell {
	int value = 0;
};
using Cells = std::vector<std::unique_ptr<Cell>>;

[[noreturn]] __attribute__((noinline)) static void wait_for_ever(int)
{
	for (;;)
		pause();
}

static void tasks(Cells &cells)
{
	auto *cell = &cells[0];
#pragma omp task firstprivate(cell) // LINE: one
	wait_for_ever((*cell)->value);
#pragma omp task firstprivate(cell) // LINE: other
	wait_for_ever((*cell)->value + 1);
#pragma omp taskwait
}

static void region(Cells &cells)
{
#pragma omp parallel num_threads(2) // LINE: region
	wait_for_ever(cells[1]->value);
}

int main(int argc, char **)
{
	Cells cells;

	cells.push_back(std::make_unique<Cell>());
	cells.push_back(std::make_unique<Cell>());
	if (argc > 1)
		region(cells);
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	tasks(cells);
}
