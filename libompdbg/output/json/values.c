// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The document of the values that an expression has in threads.

#include "output/json/documents.h"

static void member_threads(struct json *json, struct thread *const *threads, size_t count)
{
	json_key(json, "threads");
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		json_int(json, threads[i]->target->number);
	json_end_array(json);
	json_key(json, "thread_nums");
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		json_known_int(json, threads[i]->thread_num);
	json_end_array(json);
}

/** Write where the least or the greatest number is; null: there is none. */
static void member_extreme(struct json *json, const char *name, struct process *process,
			   const struct values *values, const struct value_group *group)
{
	size_t count;

	json_key(json, name);
	if (!group) {
		json_null(json);
		return;
	}
	struct thread **threads =
		values_threads_with(process, values, group->first->value.number, &count);
	json_begin_object(json);
	json_member_string(json, "value", group->first->value.text);
	member_threads(json, threads, count);
	json_end_object(json);
}

struct ompdbg_error *json_values(struct process *process, const struct values *values,
				 struct sink *sink)
{
	struct json_document document;
	struct ompdbg_error *error = NULL;
	struct json *json = &document.json;

	json_document_begin(&document, sink);
	json_member_string(json, "expression", values->expression);
	member_extreme(json, "minimum", process, values, values->least);
	member_extreme(json, "maximum", process, values, values->greatest);
	json_document_list(&document, "values");
	for (size_t i = 0; i < values->num_groups && !error; i++) {
		const struct value_group *group = &values->groups[i];

		error = next_element(&document, process);
		if (error)
			break;
		json_begin_object(json);
		json_member_string(json, "value", group->first->value.text);
		json_member_string(json, "problem", group->first->value.problem);
		json_member_bool(json, "outlier", group->is_outlier);
		member_threads(json, group->threads, group->num_threads);
		json_member_string(json, "function",
				   group->first->location ? group->first->location->function :
							    NULL);
		json_end_object(json);
	}
	json_document_end_list(&document);
	return json_document_end(&document, error);
}
