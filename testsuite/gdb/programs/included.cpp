// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directives of constructs come from another file, as where a program chooses among some.

#include <cstdio>

void inspect(double value);

__attribute__((noinline)) void inspect(double value)
{
	std::printf("%g\n", value);
}

static double serve(int count)
{
	double sum = 0;
#include "included_parallel.h"
	{
		inspect(sum);
#include "included_task.h"
		inspect(sum += count);
	}
	return sum;
}

int main()
{
	return serve(2) != 2;
}
