// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has its values in registers for ever.

__attribute__((noinline)) static void spin(double first, float second, long third)
{
	for (;;)
		__asm__ volatile("" : : "x"(first), "x"(second), "r"(third));
}

int main(int count, char **words)
{
	(void)words;
	spin(count + 1.5, (float)count / 4, count + 6);
}
