// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "choice.h"

#include "diagnose/choice.h"

struct chosen {
	struct thread **threads;
	size_t count;
};

static struct chosen all_threads(struct process *process)
{
	struct chosen all = { ARENA_ARRAY(&process->arena, struct thread *, process->num_targets),
			      process->num_targets };

	for (size_t i = 0; i < all.count; i++)
		all.threads[i] = process->threads[i];
	return all;
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

/** Choose by state, team, level and number; all if nothing was said. */
static bool choose_any(struct process *process, const struct arguments *arguments, bool only_openmp,
		       struct chosen *ret, struct failure *failure)
{
	const struct choice choice = { arguments->state, arguments->team, arguments->level,
				       arguments->numbers, only_openmp };
	const struct chosen all = all_threads(process);
	struct ompdbg_error *error =
		choose(process, &choice, all.threads, all.count, &ret->threads, &ret->count);

	if (error)
		fail_with(failure, STATUS_USAGE, "%s", error->message);
	ompdbg_error_destroy(error);
	return !failure->status;
}

/** Choose the thread that was named by its number or LWP, or all. */
static bool choose_named(struct process *process, const struct arguments *arguments,
			 struct chosen *ret, struct failure *failure)
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

/** Choose likewise, OpenMP threads only: one at least. */
static bool choose_openmp(struct process *process, const struct arguments *arguments,
			  struct chosen *ret, struct failure *failure)
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

bool choose_threads(struct process *process, const struct arguments *arguments,
		    struct view_options *options, struct failure *failure)
{
	enum chosen_threads which = arguments->command->threads;
	struct chosen chosen = all_threads(process);
	bool ok = true;

	if (which == ANY_THREADS || which == VALUED_THREADS)
		ok = choose_any(process, arguments, which == VALUED_THREADS, &chosen, failure);
	else if (which == NAMED_THREAD)
		ok = choose_named(process, arguments, &chosen, failure);
	else if (which == OPENMP_THREADS)
		ok = choose_openmp(process, arguments, &chosen, failure);
	if (ok && which == VALUED_THREADS && !chosen.count)
		ok = fail_with(failure, STATUS_USAGE, "%s", none_chosen(process));
	options->threads = chosen.threads;
	options->num_threads = chosen.count;
	if (which == NAMED_THREAD && arguments->thread >= 0)
		options->thread = ok ? chosen.threads[0] : NULL;
	return ok;
}
