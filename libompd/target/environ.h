// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment that a process was started with, from its initial stack.

#ifndef OMPDBG_ENVIRON_H
#define OMPDBG_ENVIRON_H

#include "target/target.h"

/**
 * Copy the value of the variable @p name as of the start of the process; later setenv() calls
 * do not change that block.
 * ompd_rc_unavailable: it was not set. ompd_rc_error: the block cannot be found or read.
 */
ompd_rc_t environ_get(const struct target *target, const char *name, char *value, size_t size);

/** A word that an environment variable may hold, and the value that it stands for. */
struct environ_word {
	const char *text; // in lower case
	ompd_word_t value;
};

/**
 * Return the value of the word that @p name was set to, regardless of case and of blanks around it;
 * @p otherwise if it was not set, or to none of @p words.
 * ompd_rc_error: the environment cannot be found or read.
 */
ompd_rc_t environ_word(const struct target *target, const char *name,
		       const struct environ_word *words, size_t count, ompd_word_t otherwise,
		       ompd_word_t *ret);

#endif
