// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of a picture, a task for each. All tiles are scaled by the brightest of them.

#include <pthread.h>
#include <stdio.h>

enum { TILES = 12, PIXELS = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_known = PTHREAD_COND_INITIALIZER;
static double brightest;
static int known;

static double brightness(int tile)
{
	double most = 0;

	for (int i = 0; i < PIXELS; i++) {
		double pixel = (tile * 31 + i * 17) % 256;

		most = pixel > most ? pixel : most;
	}
	return most;
}

static double scale(double own)
{
	double factor;

	pthread_mutex_lock(&mutex);
	brightest = own > brightest ? own : brightest;
	if (++known == TILES)
		pthread_cond_broadcast(&all_known);
	while (known < TILES)
		pthread_cond_wait(&all_known, &mutex);
	factor = 1 / brightest;
	pthread_mutex_unlock(&mutex);
	return factor;
}

int main(void)
{
	double tiles[TILES];

#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < TILES; i++) {
#pragma omp task shared(tiles)
		{
			tiles[i] = brightness(i);
			tiles[i] *= scale(tiles[i]);
		}
	}
	printf("%g\n", tiles[0]);
	return 0;
}
