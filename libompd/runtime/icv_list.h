// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs that are lists with an element for each level: nthreads-var and bind-var.

#ifndef OMPDBG_ICV_LIST_H
#define OMPDBG_ICV_LIST_H

#include "runtime/icv.h"
#include "target/environ.h"

enum {
	ICV_LIST_MAX = 64, // elements beyond are left out
};

/** The value of a variable at a level, and the program's list, from level 0 on, if it has one. */
struct icv_list {
	ompd_word_t first; // the element of the level
	size_t level;
	ompd_word_t values[ICV_LIST_MAX];
	size_t length;
};

/**
 * Read the list of nthreads-var or bind-var that the environment held at the start of the process. A
 * variable with one element is no list.
 * @return ok; unavailable (the text is no list that a runtime accepts); error.
 */
ompd_rc_t icv_list_in_environment(const struct target *target, enum icv icv, struct icv_list *ret);

// Of a list that was read, as @p rc says. incomplete: only its first element is known.

/** Store the first element. incomplete: elements follow. */
ompd_rc_t icv_list_value(ompd_rc_t rc, const struct icv_list *list, ompd_word_t *ret);

/** Format the first element and those that follow. @p text has ICV_TEXT_MAX bytes. */
ompd_rc_t icv_list_text(ompd_rc_t rc, const struct icv_list *list, enum icv_form form, char *text);

#endif
