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

/** The elements from level 0 on; none if the program has no list. */
struct icv_list {
	ompd_word_t values[ICV_LIST_MAX];
	size_t length;
};

/**
 * Read the list that an environment variable held at the start of the process: @p words with commas
 * between, or numbers if @p words is NULL. A variable with one element is no list.
 * @return ok; unavailable (the text is no list that a runtime accepts); error.
 */
ompd_rc_t icv_list_in_environment(const struct target *target, const char *name,
				  const struct environ_word *words, size_t count,
				  struct icv_list *ret);

/** Return ok, or incomplete if elements follow that of @p level. */
ompd_rc_t icv_list_rc(const struct icv_list *list, size_t level);

/** Format @p first and the elements after that of @p level. @p text has ICV_TEXT_MAX bytes. */
void icv_list_format(const struct icv_list *list, ompd_word_t first, size_t level,
		     enum icv_form form, char *text);

#endif
