// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "diagnose/values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/expression.h"
#include "base/text.h"
#include "wait/evidence.h"

enum {
	LEAST_COMPARED = 3, // threads, among which one may be an outlier
	MOST_FRAMES = 64,   // in which a name is looked for
};

// ---- One thread --------------------------------------------------------------------------------

/** Take what debuggers write in the place of a value, "<optimized out>", for why there is none. */
static void settle(struct arena *arena, struct ompdbg_value *value)
{
	static const char error[] = "<error: ";
	const char *text = value->text ? value->text : value->problem;
	size_t length = text ? strlen(text) : 0, skipped = 0;
	bool is_set_off = length > 2 && *text == '<' && text[length - 1] == '>';

	if (!text || (value->text && !is_set_off)) {
		value->text = arena_strdup(arena, value->text);
		return;
	}
	if (is_set_off)
		skipped = starts_with(text, error) ? strlen(error) : 1;
	char *problem = arena_strndup(arena, text + skipped, length - skipped - is_set_off);
	*problem = (char)tolower((unsigned char)*problem);
	value->problem = problem;
	value->text = NULL;
}

/** The expression that is evaluated in all threads. */
struct question {
	const char *expression;
	char format;
	struct table *shared; // place of code -> value that it has in all threads
};

/** Evaluate in one frame. Only what ends the command is an error. */
static struct ompdbg_error *evaluate_in(const struct question *question, struct thread *thread,
					const struct stack_frame *frame, struct ompdbg_value *ret)
{
	struct arena *arena = &thread->runtime->process->arena;
	uint64_t place = frame->at.is_inlined ? 0 : frame->at.pc << 1 | frame->at.is_call;
	const struct ompdbg_value *known = place ? table_get(question->shared, place) : NULL;

	if (known) {
		*ret = *known;
		return NULL;
	}
	struct ompdbg_error *error = SERVICE(thread->runtime->process, evaluate,
					     thread->target->number, &frame->at,
					     question->expression, question->format, ret);

	if (error && error->code != OMPDBG_BAD_INPUT && !ends_command(error)) {
		*ret = (struct ompdbg_value){ .problem = arena_strdup(arena, error->message) };
		ompdbg_error_destroy(error);
		return NULL;
	}
	settle(arena, ret);
	// Which names there are, the code tells.
	if (!error && (ret->is_shared || ret->is_unknown) && place) {
		struct ompdbg_value *kept = ARENA_NEW(arena, struct ompdbg_value);

		*kept = *ret;
		*table_put(question->shared, arena, place) = kept;
	}
	return error;
}

/** Return the next older frame of the program. */
static struct stack_frame *older_frame(struct thread *thread, const struct stack_frame *frame)
{
	struct stack *stack = thread_stack(thread);
	struct stack_frame *older;

	for (size_t i = frame->index + 1; i <= MOST_FRAMES && (older = stack_frame(stack, i));
	     i++) {
		if (stack_owner(stack, older) == FRAME_USER && !older->at.is_signal)
			return older;
	}
	return NULL;
}

/** Evaluate in the innermost frame of the program that knows the names in the expression. */
static struct ompdbg_error *evaluate(const struct question *question, struct thread *thread,
				     struct thread_value *ret)
{
	struct stack_frame *frame;
	struct ompdbg_error *error;

	*ret = (struct thread_value){ .thread = thread };
	frame = thread->target->running ? NULL : thread_verdict(thread)->place;
	if (!frame) {
		ret->value.problem = thread->target->running ? "running" :
							       "no frame of the program";
		return NULL;
	}
	ret->location = thread_location(thread);
	error = evaluate_in(question, thread, frame, &ret->value);
	while (!error && ret->value.is_unknown && (frame = older_frame(thread, frame))) {
		struct ompdbg_value value;

		error = evaluate_in(question, thread, frame, &value);
		if (error || value.is_unknown)
			continue;
		ret->value = value;
		ret->location = locate(thread, frame);
	}
	return error;
}

// ---- Groups ------------------------------------------------------------------------------------

/** Find the group of a value: threads in the same function with the same value, or none for the same
 *  reason. */
static struct value_group *group_of(struct arena *arena, struct values *values,
				    struct string_table *known, const struct thread_value *value)
{
	const char *function = value->location ? value->location->function : NULL;
	const char *text = value->value.text, *problem = value->value.problem;
	struct buffer key = { 0 };

	buffer_printf(&key, "%s\n%s%s", function ? function : "", text ? "=" : "",
		      text    ? text :
		      problem ? problem :
				"");
	uintptr_t index = (uintptr_t)string_table_get(known, key.data);
	if (!index) {
		ARENA_APPEND(arena, values->groups, values->num_groups, values->capacity)->first =
			value;
		index = values->num_groups;
		*string_table_put(known, arena, arena_strdup(arena, key.data)) = (void *)index;
	}
	buffer_deinit(&key);
	return &values->groups[index - 1];
}

static bool has_value(const struct value_group *group)
{
	return group->first->value.text != NULL;
}

/** Compare groups: those without a value come last, and before others those of fewer threads. */
static int compare(const void *a, const void *b)
{
	const struct value_group *one = a, *other = b;
	int first = one->threads.all[0]->target->number,
	    others = other->threads.all[0]->target->number;

	if (has_value(one) != has_value(other))
		return has_value(one) ? -1 : 1;
	if (one->threads.count != other->threads.count)
		return one->threads.count < other->threads.count ? -1 : 1;
	return (first > others) - (first < others);
}

/** Count the threads that have the value of a group, in whatever function. */
static size_t count_with(const struct values *values, const struct value_group *wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < values->num_groups; i++) {
		if (is_same_text(values->groups[i].first->value.text, wanted->first->value.text))
			count += values->groups[i].threads.count;
	}
	return count;
}

/** Mark the groups with other values than most threads have, if most have one, and count the values. */
static void mark_outliers(struct values *values, struct arena *arena)
{
	struct string_table seen = { 0 };
	const char *usual = NULL;

	for (size_t i = 0; i < values->num_groups; i++) {
		const struct value_group *group = &values->groups[i];

		if (!has_value(group))
			continue;
		void **known = string_table_put(&seen, arena, group->first->value.text);
		if (*known)
			continue;
		*known = values;
		values->num_different++;
		if (2 * count_with(values, group) > values->num_with_value)
			usual = group->first->value.text;
	}
	for (size_t i = 0; usual && i < values->num_groups; i++) {
		struct value_group *group = &values->groups[i];

		group->is_outlier = values->num_with_value >= LEAST_COMPARED && has_value(group) &&
				    strcmp(group->first->value.text, usual) != 0;
	}
}

/** Find the least and the greatest number, if there are only numbers. */
static void find_extremes(struct values *values)
{
	for (size_t i = 0; i < values->num_groups; i++) {
		const struct value_group *group = &values->groups[i];
		const struct ompdbg_value *value = &group->first->value;

		if (!has_value(group) || (value->is_number && value->number != value->number))
			continue;
		if (!value->is_number) {
			values->least = values->greatest = NULL;
			return;
		}
		if (!values->least || value->number < values->least->first->value.number)
			values->least = group;
		if (!values->greatest || value->number > values->greatest->first->value.number)
			values->greatest = group;
	}
}

static struct ompdbg_error *misplaced(const char *option)
{
	return ompdbg_error_create(OMPDBG_BAD_INPUT,
				   "\"%s\" comes after the expression (options go before it)",
				   option);
}

struct ompdbg_error *values_evaluate(struct process *process, struct thread *const *threads,
				     size_t num_threads, const char *expression, char format,
				     struct values *ret)
{
	struct arena *arena = &process->arena;
	const char *effect = expression_effect(expression);
	const char *option = expression_option(arena, expression);
	struct table shared = { 0 };
	const struct question question = { expression_with_sections(arena, expression), format,
					   &shared };
	struct thread_value *all = ARENA_ARRAY(arena, struct thread_value, num_threads);
	struct string_table known = { 0 };

	*ret = (struct values){ .expression = expression, .num_threads = num_threads };
	if (effect && option && starts_with(option, "--"))
		return misplaced(option);
	if (effect)
		return ompdbg_error_create(OMPDBG_BAD_INPUT,
					   "%s would change the program; nothing was evaluated",
					   effect);
	if (!process->services->evaluate)
		return ompdbg_error_create(OMPDBG_UNAVAILABLE,
					   "the debugger evaluates no expressions");
	for (size_t i = 0; i < num_threads; i++) {
		struct ompdbg_error *error = process_is_interrupted(process) ?
						     interruption() :
						     evaluate(&question, threads[i], &all[i]);

		if (error && error->code == OMPDBG_BAD_INPUT && option) {
			ompdbg_error_destroy(error);
			return misplaced(option);
		}
		if (error)
			return error;
		struct value_group *group = group_of(arena, ret, &known, &all[i]);
		thread_list_append(&group->threads, arena, threads[i]);
		ret->num_with_value += has_value(group);
	}
	if (ret->num_groups)
		qsort(ret->groups, ret->num_groups, sizeof(*ret->groups), compare);
	ret->option = ret->num_with_value ? NULL : option;
	mark_outliers(ret, arena);
	find_extremes(ret);
	return NULL;
}

struct thread_list values_threads_with(struct process *process, const struct values *values,
				       long double number)
{
	struct thread_list found = { 0 };

	for (size_t i = 0; i < values->num_groups; i++) {
		const struct value_group *group = &values->groups[i];

		if (has_value(group) && group->first->value.number == number)
			thread_list_join(&found, &process->arena, &group->threads);
	}
	return found;
}

bool values_name_nothing(const struct values *values)
{
	bool is_unknown = false;

	for (size_t i = 0; i < values->num_groups; i++) {
		const struct thread_value *value = values->groups[i].first;

		if (value->location && !value->value.is_unknown)
			return false;
		is_unknown |= value->value.is_unknown;
	}
	return is_unknown;
}
