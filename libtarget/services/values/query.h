// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions that are understood without GDB: variables, members, elements, what pointers are to.

#ifndef OMPDBG_TARGET_QUERY_H
#define OMPDBG_TARGET_QUERY_H

#include "services/internal.h"

enum { MAX_INDICES = 15 }; // Fortran's arrays have at most so many dimensions

enum query_kind {
	QUERY_NAME,	// `name`
	QUERY_NUMBER,	// `number`
	QUERY_MEMBER,	// member `name` of `of`; of a pointer, of what that is to
	QUERY_INDEX,	// elements `indices` of `of`
	QUERY_TARGET,	// *of
	QUERY_ADDRESS,	// &of
	QUERY_ELEMENTS, // of@indices[0].first
};

struct query;

/** An index, or in Fortran a range of them, of which each end may be missing. */
struct query_index {
	bool is_range;
	const struct query *first, *last; // NULL: missing
};

/** An expression. */
struct query {
	enum query_kind kind;
	const char *name;
	int64_t number;
	const struct query *of;
	bool is_in_parentheses; // the indices: a call, but in Fortran
	struct query_index indices[MAX_INDICES];
	size_t num_indices;
};

/** Parse an expression. @return NULL with *error. */
const struct query *query_parse(struct arena *arena, const char *text, struct ompdbg_error **error);

#endif
