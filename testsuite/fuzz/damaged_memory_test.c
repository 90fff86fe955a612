// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged memory without libFuzzer: the inputs that it has found worth keeping, and every pointer
// that the library reads made to point to what it is in.
//
//     damaged_memory TARGETS INPUTS STEP
//
// INPUTS: lines of hexadecimal digits, and comments. STEP: of so many targets one has its pointers
// changed.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damaged_memory.h"

enum {
	MAX_REQUESTS = 20000, // of one call: ten times what any needs on memory that is whole
	MAX_INPUT = 4096,
	LEAST_INPUTS = 100,
	LEAST_POINTERS = 100, // of each target
};

// ---- Inputs that were kept -------------------------------------------------------------------

static size_t parse(const char *line, uint8_t *input)
{
	size_t size = 0;
	unsigned int byte;

	for (; size < MAX_INPUT && sscanf(line, "%2x", &byte) == 1; line += 2)
		input[size++] = (uint8_t)byte;
	return size;
}

static unsigned int run_file(const char *path)
{
	static char line[2 * MAX_INPUT + 2];
	static uint8_t input[MAX_INPUT];
	FILE *file = fopen(path, "r");
	unsigned int count = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (!isxdigit((unsigned char)line[0]))
			continue;
		run_input(input, parse(line, input));
		count++;
	}
	if (file)
		fclose(file);
	return count;
}

// ---- Cycles ----------------------------------------------------------------------------------

/** Questions that follow lists, with variants. */
static const struct walk {
	const char *question;
	uint8_t variant;
} walks[] = {
	{ "all_threads", 0 }, { "thread", 3 },	     { "all_tasks", 1 }, { "all_tasks", 28 },
	{ "task_facts", 0 },  { "task_facts", 1 },   { "levels", 6 },	 { "parallel", 1 },
	{ "state", 0 },	      { "thread_facts", 1 }, { "loop", 0 },	 { "variable", 14 },
};

static uint8_t number_of_question(const char *name)
{
	for (uint32_t i = 0; i < question_count; i++) {
		if (strcmp(questions[i].name, name) == 0)
			return (uint8_t)i;
	}
	abort();
}

// Ask everything that follows lists, of a thread, with one word damaged.
static void walk_damaged(uint32_t number, uint32_t thread, uint64_t address, uint32_t kind,
			 uint32_t what)
{
	const uint32_t place = place_of_word(&targets[number], address);
	uint8_t input[INPUT_DAMAGES + INPUT_DAMAGE_SIZE + sizeof(walks) * INPUT_QUESTION_SIZE] = {
		(uint8_t)number,
		(uint8_t)(INPUT_FRESH | thread),
		0,
		1,
		(uint8_t)kind,
		(uint8_t)(place >> 16),
		(uint8_t)(place >> 8),
		(uint8_t)place,
		(uint8_t)(what >> 8),
		(uint8_t)what,
	};
	size_t size = INPUT_DAMAGES + INPUT_DAMAGE_SIZE, head = size;

	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		input[size++] = number_of_question(walks[i].question);
		input[size++] = 0;
		input[size++] = walks[i].variant;
		if (size == head + INPUT_MAX_QUESTIONS * INPUT_QUESTION_SIZE) {
			run_input(input, size);
			size = head;
		}
	}
}

static bool is_pointer(const struct recorded_target *target, uint64_t value)
{
	uint64_t byte;

	(void)target;
	return value >= RECORDED_PAGE && recorded_peek(value, &byte, 1);
}

static unsigned int run_cycles(uint32_t number)
{
	enum { NEAREST = 3 };
	struct recorded_target *target = &targets[number];
	unsigned int count = 0;

	learn_words(target);
	for (uint32_t i = 0; i < target->read_count; i++) {
		const struct recorded_word word = target->read[i];

		recorded_choose(target);
		if (!is_pointer(target, word.value))
			continue;
		for (uint32_t nearest = 0; nearest < NEAREST; nearest++)
			walk_damaged(number, count % target->thread_count, word.address,
				     INPUT_DAMAGE_ITSELF, nearest);
		count++;
	}
	if (count < LEAST_POINTERS) {
		fprintf(stderr, "%s has %u pointers only\n", target->name, count);
		exit(EXIT_FAILURE);
	}
	return count;
}

int main(int argc, char **argv)
{
	unsigned int inputs, pointers = 0;

	if (argc != 4) {
		fprintf(stderr, "usage: damaged_memory TARGETS INPUTS STEP\n");
		return 2;
	}
	recorded_max_requests = MAX_REQUESTS;
	open_targets(argv[1]);
	inputs = run_file(argv[2]);
	for (uint32_t i = 0; i < target_count; i += (uint32_t)atoi(argv[3]))
		pointers += run_cycles(i);
	printf("%u inputs, %u pointers; most of one call: %lu requests (%s), %zu bytes (%s)\n",
	       inputs, pointers, worst_use.requests, worst_use.longest, worst_use.allocated,
	       worst_use.largest);
	return inputs < LEAST_INPUTS;
}
