// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts as fast as it can, in data of the program, on its heap and on its stack, always the same
// number in all three; prints their addresses. The argument is how many MiB more it fills.

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile uint64_t in_data[512];
const uint64_t untouched[1024] = { 1, 2, 3 };

int main(int argc, char **argv)
{
	volatile uint64_t on_stack = 0, *on_heap = calloc(1, sizeof(*on_heap));
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
	char *filled = malloc(size + 1);

	memset(filled, 1, size + 1);
	__asm__ volatile("" : : "r"(filled) : "memory");
	printf("%p %p %p %p\n", (void *)in_data, (void *)on_heap, (void *)&on_stack,
	       (void *)untouched);
	fflush(stdout);
	alarm(3600);
	for (;;) {
		uint64_t next = on_stack + 1;

		in_data[0] = next;
		*on_heap = next;
		on_stack = next;
	}
}
