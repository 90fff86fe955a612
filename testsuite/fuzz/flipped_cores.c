// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core files and programs with bytes that a fixed seed chooses: no crash, no hang, bounded memory.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "damaged_files.h"

enum {
	MAX_FLIPS = 64,
	SKIPPED = 77,
	MAX_MILLISECONDS = 10000,
	MAX_MEGABYTES = 1500, // of what the process has in memory at most, sanitizers included
};

static uint64_t random_state = 20261121;

static uint64_t random_number(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** Ask with damage to a core file, or to the program if @p where is IN_PROGRAM_HEADERS. @return false
 *  if that took too long. */
static bool ask(int index, int where)
{
	struct damage damage[MAX_FLIPS];
	size_t count = index ? 1 + random_number(MAX_FLIPS) : 0;
	long begin = milliseconds();

	for (size_t i = 0; i < count; i++) {
		uint32_t at = (uint32_t)random_number(UINT32_MAX);

		damage[i].where = (uint8_t)(where + (int)random_number(2));
		if (damage[i].where >= IN_SECTIONS)
			damage[i].where = (uint8_t)(IN_SECTIONS + random_number(64));
		damage[i].value = (uint8_t)random_number(256);
		memcpy(damage[i].at, &at, sizeof(at));
	}
	files_ask((const uint8_t *)damage, count * sizeof(*damage));
	if (milliseconds() - begin <= MAX_MILLISECONDS)
		return true;
	printf("%s %d took too long\n", where == IN_PROGRAM_HEADERS ? "program" : "core", index);
	return false;
}

/** Arguments: how many core files and programs; the program, and its arguments. */
int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;
	struct rusage usage;
	bool is_fast = true;

	if (count < 1)
		return EXIT_FAILURE;
	if (!files_open(argv + 2)) {
		puts("skipped: the kernel writes no core file into the working folder");
		return SKIPPED;
	}
	for (int i = 0; i < count && is_fast; i++)
		is_fast = ask(i, IN_CORE_HEADERS);
	for (int i = 0; i < count && is_fast; i++)
		is_fast = ask(i, IN_PROGRAM_HEADERS);
	files_remove();
	getrusage(RUSAGE_SELF, &usage);
	printf("%zu of %d opened, %zu frames, %zu symbols, %zu places, %zu values, %ld MB\n",
	       found.opened, 2 * count, found.frames, found.symbols, found.places, found.values,
	       usage.ru_maxrss / 1024);
	if (usage.ru_maxrss / 1024 > MAX_MEGABYTES)
		return EXIT_FAILURE;
	return is_fast && found.frames && found.symbols && found.places && found.values ?
		       EXIT_SUCCESS :
		       EXIT_FAILURE;
}
