// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of the releases of a family, out of the generated runs.

#include "layout/layout.h"

const struct layout_group *layout_group_of(const struct layout_history *history, uint32_t release)
{
	for (size_t i = 0; i < history->num_groups; i++) {
		const struct layout_group *group = &history->groups[i];

		if (release >= group->first_release && release <= group->last_release)
			return group;
	}
	return NULL;
}

const struct layout_group *layout_newest(const struct layout_history *history)
{
	return &history->groups[history->num_groups - 1];
}

// The last run that has begun counts; one that has not says that there is none yet.
static struct layout_field place_of(const struct layout_run *run, const struct layout_group *group,
				    struct layout_field before)
{
	if (run->since > group->first_release)
		return before;
	return (struct layout_field){ run->offset, run->size };
}

void layout_fill(const struct layout_history *history, const struct layout_group *group,
		 struct layout_field *fields, uint32_t *sizes)
{
	struct layout_field place = { 0 };

	for (size_t i = 0; fields && i < history->num_fields; i++) {
		const struct layout_run *run = &history->fields[i];

		if (i == 0 || run->what != run[-1].what)
			place = (struct layout_field){ 0 };
		fields[run->what] = place = place_of(run, group, place);
	}
	for (size_t i = 0; sizes && i < history->num_structs; i++) {
		const struct layout_run *run = &history->structs[i];

		if (i == 0 || run->what != run[-1].what)
			place = (struct layout_field){ 0 };
		place = place_of(run, group, place);
		sizes[run->what] = place.size;
	}
}

uint32_t layout_newest_size(const struct layout_history *history, unsigned int field)
{
	uint32_t size = 0;

	for (size_t i = 0; i < history->num_fields; i++) {
		if (history->fields[i].what == field)
			size = history->fields[i].size;
	}
	return size;
}
