// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread divides by zero ("zero", "element"), by -1 with a result that no integer can have ("large"), or
// a floating-point number by zero ("float").

#include <limits.h>
#include <omp.h>
#include <string.h>
#include <xmmintrin.h>

static volatile int divisors[4] = { 3, 2, 0, -1 };
static volatile double nothing;

__attribute__((noinline)) static int divide(int number, const char *way)
{
	int divisor = divisors[strcmp(way, "large") == 0 ? 3 : 2];

	if (strcmp(way, "float") == 0)
		return (int)(number / nothing); // LINE: float
	if (strcmp(way, "element") == 0)
		return number % divisors[2]; // LINE: element
	return number / divisor;	     // LINE: whole
}

int main(int argc, char *argv[])
{
	int result = 0;

#pragma omp parallel num_threads(2) reduction(+ : result)
	{
		_mm_setcsr(_mm_getcsr() & ~_MM_MASK_DIV_ZERO);
		if (omp_get_thread_num() == 1)
			result = divide(INT_MIN, argc > 1 ? argv[1] : "");
	}
	return result;
}
