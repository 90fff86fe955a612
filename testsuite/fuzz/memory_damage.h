// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an input does to the memory of a recorded target.

#ifndef MEMORY_DAMAGE_H
#define MEMORY_DAMAGE_H

#include "recorded_target.h"

/** Each damage in an input: its kind, a place in three bytes, and more about it in two. */
enum {
	INPUT_DAMAGE_SIZE = 6,
	INPUT_DAMAGE_ITSELF = 5, // kind of damage: a pointer to what the word is in
};

/** Damage memory of the chosen target until recorded_mend(). */
void damage_memory(const struct recorded_target *target, const uint8_t *bytes);
/** The place, as an input has it, of the word at @p address. */
uint32_t place_of_word(const struct recorded_target *target, uint64_t address);

#endif
