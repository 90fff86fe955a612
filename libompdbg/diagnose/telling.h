// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files that put a finding into words share.

#ifndef OMPDBG_TELLING_H
#define OMPDBG_TELLING_H

#include "diagnose/words.h"

struct telling {
	struct graph *graph;
	struct finding *finding;
	struct arena *arena;
	size_t note_capacity;
};

/** Write a text about the finding. */
#define SAY(...) arena_printf(t->arena, __VA_ARGS__)

/** Write the line of a finding (headline.c). */
const char *headline(struct telling *t);
/** List the tasks of a finding, each once. */
struct task **finding_tasks(struct telling *t, size_t *count);

#endif
