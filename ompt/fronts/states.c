// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of threads, in the words of the old interfaces.

#include "fronts.h"

static const struct state states[] = {
#define STATE(name, number_2013, old_2013, number_tr2, old_tr2)                \
	{ ompt_state_##name, number_2013, number_tr2, "ompt_state_" #old_2013, \
	  "omp_state_" #old_tr2 },
#include "states.def"
};
static bool is_reported[LENGTH(states)];

void fronts_prepare_states(void)
{
	int state = ompt_state_undefined;
	const char *name;

	for (size_t i = 0; i < LENGTH(states); i++)
		is_reported[i] = states[i].number == ompt_state_undefined;
	while (fronts_runtime.enumerate_states(state, &state, &name))
		for (size_t i = 0; i < LENGTH(states); i++)
			is_reported[i] |= states[i].number == state;
}

const struct state *fronts_state(int number)
{
	size_t i = 0;

	while (i < LENGTH(states) - 1 && states[i].number != number)
		i++;
	return &states[i];
}

/** Return an old number of a state. */
static int old_number(const struct state *state, size_t offset)
{
	return *(const int *)((const char *)state + offset);
}

/** Return the next state that the runtime reports and that no state before has as its number. */
static const struct state *next_from(size_t i, size_t offset)
{
	for (; i < LENGTH(states); i++) {
		size_t j = 0;

		while (!is_reported[j] ||
		       old_number(&states[j], offset) != old_number(&states[i], offset))
			if (++j > i)
				break;
		if (j == i)
			return &states[i];
	}
	return NULL;
}

const struct state *fronts_next_state(int current, bool first, size_t offset)
{
	const struct state *state = next_from(0, offset);

	if (first)
		return state;
	while (state && old_number(state, offset) != current)
		state = next_from((size_t)(state - states) + 1, offset);
	return state ? next_from((size_t)(state - states) + 1, offset) : NULL;
}
