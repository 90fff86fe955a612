// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tasks of a runtime, of which there may be very many. Records come from the library in batches;
// none is kept.

#include <stdlib.h>
#include <string.h>

#include "model/room.h"

enum {
	BATCH = 1024,		// records
	MAX_EMPTY_BATCHES = 16, // in a row that a damaged target may give before the end is assumed
};

/** A list of all tasks that is being read. */
struct task_list {
	struct runtime *runtime;
	ompd_ext_task_iterator *iterator;
	ompd_ext_task_info *records;
	bool damaged;
};

static void list_close(struct task_list *list)
{
	const struct ompd_functions *functions = space_functions(list->runtime->space);

	if (list->iterator)
		functions->ext_tasks_close(list->iterator);
	free(list->records);
}

static struct ompdbg_error *list_open(struct runtime *runtime, struct task_list *list)
{
	struct space *space = runtime->space;

	*list = (struct task_list){ .runtime = runtime };
	struct ompdbg_error *error =
		SPACE_CALL(space, ext_tasks_open_all, space_handle(space), &list->iterator);
	if (!error && !list->iterator)
		error = ompdbg_error_create(OMPDBG_FAILED, "the OMPD library returned no handle");
	if (!error) {
		list->records = calloc(BATCH, sizeof(*list->records));
		if (!list->records)
			out_of_memory();
	} else if (space_last_code(space) != ompd_rc_ok) {
		list->iterator = NULL;
	}
	if (error)
		list_close(list);
	return error;
}

/** Read the next records; *count is 0 at the end. */
static struct ompdbg_error *list_next(struct task_list *list, size_t *count)
{
	struct space *space = list->runtime->space;

	for (int empty = 0; empty < MAX_EMPTY_BATCHES; empty++) {
		*count = 0;
		if (process_is_interrupted(list->runtime->process))
			return interruption();
		struct ompdbg_error *error = SPACE_CALL(space, ext_tasks_next, list->iterator,
							list->records, BATCH, count);
		if (error)
			return error;
		if (*count > BATCH)
			*count = BATCH;
		if (space_last_code(space) == ompd_rc_incomplete)
			list->damaged = true;
		else
			break;
		if (*count)
			break;
	}
	return NULL;
}

/** Ask how many tasks the runtime counts that it keeps in no list. */
static int64_t list_unreached(struct task_list *list)
{
	uint32_t count = 0;

	if (!is_ok(SPACE_CALL(list->runtime->space, ext_tasks_unreached, list->iterator, &count)))
		return NOT_KNOWN;
	return count;
}

// ---- One after another -----------------------------------------------------------------------

/** Check for a task of hidden helper threads, which is none in the program's sense. */
static bool is_hidden(struct runtime *runtime, const ompd_ext_task_info *info)
{
	return (info->kind == ompd_ext_task_implicit || info->kind == ompd_ext_task_initial) &&
	       runtime_is_helpers(runtime, info->parallel_id);
}

static struct ompdbg_error *
visit_one(struct runtime *runtime, const ompd_ext_task_info *info, uint64_t *next,
	  struct ompdbg_error *(*visit)(void *context, struct task *task), void *context)
{
	struct task task = { .runtime = runtime, .info = *info, .is_visited = true };

	if (task_is_explicit(&task))
		task.number = (*next)++;
	task.placement = table_get(runtime_placements(runtime), info->id);
	struct ompdbg_error *error = visit(context, &task);
	if (task.handle)
		space_release(runtime->space, ompd_scope_task, task.handle);
	return error;
}

struct ompdbg_error *tasks_visit(struct runtime *runtime,
				 struct ompdbg_error *(*visit)(void *context, struct task *task),
				 void *context, bool *damaged, int64_t *unreached)
{
	uint64_t next = runtime_first_task_number(runtime);
	struct task_list list;
	size_t count = 0;
	struct ompdbg_error *error = list_open(runtime, &list);

	if (error)
		return error;
	do {
		error = list_next(&list, &count);
		for (size_t i = 0; !error && i < count; i++) {
			if (!is_hidden(runtime, &list.records[i]))
				error = visit_one(runtime, &list.records[i], &next, visit, context);
		}
	} while (!error && count);
	if (damaged)
		*damaged = list.damaged;
	if (!error && unreached)
		*unreached = list_unreached(&list);
	list_close(&list);
	return error;
}

struct task *task_keep(const struct task *task)
{
	struct task *copy = ARENA_NEW(&task->runtime->process->arena, struct task);

	*copy = *task;
	if (task->is_visited)
		copy->handle = NULL; // it is released after the visit
	copy->is_visited = false;
	return copy;
}

// ---- Counting --------------------------------------------------------------------------------

/** A number of tasks that are alike. */
struct tally {
	struct tally *next, *next_of_function;
	uint64_t function, source, number;
	uint32_t kind, status;
};

struct tallies {
	struct arena *arena;
	struct tally *first, **end; // in the order in which they were met
	struct table by_function;   // entry of a task's code -> struct tally
};

static struct tally *tally_of(struct tallies *tallies, uint64_t function, uint64_t source,
			      uint32_t kind, uint32_t status)
{
	void **place = table_put(&tallies->by_function, tallies->arena, function);
	struct tally *tally = *place;

	while (tally && (tally->source != source || tally->kind != kind || tally->status != status))
		tally = tally->next_of_function;
	if (!tally) {
		tally = ARENA_NEW(tallies->arena, struct tally);
		*tally = (struct tally){ NULL, *place, function, source, 0, kind, status };
		*place = tally;
		*tallies->end = tally;
		tallies->end = &tally->next;
	}
	return tally;
}

static struct ompdbg_error *count_all(struct runtime *runtime, struct tallies *tallies,
				      bool *damaged)
{
	struct tally *last = NULL;
	struct task_list list;
	size_t count = 0;

	*tallies = (struct tallies){ .arena = &runtime->process->arena };
	tallies->end = &tallies->first;
	struct ompdbg_error *error = list_open(runtime, &list);
	if (error)
		return error;
	do {
		error = list_next(&list, &count);
		for (size_t i = 0; !error && i < count; i++) {
			const ompd_ext_task_info *info = &list.records[i];

			if (!last || last->function != info->function ||
			    last->source != info->source || last->kind != info->kind ||
			    last->status != info->status)
				last = tally_of(tallies, info->function, info->source, info->kind,
						info->status);
			last->number++;
		}
	} while (!error && count);
	*damaged |= list.damaged;
	list_close(&list);
	return error;
}

/** Check for tasks of which stacks may tell more than the runtime. */
static bool may_be_placed(const struct tally *tally)
{
	if (tally->kind != ompd_ext_task_explicit)
		return false;
	return tally->status == ompd_ext_task_started ||
	       (!tally->function && (tally->status == ompd_ext_task_running ||
				     tally->status == ompd_ext_task_suspended));
}

/** Count the tasks of which stacks tell more as what they are. */
static void move_placed(struct runtime *runtime, struct tallies *tallies)
{
	const struct table *placements = runtime_placements(runtime);
	const struct placement *placement;

	for (size_t i = 0; (placement = table_value(placements, &i)); i++) {
		const ompd_ext_task_info *info = &placement->info;
		struct tally *recorded =
			tally_of(tallies, info->function, info->source, info->kind, info->status);
		struct task task = { .runtime = runtime, .info = *info, .placement = placement };

		if (!recorded->number)
			continue;
		recorded->number--;
		tally_of(tallies, placement->entry, info->source, info->kind,
			 task_status_code(&task))
			->number++;
	}
}

static int compare_counts(const void *one, const void *other)
{
	const struct task_count *a = one, *b = other;

	if (a->number != b->number)
		return a->number > b->number ? -1 : 1;
	int order = strcmp(a->kind, b->kind);
	if (!order)
		order = strcmp(a->status, b->status);
	if (order)
		return order;
	return a->order < b->order ? -1 : a->order > b->order;
}

struct ompdbg_error *process_task_counts(struct process *process, struct task_count **ret,
					 size_t *count, bool *damaged)
{
	struct arena *arena = &process->arena;
	size_t capacity = 0;

	*ret = NULL;
	*count = 0;
	*damaged = false;
	for (size_t i = 0; i < process->num_runtimes; i++) {
		struct runtime *runtime = process->runtimes[i];
		struct tallies tallies;
		struct ompdbg_error *error = count_all(runtime, &tallies, damaged);
		bool is_placed = false;

		if (error)
			return error;
		for (struct tally *tally = tallies.first; tally; tally = tally->next)
			is_placed |= may_be_placed(tally);
		if (is_placed)
			move_placed(runtime, &tallies);
		for (struct tally *tally = tallies.first; tally; tally = tally->next) {
			if (!tally->number)
				continue;
			struct task_count *one = ARENA_APPEND(arena, *ret, *count, capacity);
			*one = (struct task_count){
				.function = code_function(runtime, tally->function, tally->source),
				.kind = task_kind_name(runtime, tally->kind),
				.status = task_status_name(runtime, tally->status),
				.number = tally->number,
				.order = *count,
			};
		}
	}
	if (*count)
		qsort(*ret, *count, sizeof(**ret), compare_counts);
	return NULL;
}

const struct explicit_code *runtime_explicit_code(struct runtime *runtime, uint64_t entry)
{
	struct tallies tallies;
	bool damaged = false;

	if (!runtime->has_explicit_code) {
		runtime->has_explicit_code = true;
		if (!is_ok(count_all(runtime, &tallies, &damaged)))
			tallies.first = NULL;
		for (struct tally *tally = tallies.first; tally; tally = tally->next) {
			if (tally->kind != ompd_ext_task_explicit &&
			    tally->kind != ompd_ext_task_target)
				continue;
			struct explicit_code *code = ARENA_NEW(tallies.arena, struct explicit_code);
			*code = (struct explicit_code){ tally->function, tally->source };
			*table_put(&runtime->explicit_code, tallies.arena, code->entry) = code;
		}
	}
	return table_get(&runtime->explicit_code, entry);
}
