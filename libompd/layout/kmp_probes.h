// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of LLVM's runtime are known to touch, in terms of fields. Internal to layout.

#ifndef OMPDBG_KMP_PROBES_H
#define OMPDBG_KMP_PROBES_H

#include "layout/kmp_code.h"

/** Steps of a path that are no fields. A field is its number plus one. */
enum {
	KMP_PATH_END = 0,
	KMP_PATH_NEXT = 0xf000, // plus a structure: the second element of an array of them
	KMP_PATH_LOAD = 0xffff,
	KMP_PATH_MAX = 11,
};

static inline bool kmp_path_is_field(uint16_t step)
{
	return step != KMP_PATH_END && step < KMP_PATH_NEXT;
}

enum kmp_probe_base {
	KMP_PROBE_INFO,	 // a thread's kmp_info, taken from the array of all threads
	KMP_PROBE_TASK,	 // the kmp_taskdata in front of the kmp_task that the function is given
	KMP_PROBE_GIVEN, // the structure that the function is given
	KMP_PROBE_BIT,	 // the function is short and names that bit
	KMP_PROBE_FIND,	 // the function touches one variable of that width that is not known yet
	KMP_PROBE_FIND_STRUCT,	// it reads all fields of the path, which is none, in one variable
	KMP_PROBE_FIND_ARRAY,	// it reads an element of the array that one such variable leads to
	KMP_PROBE_FIND_ADDRESS, // it hands on the address of one such variable
};

/** Facts that must be confirmed at least once before a layout is believed. */
enum kmp_need {
	KMP_NEED_NOTHING = 0,
	KMP_NEED_TID = 1,
	KMP_NEED_TEAM = 2,
	KMP_NEED_LEVEL = 4,
	KMP_NEED_TASK = 8,
	KMP_NEED_ICV = 16,
	KMP_NEED_ROOT = 32,
};

/** Rows of one function follow one another. */
struct kmp_probe {
	const char *function;
	uint8_t base;	     // enum kmp_probe_base
	uint8_t global;	     // enum kmp_global, to be found
	uint8_t need;	     // enum kmp_need
	uint8_t width;	     // bytes exactly; 0: at most the last field's size
	uint8_t where;	     // enum kmp_where
	uint8_t first, last; // releases that it holds for; 0: no limit
	bool traced;	     // only where the runtime is built with its traces (KMP_DEBUG)
	uint16_t path[KMP_PATH_MAX];
};

/** The first row tells where the array of threads is. */
extern const struct kmp_probe kmp_probes[];
extern const size_t kmp_probe_count;

#endif
