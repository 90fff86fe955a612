// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread waits for a message that nobody sends, by a flag that it reads into a variable of its own. Another
// works: its pointer leads to a variable that it changes itself ("own"). Prints READY when both do.

#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct channel {
	int full;
	double data;
};

struct channel channel; // that other files might fill
static volatile int begun;

__attribute__((noinline)) static double receive(struct channel *from)
{
	int full = 0;

	while (!full) {
#pragma omp flush
#pragma omp atomic read
		full = from->full;
	}
	return from->data;
}

__attribute__((noinline)) static int count(int *next)
{
	int own = 0, *from = next ? next : &own;

	while (own < 1000000000) {
#pragma omp flush
		own = *from + 1;
		if (own == 900000000)
			own = 0;
	}
	return own;
}

int main(int argc, char *argv[])
{
	double got = 0;

#pragma omp parallel num_threads(2) reduction(+ : got)
	{
		if (omp_get_thread_num() == 1) {
			begun = 1;
			got = argc > 1 && strcmp(argv[1], "own") == 0 ? count(NULL) :
									receive(&channel);
		} else {
			while (!begun)
				;
			puts("READY");
			fflush(stdout);
			pause();
		}
	}
	return (int)got;
}
