// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged memory: what an input of the fuzzer does to a recorded target, and what it asks then.

#ifndef DAMAGED_MEMORY_H
#define DAMAGED_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "memory_damage.h"

/** Everything that the questions are about. Handles that could not be had are NULL. */
struct subject {
	const struct recorded_target *target;
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel, *outer;
	ompd_task_handle_t *task, *other_task;
	bool opens; // the question about the process opens it again, which takes long
};

typedef void (*question_fn)(struct subject *subject, uint32_t variant);

/** Questions cover every routine. Each checks what each of its calls returned and used. */
struct question {
	const char *name;
	question_fn ask;
	uint32_t variants; // that cover it on a target that is whole
};

extern const struct question questions[];
extern const uint32_t question_count;

void question_ask(const struct question *question, struct subject *subject, uint32_t variant);

/** Open an address space; NULL if that is refused. */
ompd_address_space_handle_t *open_space(void);
void close_space(ompd_address_space_handle_t *space);
/** Open what can be opened of the thread with number @p thread, or close it. */
void subject_open(struct subject *subject, const struct recorded_target *target,
		  ompd_address_space_handle_t *space, uint32_t thread);
void subject_close(struct subject *subject);

/** Most of what one call has used so far, and in which question. */
struct worst_use {
	unsigned long requests;
	size_t allocated;
	const char *longest, *largest;
};
extern struct worst_use worst_use;
/** Processor time of one call; more aborts the program. 0: any, it is not even taken. */
extern double most_seconds_of_call;

/** Open the recorded targets. */
void open_targets(const char *path);
extern struct recorded_target *targets;
extern uint32_t target_count;

/** Ask a target everything, so that the words that the library reads are known. */
void learn_words(struct recorded_target *target);

/** Take @p data as damage and questions. */
void run_input(const uint8_t *data, size_t size);

/** Where in an input something stands, for mutators. */
enum {
	INPUT_TARGET = 0,
	INPUT_MODE = 1,	  // the lowest bits: thread
	INPUT_BEFORE = 2, // damages before the target is opened
	INPUT_AFTER = 3,
	INPUT_DAMAGES = 4, // each of INPUT_DAMAGE_SIZE
	INPUT_MAX_DAMAGES = 8,
	INPUT_QUESTION_SIZE = 3,
	INPUT_MAX_QUESTIONS = 6,
	// Of the mode.
	INPUT_FRESH = 0x70,  // bits that are 0: the target is opened for this input
	INPUT_MENDED = 0x80, // memory is whole again before handles are given back
};

#endif
