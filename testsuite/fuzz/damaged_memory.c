// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of the fuzzer: which target, what is damaged before and after it is opened, and what is
// asked. Every input starts from the memory as it was recorded, and a library that was not used.

#include "damaged_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompd/ompd_ext.h"

struct recorded_target *targets;
uint32_t target_count;

struct input {
	const uint8_t *at, *end;
};

// The next bytes, 0 behind the end.
static uint32_t take(struct input *input, size_t size)
{
	uint32_t number = 0;

	while (size--)
		number = number << 8 | (input->at < input->end ? *input->at++ : 0);
	return number;
}

/** Take a damage, and do it. */
static void take_damage(const struct recorded_target *target, struct input *input)
{
	uint8_t bytes[INPUT_DAMAGE_SIZE];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)take(input, 1);
	damage_memory(target, bytes);
}

// ---- Open targets ----------------------------------------------------------------------------

/** What the library keeps of a target that was whole when it was opened, for each input anew. */
struct opened {
	ompd_address_space_handle_t *space;
	struct recorded_state state;
};

static struct opened *opened;

static void check_blocks(size_t expected)
{
	if (recorded_blocks == expected)
		return;
	fprintf(stderr, "%zd blocks of memory are left\n",
		(ssize_t)recorded_blocks - (ssize_t)expected);
	abort();
}

static ompd_address_space_handle_t *open_whole(uint32_t number)
{
	const struct recorded_target *target = &targets[number];
	struct opened *found = &opened[number];
	struct subject subject;

	if (found->space)
		return found->space;
	found->space = open_space();
	if (!found->space) {
		fprintf(stderr, "%s cannot be opened: %s\n", target->name, ompd_ext_last_reason());
		abort();
	}
	// What is found at the first question is kept too.
	for (uint32_t thread = 0; thread < target->thread_count; thread++) {
		subject_open(&subject, target, found->space, thread);
		for (uint32_t i = 0; thread == 0 && i < question_count; i++)
			question_ask(&questions[i], &subject, 0);
		subject_close(&subject);
	}
	recorded_keep_state(&found->state);
	return found->space;
}

static void close_whole(uint32_t number)
{
	const struct recorded_target *target = &targets[number];
	struct opened *found = &opened[number];

	if (recorded_restore_state(&found->state))
		return;
	recorded_forget_state(&found->state);
	close_space(found->space);
	found->space = NULL;
	if (target->blocks) {
		fprintf(stderr, "blocks of memory are left\n");
		abort();
	}
}

// ---- Inputs ----------------------------------------------------------------------------------

void run_input(const uint8_t *data, size_t size)
{
	struct input input = { data, data + size };
	uint32_t number = take(&input, 1) % target_count, mode = take(&input, 1);
	bool fresh = (mode & INPUT_FRESH) == 0;
	uint32_t before = take(&input, 1) % INPUT_MAX_DAMAGES;
	uint32_t after = take(&input, 1) % INPUT_MAX_DAMAGES;
	struct recorded_target *target = &targets[number];
	ompd_address_space_handle_t *space;
	struct subject subject;
	size_t blocks;

	recorded_choose(target);
	blocks = fresh ? recorded_blocks : 0;
	// A library that was opened on good memory keeps what it found there.
	for (uint32_t i = 0; fresh && i < before; i++)
		take_damage(target, &input);
	space = fresh ? open_space() : open_whole(number);
	subject_open(&subject, target, space, mode);
	subject.opens = fresh;
	for (uint32_t i = 0; i < after; i++)
		take_damage(target, &input);
	for (int i = 0; i < INPUT_MAX_QUESTIONS && input.at < input.end; i++) {
		const struct question *question = &questions[take(&input, 1) % question_count];

		question_ask(question, &subject, take(&input, 2));
	}
	// Memory may be good again when the handles are given back.
	if (mode & INPUT_MENDED)
		recorded_mend();
	subject_close(&subject);
	recorded_mend();
	if (!fresh) {
		close_whole(number);
		return;
	}
	if (space)
		close_space(space);
	check_blocks(blocks);
}

// ---- Targets ---------------------------------------------------------------------------------

void learn_words(struct recorded_target *target)
{
	struct subject subject;

	recorded_choose(target);
	recorded_watch(true);
	ompd_address_space_handle_t *space = open_space();

	for (uint32_t thread = 0; thread < target->thread_count; thread++) {
		subject_open(&subject, target, space, thread);
		subject.opens = true;
		for (uint32_t i = 0; i < question_count; i++) {
			for (uint32_t variant = 0; variant < questions[i].variants; variant++)
				question_ask(&questions[i], &subject, variant);
		}
		subject_close(&subject);
	}
	if (space)
		close_space(space);
	recorded_watch(false);
}

// The library has one table of all handles, which grows, and is freed with the last handle. Open a
// target that is never closed, and so many handles at once that the table never grows again: what
// questions leave behind is theirs then.
static void grow_table(void)
{
	enum { HANDLES = 1000 };
	static struct recorded_target keeper;
	static ompd_thread_handle_t *handles[HANDLES];
	ompd_address_space_handle_t *space;
	int count = 0;

	keeper = targets[0];
	recorded_choose(&keeper);
	space = open_space();
	while (space && count < HANDLES &&
	       ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &keeper.threads[0].pthread,
				      &handles[count]) == ompd_rc_ok)
		count++;
	if (count < HANDLES) {
		fprintf(stderr, "%s: %s\n", keeper.name, ompd_ext_last_reason());
		abort();
	}
	while (count--)
		ompd_rel_thread_handle(handles[count]);
}

void open_targets(const char *path)
{
	target_count = recorded_open(path, &targets);
	opened = calloc(target_count, sizeof(*opened));
	if (!opened || ompd_initialize(202111, &plain_callbacks) != ompd_rc_ok)
		abort();
	grow_table();
}
