// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of libgomp are known to touch, in terms of fields. Internal to layout.

#ifndef OMPDBG_GOMP_PROBES_H
#define OMPDBG_GOMP_PROBES_H

#include "layout/code_memory.h"
#include "layout/layout.h"

/** Ends a list of fields; a field is its number plus one. */
enum { PROBE_END = 0, PROBE_LOAD = 0xffff, PROBE_PATH_MAX = 10 };

enum probe_base {
	PROBE_THREAD,	// the thread's own struct gomp_thread
	PROBE_ARGUMENT, // what the first argument points to
	PROBE_GLOBAL,	// a variable that an earlier probe found
	PROBE_FIND,	// the function touches one variable of that width: this one
};

/** Facts that must be confirmed at least once before a layout is believed. */
enum probe_need {
	NEED_NOTHING = 0,
	NEED_THREAD_NUM = 1,
	NEED_TEAM = 2,
	NEED_LEVEL = 4,
	NEED_ANCESTORS = 8,
	NEED_TASK = 16,
	NEED_ICV = 32,
	NEED_ALL = 63,
};

/** Rows of one function follow one another. */
struct gomp_probe {
	const char *function;
	uint8_t base;		       // enum probe_base
	uint8_t global;		       // enum gomp_global, for PROBE_GLOBAL and PROBE_FIND
	uint8_t need;		       // enum probe_need
	uint8_t width;		       // bytes; 0: at most the last field's size
	bool passed;		       // not accessed, but handed on as first argument
	uint8_t first, last;	       // releases that it holds for; 0: no limit
	uint16_t path[PROBE_PATH_MAX]; // fields, and PROBE_LOAD where a pointer is followed
};

extern const struct gomp_probe gomp_probes[];
extern const size_t gomp_probe_count;

/** A symbol that a release of libgomp introduced, in an object that every program links. */
struct gomp_newcomer {
	const char *symbol;
	uint32_t release;
};

extern const struct gomp_newcomer gomp_newcomers[];
extern const size_t gomp_newcomer_count;

#endif
