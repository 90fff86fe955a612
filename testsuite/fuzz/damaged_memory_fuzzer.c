// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of libFuzzer. RECORDED_TARGETS is where the targets are.

#include <stdio.h>
#include <stdlib.h>

#include "damaged_memory.h"
#include "input_time.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum {
	MAX_REQUESTS = 20000, // of one call: ten times what any needs on memory that is whole
	LONGEST = INPUT_DAMAGES + 2 * INPUT_MAX_DAMAGES * INPUT_DAMAGE_SIZE +
		  INPUT_MAX_QUESTIONS * INPUT_QUESTION_SIZE,
};

static double most_seconds; // of processor time, of an input

static void report(void)
{
	fprintf(stderr,
		"Most of one call: %lu requests (%s), %zu bytes (%s); of one input: %.1f ms\n",
		worst_use.requests, worst_use.longest, worst_use.allocated, worst_use.largest,
		1e3 * most_seconds);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	open_targets(RECORDED_TARGETS);
	recorded_max_requests = MAX_REQUESTS;
	atexit(report);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double begun = processor_time(), seconds;

	run_input(data, size);
	seconds = processor_time() - begun;
	most_seconds = seconds > most_seconds ? seconds : most_seconds;
	if (seconds <= MAX_CALL_SECONDS)
		return 0;
	// That was many calls, or one.
	most_seconds_of_call = MAX_CALL_SECONDS;
	run_input(data, size);
	most_seconds_of_call = 0;
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

// Inputs that open a target reach the most code, and take the most time: a hundred times that of others.
static size_t choose_mode(uint8_t *data, size_t size, unsigned int *seed)
{
	enum { ONE_OF = 128 };

	if (size <= INPUT_MODE)
		return size;
	if (rand_r(seed) % ONE_OF)
		data[INPUT_MODE] |= INPUT_FRESH;
	else
		data[INPUT_MODE] &= (uint8_t)~INPUT_FRESH;
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	if (rand_r(&seed) % 2 || max_size < LONGEST) {
		size = LLVMFuzzerMutate(data, size, max_size);
		return choose_mode(data, size, &seed);
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
	return choose_mode(data, size, &seed);
}
