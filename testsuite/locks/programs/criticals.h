// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical constructs that are taken in two orders, and twice (tables.py).

#ifndef LOCKS_CRITICALS_H
#define LOCKS_CRITICALS_H

static NOINLINE void critical_first(int number)
{
#pragma omp critical(first)
	{
		meet("critical", NULL, number, !number);
#pragma omp critical(second)
		work++;
		work++;
	}
}

static NOINLINE void critical_second(int number)
{
#pragma omp critical(second)
	{
		meet("critical", NULL, number, !number);
#pragma omp critical(first)
		work++;
		work++;
	}
}

static NOINLINE void critical_other(int number)
{
#pragma omp critical(second)
	work += number;
	work++;
}

static NOINLINE void critical_again(int number)
{
#pragma omp critical(second)
	{
		meet("critical", NULL, number, number);
		critical_other(number);
		work++;
	}
}

static void critical_direct(int count)
{
#pragma omp parallel num_threads(count)
	{
		int number = omp_get_thread_num();

		if (count == 1)
			critical_again(number);
		else if (number)
			critical_second(number);
		else
			critical_first(number);
		work++;
	}
}

#endif
