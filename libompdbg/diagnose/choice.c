// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "diagnose/choice.h"

#include "base/text.h"
#include "wait/wait.h"

enum { MAX_NUMBER = 1 << 20 };

static const char not_openmp[] = "no OpenMP thread";

/** Check for a state by the words of the tables, or OMPD's name. */
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
	return is_doing_word(begin) || starts_with(not_openmp, begin);
}

static bool is_in_state(struct thread *thread, const char *begin)
{
	const struct doing *doing = thread_doing(thread);
	const char *state = thread_state(thread);

	return starts_with(doing->text, begin) || starts_with(doing->word, begin) ||
	       (state && starts_with(state, begin)) ||
	       (thread_is_openmp(thread) == NO && starts_with(not_openmp, begin));
}

// ---- Numbers -----------------------------------------------------------------------------------

struct range {
	int first, last;
};

/** Read a number that ends a text, or is before one of these characters. */
static bool read_number(const char **at, const char *ends, int *ret)
{
	int number = 0;
	const char *begin = *at;

	for (; is_digit(**at) && number <= MAX_NUMBER; ++*at)
		number = number * 10 + (**at - '0');
	*ret = number;
	return *at > begin && number <= MAX_NUMBER && (!**at || strchr(ends, **at));
}

static struct ompdbg_error *wrong_number(const char *noun, const char *word)
{
	return ompdbg_error_create(OMPDBG_BAD_INPUT, "invalid %s \"%.*s\" (expected 0, 1, ...)",
				   noun, (int)strcspn(word, ","), word);
}

/** Read "0,2-5". */
static struct ompdbg_error *read_ranges(struct arena *arena, const char *text, struct range **ret,
					size_t *count)
{
	size_t capacity = 0;

	*ret = NULL;
	*count = 0;
	for (const char *word = text;; word++) {
		struct range *range = ARENA_APPEND(arena, *ret, *count, capacity);
		const char *begin = word;

		if (!read_number(&word, ",-", &range->first))
			return wrong_number("thread number", begin);
		range->last = range->first;
		if (*word == '-') {
			word++;
			if (!read_number(&word, ",", &range->last))
				return wrong_number("thread number", begin);
		}
		if (!*word)
			return NULL;
	}
}

static bool is_in_ranges(int number, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].first <= number && number <= ranges[i].last)
			return true;
	}
	return false;
}

// ---- Choosing ----------------------------------------------------------------------------------

/** The meaning of a choice. */
struct wanted {
	const struct choice *choice;
	const struct team *team;
	int level;
	struct range *ranges;
	size_t num_ranges;
};

static struct ompdbg_error *understand(struct process *process, const struct choice *choice,
				       struct wanted *ret)
{
	*ret = (struct wanted){ .choice = choice };
	if (choice->state && !is_state(process, choice->state))
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "no state \"%s\"", choice->state);
	if (choice->team)
		ret->team = process_team_named(process, choice->team);
	if (choice->team && !ret->team)
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "no team \"%s\"", choice->team);
	const char *level = choice->level;
	if (level && !read_number(&level, "", &ret->level))
		return wrong_number("level", choice->level);
	return choice->numbers ? read_ranges(&process->arena, choice->numbers, &ret->ranges,
					     &ret->num_ranges) :
				 NULL;
}

static bool is_chosen(struct thread *thread, const struct wanted *wanted)
{
	const struct choice *choice = wanted->choice;

	if (choice->only_openmp && thread_is_openmp(thread) == NO)
		return false;
	return (!choice->state || is_in_state(thread, choice->state)) &&
	       (!choice->team || thread->team == wanted->team) &&
	       (!choice->level || thread_level(thread) == wanted->level) &&
	       (!choice->numbers ||
		is_in_ranges(thread->thread_num, wanted->ranges, wanted->num_ranges));
}

struct ompdbg_error *choose(struct process *process, const struct choice *choice,
			    struct thread *const *threads, size_t num_threads, struct thread ***ret,
			    size_t *count)
{
	struct wanted wanted;
	struct ompdbg_error *error = understand(process, choice, &wanted);

	*count = 0;
	*ret = ARENA_ARRAY(&process->arena, struct thread *, num_threads);
	for (size_t i = 0; i < num_threads && !error; i++) {
		if (is_chosen(threads[i], &wanted))
			(*ret)[(*count)++] = threads[i];
	}
	return error;
}

// ---- Members of a team -------------------------------------------------------------------------

const char *none_chosen(struct process *process)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		if (thread_is_openmp(process->threads[i]) != NO)
			return "no such OpenMP thread";
	}
	return "no thread is an OpenMP thread";
}

const char *current_team(struct process *process)
{
	const struct thread *selected = process_selected_thread(process);
	struct team *team = selected ? selected->team : NULL;

	return team && team->level > 0 ? team_label(team) : NULL;
}

/** Find the team whose threads the user means. */
static struct ompdbg_error *find_team(struct process *process, const char *label, struct team **ret)
{
	size_t count;
	struct team *const *teams = process_teams(process, &count);
	const char *named = label ? label : current_team(process);

	*ret = named ? process_team_named(process, named) : count == 1 ? teams[0] : NULL;
	if (*ret)
		return NULL;
	if (named)
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "no team \"%s\"", named);
	return ompdbg_error_create(OMPDBG_BAD_INPUT,
				   count ? "the selected thread is in no team "
					   "(name one: 1.0 is thread 0 of team 1)" :
					   "there is no parallel region");
}

struct ompdbg_error *choose_member(struct process *process, const char *word, const char *team,
				   struct thread **ret)
{
	const char *dot = strrchr(word, '.'), *at = dot ? dot + 1 : word;
	int number = 0, size = NOT_KNOWN;
	struct team *found = NULL;

	bool is_number = read_number(&at, "/", &number);
	if (is_number && *at == '/') {
		at++;
		is_number = read_number(&at, "", &size);
	}
	if (!is_number || (dot && team))
		return ompdbg_error_create(OMPDBG_BAD_INPUT,
					   "invalid thread \"%s\" (expected 3, or 1.3 in team 1)",
					   word);
	if (dot)
		team = arena_strndup(&process->arena, word, (size_t)(dot - word));
	struct ompdbg_error *error = find_team(process, team, &found);
	if (error || !found)
		return error;
	if (number >= found->size || (size != NOT_KNOWN && size != found->size))
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "team %s has threads 0/%d to %d/%d",
					   team_label(found), found->size, found->size - 1,
					   found->size);
	*ret = team_member(found, number);
	if (!*ret)
		return ompdbg_error_create(OMPDBG_BAD_INPUT,
					   "the debugger has no thread that is %d/%d of team %s",
					   number, found->size, team_label(found));
	return NULL;
}
