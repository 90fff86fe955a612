// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions of LLVM's runtime do to memory. Internal to layout.

#ifndef OMPDBG_KMP_CODE_H
#define OMPDBG_KMP_CODE_H

#include "layout/code_memory.h"
#include "layout/kmp_library.h"

/** Which code a row is about. */
enum kmp_where {
	KMP_ITSELF, // the function
	KMP_TAIL,   // what it jumps to in the end
	KMP_CALLED, // it, and all that it calls: of large functions, that are not followed to their end
};

/** The code that was looked at last. */
struct kmp_code {
	const struct kmp_library *library;
	const char *function;
	uint8_t where; // enum kmp_where
	bool present;  // it exists and could be read
	struct code_reader reader;
	struct code_report report;
};

/** Prepare @p code, with nothing looked at. */
void kmp_code_init(struct kmp_code *code, const struct kmp_library *library);

/** Follow the code of an exported function, unless it is what was followed last. */
void kmp_code_explore(struct kmp_code *code, const char *function, uint8_t where);

/** Check whether an instruction of the function names that bit of a word: as mask or as number. */
bool kmp_code_names_bit(struct kmp_code *code, const char *function, unsigned int bit);

#endif
