// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that tables and documents have in common.

#include "output/icv_rows.h"
#include "base/text.h"

#include <string.h>

const struct icv_row *icv_rows(struct process *process, struct thread *const *threads,
			       size_t num_threads, const char *scope, size_t *count)
{
	struct arena *arena = &process->arena;
	struct icv_row *rows = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < num_threads && !process_is_interrupted(process); i++) {
		size_t num_icvs;
		const struct icv *icvs = thread_icvs(threads[i], &num_icvs);
		for (size_t k = 0; k < num_icvs; k++) {
			const struct icv *icv = &icvs[k];
			struct icv_row *row = NULL;
			if (scope && strcmp(icv_scope_name(icv->scope), scope) != 0)
				continue;
			for (size_t j = 0; j < *count && !row; j++) {
				if (rows[j].icv->scope == icv->scope &&
				    strcmp(rows[j].icv->name, icv->name) == 0 &&
				    is_same_text(rows[j].icv->value, icv->value))
					row = &rows[j];
			}
			if (!row) {
				row = ARENA_APPEND(arena, rows, *count, capacity);
				row->icv = icv;
			}
			thread_list_append(&row->threads, arena, threads[i]);
		}
	}
	// Values of one variable stand together, in the order in which variables were met.
	struct icv_row *sorted = ARENA_ARRAY(arena, struct icv_row, *count);
	size_t placed = 0;
	for (size_t i = 0; i < *count; i++) {
		if (!rows[i].icv)
			continue;
		struct icv_row first = rows[i];
		for (size_t k = i; k < *count; k++) {
			if (rows[k].icv && rows[k].icv->scope == first.icv->scope &&
			    strcmp(rows[k].icv->name, first.icv->name) == 0) {
				sorted[placed++] = rows[k];
				rows[k].icv = NULL;
			}
		}
	}
	return sorted;
}

struct ompdbg_error *process_tasks_visit(struct process *process,
					 struct ompdbg_error *(*visit)(void *context,
								       struct task *task),
					 void *context, struct tasks_visited *ret)
{
	struct ompdbg_error *error = NULL;

	*ret = (struct tasks_visited){ 0 };
	for (size_t i = 0; i < process->num_runtimes && !error; i++) {
		bool is_damaged = false;
		int64_t more = NOT_KNOWN;
		error = tasks_visit(process->runtimes[i], visit, context, &is_damaged, &more);
		ret->is_damaged |= is_damaged;
		ret->unreached = more == NOT_KNOWN || ret->unreached == NOT_KNOWN ?
					 NOT_KNOWN :
					 ret->unreached + more;
	}
	return error;
}
