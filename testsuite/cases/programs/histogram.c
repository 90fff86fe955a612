// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A histogram of many samples, by 64 threads.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 64000, BINS = 50 };

static int bin_of(double sample)
{
	return (int)(sample * 1e7);
}

static void fill(const double *samples, int *histogram)
{
#pragma omp parallel for num_threads(64) schedule(static) reduction(+ : histogram[:BINS])
	for (int i = 0; i < SAMPLES; i++) {
		int bin = bin_of(samples[i]);

		histogram[bin]++;
	}
}

static double *read_samples(void)
{
	double *samples = malloc(SAMPLES * sizeof(*samples));

	for (int i = 0; i < SAMPLES; i++)
		samples[i] = 1e-7 * (i % BINS);
	samples[41234] = -99; // a sensor that was off
	return samples;
}

int main(void)
{
	int histogram[BINS] = { 0 };
	double *samples = read_samples();

	fill(samples, histogram);
	for (int i = 0; i < BINS; i++)
		printf("%d\n", histogram[i]);
	free(samples);
	return 0;
}
