// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of all threads, merged by time.

#include <stdlib.h>
#include <string.h>

#include "trace/room.h"

/** Memory for reading a thread's events. */
struct lane_buffer {
	struct lane_buffer *next; // that is free
	struct decoder decoder;
	unsigned char bytes[TRACE_MAX_CHUNK + TRACE_MAX_EVENT];
};

static struct lane_buffer *take_buffer(struct trace *trace)
{
	struct lane_buffer *buffer = trace->free_buffers;

	if (buffer) {
		trace->free_buffers = buffer->next;
		return buffer;
	}
	buffer = malloc(sizeof(*buffer));
	if (!buffer)
		out_of_memory();
	return buffer;
}

static void free_buffer(struct trace *trace, struct lane *lane)
{
	if (!lane->buffer)
		return;
	lane->buffer->next = trace->free_buffers;
	trace->free_buffers = lane->buffer;
	lane->buffer = NULL;
}

void trace_end_merging(struct trace *trace)
{
	struct lane_buffer *buffer;

	for (size_t i = 0; i < trace->num_threads; i++)
		free_buffer(trace, &trace->lanes[i]);
	while ((buffer = trace->free_buffers)) {
		trace->free_buffers = buffer->next;
		free(buffer);
	}
}

// ---- One thread --------------------------------------------------------------------------------

/** Read a chunk, and check that it is whole. */
static bool read_chunk(struct trace *trace, struct lane *lane, const struct chunk *chunk)
{
	unsigned char *bytes = lane->buffer->bytes;

	trace->read += sizeof(struct trace_chunk) + chunk->used;
	if (!source_read(&trace->source, chunk->offset, bytes, chunk->used) ||
	    trace_checksum(trace->table, 0, bytes, chunk->used) != chunk->checksum)
		return false;
	memset(bytes + chunk->used, 0, TRACE_MAX_EVENT);
	decoder_init(&lane->buffer->decoder, bytes, chunk->used, chunk->first);
	return true;
}

static void note_damage(struct trace *trace)
{
	trace->info.damaged_chunks++;
	trace_note(trace);
}

/** Decode the next event of a thread. @return false: it has no more. */
static bool next_of_lane(struct trace *trace, struct lane *lane)
{
	struct decoder *decoder = &lane->buffer->decoder;

	for (;;) {
		while (!lane->left) {
			const struct chunk *chunk = &lane->chunks[lane->next];
			if (lane->next == lane->num_chunks)
				return false;
			lane->next++;
			if (read_chunk(trace, lane, chunk))
				lane->left = chunk->count;
			else
				note_damage(trace);
		}
		lane->left--;
		if (decoder_next(decoder, &lane->event))
			break;
		lane->left = 0;
		note_damage(trace);
	}
	if (decoder->time > lane->time) // else the times are damaged
		lane->time = decoder->time;
	return true;
}

// ---- The heap ----------------------------------------------------------------------------------

static bool is_before(const struct trace *trace, uint32_t a, uint32_t b)
{
	const struct lane *left = &trace->lanes[a], *right = &trace->lanes[b];

	return left->time != right->time ? left->time < right->time : a < b;
}

/** Move the lane at the top down to its place. */
static void sink(struct trace *trace)
{
	uint32_t *heap = trace->heap, top = heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < trace->num_heap) {
		if (child + 1 < trace->num_heap && is_before(trace, heap[child + 1], heap[child]))
			child++;
		if (!is_before(trace, heap[child], top))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = top;
}

static void push(struct trace *trace, uint32_t index)
{
	uint32_t *heap = trace->heap;
	size_t at = trace->num_heap++;

	while (at > 0 && is_before(trace, index, heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = index;
}

/** Begin to read threads whose first events may be next. */
static void start_lanes(struct trace *trace)
{
	while (trace->next_waiting < trace->num_waiting) {
		uint32_t index = trace->waiting[trace->next_waiting];
		struct lane *lane = &trace->lanes[index];

		if (trace->num_heap && trace->lanes[trace->heap[0]].time < lane->chunks[0].first)
			return;
		trace->next_waiting++;
		lane->buffer = take_buffer(trace);
		if (next_of_lane(trace, lane))
			push(trace, index);
		else
			free_buffer(trace, lane);
	}
}

bool trace_next(struct trace *trace, struct trace_event *event)
{
	start_lanes(trace);
	if (!trace->num_heap)
		return false;
	uint32_t index = trace->heap[0];
	struct lane *lane = &trace->lanes[index];
	*event = lane->event;
	event->thread = index;
	event->time = trace_time(trace, lane->time);
	if (event->time < trace->now)
		event->time = trace->now;
	trace->now = event->time;
	if (!next_of_lane(trace, lane)) {
		free_buffer(trace, lane);
		trace->heap[0] = trace->heap[--trace->num_heap];
	}
	if (trace->num_heap)
		sink(trace);
	return true;
}

void trace_progress(const struct trace *trace, uint64_t *bytes_read, uint64_t *bytes)
{
	*bytes_read = trace->read;
	*bytes = trace->source.size > trace->read ? trace->source.size : trace->read;
}
