// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "terminal.h"

enum { MAX_NUMBER = 1 << 20 };

static const char running[] = "running";

static struct chosen all_threads(struct process *process)
{
	struct chosen all = { ARENA_ARRAY(&process->arena, struct thread *, process->num_targets),
			      process->num_targets };

	for (size_t i = 0; i < all.count; i++)
		all.threads[i] = process->threads[i];
	return all;
}

static bool is_state(struct process *process, const char *begin)
{
	for (size_t i = 0; i < process->num_runtimes; i++) {
		size_t count;
		const char *const *names = runtime_state_names(process->runtimes[i], &count);
		for (size_t k = 0; k < count; k++) {
			if (names[k] && starts_with(names[k], begin))
				return true;
		}
	}
	return starts_with(running, begin);
}

static bool is_in_state(struct thread *thread, const char *begin)
{
	const char *state = thread->target->running ? running : thread_state(thread);

	return state && starts_with(state, begin);
}

// ---- Numbers -----------------------------------------------------------------------------------

static bool read_number(const char *word, const char *noun, int *ret, struct failure *failure)
{
	int64_t number = number_in(word);

	if (number < 0 || number > MAX_NUMBER)
		return fail_with(failure, STATUS_USAGE, "invalid %s \"%s\" (expected 0, 1, ...)",
				 noun, word);
	*ret = (int)number;
	return true;
}

struct range {
	int first, last;
};

/** Read "0,2-5". */
static bool read_ranges(struct arena *arena, const char *text, struct range **ret, size_t *count,
			struct failure *failure)
{
	static const char noun[] = "thread number";
	char *copy = arena_strdup(arena, text), *rest = copy, *word;
	size_t capacity = 0;

	*ret = NULL;
	*count = 0;
	while ((word = strsep(&rest, ","))) {
		struct range *range = ARENA_APPEND(arena, *ret, *count, capacity);
		char *dash = strchr(word, '-');
		if (dash)
			*dash++ = '\0';
		if (!read_number(word, noun, &range->first, failure))
			return false;
		range->last = range->first;
		if (dash && !read_number(dash, noun, &range->last, failure))
			return false;
	}
	return true;
}

// ---- Choosing ----------------------------------------------------------------------------------

/** Keep the threads for which a condition on `thread` holds. */
#define KEEP(chosen, condition)                                        \
	do {                                                           \
		size_t kept_ = 0;                                      \
		for (size_t i_ = 0; i_ < (chosen)->count; i_++) {      \
			struct thread *thread = (chosen)->threads[i_]; \
			if (condition)                                 \
				(chosen)->threads[kept_++] = thread;   \
		}                                                      \
		(chosen)->count = kept_;                               \
	} while (0)

static bool is_in_ranges(int number, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].first <= number && number <= ranges[i].last)
			return true;
	}
	return false;
}

bool choose_threads(struct process *process, const struct arguments *arguments, struct chosen *ret,
		    struct failure *failure)
{
	*ret = all_threads(process);
	if (arguments->state) {
		if (!is_state(process, arguments->state))
			return fail_with(failure, STATUS_USAGE, "no state \"%s\"",
					 arguments->state);
		KEEP(ret, is_in_state(thread, arguments->state));
	}
	if (arguments->team) {
		const struct team *team = process_team_named(process, arguments->team);
		if (!team)
			return fail_with(failure, STATUS_USAGE, "no team \"%s\"", arguments->team);
		KEEP(ret, thread->team == team);
	}
	if (arguments->level) {
		int level = NOT_KNOWN;
		if (!read_number(arguments->level, "level", &level, failure))
			return false;
		KEEP(ret, thread_level(thread) == level);
	}
	if (arguments->numbers) {
		struct range *ranges;
		size_t count;
		if (!read_ranges(&process->arena, arguments->numbers, &ranges, &count, failure))
			return false;
		KEEP(ret, is_in_ranges(thread->thread_num, ranges, count));
	}
	return true;
}

bool choose_named(struct process *process, const struct arguments *arguments, struct chosen *ret,
		  struct failure *failure)
{
	int64_t wanted = arguments->thread;

	*ret = all_threads(process);
	if (wanted < 0)
		return true;
	KEEP(ret, thread->target->number == wanted || thread->target->lwp == wanted);
	if (!ret->count)
		return fail_with(failure, STATUS_USAGE, "no thread %lld", (long long)wanted);
	ret->count = 1;
	return true;
}

bool choose_openmp(struct process *process, const struct arguments *arguments, struct chosen *ret,
		   struct failure *failure)
{
	const char *error = NULL;

	if (!choose_named(process, arguments, ret, failure))
		return false;
	for (size_t i = 0; i < ret->count && !error; i++)
		error = ret->threads[i]->error;
	KEEP(ret, thread->handle);
	if (ret->count)
		return true;
	if (error)
		return fail_with(failure, STATUS_UNREADABLE, "%s", error);
	return fail_with(failure, STATUS_USAGE,
			 arguments->thread < 0 ? "no thread is an OpenMP thread" :
						 "the thread is not an OpenMP thread");
}
