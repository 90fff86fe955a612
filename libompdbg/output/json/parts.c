// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/json/parts.h"

#include "stack/cxx_names.h"

void json_member_title(struct json *json, const char *function, const char *title)
{
	const char *shown = function ? cxx_shown(&json->process->arena, function) : title;

	json_member_string(json, "title", shown == function ? NULL : shown);
}

void json_member_location(struct json *json, const char *name, const struct location *location)
{
	if (!json_member_optional(json, name, location))
		return;
	json_member_string(json, "function", location->function);
	json_member_string(json, "symbol", location->symbol);
	json_member_string(json, "file", location->file);
	json_member_number(json, "line", (uint64_t)location->line);
	json_member_identity(json, "address", location->address);
	json_member_string(json, "object", location->object);
	json_member_title(json, location->function, location->title);
	json_end_object(json);
}

void json_member_wait(struct json *json, const struct wait *wait)
{
	if (!json_member_optional(json, "wait", wait))
		return;
	json_member_string(json, "kind", wait_kind(wait->kind)->name);
	json_member_string(json, "function", wait->function);
	json_member_identity(json, "address", wait->address);
	json_member_string(json, "symbol", wait->symbol);
	json_member_string(json, "variable", wait->variable);
	json_end_object(json);
}

void json_member_tristate(struct json *json, const char *name, enum tristate value)
{
	json_key(json, name);
	if (value == UNKNOWN)
		json_null(json);
	else
		json_bool(json, value == YES);
}

void json_member_thread(struct json *json, const char *name, const struct thread *thread)
{
	json_member_known_int(json, name, thread ? thread->target->number : NOT_KNOWN);
}

void json_member_threads(struct json *json, const char *name, const struct thread_list *threads)
{
	json_member_array(json, name);
	for (size_t i = 0; i < threads->count; i++)
		json_int(json, threads->all[i]->target->number);
	json_end_array(json);
}

void json_team_members(struct json *json, struct team *team)
{
	const struct team *parent = team_parent(team);

	json_member_identity(json, "id", team->id);
	json_member_string(json, "label", team_label(team));
	json_member_known_int(json, "level", team->level);
	json_member_known_int(json, "active_level", team->active_level);
	json_member_known_int(json, "size", team->size);
	json_member_identity(json, "parent", parent ? parent->id : 0);
	json_member_thread(json, "primary", team_primary(team));
	json_member_string(json, "runtime", team->runtime->name);
}

void json_team_list(struct json *json, const struct view_options *options)
{
	size_t count;
	struct team *const *teams = process_teams(json->process, &count);

	(void)options;
	json_begin_array(json);
	for (size_t i = 0; i < count && !process_is_interrupted(json->process); i++) {
		json_begin_object(json);
		json_team_members(json, teams[i]);
		json_end_object(json);
	}
	json_end_array(json);
}

void json_thread(struct json *json, struct thread *thread)
{
	const struct ompdbg_target_thread *target = thread->target;
	const struct task *task = thread_task(thread);
	enum tristate is_openmp = thread_is_openmp(thread);

	json_begin_object(json);
	json_member_int(json, "gdb", target->number);
	json_member_int(json, "lwp", target->lwp);
	json_member_string(json, "name", target->name);
	json_member_bool(json, "selected", target->selected);
	json_member_bool(json, "running", target->running);
	json_member_tristate(json, "openmp", is_openmp);
	json_member_bool(json, "helper", thread->is_helper);
	json_member_string(json, "runtime", is_openmp == YES ? thread->runtime->name : NULL);
	json_member_known_int(json, "thread_num", thread->thread_num);
	json_member_known_int(json, "team_size", thread_team_size(thread));
	json_member_known_int(json, "level", thread_level(thread));
	json_member_known_int(json, "active_level", thread_active_level(thread));
	json_member_identity(json, "team", thread->team ? thread->team->id : 0);
	json_member_identity(json, "task", task ? task->info.id : 0);
	json_member_number(json, "task_number", task ? task_number(task) : 0);
	json_member_string(json, "task_kind", task ? task_kind(task) : NULL);
	json_member_string(json, "state", thread_state(thread));
	json_member_string(json, "state_reason", thread_state_reason(thread));
	json_doing(json, thread_doing(thread));
	json_member_wait(json, thread_wait(thread));
	json_member_location(json, "location", thread_location(thread));
	json_recorded_thread(json, thread);
	json_end_object(json);
}

void json_doing(struct json *json, const struct doing *doing)
{
	json_member_string(json, "does", doing ? doing->text : NULL);
	json_member_string(json, "activity", doing ? activity_name(doing->activity) : NULL);
}
