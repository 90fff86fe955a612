// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs that a fixed seed chooses. No answer takes long, prints without end, or depends on the inputs
// before.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "damaged_model.h"

enum { MAX_SIZE = 3 + 8 * 6, MAX_SECONDS = 5, MAX_PRINTED = 16 << 20 };

struct input {
	uint8_t data[MAX_SIZE];
	size_t size;
	struct model_answer answer;
};

// libFuzzer found them.
static const struct input findings[] = {
	// Searches through the code of one function, one within the other, had no end.
	{ { 0xa7, 1, 0xf9, 0xa7, 0, 1, 0, 1, 0x27, 0x77, 0x27, 0, 0xfb, 0xff }, 14, { 0 } },
};

static void choose(struct input *input)
{
	static unsigned int seed = 20261122;

	for (size_t i = 0; i < sizeof(input->data); i++)
		input->data[i] = (uint8_t)rand_r(&seed);
	input->size = 3 + 6 * ((size_t)rand_r(&seed) % 9);
}

/** Ask about an input. @return false if that took too long or printed too much. */
static bool ask(struct input *input)
{
	clock_t begun = clock();

	input->answer = model_ask(input->data, input->size);
	double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
	if (seconds <= MAX_SECONDS && input->answer.size <= MAX_PRINTED)
		return true;
	printf("%.1f s, %zu bytes\n", seconds, input->answer.size);
	return false;
}

/** Check that an input of a program that stays open has the same answer again. */
static bool is_same_again(const struct input *input)
{
	if (input->data[MODEL_AFTER] % 2 == 0)
		return true;
	struct model_answer again = model_ask(input->data, input->size);

	return again.size == input->answer.size && again.sum == input->answer.sum;
}

/** Arguments: the recorded targets, libompd.so, how many inputs. */
int main(int argc, char **argv)
{
	size_t answers = 0;

	if (argc != 4)
		return EXIT_FAILURE;
	model_targets(argv[1], argv[2]);
	for (size_t i = 0; i < sizeof(findings) / sizeof(findings[0]); i++) {
		struct input input = findings[i];
		if (!ask(&input)) {
			printf("finding %zu\n", i);
			return EXIT_FAILURE;
		}
	}
	int number = atoi(argv[3]);
	struct input *inputs = calloc((size_t)number, sizeof(*inputs));
	for (int i = 0; inputs && i < number; i++) {
		choose(&inputs[i]);
		if (!ask(&inputs[i])) {
			printf("input %d\n", i);
			return EXIT_FAILURE;
		}
		answers += inputs[i].answer.size > 0;
	}
	for (int i = number; inputs && i--;) {
		if (!is_same_again(&inputs[i])) {
			printf("input %d has another answer\n", i);
			return EXIT_FAILURE;
		}
	}
	free(inputs);
	printf("%zu of %d answered\n", answers, number);
	return answers > (size_t)number / 4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
