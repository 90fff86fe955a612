// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run as events for viewers of traces: the format of Chrome, which Perfetto reads as well. Times are
// in microseconds.

#include <inttypes.h>

#include "output/profile/view.h"

enum { NS_PER_US = 1000 };

/** Begin an event. */
static void begin_event(struct slice_writer *writer, const char *phase, uint32_t thread)
{
	struct json *json = &writer->json;

	json_line(json);
	json_begin_object(json);
	json_member_string(json, "ph", phase);
	json_member_int(json, "pid", (int64_t)trace_info(writer->view->trace)->pid);
	json_member_int(json, "tid", thread);
}

static void member_us(struct json *json, const char *name, uint64_t time)
{
	json_key(json, name);
	buffer_printf(&json->buffer, "%" PRIu64 ".%03u", time / NS_PER_US,
		      (unsigned int)(time % NS_PER_US));
	json->needs_comma = true;
}

/** Write a name for a thread or for the process. */
static void name_event(struct slice_writer *writer, const char *what, uint32_t thread,
		       const char *name)
{
	struct json *json = &writer->json;

	begin_event(writer, "M", thread);
	json_member_string(json, "name", what);
	json_member_object(json, "args");
	json_member_string(json, "name", name);
	json_end_object(json);
	json_end_object(json);
}

void slices_begin(struct slice_writer *writer)
{
	const struct profile_view *view = writer->view;
	struct arena *arena = &view->process->arena;
	const struct trace_info *info = trace_info(view->trace);
	size_t count;
	const struct trace_thread *threads = trace_threads(view->trace, &count);

	json_begin_object(&writer->json);
	json_member_string(&writer->json, "displayTimeUnit", "ns");
	json_key(&writer->json, "traceEvents");
	json_begin_lines(&writer->json);
	name_event(writer, "process_name", 0, *info->command ? info->command : info->program);
	for (size_t i = 0; i < count; i++)
		name_event(writer, "thread_name", (uint32_t)i,
			   arena_printf(arena, "thread %zu (LWP %lu) %s", i,
					(unsigned long)threads[i].lwp, threads[i].name));
}

/** Name what a thread does. */
static const char *name_of(struct slice_writer *writer, const struct profile_slice *slice)
{
	void **title;

	if (slice->lane != LANE_WORK || slice->construct == NO_PROFILE_CONSTRUCT)
		return profile_lane_name(slice->lane);
	title = table_put(&writer->titles, &writer->view->process->arena, slice->construct);
	if (!*title)
		*title = (void *)(uintptr_t)profile_title(writer->view, slice->construct);
	return *title;
}

void slices_add(struct slice_writer *writer, const struct profile_slice *slice)
{
	struct json *json = &writer->json;

	if (slice->lane == LANE_IDLE)
		return;
	begin_event(writer, "X", slice->thread);
	json_member_string(json, "name", name_of(writer, slice));
	json_member_string(json, "cat", profile_lane_name(slice->lane));
	member_us(json, "ts", slice->from);
	member_us(json, "dur", slice->to - slice->from);
	if (slice->task) {
		json_member_object(json, "args");
		json_member_int(json, "task", (int64_t)slice->task);
		json_end_object(json);
	}
	json_end_object(json);
}

struct ompdbg_error *slices_end(struct slice_writer *writer)
{
	json_end_lines(&writer->json);
	return json_end_document(&writer->json);
}
