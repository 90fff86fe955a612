// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables that the standard names, for all families alike.

#ifndef OMPDBG_ICV_H
#define OMPDBG_ICV_H

#include <stdbool.h>
#include <stddef.h>

#include "target/environ.h"

enum icv {
#define ICV_ROW(id, name, scope, form, ...) ICV_##id,
#define ICV_ABSENT ICV_ROW
#include "runtime/icvs.def"
	ICV_COUNT,
	ICV_NONE = ICV_COUNT,
};

/** How the text of a variable follows from its value. ICV_FORM_own: the family knows. */
enum icv_form {
	ICV_FORM_decimal,
	ICV_FORM_boolean,
	ICV_FORM_enabled,
	ICV_FORM_bind,
	ICV_FORM_wait_policy,
	ICV_FORM_target_offload,
	ICV_FORM_allocator,
	ICV_FORM_team_generator,
	ICV_FORM_text, // no integer represents it
	ICV_FORM_own,
};

/** A name under which a variable is enumerated. */
struct icv_name {
	const char *name;
	ompd_scope_t scope;
	enum icv icv;
};

extern const struct icv_name icv_names[];
extern const size_t icv_name_count;

/** Return the variable of that name, also of those that are not enumerated; ICV_NONE. */
enum icv icv_named(const char *name);

enum icv_form icv_form(enum icv icv);

/** Return whether no family can read the variable. */
bool icv_is_absent(enum icv icv);

/** Return whether the process has one such variable, and not each task or thread its own. */
bool icv_is_of_process(enum icv icv);

enum {
	ICV_TEXT_MAX = 256,
};

/** Text of @p value in the form of the environment variable that sets it. @p text has ICV_TEXT_MAX
 * bytes. Not for ICV_FORM_own and ICV_FORM_text. */
void icv_format(enum icv_form form, ompd_word_t value, char *text);

/** Return the value of an integer of @p size bytes with its sign. */
static inline ompd_word_t icv_signed(uint64_t value, unsigned int size)
{
	const unsigned int unused = 64 - 8 * size;

	return (ompd_word_t)(value << unused) >> unused;
}

/** Environment variable that sets an ICV when the runtime starts; nothing does later. */
struct icv_environment {
	const char *variable;
	const struct environ_word *words;
	size_t count;
	ompd_word_t otherwise;
};

#define ICV_ENVIRONMENT(variable, words, otherwise)                            \
	{                                                                      \
		variable, words, sizeof(words) / sizeof((words)[0]), otherwise \
	}

extern const struct icv_environment icv_target_offload_environment, icv_wait_policy_environment;

/** Return the value that the environment gave a variable whose place is not known. */
ompd_rc_t icv_in_environment(const struct target *target, const struct icv_environment *environment,
			     ompd_word_t *ret);

/** A schedule with its chunk size; 0: none. */
struct icv_schedule {
	ompd_word_t kind; // omp_sched_t, with its modifier
	const char *name; // NULL: not known
	int32_t chunk;
};

enum { ICV_MONOTONIC = 0x80000000u }; // omp_sched_monotonic

/** An environment variable of the standard, and the ICV whose initial value it sets. ICV_NONE: the
 * value in force is kept in no place that is known. */
struct icv_control_var {
	const char *name;
	enum icv icv;
};

/** All of them; a null name ends them. */
extern const struct icv_control_var icv_control_vars[];

#endif
