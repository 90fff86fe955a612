// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How questions write their answers, and the functions that do.

#ifndef ANSWER_H
#define ANSWER_H

#include "questions.h"

enum { ICVS = 48 }; // ids up to this are asked, more than there are

/** Append to an answer. */
__attribute__((format(printf, 2, 3))) void say(struct answer *answer, const char *format, ...);
/** Append NAME=VALUE, or NAME=unknown. */
void say_number(struct answer *answer, const char *name, bool known, long long value);
void say_address(struct answer *answer, const char *name, uint64_t value);
/** Append an address, unknown if it is 0. */
void say_if_told(struct answer *answer, const char *name, uint64_t value);

/** Append what a routine gave with @p rc, if that is ok, and release it. @return @p rc. */
ompd_rc_t say_text(ompd_rc_t rc, const char *const *text, struct answer *answer);
ompd_rc_t say_thread(ompd_rc_t rc, ompd_thread_handle_t *const *handle, struct answer *answer);
ompd_rc_t say_parallel(ompd_rc_t rc, ompd_parallel_handle_t *const *handle, struct answer *answer);
ompd_rc_t say_task(ompd_rc_t rc, ompd_task_handle_t *const *handle, struct answer *answer);

/** Free memory that the library has allocated. */
void free_block(const void *block);

#define ASK(name) \
	ompd_rc_t ask_##name(const struct handles *handles, int variant, struct answer *answer)
#define QUESTION(name, needs, is_list, variants, function) ASK(function);
#include "questions.def"
#undef QUESTION

#endif
