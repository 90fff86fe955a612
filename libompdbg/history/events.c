// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of the rings, merged by time.

#include <stdlib.h>
#include <string.h>

#include "history/room.h"

enum { CHUNK = 1 << 12 }; // events that are read at once

/** Events that are collected. */
struct collection {
	struct history *history;
	struct history_event *events;
	size_t count, capacity;
};

/** Take events that were read. What has no kind that is known is damaged, or of a newer recorder. */
static void take(struct collection *collection, struct history_thread *thread, const char *bytes,
		 uint64_t first, size_t count)
{
	const struct record_root *root = &collection->history->root;

	for (size_t i = 0; i < count; i++) {
		struct record_event event;
		memcpy(&event, bytes + i * root->event_size, sizeof(event));
		if (event.kind == RECORD_NOTHING || event.kind >= RECORD_KINDS)
			continue;
		*ARENA_APPEND(&collection->history->process->arena, collection->events,
			      collection->count, collection->capacity) =
			(struct history_event){ thread, first + i, event };
	}
}

/** Read the latest events of one thread's ring. */
static struct ompdbg_error *read_ring(struct collection *collection, struct history_thread *thread,
				      size_t most)
{
	struct history *history = collection->history;
	const struct record_root *root = &history->root;
	uint64_t number = thread->lost, slots = root->ring_events;
	char *bytes;

	if (most && thread->written - number > most)
		number = thread->written - most;
	bytes = malloc((size_t)CHUNK * root->event_size);
	if (!bytes)
		return &ompdbg_error_no_memory;
	while (number < thread->written && !process_is_interrupted(history->process)) {
		uint64_t slot = number & (slots - 1), count = thread->written - number;
		if (count > slots - slot)
			count = slots - slot;
		if (count > CHUNK)
			count = CHUNK;
		if (history_read(history->process, thread->record.ring + slot * root->event_size,
				 bytes, count * root->event_size))
			take(collection, thread, bytes, number, count);
		else
			history->is_damaged = true;
		number += count;
	}
	free(bytes);
	return process_is_interrupted(history->process) ? interruption() : NULL;
}

static int compare_events(const void *a, const void *b)
{
	const struct history_event *left = a, *right = b;

	if (left->event.time != right->event.time)
		return left->event.time < right->event.time ? -1 : 1;
	if (left->thread != right->thread)
		return left->thread < right->thread ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

struct ompdbg_error *history_events(struct history *history, const struct history_thread *only,
				    size_t most, struct history_event **ret, size_t *count)
{
	struct collection collection = { .history = history };
	struct ompdbg_error *error = NULL;

	for (size_t i = 0; i < history->num_threads && !error; i++) {
		if (!only || only == &history->threads[i])
			error = read_ring(&collection, &history->threads[i], most);
	}
	if (error)
		return error;
	if (collection.count)
		qsort(collection.events, collection.count, sizeof(*collection.events),
		      compare_events);
	size_t skipped = most && collection.count > most ? collection.count - most : 0;
	*ret = collection.events + skipped;
	*count = collection.count - skipped;
	return NULL;
}

uint64_t history_complete_from(const struct history *history, const struct history_thread *only)
{
	const struct record_root *root = &history->root;
	uint64_t from = root->start_ticks;

	for (size_t i = 0; i < history->num_threads; i++) {
		const struct history_thread *thread = &history->threads[i];
		uint64_t slot = thread->lost & (root->ring_events - 1);
		struct record_event event;
		if ((only && only != thread) || !thread->lost)
			continue;
		if (history_read(history->process, thread->record.ring + slot * root->event_size,
				 &event, sizeof(event)) &&
		    event.time > from)
			from = event.time;
	}
	return from;
}
