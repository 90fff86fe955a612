// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The documents of regions, locks and findings.

#include "diagnose/words.h"
#include "output/json/documents.h"

static void json_member_numbers(struct json *json, const char *name, const int *numbers,
				size_t count)
{
	json_member_array(json, name);
	for (size_t i = 0; i < count; i++)
		json_int(json, numbers[i]);
	json_end_array(json);
}

// ---- Regions -----------------------------------------------------------------------------------

static void json_loop(struct json *json, const struct loop *loop)
{
	json_begin_object(json);
	json_member_string(json, "kind", loop->is_sections ? "sections" : "loop");
	json_member_string(json, "schedule", loop->schedule);
	json_member_bool(json, "ordered", loop->is_ordered);
	json_member_known_int(json, "chunk", loop->chunk);
	json_member_known_int(json, "total", loop->total);
	json_member_known_int(json, "remaining", loop->remaining);
	json_member_bool(json, "remaining_is_least", loop->remaining_is_least);
	json_member_numbers(json, "thread_nums", loop->numbers, loop->threads.count);
	json_member_threads(json, "threads", &loop->threads);
	json_member_location(json, "location", loop->location);
	json_end_object(json);
}

static void json_member_progress(struct json *json, struct region *region)
{
	const struct progress *progress = region->progress;

	if (!json_member_optional(json, "progress", progress))
		return;
	json_member_int(json, "total", progress->total);
	json_member_int(json, "arrived", progress->arrived);
	json_member_int(json, "arrived_end", progress->arrived_end);
	json_member_int(json, "unsure", progress->unsure);
	json_member_string(json, "source", progress->is_counted ? "runtime" : "stacks");
	json_member_bool(json, "tasks_left", progress->tasks_left);
	json_member_bool(json, "several", is_at_several_barriers(region));
	json_member_bool(json, "cancelled", progress->is_cancelled);
	json_end_object(json);
}

static void json_group(struct json *json, const struct region_group *group)
{
	json_begin_object(json);
	json_member_numbers(json, "thread_nums", group->numbers, group->threads.count);
	json_member_threads(json, "threads", &group->threads);
	json_member_string(json, "state", group->state);
	json_doing(json, group->inner ? NULL : thread_doing(group->threads.all[0]));
	json_member_wait(json, group->wait);
	json_member_location(json, "location", group->location);
	json_member_identity(json, "region", group->inner ? group->inner->id : 0);
	json_end_object(json);
}

static void json_region(struct json *json, struct region *region)
{
	size_t num_groups, num_loops;
	const struct region_group *groups = region_groups(region, &num_groups);
	const struct loop *loops = region_loops(region, &num_loops);

	json_begin_object(json);
	json_team_members(json, region->team);
	json_member_location(json, "opened", team_opened(region->team));
	json_member_array(json, "groups");
	for (size_t i = 0; i < num_groups; i++)
		json_group(json, &groups[i]);
	json_end_array(json);
	json_member_array(json, "loops");
	for (size_t i = 0; i < num_loops; i++)
		json_loop(json, &loops[i]);
	json_end_array(json);
	json_member_progress(json, region);
	json_recorded_region(json, region);
	json_end_object(json);
}

void json_region_list(struct json *json, const struct view_options *options)
{
	size_t count;
	struct region *regions = process_regions(json->process, &count);

	(void)options;
	json_begin_lines(json);
	for (size_t i = 0; i < count && json_line(json); i++)
		json_region(json, &regions[i]);
	json_end_lines(json);
}

// ---- Locks -------------------------------------------------------------------------------------

static const char *suspicion_name(enum suspicion suspicion)
{
	static const char *const names[] = {
		[SUSPECTED_BY_CODE] = "code",
		[SUSPECTED_BY_ADDRESS] = "address",
		[SUSPECTED_BY_KIND] = "kind",
	};

	return names[suspicion];
}

static void json_candidate(struct json *json, const struct candidate *candidate)
{
	json_begin_object(json);
	json_member_thread(json, "thread", candidate->thread);
	json_member_string(json, "known_by", suspicion_name(candidate->suspicion));
	json_member_string(json, "variable", candidate->variable);
	json_member_int(json, "frame", candidate->level);
	json_member_location(json, "location", candidate->location);
	json_end_object(json);
}

static void json_lock(struct json *json, const struct lock *lock)
{
	json_begin_object(json);
	json_member_string(json, "kind", wait_kind(lock->kind)->name);
	json_member_identity(json, "address", lock->address);
	json_member_string(json, "symbol", lock->symbol);
	json_member_string(json, "variable", lock->variable);
	json_member_string(json, "runtime", lock->runtime->name);
	json_member_tristate(json, "held", lock->is_held);
	json_member_thread(json, "owner", lock->owner);
	json_member_bool(json, "owner_ended", lock->owner_ended);
	json_member_string(json, "known_by",
			   lock->source == OWNER_HISTORY  ? "history" :
			   lock->source == OWNER_RECORDED ? "recorded" :
							    NULL);
	json_member_string(json, "reason", lock->reason);
	json_member_array(json, "candidates");
	for (size_t i = 0; i < lock->num_candidates && !lock->owner; i++)
		json_candidate(json, &lock->candidates[i]);
	json_end_array(json);
	json_member_threads(json, "waiters", &lock->waiters);
	json_recorded_lock(json, lock);
	json_end_object(json);
}

void json_lock_list(struct json *json, const struct view_options *options)
{
	size_t count;
	const struct lock *locks = process_locks(json->process, &count);

	(void)options;
	json_begin_lines(json);
	for (size_t i = 0; i < count && json_line(json); i++)
		json_lock(json, &locks[i]);
	json_end_lines(json);
}

// ---- Findings ----------------------------------------------------------------------------------

enum { MOST_QUEUED = 100 }; // tasks of a finding

static const char *edge_name(enum edge_kind kind)
{
	static const char *const names[] = {
		[EDGE_BARRIER] = "barrier", [EDGE_LOCK] = "lock",
		[EDGE_TURN] = "turn",	    [EDGE_TASK] = "task",
		[EDGE_EVENT] = "event",	    [EDGE_QUEUED] = "queued",
		[EDGE_BLOCKED] = "blocked", [EDGE_SUSPENDED] = "suspended",
	};

	return names[kind];
}

static void json_edge(struct json *json, const struct edge *edge)
{
	json_begin_object(json);
	json_member_thread(json, "thread", edge->waiter);
	json_member_thread(json, "waits_for", edge->thread);
	json_member_string(json, "kind", edge_name(edge->kind));
	json_member_bool(json, "certain", edge->is_certain);
	json_member_string(json, "lock", edge->lock ? edge->lock->symbol : NULL);
	json_member_identity(json, "task", edge->task ? edge->task->info.id : 0);
	json_member_number(json, "task_number", edge->task ? task_number(edge->task) : 0);
	json_end_object(json);
}

static void json_finding(struct json *json, const struct finding *finding)
{
	json_begin_object(json);
	json_member_string(json, "rule", rule_name(finding->rule));
	json_member_bool(json, "certain", finding->is_certain);
	json_member_string(json, "severity", severity_name(finding->severity));
	json_member_string(json, "text", finding->text);
	json_member_array(json, "notes");
	for (size_t i = 0; i < finding->num_notes; i++)
		json_string(json, finding->notes[i]);
	json_end_array(json);
	json_member_threads(json, "waiters", &finding->waiters);
	json_member_threads(json, "waits_for", &finding->others);
	json_member_identity(json, "region", finding->region ? finding->region->team->id : 0);
	json_member_string(json, "lock", finding->lock ? finding->lock->symbol : NULL);
	json_member_identity(json, "task", finding->task ? finding->task->info.id : 0);
	json_member_number(json, "task_number", finding->task ? task_number(finding->task) : 0);
	json_member_array(json, "chain");
	for (size_t i = 0; i < finding->num_edges; i++) {
		// The text has the number, and the others are alike.
		if (finding->rule != RULE_QUEUED || i < MOST_QUEUED)
			json_edge(json, finding->edges[i]);
	}
	json_end_array(json);
	json_end_object(json);
}

void json_finding_list(struct json *json, const struct view_options *options)
{
	json_begin_lines(json);
	for (size_t i = 0; i < options->num_findings && json_line(json); i++)
		json_finding(json, &options->findings[i]);
	json_end_lines(json);
}
