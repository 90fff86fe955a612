// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The document of the recording, and what of it others have.

#include <math.h>

#include "output/history_words.h"
#include "output/json/documents.h"

enum { NS_PER_SECOND = 1000000000 };

/** Write a time as ns after another; null if the speed of the clock is unknown. */
static void member_time(struct json *json, const char *name, const struct history *history,
			uint64_t from, uint64_t to)
{
	double seconds = history_seconds(history, from, to);

	json_key(json, name);
	if (isnan(seconds) || fabs(seconds) > (double)INT64_MAX / NS_PER_SECOND / 2)
		json_null(json);
	else
		json_int(json, (int64_t)(seconds * NS_PER_SECOND));
}

/** Write the members of a time of the recording into an object that may have more. */
static void json_moment(struct json *json, const struct history *history, uint64_t time)
{
	member_time(json, "time", history, history->root.start_ticks, time);
	member_time(json, "age", history, time, history->end);
}

/** Write the time and the place of something as members. */
static void members_of_call(struct json *json, const struct history *history, uint64_t time,
			    const struct location *location)
{
	json_moment(json, history, time);
	json_member_location(json, "location", location);
}

void json_recorded_thread(struct json *json, struct thread *thread)
{
	struct process *process = thread->runtime->process;
	const struct history_thread *found = history_of(thread);
	const struct record_wait *wait = found ? recorded_wait(thread) : NULL;

	if (!found)
		return;
	json_member_object(json, "recorded");
	json_member_int(json, "events", (int64_t)found->written);
	if (json_member_optional(json, "wait", wait)) {
		members_of_call(json, process_history(process), wait->since,
				call_location(process, wait->code));
		json_end_object(json);
	}
	json_end_object(json);
}

void json_recorded_task(struct json *json, struct task *task)
{
	struct process *process = task->runtime->process;
	struct history *history = process_history(process);
	struct record_task record;

	if (!history || !history_task(task, &record))
		return;
	const struct history_thread *creator = history_numbered(history, record.creator);
	json_member_object(json, "recorded");
	json_member_int(json, "number", (int64_t)record.id);
	json_member_thread(json, "creator", creator ? creator->thread : NULL);
	members_of_call(json, history, record.created, construct_location(process, record.code));
	if (json_member_optional(json, "begun", record.begun)) {
		json_moment(json, history, record.begun);
		json_end_object(json);
	}
	json_member_int(json, "times_suspended", (int64_t)record.times_suspended);
	json_end_object(json);
}

void json_recorded_region(struct json *json, struct region *region)
{
	const struct history *history = process_history(region->team->runtime->process);
	const struct region_record *record = history ? region_record(region) : NULL;

	if (!record)
		return;
	json_member_object(json, "recorded");
	json_member_int(json, "number", (int64_t)record->number);
	json_moment(json, history, record->since);
	json_member_array(json, "arrived");
	for (size_t i = 0; i < region->num_members; i++) {
		if (!record->arrived[i])
			continue;
		json_begin_object(json);
		json_member_int(json, "thread_num", (int64_t)i);
		json_moment(json, history, record->arrived[i]);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}

void json_recorded_lock(struct json *json, const struct lock *lock)
{
	if (!lock->taken)
		return;
	json_member_object(json, "recorded");
	members_of_call(json, process_history(lock->runtime->process), lock->taken->since,
			lock->taken->location);
	json_member_int(json, "depth", lock->taken->depth);
	json_end_object(json);
}

void json_recording(struct json *json)
{
	const struct history *history = process_history(json->process);
	uint64_t written = 0, lost = 0;

	if (!history) {
		json_null(json);
		return;
	}
	for (size_t i = 0; i < history->num_threads; i++) {
		written += history->threads[i].written;
		lost += history->threads[i].lost;
	}
	json_begin_object(json);
	json_member_int(json, "started", (int64_t)history->root.start_realtime);
	member_time(json, "end", history, history->root.start_ticks, history->end);
	json_member_string(json, "end_is", history->is_end_stop ? "stop" : "latest_event");
	json_member_int(json, "threads", (int64_t)history->num_threads);
	json_member_int(json, "threads_dropped", (int64_t)history->root.threads_dropped);
	json_member_int(json, "ring", history->root.ring_events);
	json_member_int(json, "events", (int64_t)written);
	json_member_int(json, "events_gone", (int64_t)lost);
	json_member_bool(json, "damaged", history->is_damaged);
	json_end_object(json);
}

/** Write the object of an event as a number if it is what the member tells; else null. */
static void member_number(struct json *json, const char *name, const struct record_event *event,
			  bool is_this)
{
	json_key(json, name);
	if (is_this)
		json_int(json, (int64_t)event->object);
	else
		json_null(json);
}

static void json_event(struct json *json, struct history *history, const struct history_event *one)
{
	const struct record_event *event = &one->event;
	const struct history_thread *thread = one->thread;

	json_begin_object(json);
	json_member_thread(json, "thread", thread->thread);
	json_member_int(json, "lwp", (int64_t)thread->record.lwp);
	json_moment(json, history, event->time);
	json_member_string(json, "kind", event_kind_name(event));
	json_member_string(json, "what", event_detail_name(event));
	json_member_identity(
		json, "address",
		event_is_of_mutex(event) || event->kind == RECORD_DEPENDENCE ? event->object : 0);
	member_number(json, "region", event,
		      event->kind >= RECORD_PARALLEL_BEGIN && event->kind <= RECORD_IMPLICIT_END);
	member_number(json, "task", event,
		      event->kind >= RECORD_TASK_CREATE && event->kind <= RECORD_TASK_END);
	member_number(json, "first", event, event->kind == RECORD_CHUNK);
	json_member_string(json, "symbol", event_object_name(history->process, event));
	json_member_int(json, "number", event->number);
	json_member_int(json, "detail", event->detail);
	json_member_string(json, "text", event_text(history->process, event));
	json_member_location(json, "location", construct_location(history->process, event->code));
	json_end_object(json);
}

void json_member_events(struct json *json, const struct history_thread *only, size_t last)
{
	struct history *history = process_history(json->process);
	struct history_event *events;
	size_t count;

	json_key(json, "events");
	json_begin_lines(json);
	json_fail(json, history_events(history, only, last, &events, &count));
	for (size_t i = 0; !json->error && i < count && json_line(json); i++)
		json_event(json, history, &events[i]);
	json_end_lines(json);
}

void json_history(struct json *json, const struct view_options *options)
{
	json_key(json, "recording");
	json_recording(json);
	json_member_events(json, options->thread ? history_of(options->thread) : NULL,
			   options->last);
}
