// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for threads, locks and tasks.

#include "diagnose/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"

static int compare_numbers(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

/** Write ranges of numbers. @p pair: what stands between two numbers that follow one another. */
static const char *write_ranges(struct arena *arena, const int *numbers, size_t count,
				const char *separator, const char *pair)
{
	int *sorted = ARENA_ARRAY(arena, int, count + 1);
	struct buffer text = { 0 };
	const char *found;

	memcpy(sorted, numbers, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_numbers);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && sorted[end] <= sorted[end - 1] + 1;)
			end++;
		int first = sorted[i], last = sorted[end - 1];
		if (text.size)
			buffer_put(&text, separator);
		buffer_printf(&text, "%d", first);
		if (last > first)
			buffer_printf(&text, "%s%d", last == first + 1 ? pair : "-", last);
	}
	found = arena_strdup(arena, text.data ? text.data : "");
	buffer_deinit(&text);
	return found;
}

const char *number_list(struct arena *arena, const int *numbers, size_t count)
{
	return write_ranges(arena, numbers, count, ", ", ", ");
}

const char *ranges_text(struct arena *arena, const int *numbers, size_t count)
{
	return write_ranges(arena, numbers, count, ",", "-");
}

static bool is_number(const char *label)
{
	return *label && label[strspn(label, "0123456789")] == '\0';
}

const char *threads_text(struct arena *arena, struct thread *const *threads, size_t count)
{
	const char *noun = count == 1 ? "thread" : "threads";
	int *numbers = ARENA_ARRAY(arena, int, count + 1);
	const char *labels = "";
	bool are_numbers = true;

	for (size_t i = 0; i < count; i++) {
		const char *label = threads[i]->target->label;
		are_numbers &= is_number(label);
		numbers[i] = threads[i]->target->number;
	}
	if (are_numbers)
		return arena_printf(arena, "%s %s", noun, number_list(arena, numbers, count));
	for (size_t i = 0; i < count; i++)
		labels = arena_printf(arena, "%s%s%s", labels, i ? ", " : "",
				      threads[i]->target->label);
	return arena_printf(arena, "%s %s", noun, labels);
}

const char *counted_text(struct arena *arena, uint64_t number, const char *noun)
{
	return arena_printf(arena, "%lu %s%s", (unsigned long)number, noun, number == 1 ? "" : "s");
}

const char *task_text(struct arena *arena, struct task *task)
{
	const struct task_function *function = task ? task_function(task) : NULL;

	if (!function)
		return "a task";
	if (!function->file)
		return arena_printf(arena, "task of %s", function->name);
	return arena_printf(arena, "task of %s at %s:%d", function->name, base_name(function->file),
			    function->line);
}

const char *capitalized(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	*copy = (char)toupper((unsigned char)*copy);
	return copy;
}

const char *candidate_text(struct arena *arena, const struct candidate *candidate)
{
	const struct location *location = candidate->location;
	const char *label = candidate->thread->target->label;
	const char *function = location && location->function ? location->function : "??";
	const char *place = location && location->file && location->line ?
				    arena_printf(arena, " at %s:%d", base_name(location->file),
						 location->line) :
				    "";

	if (candidate->by_code)
		return arena_printf(
			arena,
			"perhaps held by thread %s: %s%s (frame %d) has set it and not unset it",
			label, function, place, candidate->level);
	return arena_printf(arena, "perhaps held by thread %s: %s in frame %d, %s%s", label,
			    candidate->variable, candidate->level, function, place);
}

const char *lock_reason_text(struct arena *arena, const struct lock *lock)
{
	if (lock->owner || !lock->reason)
		return NULL;
	return arena_printf(arena, "%s%s",
			    lock->is_held == YES && !lock->owner_ended ? "held; " : "",
			    lock->reason);
}
