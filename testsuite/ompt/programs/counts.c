// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "counts.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t counts[COUNTS];

#undef COUNT
static const char *const names[COUNTS] = {
#define COUNT(name) #name,
#include "counts.def"
#undef COUNT
};

static pthread_t first;
static __thread char is_known;
static __thread unsigned int seed;

__attribute__((constructor)) static void begin(void)
{
	first = pthread_self();
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("OMPT_PROGRAM_OUT");
	FILE *file = path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	for (unsigned int i = 0; i < COUNTS; i++)
		fprintf(file, "%s %llu\n", names[i], (unsigned long long)counts[i]);
	fclose(file);
}

static void know_thread(void)
{
	if (!is_known && !pthread_equal(first, pthread_self()))
		ADD(worker, 1);
	is_known = 1;
}

void count_implicit(void)
{
	know_thread();
	ADD(implicit, 1);
	ADD(alone, omp_get_num_threads() == 1);
}

void count_team(void)
{
	know_thread();
	ADD(team, 1);
}

void count_foreign(void)
{
	is_known = 1;
	ADD(foreign, 1);
}

void dwell(void)
{
	if (!seed)
		seed = (unsigned int)(uintptr_t)&seed >> 4;
	seed = seed * 1103515245 + 12345;
	if (seed >> 28 == 0)
		usleep(seed >> 16 & 0xff);
	for (volatile unsigned int i = 0; i < (seed >> 16 & 0x3ff); i++)
		;
}

// For Fortran: a name that ends with a blank.
void count_by_name_(const char *name, size_t length)
{
	while (length && name[length - 1] == ' ')
		length--;
	for (unsigned int i = 0; i < COUNTS; i++) {
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
			__atomic_add_fetch(&counts[i], 1, __ATOMIC_RELAXED);
			return;
		}
	}
	abort();
}

void count_implicit_(void)
{
	count_implicit();
}
