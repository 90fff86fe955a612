// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words in the styles that GDB has for headings, functions, files, variables and addresses, and for what
// it highlights. Text is made visible, measured and cut first, and painted afterwards.

#ifndef OMPDBG_PALETTE_H
#define OMPDBG_PALETTE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum style {
	STYLE_TITLE,
	STYLE_FUNCTION,
	STYLE_FILE,
	STYLE_VARIABLE,
	STYLE_ADDRESS,
	STYLE_METADATA,
	STYLE_ERROR, // what has crashed
	STYLE_STUCK, // what can never go on
	NUM_STYLES,
	STYLE_NONE = NUM_STYLES, // as all else
};

/** Colors of a text, and how wide it may be. */
struct paper {
	struct arena *arena; // of all texts
	size_t width;	     // in columns; 0: lines are as long as they are
	bool color;
	const char *const *palette; // as of struct form
};

/** Return a text in a style. */
const char *paint(const struct paper *paper, enum style style, const char *text);

/** How the text of a cell or line is painted. */
typedef const char *painter(const struct paper *paper, const char *text);
/** Paint a place: "work at hang.c:12", "0x401136 in program", or a function alone. */
painter paint_place;
/** Paint what a thread waits for: "lock locks[3]". */
painter paint_wait;
/** Paint a line about a task: "task of solve at hung.c:80, running". */
painter paint_task;

#endif
