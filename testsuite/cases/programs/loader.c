// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads pictures as they come over the network, and makes a small one of each.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PICTURES = 12 };

struct picture {
	int source;
	size_t length;
	int small;
};

static struct picture pictures[PICTURES];
static int senders[PICTURES]; // the other ends: here nobody sends yet

static void load(struct picture *picture)
{
	char part[512];
	ssize_t more;

	while ((more = read(picture->source, part, sizeof(part))) > 0)
		picture->length += (size_t)more;
}

static void load_all(void)
{
	struct picture *first = pictures;

	for (int i = 0; i < PICTURES; i++) {
		struct picture *picture = first + i;

#pragma omp task depend(inout : first[0]) firstprivate(picture)
		load(picture);
#pragma omp task depend(in : first[i]) firstprivate(picture)
		picture->small = (int)(picture->length / 16);
	}
#pragma omp taskwait
}

int main(void)
{
	for (int i = 0; i < PICTURES; i++) {
		int ends[2];

		if (pipe(ends))
			exit(1);
		pictures[i].source = ends[0];
		senders[i] = ends[1];
	}
#pragma omp parallel num_threads(4)
#pragma omp single
	load_all();
	printf("%zu bytes over %d lines\n", pictures[0].length, senders[PICTURES - 1]);
	return 0;
}
