// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The document of the values that an expression has in threads.

#include "output/json/documents.h"

static void members_of_threads(struct json *json, const struct thread_list *threads)
{
	json_member_threads(json, "threads", threads);
	json_member_array(json, "thread_nums");
	for (size_t i = 0; i < threads->count; i++)
		json_known_int(json, threads->all[i]->thread_num);
	json_end_array(json);
}

/** Write where the least or the greatest number is; null: there is none. */
static void member_extreme(struct json *json, const char *name, const struct values *values,
			   const struct value_group *group)
{
	if (!json_member_optional(json, name, group))
		return;
	struct thread_list threads =
		values_threads_with(json->process, values, group->first->value.number);
	json_member_string(json, "value", group->first->value.text);
	members_of_threads(json, &threads);
	json_end_object(json);
}

void json_values(struct json *json, const struct view_options *options)
{
	const struct values *values = options->values;

	json_member_string(json, "expression", values->expression);
	member_extreme(json, "minimum", values, values->least);
	member_extreme(json, "maximum", values, values->greatest);
	json_key(json, "values");
	json_begin_lines(json);
	for (size_t i = 0; i < values->num_groups && json_line(json); i++) {
		const struct value_group *group = &values->groups[i];
		const struct location *location = group->first->location;

		json_begin_object(json);
		json_member_string(json, "value", group->first->value.text);
		json_member_string(json, "problem", group->first->value.problem);
		json_member_bool(json, "outlier", group->is_outlier);
		members_of_threads(json, &group->threads);
		json_member_string(json, "function", location ? location->function : NULL);
		json_end_object(json);
	}
	json_end_lines(json);
}
