// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads blocks, filters them and adds them up: three tasks for each block.

#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 12, LENGTH = 4096, LIMIT = 9 };

struct block {
	int number;
	float *samples;
	double energy;
};

static struct block *read_block(int number)
{
	struct block *block = calloc(1, sizeof(*block));

	block->number = number;
	if (number >= LIMIT)
		return block; // the file ends here
	block->samples = malloc(LENGTH * sizeof(float));
	for (int i = 0; i < LENGTH; i++)
		block->samples[i] = (float)(i % 7) - 3;
	return block;
}

static void filter(struct block *block)
{
	float last = 0;

	for (int i = 0; i < LENGTH; i++) {
		float sample = block->samples[i];

		block->samples[i] = 0.5f * (sample + last);
		last = sample;
	}
}

static void measure(struct block *block)
{
	for (int i = 0; i < LENGTH; i++)
		block->energy += block->samples[i] * block->samples[i];
}

int main(void)
{
	struct block *blocks[BLOCKS];
	double total = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < BLOCKS; i++) {
#pragma omp task depend(out : blocks[i])
		blocks[i] = read_block(i);
#pragma omp task depend(inout : blocks[i])
		filter(blocks[i]);
#pragma omp task depend(in : blocks[i])
		measure(blocks[i]);
	}
	for (int i = 0; i < BLOCKS; i++)
		total += blocks[i]->energy;
	printf("%g\n", total);
	return 0;
}
