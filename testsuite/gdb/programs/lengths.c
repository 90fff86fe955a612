// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The length of an array was computed from what has another value now; those of others, from what
// has not. Stops in inspect().

void __attribute__((noinline)) inspect(void)
{
	__asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) use(void *place)
{
	__asm__ volatile("" : : "r"(place) : "memory");
}

static int __attribute__((noinline)) solve(int n)
{
	int array[n];

	array[0] = 1;
	array[1] = 2;
	array[2] = 3;
	use(array);
	use(&n);
	n = 5;
	use(&n);
	inspect();
	use(array);
	return array[1];
}

static int __attribute__((noinline)) change(int number)
{
	__asm__ volatile(""
			 : "+r"(number)
			 :
			 : "rdi", "rsi", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory");
	return number;
}

static inline __attribute__((always_inline)) int within(int first, int second)
{
	int kept = change(second), other = change(first + 1);
	int array[other];

	array[0] = 1;
	array[1] = 2;
	array[2] = 3;
	array[3] = 4;
	use(array);
	kept += solve(change(kept) + 1);
	use(array);
	return kept + other;
}

static int __attribute__((noinline)) around(int first, int second)
{
	return within(first, second);
}

static int __attribute__((noinline)) steady(int n)
{
	int array[n], other = change(2), result;

	array[0] = 1;
	array[1] = 2;
	array[2] = 3;
	use(array);
	result = around(n, other);
	use(array);
	return result + change(n) + change(other);
}

int main(int argc, char **argv)
{
	return steady(argc + 2) + (argv != 0) != 14;
}
