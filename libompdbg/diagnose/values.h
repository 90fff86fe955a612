// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of an expression in many threads, equal ones together.

#ifndef OMPDBG_VALUES_H
#define OMPDBG_VALUES_H

#include "model/model.h"

/** The value of an expression in a thread: in the innermost frame of the program that knows the names
 *  which the expression has, or else why there is none in the innermost frame. */
struct thread_value {
	struct thread *thread;
	const struct location *location; // of the frame; NULL: there is none
	struct ompdbg_value value;
};

/** Threads in the same function that have the same value, or none for the same reason. */
struct value_group {
	struct thread_list threads; // in the debugger's order
	const struct thread_value *first;
	bool is_outlier; // of three threads or more, most have another value
};

/** All of them. */
struct values {
	const char *expression;
	const char *option; // that was written after the expression, and became a part of it; NULL
	struct value_group
		*groups; // outliers first, the smallest first; those without a value last
	size_t num_groups, capacity;
	size_t num_threads, num_with_value;
	size_t num_different; // values
	// Of numbers that are no NaN, groups with the least and the greatest; NULL: there are none, or
	// not all values are numbers.
	const struct value_group *least, *greatest;
};

/** Evaluate an expression in threads, without any effect on the program. @p format as of the service. */
struct ompdbg_error *values_evaluate(struct process *process, struct thread *const *threads,
				     size_t num_threads, const char *expression, char format,
				     struct values *ret);
/** Check that no thread knows a name in the expression. */
bool values_name_nothing(const struct values *values);
/** List the threads of all groups whose value is the same number. */
struct thread_list values_threads_with(struct process *process, const struct values *values,
				       long double number);

#endif
