// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The length of an array was computed from what has another value now. Stops in inspect().

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

int main(int argc, char **argv)
{
	return solve(argc + 2) + (argv != 0) != 3;
}
