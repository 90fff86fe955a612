// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for threads, locks and tasks.

#include "diagnose/words.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buffer.h"
#include "base/text.h"
#include "stack/cxx_names.h"

enum { MOST_NUMBERS = 40 }; // columns of a list of threads

static int compare_numbers(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

static const char *write_ranges(struct arena *arena, const int *numbers, size_t count,
				const char *separator)
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
			buffer_printf(&text, "-%d", last);
	}
	found = arena_strdup(arena, text.data ? text.data : "");
	buffer_deinit(&text);
	return found;
}

const char *number_list(struct arena *arena, const int *numbers, size_t count)
{
	return write_ranges(arena, numbers, count, ", ");
}

const char *ranges_text(struct arena *arena, const int *numbers, size_t count)
{
	return write_ranges(arena, numbers, count, ",");
}

/** Return what the labels of threads have before their numbers: "1." with several inferiors, else "". */
static const char *inferior_of(struct arena *arena, const struct thread_list *threads)
{
	const struct ompdbg_target_thread *target = threads->count ? threads->all[0]->target : NULL;

	if (!target)
		return "";
	size_t digits = strlen(arena_printf(arena, "%d", target->number));
	size_t length = strlen(target->label);
	return arena_strndup(arena, target->label, length > digits ? length - digits : 0);
}

static const char *write_threads(struct arena *arena, const struct thread_list *threads,
				 const char *separator)
{
	int *numbers = ARENA_ARRAY(arena, int, threads->count);

	for (size_t i = 0; i < threads->count; i++)
		numbers[i] = threads->all[i]->target->number;
	return arena_printf(arena, "%s%s", inferior_of(arena, threads),
			    write_ranges(arena, numbers, threads->count, separator));
}

const char *thread_numbers(struct arena *arena, const struct thread_list *threads)
{
	return write_threads(arena, threads, ",");
}

const char *thread_number_list(struct arena *arena, const struct thread_list *threads)
{
	return write_threads(arena, threads, ", ");
}

const char *threads_text(struct arena *arena, const struct thread_list *threads)
{
	const char *noun = threads->count == 1 ? "thread" : "threads";
	const char *numbers = thread_number_list(arena, threads);
	size_t length = MOST_NUMBERS + strlen(inferior_of(arena, threads));

	if (strlen(numbers) <= length)
		return arena_printf(arena, "%s %s", noun, numbers);
	while (numbers[length] != ' ')
		length--;
	return arena_printf(arena, "%zu %s (%.*s...)", threads->count, noun, (int)length + 1,
			    numbers);
}

const char *listed_text(struct arena *arena, const char *list, const char *item)
{
	return *list ? arena_printf(arena, "%s, %s", list, item) : item;
}

struct fold *fold_of(struct folds *folds, struct arena *arena, const char *text)
{
	for (size_t i = 0; i < folds->count; i++) {
		if (strcmp(folds->all[i].text, text) == 0)
			return &folds->all[i];
	}
	struct fold *fold = ARENA_APPEND(arena, folds->all, folds->count, folds->capacity);
	*fold = (struct fold){ .text = text, .items = "" };
	return fold;
}

const char *counted_text(struct arena *arena, uint64_t number, const char *noun)
{
	return arena_printf(arena, "%lu %s%s", (unsigned long)number, noun, number == 1 ? "" : "s");
}

const char *duration_text(struct arena *arena, double seconds)
{
	enum { MINUTE = 60, HOUR = 3600, LONG = 100 };
	static const struct {
		double unit;
		const char *name;
	} units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };
	size_t k = 0;

	if (seconds >= HOUR)
		return arena_printf(arena, "%ld h %ld min", (long)(seconds / HOUR),
				    (long)seconds % HOUR / MINUTE);
	if (seconds >= LONG)
		return arena_printf(arena, "%ld min %ld s", (long)(seconds / MINUTE),
				    (long)seconds % MINUTE);
	while (k + 1 < sizeof(units) / sizeof(*units) && seconds < units[k].unit)
		k++;
	double number = seconds / units[k].unit;
	const char *format = number >= 1 && number < LONG ? "%.3g %s" : "%.0f %s";
	return arena_printf(arena, format, number, units[k].name);
}

/** Convert a time of the recording to that of the calendar. @return false: the speed of its clock is
 *  unknown. */
static bool calendar_time(const struct history *history, uint64_t time, struct tm *ret)
{
	double seconds = history_seconds(history, history->root.start_ticks, time);
	const double all = 1e11;

	if (isnan(seconds) || fabs(seconds) > all || history->root.start_realtime > INT64_MAX)
		return false;
	seconds += (double)history->root.start_realtime * 1e-9;
	const time_t whole = (time_t)seconds;
	return seconds >= 0 && gmtime_r(&whole, ret);
}

const char *clock_text(const struct history *history, uint64_t time, bool has_date)
{
	struct tm then, end;
	char text[64];

	if (!calendar_time(history, time, &then) || !calendar_time(history, history->end, &end))
		return "";
	has_date |= then.tm_yday != end.tm_yday || then.tm_year != end.tm_year;
	if (!strftime(text, sizeof(text), has_date ? "%F %T UTC" : "%T UTC", &then))
		return "";
	return arena_strdup(&history->process->arena, text);
}

const char *age_text(const struct history *history, uint64_t time)
{
	double seconds = history_seconds(history, time, history->end);

	if (!history->is_end_stop)
		return clock_text(history, time, false);
	return isnan(seconds) || seconds < 0 ? "" :
					       duration_text(&history->process->arena, seconds);
}

const char *since_text(const struct history *history, uint64_t time)
{
	const char *age = age_text(history, time);

	return *age ? arena_printf(&history->process->arena, " %s %s",
				   history->is_end_stop ? "for" : "since", age) :
		      "";
}

const char *ago_text(const struct history *history, uint64_t time)
{
	const char *age = age_text(history, time);
	const char *format = history->is_end_stop ? " %s ago" : " at %s";

	return *age ? arena_printf(&history->process->arena, format, age) : "";
}

const char *at_text(struct arena *arena, const char *name, const char *file, int line)
{
	name = cxx_shown(arena, name);
	return file && line ? arena_printf(arena, "%s at %s:%d", name, base_name(file), line) :
			      name;
}

const char *line_text(struct arena *arena, const struct location *location)
{
	if (!location)
		return "";
	if (location->file && location->line)
		return arena_printf(arena, "%s:%d", base_name(location->file), location->line);
	return location->function ? cxx_shown(arena, location->function) : location->title;
}

const char *held_text(struct process *process, const struct lock *lock)
{
	struct arena *arena = &process->arena;
	const char *line;

	if (!lock->taken)
		return "";
	line = line_text(arena, lock->taken->location);
	return arena_printf(arena, "%s%s%s",
			    since_text(process_history(process), lock->taken->since),
			    *line ? ", taken at " : "", line);
}

const char *task_text(struct arena *arena, struct task *task)
{
	const struct task_function *function = task ? task_function(task) : NULL;
	uint64_t number = task ? task_number(task) : 0;
	const char *noun = number ? arena_printf(arena, "task #%lu", (unsigned long)number) :
				    "task";

	if (!function)
		return number ? noun : "a task";
	return arena_printf(arena, "%s of %s", noun,
			    at_text(arena, function->name, function->file, function->line));
}

const char *capitalized(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	*copy = (char)toupper((unsigned char)*copy);
	return copy;
}

/** Check that two candidates differ in their threads and frames only. */
static bool is_alike(const struct candidate *one, const struct candidate *other)
{
	const struct location *a = one->location, *b = other->location;

	return one->suspicion == other->suspicion && is_same_text(one->variable, other->variable) &&
	       (a == b || (a && b && is_same_text(a->function, b->function) &&
			   is_same_text(a->file, b->file) && a->line == b->line));
}

static const char *candidate_text(struct arena *arena, const struct lock *lock,
				  const struct candidate *candidate,
				  const struct thread_list *threads)
{
	const struct location *location = candidate->location;
	const char *place = location && location->function ? location->function :
							     line_text(arena, location);
	const char *who = threads_text(arena, threads);
	const char *frame = "";

	if (location)
		place = at_text(arena, place, location->file, location->line);
	if (threads->count > 1)
		who = arena_printf(arena, "one of %s", who);
	else
		frame = arena_printf(arena, " (frame %d)", candidate->level);
	const char *why =
		candidate->suspicion == SUSPECTED_BY_CODE ?
			arena_printf(arena, "%s%s may have set it and not unset it", place, frame) :
		candidate->suspicion == SUSPECTED_BY_KIND ?
			arena_printf(arena, "has set a %s in %s%s, unknown which",
				     wait_kind(lock->kind)->title, place, frame) :
			arena_printf(arena, "%s in %s%s", candidate->variable, place, frame);
	return capitalized(arena, arena_printf(arena, "%s is perhaps held by %s: %s", lock->title,
					       who, why));
}

const char *const *candidate_texts(struct arena *arena, const struct lock *lock, size_t *count)
{
	const size_t all = lock->owner ? 0 : lock->num_candidates;
	const char **texts = ARENA_ARRAY(arena, const char *, all + 1);
	bool *done = ARENA_ARRAY(arena, bool, all + 1);

	*count = 0;
	for (size_t i = 0; i < all; i++) {
		struct thread_list threads = { 0 };
		if (done[i])
			continue;
		for (size_t k = i; k < all; k++) {
			if (!is_alike(&lock->candidates[i], &lock->candidates[k]))
				continue;
			done[k] = true;
			thread_list_append(&threads, arena, lock->candidates[k].thread);
		}
		texts[(*count)++] = candidate_text(arena, lock, &lock->candidates[i], &threads);
	}
	return texts;
}

const char *lock_reason_text(struct arena *arena, const struct lock *lock)
{
	if (lock->owner || !lock->reason)
		return NULL;
	return arena_printf(arena, "%s%s",
			    lock->is_held == YES && !lock->owner_ended ? "held; " : "",
			    lock->reason);
}
