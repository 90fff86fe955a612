// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs that a fixed seed chooses. No answer takes long or prints without end.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "damaged_model.h"

enum { MAX_SIZE = 3 + 8 * 6, MAX_SECONDS = 5, MAX_PRINTED = 16 << 20 };

/** Arguments: the recorded targets, libompd.so, how many inputs. */
int main(int argc, char **argv)
{
	unsigned int seed = 20261122;
	size_t answers = 0;

	if (argc != 4)
		return EXIT_FAILURE;
	model_targets(argv[1], argv[2]);
	int number = atoi(argv[3]);
	for (int i = 0; i < number; i++) {
		uint8_t data[MAX_SIZE];
		clock_t begun = clock();

		for (size_t j = 0; j < sizeof(data); j++)
			data[j] = (uint8_t)rand_r(&seed);
		size_t printed = model_ask(data, 3 + 6 * ((size_t)rand_r(&seed) % 9));
		double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
		answers += printed > 0;
		if (seconds > MAX_SECONDS || printed > MAX_PRINTED) {
			printf("input %d: %.1f s, %zu bytes\n", i, seconds, printed);
			return EXIT_FAILURE;
		}
	}
	printf("%zu of %d answered\n", answers, number);
	return answers > (size_t)number / 4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
