// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "damaged_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "ompdbg/error.h"
#include "ompt/omp-tools.h"
#include "ompt/recorder/spill.h"
#include "profile/profile.h"

enum {
	CONTENT = 400, // bytes of a chunk
	STATE_AT = 128,
	TIME_STEP = 100, // units
	CODE = 0x1000,
	MANY = 1 << 20, // most events that a damaged trace is read for
};

static uint32_t table[TRACE_CHECKSUM_ENTRIES];

/** A trace that is being written. */
struct writing {
	unsigned char *bytes;
	size_t size;
};

// ---- Events ------------------------------------------------------------------------------------

struct trace_event written_event(uint32_t thread, uint32_t number)
{
	static const uint8_t kinds[] = {
		RECORD_CREATE_BEGIN, RECORD_TASK_CREATE, RECORD_DEPENDENCE, RECORD_CREATE_END,
		RECORD_TASK_END,     RECORD_TASK_BEGIN,	 RECORD_ACQUIRE,    RECORD_ACQUIRED,
		RECORD_RELEASED,     RECORD_TASK_END,	 RECORD_FINISH_END, RECORD_TASK_BEGIN,
		RECORD_CHUNK,	     RECORD_WORK_BEGIN,
	};
	uint32_t turn = number / sizeof(kinds), task = turn * TRACE_THREADS + thread + 1;
	struct trace_event event = { .time = (uint64_t)number * TIME_STEP + thread,
				     .thread = thread,
				     .kind = kinds[number % sizeof(kinds)] };

	switch (event.kind) {
	case RECORD_TASK_CREATE:
		event.object = task;
		event.number = ompt_task_explicit;
		event.code = CODE + turn % 7;
		break;
	case RECORD_DEPENDENCE:
		event.object = UINT64_MAX - turn;
		event.number = task;
		event.detail = 2;
		break;
	case RECORD_TASK_BEGIN:
		event.object = number % 2 ? task : task + UINT64_C(0x123456789);
		break;
	case RECORD_TASK_END:
		event.object = task;
		event.detail = number % 2 ? ompt_task_complete : ompt_task_switch;
		break;
	case RECORD_CHUNK:
		event.object = UINT64_C(1) << turn % 64;
		event.number = number; // more templates than there is room for
		break;
	default:
		event.object = turn % 3 ? UINT64_C(0x7fff00001000) : 0;
		event.detail = (uint16_t)(turn % 5);
	}
	return event;
}

// ---- Writing -----------------------------------------------------------------------------------

static void put_chunk(struct writing *writing, struct trace_chunk head, const void *content,
		      uint32_t size)
{
	unsigned char *at = writing->bytes + writing->size;

	head.magic = TRACE_CHUNK_MAGIC;
	head.used = size;
	head.size = (uint32_t)((sizeof(head) + size + TRACE_ALIGNMENT - 1) / TRACE_ALIGNMENT *
			       TRACE_ALIGNMENT);
	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), content, size);
	writing->size += head.size;
}

/** Write chunks of a thread's events from one on. @return the next one. */
static uint32_t put_events(struct writing *writing, uint32_t thread, uint32_t number)
{
	unsigned char content[CONTENT + TRACE_MAX_EVENT], *out = content;
	struct trace_chunk head = { .kind = TRACE_EVENTS, .thread = 10 + thread };
	static struct encoder encoder;

	head.first = head.last = written_event(thread, number).time;
	encoder_init(&encoder, head.first);
	for (; number < TRACE_EVENT_COUNT && out < content + CONTENT; number++) {
		struct trace_event event = written_event(thread, number);
		const struct record_event record = { .code = event.code,
						     .object = event.object,
						     .number = event.number,
						     .detail = event.detail,
						     .kind = event.kind };
		out = encoder_put(&encoder, &record, event.time, out);
		head.count++;
		head.last = event.time;
	}
	put_chunk(writing, head, content, (uint32_t)(out - content));
	return number;
}

static void put_modules(struct writing *writing, uint64_t since, uint64_t bias)
{
	struct {
		struct trace_module_list list;
		struct trace_module_head head;
		char path[8];
		unsigned char build_id[8];
		struct trace_range_entry range;
	} content = {
		{ since, since + 1, 1, 0 },   { bias, 8, 5, 1, 0 }, "/a.out", "12345",
		{ bias, bias + CODE + 8, 0 },
	};

	put_chunk(writing, (struct trace_chunk){ .kind = TRACE_MODULES }, &content,
		  sizeof(content));
}

static void put_thread(struct writing *writing, uint32_t thread)
{
	const struct trace_thread_state state = { .number = 10 + thread,
						  .lwp = 100 + thread,
						  .begun = 1,
						  .ended = thread ? 2 : 0,
						  .type = ompt_thread_worker,
						  .name = "worker" };

	put_chunk(writing, (struct trace_chunk){ .kind = TRACE_THREAD }, &state, sizeof(state));
}

size_t make_trace(unsigned char *bytes)
{
	static const char command[] = "host\0/a.out\0a.out\0-n\0001";
	struct trace_header header = { TRACE_MAGIC,
				       TRACE_VERSION,
				       sizeof(header),
				       sizeof(struct trace_chunk),
				       0,
				       STATE_AT,
				       4711,
				       1000,
				       5,
				       7,
				       1000000000,
				       0,
				       0 };
	struct trace_state state = { .ticks = 1000 + TIME_STEP * TRACE_EVENT_COUNT,
				     .monotonic = 5 + TIME_STEP * TRACE_EVENT_COUNT,
				     .runtime = RECORD_LIBGOMP,
				     .end = TRACE_EXIT };
	struct writing writing = { bytes, STATE_AT };
	uint32_t next[TRACE_THREADS] = { 0 };
	size_t state_at = STATE_AT;

	memset(bytes, 0, TRACE_SIZE);
	memcpy(bytes, &header, sizeof(header));
	put_chunk(&writing, (struct trace_chunk){ .kind = TRACE_STATE }, &state, sizeof(state));
	put_chunk(&writing, (struct trace_chunk){ .kind = TRACE_COMMAND }, command,
		  sizeof(command));
	put_modules(&writing, 0, 0);
	for (uint32_t i = 0; i < TRACE_THREADS; i++)
		put_thread(&writing, i);
	for (bool is_done = false; !is_done;) {
		is_done = true;
		for (uint32_t i = 0; i < TRACE_THREADS; i++)
			if (next[i] < TRACE_EVENT_COUNT) {
				next[i] = put_events(&writing, i, next[i]);
				is_done = false;
			}
	}
	put_modules(&writing, 2000, 0x10000);
	state.file_size = writing.size;
	memcpy(bytes + state_at + sizeof(struct trace_chunk), &state, sizeof(state));
	fix_checksums(bytes, writing.size);
	return writing.size;
}

// ---- Checksums ---------------------------------------------------------------------------------

void fix_checksums(unsigned char *bytes, size_t size)
{
	struct trace_header header;
	struct trace_chunk head;

	trace_fill_table(table);
	if (size < sizeof(header))
		return;
	memcpy(&header, bytes, sizeof(header));
	header.checksum = 0;
	header.checksum = trace_checksum(table, 0, &header, sizeof(header));
	memcpy(bytes, &header, sizeof(header));
	for (size_t at = STATE_AT; at + sizeof(head) <= size;) {
		memcpy(&head, bytes + at, sizeof(head));
		if (head.used <= size - at - sizeof(head))
			head.checksum =
				trace_checksum(table, 0, bytes + at + sizeof(head), head.used);
		head.head_checksum = 0;
		head.head_checksum = trace_checksum(table, 0, &head, sizeof(head));
		memcpy(bytes + at, &head, sizeof(head));
		if (head.size < TRACE_ALIGNMENT || head.size > size - at)
			break;
		at += head.size / TRACE_ALIGNMENT * TRACE_ALIGNMENT;
	}
}

// ---- Reading -----------------------------------------------------------------------------------

/** Check that an event was written. A thread's events may be missing, but come in their order. */
static bool was_written(const struct trace_event *event, const struct trace_thread *threads,
			uint32_t *next)
{
	uint32_t thread = (uint32_t)threads[event->thread].number - 10;

	if (thread >= TRACE_THREADS)
		return false;
	for (uint32_t i = next[thread]; i < TRACE_EVENT_COUNT; i++) {
		struct trace_event written = written_event(thread, i);
		if (written.kind == event->kind && written.object == event->object &&
		    written.number == event->number && written.detail == event->detail &&
		    written.code == event->code) {
			next[thread] = i + 1;
			return true;
		}
	}
	return false;
}

/** Ask for everything but events. @return false: it is not what it should be. */
static bool ask(struct trace *trace, const struct trace_event *event)
{
	const struct trace_module *module = trace_module_at(trace, event->code, event->time);
	uint64_t read, all;
	size_t count;

	trace_progress(trace, &read, &all);
	const struct trace_module *modules = trace_modules(trace, &count);
	return read <= all && (!module || (size_t)(module - modules) < count);
}

/** Check that the lanes of each thread add up to its time. */
static bool adds_up(const struct profile *profile)
{
	for (size_t i = 0; i < profile->num_threads; i++) {
		const struct profile_lane_times *times = &profile->times[i];
		uint64_t sum = 0;

		for (size_t k = 0; k < NUM_LANES; k++)
			sum += times->lanes[k];
		if (sum != times->end - times->begin)
			return false;
	}
	return true;
}

struct trace_reading read_trace(const void *bytes, size_t size, bool is_honest)
{
	struct trace_reading result = { 0 };
	uint32_t next[TRACE_THREADS] = { 0 };
	struct arena arena = { 0 };
	struct trace_event event;
	struct trace *trace;
	uint64_t time = 0;
	size_t num_threads;
	char path[32];
	int file = memfd_create("trace", 0);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	result.is_wrong |= write(file, bytes, size) != (ssize_t)size;
	struct ompdbg_error *error = trace_open(&arena, path, &trace);
	if (error) {
		result.is_wrong |= strlen(error->message) > 80 || strchr(error->message, '\n');
		result.has_note = true;
		ompdbg_error_destroy(error);
		arena_deinit(&arena);
		close(file);
		return result;
	}
	result.is_opened = true;
	const struct trace_thread *threads = trace_threads(trace, &num_threads);
	while (result.events < MANY && trace_next(trace, &event)) {
		result.events++;
		result.is_wrong |= event.thread >= num_threads || event.time < time ||
				   !ask(trace, &event) ||
				   (is_honest && !was_written(&event, threads, next));
		time = event.time;
	}
	const struct trace_info *info = trace_info(trace);
	result.has_note = info->note != NULL;
	result.is_wrong |= result.has_note && (strlen(info->note) > 72 || strchr(info->note, '\n'));
	// Once more, the same.
	uint64_t count = 0;
	const struct profile_options options = { .task = 1 };
	struct profile *profile = profile_create(&options, threads, num_threads, info->duration);
	trace_close(trace);
	error = trace_open(&arena, path, &trace);
	ompdbg_error_destroy(error);
	result.is_wrong |= error != NULL;
	for (; !error && count < MANY && trace_next(trace, &event); count++)
		profile_add(profile, &event);
	profile_end(profile, time > info->duration ? time : info->duration);
	result.is_wrong |= count != result.events || !adds_up(profile);
	profile_destroy(profile);
	trace_close(trace);
	arena_deinit(&arena);
	close(file);
	return result;
}
