// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of a report: of many that are alike only some.

#include "output/icv_rows.h"
#include "output/json/documents.h"
#include "output/task_pool.h"

// Of tasks alike so many are listed, and only the first where so many tasks are listed already: what
// a handle has of a task costs a search through those of its region.
enum { LISTED_ALIKE = 50, LISTED_IN_ALL = 500 };

struct task_section {
	struct json *json;
	struct table alike;
	struct tasks_alike **groups;
	size_t num_groups, capacity;
	uint64_t total, listed;
	struct tasks_visited visited;
};

/** Decide whether a task is listed: if it has begun, or not too many like it were. */
static bool is_listed(struct task_section *section, const struct task *task)
{
	if (task_has_begun(task))
		return true;
	struct tasks_alike *alike = tasks_alike(&section->alike, task);

	if (!alike->number++)
		*ARENA_APPEND(&section->json->process->arena, section->groups, section->num_groups,
			      section->capacity) = alike;
	if (alike->listed && (alike->listed == LISTED_ALIKE || section->listed >= LISTED_IN_ALL))
		return false;
	alike->listed++;
	alike->last_listed = task->info.id;
	return true;
}

static struct ompdbg_error *list_task(void *context, struct task *task)
{
	struct task_section *section = context;
	struct json *json = section->json;

	section->total++;
	if (process_is_interrupted(json->process))
		return interruption();
	if (!is_listed(section, task))
		return NULL;
	section->listed++;
	if (!json_line(json))
		return json->error;
	json_begin_object(json);
	json_task_members(json, task, false);
	json_member_dependers(json, task);
	json_end_object(json);
	return NULL;
}

void report_tasks(struct json *json, const struct view_options *options)
{
	struct task_section section = { .json = json };

	(void)options;
	json_begin_object(json);
	json_key(json, "listed");
	json_begin_lines(json);
	json_fail(json, process_tasks_visit(json->process, list_task, &section, &section.visited));
	json_end_lines(json);
	json_member_int(json, "total", (int64_t)section.total);
	json_member_array(json, "more");
	for (size_t i = 0; i < section.num_groups; i++) {
		const struct tasks_alike *alike = section.groups[i];
		if (alike->number == alike->listed)
			continue;
		json_begin_object(json);
		json_member_identity(json, "like", alike->last_listed);
		json_member_int(json, "count", (int64_t)(alike->number - alike->listed));
		json_end_object(json);
	}
	json_end_array(json);
	json_member_bool(json, "damaged", section.visited.is_damaged);
	json_member_known_int(json, "unreached", section.visited.unreached);
	json_end_object(json);
}
