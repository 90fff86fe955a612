// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions by pointers that lead to no code: bad_call null|wild|stack|heap|data

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct operations {
	int (*scale)(int x, int y);
};

static int data[16];

// It goes on after the call, which must not be its last instruction.
static __attribute__((noinline)) int apply(const struct operations *operations, int x)
{
	int y = operations->scale(x, 2); // CALL

	return y * 3 + x;
}

int main(int argc, char **argv)
{
	struct operations operations[2] = { { 0 }, { 0 } };
	const char *way = argc > 1 ? argv[1] : "null";
	void *heap = calloc(1, sizeof(data));
	int sum = 0;

	uintptr_t bad = strcmp(way, "null") == 0  ? 0 :
			strcmp(way, "wild") == 0  ? 0x1234 :
			strcmp(way, "stack") == 0 ? (uintptr_t)&sum :
			strcmp(way, "heap") == 0  ? (uintptr_t)heap :
						    (uintptr_t)data;
	memcpy(&operations[1].scale, &bad, sizeof(bad));
#pragma omp parallel for num_threads(2) reduction(+ : sum)
	for (int i = 0; i < 2; i++) {
		if (i == 1)
			sum += apply(&operations[i], i);
	}
	printf("%d %d\n", sum, data[0]);
	free(heap);
	return 0;
}
