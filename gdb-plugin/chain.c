// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chain.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_STEPS = 4096, // places in code that are remembered
	BELOW = 256,	  // bytes read below the first one asked for: registers are saved there
	PAGE = 4096,
	WORD = 8,
};

struct step {
	uint64_t address; // 0: unused
	struct call_frame frame;
};

/** Return what is known of a place. */
static const struct step *step_at(struct chain_reader *reader, uint64_t address)
{
	size_t index = (address ^ address >> 12) % MAX_STEPS;

	while (reader->steps[index].address && reader->steps[index].address != address)
		index = (index + 1) % MAX_STEPS;
	struct step *step = &reader->steps[index];
	if (step->address)
		return step;
	if (reader->num_steps > MAX_STEPS / 2) {
		memset(reader->steps, 0, MAX_STEPS * sizeof(*reader->steps));
		reader->num_steps = 0;
		return step_at(reader, address);
	}
	*step = (struct step){ address, call_frames_at(reader->frames, address) };
	reader->num_steps++;
	return step;
}

static bool read_word(struct chain_reader *reader, uint64_t address, uint64_t *ret)
{
	struct chain_window *window = &reader->window;

	if (window->size < WORD || address - window->start > window->size - WORD) {
		uint64_t below = address % PAGE; // what is in another page may not be readable

		window->start = address - (below < BELOW ? below : BELOW);
		window->size = direct_read(reader->memory, window->start, window->bytes,
					   sizeof(window->bytes));
		if (!window->size) { // a stack may end sooner
			window->start = address;
			window->size = direct_read(reader->memory, address, window->bytes, WORD);
		}
		if (window->size < address - window->start + WORD)
			return false;
	}
	memcpy(ret, window->bytes + (address - window->start), WORD);
	return true;
}

/** Go on to the caller. @return false if it is not found so simply. */
static bool step_up(struct chain_reader *reader, const struct call_frame *frame, struct place *at)
{
	const struct register_value *bp = &at->kept[CALL_FRAME_RBP];

	if (frame->kind != CALL_FRAME_CALLED || (frame->from_bp && !bp->known))
		return false;
	uint64_t end = (frame->from_bp ? bp->value : at->sp) + frame->size;

	if (end <= at->sp || !read_word(reader, end - WORD, &at->pc) || !at->pc)
		return false;
	for (size_t i = 0; i < CALL_FRAME_REGISTERS; i++) {
		uint32_t below = frame->saved[i];

		if (below)
			at->kept[i].known = below != CALL_FRAME_LOST &&
					    read_word(reader, end - below, &at->kept[i].value);
	}
	at->sp = end;
	return true;
}

size_t chain_follow(struct chain_reader *reader, struct place *at, uint64_t *addresses)
{
	for (size_t depth = 0; depth < CHAIN_DEPTH && at->pc; depth++) {
		addresses[depth] = at->pc;
		// A return address may lie past the end of the function that called.
		const struct step *step = step_at(reader, at->pc - (depth > 0));

		if (step->frame.kind == CALL_FRAME_OUTERMOST)
			return depth ? depth + 1 : 0;
		if (!step_up(reader, &step->frame, at))
			return 0;
	}
	return 0;
}

bool chain_climb(struct chain_reader *reader, struct place *at, size_t frames)
{
	for (size_t i = 0; i < frames; i++) {
		if (!step_up(reader, &step_at(reader, at->pc - (i > 0))->frame, at))
			return false;
	}
	return true;
}

bool chain_init(struct chain_reader *reader)
{
	reader->steps = calloc(MAX_STEPS, sizeof(*reader->steps));
	return reader->steps != NULL;
}

void chain_forget(struct chain_reader *reader)
{
	reader->window.size = 0;
}

void chain_deinit(struct chain_reader *reader)
{
	free(reader->steps);
	reader->steps = NULL;
}
