// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: overflow deep|small|large|aligned [handler]
//
// A thread that comes to the end of its stack, by a deep recursion, with small frames or large ones, or by a
// large array; or that stores there what must be aligned, and is not. With a handler, which has no stack of
// its own.

#include <emmintrin.h>
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 64 << 20 };

__attribute__((noinline)) static int deep(volatile int *step, int depth)
{
	volatile char pad[4096];

	pad[depth % 4096] = (char)*step;
	int result = deep(step, depth + *step);
	pad[1] = (char)result;
	return result + pad[1] + pad[0];
}

__attribute__((noinline)) static int small(volatile int *step, int depth)
{
	int result = small(step, depth + *step);

	return result + *step;
}

__attribute__((noinline)) static int large(void)
{
	volatile char array[LARGE];

	for (int i = LARGE - 1; i >= 0; i -= 1024)
		array[i] = 1; // the upper end first: what lies below the stack may be mapped
	return array[0];
}

__attribute__((noinline)) static int aligned(void)
{
	char bytes[64] __attribute__((aligned(16)));
	char *volatile place = bytes + 1;

	_mm_store_si128((__m128i *)(void *)place, _mm_setzero_si128());
	return *place;
}

static void handle(int number)
{
	(void)number;
	_exit(0);
}

int main(int argc, char *argv[])
{
	volatile int step = 1;
	int result = 0;

	alarm(3600);
	if (argc > 2)
		signal(SIGSEGV, handle);
#pragma omp parallel num_threads(2) reduction(+ : result)
	if (omp_get_thread_num() == 1) {
		if (argc > 1 && strcmp(argv[1], "large") == 0)
			result = large();
		else if (argc > 1 && strcmp(argv[1], "aligned") == 0)
			result = aligned();
		else if (argc > 1 && strcmp(argv[1], "small") == 0)
			result = small(&step, 0);
		else
			result = deep(&step, 0);
	}
	return result;
}
