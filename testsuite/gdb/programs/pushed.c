// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that use so many variables that the call of the runtime has arguments on the stack; one in
// a function whose frame is aligned. Ends in inspect().
#include <stdio.h>
#include <stdlib.h>

void __attribute__((noinline)) inspect(void)
{
	__asm__ volatile("" ::: "memory", "rsi", "rdi", "r8");
}

static void __attribute__((noinline)) use(void *place)
{
	__asm__ volatile("" : : "r"(place) : "memory");
}

// Where `array` is is known all the time.
#define SOLVE(NAME, ALIGNED)                                                                    \
	static long __attribute__((noinline)) NAME(long start)                                  \
	{                                                                                       \
		long a = start + 1, b = start + 2, c = start + 3, d = start + 4, e = start + 5; \
		long sum = 0;                                                                   \
		ALIGNED int array[4] = { start, 10, 20, 30 };                                   \
		use(array);                                                                     \
		use(&sum);                                                                      \
		_Pragma("omp parallel num_threads(1) firstprivate(a, b, c, d, e)")              \
		{                                                                               \
			sum += a + b + c + d + e + array[1];                                    \
			next(start);                                                            \
		}                                                                               \
		use(array);                                                                     \
		return sum + a + b + c + d + e;                                                 \
	}

// What it takes from the stack after the call was not pushed for it.
static void __attribute__((noinline)) next(long start)
{
	long ending[3] = { start + 1, start + 2, start + 3 };

	use(ending);
	inspect();
}
SOLVE(aligned, _Alignas(64))

#undef next
#define next(start) aligned(start + 100)
SOLVE(plain, )

int main(int argc, char **argv)
{
	printf("%ld\n", plain(argc * 100));
	return argv == NULL;
}
