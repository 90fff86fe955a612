// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a small trace, cut off at many bytes, and damaged at random, and inputs of libFuzzer:
// damaged_trace ROUNDS INPUTS; or damaged_trace - FILE writes it into a file.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damaged_trace.h"

// CUT_STEP has no divisor in common with the sizes of what is written.
enum { MAX_FLIPS = 8, ALL = TRACE_THREADS * TRACE_EVENT_COUNT, CUT_STEP = 7 };

static unsigned char whole[TRACE_SIZE], damaged[TRACE_SIZE];
static size_t size;
static uint64_t seed = 1;

static uint64_t next_number(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void fail(const char *what, size_t where)
{
	printf("%s: %zu\n", what, where);
	exit(EXIT_FAILURE);
}

/** Cut the trace off at one in so many bytes. */
static void cut(void)
{
	uint64_t before = 0;

	for (size_t length = (size - 1) % CUT_STEP; length < size; length += CUT_STEP) {
		// In memory of its own, so that a sanitizer sees what is read behind it.
		unsigned char *bytes = malloc(length + 1);
		struct trace_reading reading;

		if (!bytes)
			fail("no memory", length);
		memcpy(bytes, whole, length);
		reading = read_trace(bytes, length, true);
		free(bytes);
		if (reading.is_wrong || !reading.has_note || reading.events < before)
			fail("wrong when cut off at byte", length);
		before = reading.events;
	}
	if (before != ALL)
		fail("events before the last chunk", (size_t)before);
}

/** Flip bytes; numbers become 0, small, or huge. */
static void damage(void)
{
	size_t flips = 1 + next_number() % MAX_FLIPS;

	memcpy(damaged, whole, size);
	for (size_t i = 0; i < flips; i++) {
		static const uint32_t numbers[] = { 0, 1, 8, 64, 0x7fffffff, UINT32_MAX };
		size_t at = next_number() % size;
		uint32_t value = numbers[next_number() % (sizeof(numbers) / sizeof(*numbers))];

		if (next_number() % 2 || at + sizeof(value) > size)
			damaged[at] ^= (unsigned char)(1 << next_number() % 8);
		else
			memcpy(damaged + at / 4 * 4, &value, sizeof(value));
	}
}

/** Read each input of a file. */
static void read_inputs(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t count = 0;
	uint32_t length;

	if (!file)
		fail("inputs cannot be opened", 0);
	for (; fread(&length, sizeof(length), 1, file) == 1; count++) {
		if (length > sizeof(damaged) || fread(damaged, 1, length, file) != length)
			fail("input is not whole", count);
		fix_checksums(damaged, length);
		if (read_trace(damaged, length, false).is_wrong)
			fail("wrong for input", count);
	}
	fclose(file);
	if (!count)
		fail("inputs", count);
}

int main(int argc, char **argv)
{
	struct trace_reading reading;

	size = make_trace(whole);
	if (argc > 2 && strcmp(argv[1], "-") == 0) {
		FILE *file = fopen(argv[2], "wb");

		return file && fwrite(whole, 1, size, file) == size && !fclose(file) ?
			       EXIT_SUCCESS :
			       EXIT_FAILURE;
	}
	reading = read_trace(whole, size, true);
	if (reading.is_wrong || reading.has_note || reading.events != ALL)
		fail("events of a whole trace", (size_t)reading.events);
	cut();
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1000); i++) {
		damage();
		reading = read_trace(damaged, size, true);
		if (reading.is_wrong || (reading.events < ALL && !reading.has_note))
			fail("wrong in round", (size_t)i);
		fix_checksums(damaged, size);
		if (read_trace(damaged, size, false).is_wrong)
			fail("wrong, with right checksums, in round", (size_t)i);
	}
	if (argc > 2)
		read_inputs(argv[2]);
	return EXIT_SUCCESS;
}
