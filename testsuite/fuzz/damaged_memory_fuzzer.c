// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of libFuzzer. RECORDED_TARGETS is where the targets are.

#include <stdio.h>
#include <stdlib.h>

#include "damaged_memory.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

// What the library may take for one call; with sanitizers it is more.
#if __has_feature(address_sanitizer)
#define MAX_SECONDS 1.0
#else
#define MAX_SECONDS 0.1
#endif

enum {
	MAX_REQUESTS = 20000, // of one call: ten times what any needs on memory that is whole
	LONGEST = INPUT_DAMAGES + 2 * INPUT_MAX_DAMAGES * INPUT_DAMAGE_SIZE +
		  INPUT_MAX_QUESTIONS * INPUT_QUESTION_SIZE,
};

static void report(void)
{
	fprintf(stderr, "Most of one call: %lu requests (%s), %zu bytes (%s), %.1f ms (%s)\n",
		worst_use.requests, worst_use.longest, worst_use.allocated, worst_use.largest,
		1e3 * worst_use.seconds, worst_use.slowest);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	open_targets(RECORDED_TARGETS);
	recorded_max_requests = MAX_REQUESTS;
	most_seconds_of_call = MAX_SECONDS;
	atexit(report);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run_input(data, size);
	return 0;
}

static bool is_pointer(const struct recorded_target *target, uint64_t value)
{
	const struct recorded_word *last = &target->pointers[target->pointer_count - 1];

	return value >= target->pointers[0].value && value <= last->value;
}

// Move a damage to a word that the library reads, to a pointer if there is one near.
static void aim(uint8_t *damage, struct recorded_target *target, unsigned int *seed)
{
	enum { NEAR = 16 };

	if (!target->read)
		learn_words(target);
	uint32_t first = (uint32_t)rand_r(seed) % target->read_count, chosen = first;

	for (uint32_t i = first; i < target->read_count && i < first + NEAR; i++) {
		if (is_pointer(target, target->read[i].value)) {
			chosen = i;
			break;
		}
	}
	uint32_t place = place_of_word(target, target->read[chosen].address);

	damage[1] = (uint8_t)(place >> 16);
	damage[2] = (uint8_t)(place >> 8);
	damage[3] = (uint8_t)place;
}

// Inputs that open a target reach the most code, and take the most time: keep them few.
static size_t sooner(uint8_t *data, size_t size, unsigned int *seed)
{
	if (size > INPUT_MODE && rand_r(seed) % 16)
		data[INPUT_MODE] |= INPUT_FRESH;
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	if (rand_r(&seed) % 2 || max_size < LONGEST) {
		size = LLVMFuzzerMutate(data, size, max_size);
		return sooner(data, size, &seed);
	}
	if (size < LONGEST) {
		for (size_t i = size; i < LONGEST; i++)
			data[i] = (uint8_t)rand_r(&seed);
		size = LONGEST;
	}
	unsigned int count = data[INPUT_BEFORE] % INPUT_MAX_DAMAGES;

	count += data[INPUT_AFTER] % INPUT_MAX_DAMAGES;
	if (!count)
		count = ++data[INPUT_AFTER] % INPUT_MAX_DAMAGES;
	for (unsigned int i = 0; i < 1 + count / 4; i++) {
		uint8_t *damage =
			&data[INPUT_DAMAGES + INPUT_DAMAGE_SIZE * (rand_r(&seed) % count)];

		aim(damage, &targets[data[INPUT_TARGET] % target_count], &seed);
	}
	return sooner(data, size, &seed);
}
