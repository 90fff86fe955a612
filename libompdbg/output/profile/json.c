// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The document of a profile.

#include "ompt/omp-tools.h"
#include "output/json/parts.h"
#include "output/profile/view.h"

enum { POOL_UNIT = 1000 };

static void member_number(struct json *json, const char *name, uint64_t number)
{
	json_member_int(json, name, number <= INT64_MAX ? (int64_t)number : INT64_MAX);
}

static void member_time(struct json *json, const char *name, uint64_t time)
{
	json_member_known_int(json, name, time == UNKNOWN_TIME ? NOT_KNOWN : (int64_t)time);
}

static void member_stat(struct json *json, const char *name, const struct profile_stat *stat)
{
	if (!json_member_optional(json, name, stat->known))
		return;
	member_number(json, "known", stat->known);
	member_number(json, "sum", stat->sum);
	member_number(json, "min", stat->min);
	member_number(json, "max", stat->max);
	json_end_object(json);
}

// ---- The run -----------------------------------------------------------------------------------

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static void write_trace(struct json *json, const struct profile_view *view)
{
	const struct trace_info *info = trace_info(view->trace);
	size_t count;
	const char *const *notes = profile_notes(view, &count);

	json_member_object(json, "trace");
	json_member_string(json, "file", view->path);
	json_member_string(json, "command", or_null(info->command));
	member_number(json, "pid", info->pid);
	json_member_string(json, "host", or_null(info->host));
	json_member_string(json, "runtime", profile_runtime(view));
	member_number(json, "started", info->start);
	member_number(json, "duration", info->duration);
	json_member_string(json, "ended", profile_end_name(view));
	member_number(json, "events", info->events);
	member_number(json, "lost", info->lost_events);
	json_member_array(json, "notes");
	for (size_t i = 0; i < count; i++)
		json_string(json, notes[i]);
	json_end_array(json);
	json_end_object(json);
}

static void write_summary(struct json *json, const struct profile_view *view)
{
	const struct profile *profile = view->profile;

	json_member_object(json, "summary");
	member_number(json, "threads", profile->num_threads);
	member_number(json, "tasks", profile->tasks);
	member_number(json, "regions", profile->regions);
	member_number(json, "work", profile->work);
	member_number(json, "span", path_length(profile->path));
	json_end_object(json);
}

static void write_constructs(struct json *json, const struct profile_view *view)
{
	const struct profile *profile = view->profile;

	json_member_array(json, "constructs");
	for (size_t i = 0; i < profile->num_constructs; i++) {
		const struct profile_construct *construct = &profile->constructs[i];

		json_begin_object(json);
		json_member_string(json, "kind", profile_kind_name(construct->kind));
		json_member_location(json, "location", profile_location(view, construct->code));
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_path(struct json *json, const struct profile_view *view)
{
	size_t count;
	const struct path_part *parts = profile_sorted_path(view, &count);

	json_member_array(json, "path");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json);
		member_number(json, "construct", parts[i].construct);
		member_number(json, "time", parts[i].time);
		member_number(json, "tasks", parts[i].tasks);
		json_end_object(json);
	}
	json_end_array(json);
}

// ---- Tables ------------------------------------------------------------------------------------

static void task_members(struct json *json, const struct profile_construct *construct)
{
	const struct profile_tasks *tasks = construct->tasks;

	member_number(json, "instances", tasks->instances);
	member_number(json, "ended", tasks->ended);
	member_number(json, "untied", tasks->untied);
	member_number(json, "undeferred", tasks->undeferred);
	member_number(json, "cancelled", tasks->cancelled);
	member_number(json, "suspensions", tasks->suspensions);
	for (size_t i = 0; i < NUM_TASK_TIMES; i++)
		member_stat(json, task_time_name((enum task_time)i), &tasks->times[i]);
	member_number(json, "work", tasks->work);
}

static void region_members(struct json *json, const struct profile_construct *construct)
{
	const struct profile_regions *regions = construct->regions;

	member_number(json, "instances", regions->instances);
	member_stat(json, "time", &regions->time);
	member_number(json, "threads_min", regions->threads_min);
	member_number(json, "threads_max", regions->threads_max);
	member_number(json, "work", regions->work);
	member_number(json, "span", regions->span);
	member_number(json, "barrier_wait", regions->barrier_wait);
	member_number(json, "thread_time", regions->thread_time);
	member_number(json, "slowest", regions->slowest);
	member_number(json, "average", regions->average);
}

static void wait_members(struct json *json, const struct profile_construct *construct)
{
	member_number(json, "count", construct->waits->count);
	member_stat(json, "wait", &construct->waits->wait);
}

static void loop_members(struct json *json, const struct profile_construct *construct)
{
	const struct profile_loops *loops = construct->loops;

	json_member_string(json, "schedule", loops->schedule);
	member_number(json, "instances", loops->instances);
	member_time(json, "iterations", loops->is_uncounted ? UNKNOWN_TIME : loops->iterations);
	member_number(json, "chunks", loops->chunks);
	member_time(json, "chunk_min", loops->chunks ? loops->chunk_min : UNKNOWN_TIME);
	member_time(json, "chunk_max", loops->chunks ? loops->chunk_max : UNKNOWN_TIME);
	json_member_array(json, "threads");
	for (size_t i = 0; i < loops->num_shares; i++) {
		const struct profile_share *share = &loops->shares[i];

		if (!share->is_in)
			continue;
		json_begin_object(json);
		member_number(json, "thread", i);
		member_number(json, "chunks", share->chunks);
		member_number(json, "iterations", share->iterations);
		member_number(json, "time", share->time);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_table(struct json *json, const struct profile_view *view, const char *name,
			enum profile_table table,
			void (*members)(struct json *, const struct profile_construct *))
{
	size_t count;
	const uint32_t *rows = profile_sorted(view, table, &count);

	json_member_array(json, name);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json);
		member_number(json, "construct", rows[i]);
		members(json, &view->profile->constructs[rows[i]]);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_locks(struct json *json, const struct profile_view *view)
{
	const struct profile_lock *const *locks = profile_sorted_locks(view);

	json_member_array(json, "locks");
	for (size_t i = 0; i < view->profile->num_locks; i++) {
		const struct profile_lock *lock = locks[i];

		json_begin_object(json);
		json_member_string(json, "kind", profile_kind_name(lock->kind));
		json_member_identity(json, "address", lock->object);
		json_member_string(json, "symbol", profile_lock_name(view, lock));
		member_number(json, "count", lock->count);
		member_stat(json, "wait", &lock->wait);
		member_stat(json, "hold", &lock->hold);
		json_member_array(json, "places");
		for (size_t k = 0; k < lock->num_places; k++) {
			const struct profile_lock_place *place = &lock->places[k];

			json_begin_object(json);
			member_number(json, "construct", place->construct);
			member_number(json, "count", place->count);
			member_stat(json, "wait", &place->wait);
			member_stat(json, "hold", &place->hold);
			json_end_object(json);
		}
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_threads(struct json *json, const struct profile_view *view)
{
	const struct profile *profile = view->profile;
	size_t count;
	const struct trace_thread *threads = trace_threads(view->trace, &count);

	json_member_array(json, "threads");
	for (size_t i = 0; i < profile->num_threads; i++) {
		const struct profile_lane_times *times = &profile->times[i];

		json_begin_object(json);
		member_number(json, "thread", i);
		json_member_known_int(json, "lwp", threads[i].lwp ? (int64_t)threads[i].lwp : -1);
		json_member_string(json, "name", or_null(threads[i].name));
		member_number(json, "begin", times->begin);
		member_number(json, "end", times->end);
		for (size_t k = 0; k < NUM_LANES; k++)
			member_number(json, profile_lane_name((enum profile_lane)k),
				      times->lanes[k]);
		member_number(json, "tasks", times->tasks);
		member_number(json, "events", times->events);
		member_number(json, "lost", threads[i].lost_events);
		json_end_object(json);
	}
	json_end_array(json);
}

// ---- Tasks -------------------------------------------------------------------------------------

static void write_edges(struct json *json, const struct profile_view *view)
{
	const struct profile *profile = view->profile;

	json_member_array(json, "edges");
	for (size_t i = 0; i < profile->num_edges; i++) {
		const struct profile_edge *edge = profile->edges[i];

		json_begin_object(json);
		member_number(json, "from", edge->from);
		member_number(json, "to", edge->to);
		json_member_string(json, "kind", edge->depends ? "depends" : "creates");
		member_number(json, "count", edge->count);
		json_end_object(json);
	}
	json_end_array(json);
}

static void tree_members(struct json *json, const struct profile_task *task)
{
	member_number(json, "id", task->id);
	member_number(json, "parent", task->parent);
	member_number(json, "construct", task->construct);
	member_number(json, "children", task->children);
	member_number(json, "below", task->below);
	member_number(json, "creator", task->creator);
	json_member_known_int(json, "thread", task->thread == UINT32_MAX ? -1 : (int)task->thread);
	member_time(json, "created", task->created);
	member_time(json, "begun", task->begun);
	member_time(json, "ended", task->ended);
	for (size_t i = 0; i < TIME_LIFE; i++)
		member_time(json, task_time_name((enum task_time)i), task->times[i]);
}

static void write_tree(struct json *json, const struct profile_view *view)
{
	const struct profile *profile = view->profile;

	json_member_object(json, "tree");
	json_member_array(json, "tasks");
	for (size_t i = 0; i < profile->num_tree; i++) {
		json_begin_object(json);
		tree_members(json, profile->tree[i]);
		json_end_object(json);
	}
	json_end_array(json);
	member_number(json, "left_out", profile->tasks - profile->num_tree);
	json_end_object(json);
}

static void write_task(struct json *json, const struct profile_view *view)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} flags[] = { { ompt_task_undeferred, "undeferred" },
		      { ompt_task_untied, "untied" },
		      { ompt_task_final, "final" },
		      { ompt_task_mergeable, "mergeable" } };
	const struct profile_task *task = view->profile->task;

	if (!json_member_optional(json, "task", task))
		return;
	tree_members(json, task);
	json_member_array(json, "threads");
	for (size_t i = 0; i < task->num_threads; i++)
		json_int(json, task->threads[i]);
	json_end_array(json);
	json_member_array(json, "child_ids");
	for (size_t i = 0; i < task->num_child_ids; i++)
		json_int(json, (int64_t)task->child_ids[i]);
	json_end_array(json);
	json_member_array(json, "flags");
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (task->flags & flags[i].flag)
			json_string(json, flags[i].name);
	}
	json_end_array(json);
	json_end_object(json);
}

// ---- The timeline ------------------------------------------------------------------------------

/** Return the lane that a bucket is in all the time; NUM_LANES: it is in several, or in none. */
static enum profile_lane only_lane(const struct profile_bucket *bucket)
{
	enum profile_lane found = NUM_LANES;

	for (size_t i = 0; i < NUM_LANES; i++) {
		if (!bucket->lanes[i])
			continue;
		if (found != NUM_LANES)
			return NUM_LANES;
		found = (enum profile_lane)i;
	}
	return found;
}

static bool is_empty(const struct profile_bucket *bucket)
{
	for (size_t i = 0; i < NUM_LANES; i++) {
		if (bucket->lanes[i])
			return false;
	}
	return true;
}

/** Check that a bucket goes on with what the one before it did. */
static bool goes_on(const struct profile_bucket *before, const struct profile_bucket *bucket)
{
	enum profile_lane lane = only_lane(bucket);

	return !bucket->switches && lane != NUM_LANES && lane == only_lane(before) &&
	       (lane != LANE_WORK || bucket->construct == before->construct);
}

static void write_slices(struct json *json, const struct profile_view *view,
			 const struct profile_bucket *row)
{
	const struct profile_timeline *timeline = &view->profile->timeline;
	size_t count;

	for (size_t i = 0; i < timeline->num_buckets; i += count) {
		uint64_t lanes[NUM_LANES] = { 0 };

		count = 1;
		if (is_empty(&row[i]))
			continue;
		while (i + count < timeline->num_buckets && goes_on(&row[i], &row[i + count]))
			count++;
		for (size_t k = 0; k < count * NUM_LANES; k++)
			lanes[k % NUM_LANES] += row[i + k / NUM_LANES].lanes[k % NUM_LANES];
		json_begin_array(json);
		json_int(json, (int64_t)i);
		json_int(json, (int64_t)count);
		json_known_int(json,
			       row[i].lanes[LANE_WORK] && row[i].construct != NO_PROFILE_CONSTRUCT ?
				       (int64_t)row[i].construct :
				       -1);
		json_int(json, row[i].switches);
		for (size_t k = 0; k < NUM_LANES; k++)
			json_int(json, (int64_t)lanes[k]);
		json_end_array(json);
	}
}

static void write_timeline(struct json *json, const struct profile_view *view)
{
	const struct profile *profile = view->profile;
	const struct profile_timeline *timeline = &profile->timeline;

	json_member_object(json, "timeline");
	member_number(json, "begin", timeline->begin);
	member_number(json, "bucket", timeline->width);
	member_number(json, "buckets", timeline->num_buckets);
	json_member_array(json, "lanes");
	for (size_t i = 0; i < NUM_LANES; i++)
		json_string(json, profile_lane_name((enum profile_lane)i));
	json_end_array(json);
	json_member_array(json, "rows");
	for (size_t i = 0; i < profile->num_threads; i++) {
		json_begin_object(json);
		member_number(json, "thread", i);
		json_member_array(json, "slices");
		write_slices(json, view, &timeline->buckets[i * timeline->num_buckets]);
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
	json_member_array(json, "pool");
	for (size_t i = 0; i < timeline->num_buckets; i++)
		json_int(json, (int64_t)(timeline->pool[i] / timeline->width * POOL_UNIT +
					 timeline->pool[i] % timeline->width * POOL_UNIT /
						 timeline->width));
	json_end_array(json);
	json_end_object(json);
}

struct ompdbg_error *json_profile(const struct profile_view *view, struct sink *sink)
{
	struct json json;

	json_begin_document(&json, view->process, sink);
	json_member_string(&json, "kind", "profile");
	write_trace(&json, view);
	write_summary(&json, view);
	write_constructs(&json, view);
	write_path(&json, view);
	write_table(&json, view, "tasks", TABLE_TASKS, task_members);
	write_table(&json, view, "regions", TABLE_REGIONS, region_members);
	write_table(&json, view, "waits", TABLE_WAITS, wait_members);
	write_table(&json, view, "loops", TABLE_LOOPS, loop_members);
	write_locks(&json, view);
	write_threads(&json, view);
	write_edges(&json, view);
	write_tree(&json, view);
	write_task(&json, view);
	write_timeline(&json, view);
	return json_end_document(&json);
}
