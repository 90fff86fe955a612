// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a trace: its header, and a list of its chunks.

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "trace/room.h"

enum { NS_PER_SECOND = 1000000000, WINDOW = 1 << 16, MAX_SHIFT = 16, TRIES = 3 };

/** A thread while chunks are being listed. */
struct listed {
	uint64_t number;
	struct trace_thread_state state;
	bool has_state;
	struct lane lane;
};

/** All that is collected while chunks are being listed. */
struct listing {
	struct trace *trace;
	struct listed **threads;
	size_t num_threads, capacity;
	struct table by_number;
};

// ---- Times -------------------------------------------------------------------------------------

uint64_t trace_time(const struct trace *trace, uint64_t units)
{
	double ns = (double)units * trace->unit;

	return ns < (double)(UINT64_MAX / 2) ? (uint64_t)ns : UINT64_MAX / 2;
}

uint64_t trace_ticks(const struct trace *trace, uint64_t ticks)
{
	const struct trace_header *header = &trace->header;

	return ticks > header->start_ticks ?
		       trace_time(trace, (ticks - header->start_ticks) >> header->shift) :
		       0;
}

/** Find out how long a unit is: from two moments, or from what was known at the beginning. */
static void find_unit(struct trace *trace)
{
	const struct trace_header *header = &trace->header;
	const struct trace_state *state = &trace->state;
	double per_second = (double)header->ticks_per_second;

	if (trace->has_state && state->ticks > header->start_ticks &&
	    state->monotonic > header->start_monotonic)
		per_second = (double)(state->ticks - header->start_ticks) * NS_PER_SECOND /
			     (double)(state->monotonic - header->start_monotonic);
	trace->unit = (double)(UINT64_C(1) << header->shift) * NS_PER_SECOND / per_second;
}

// ---- The header --------------------------------------------------------------------------------

static struct ompdbg_error *read_header(struct trace *trace, const char *name)
{
	struct trace_header *header = &trace->header, copy;
	const size_t front = offsetof(struct trace_header, header_size);

	if (!source_read(&trace->source, 0, header, front) ||
	    memcmp(header->magic, TRACE_MAGIC, sizeof(header->magic)) != 0)
		return ompdbg_error_create(OMPDBG_BAD_INPUT,
					   "%s: not a trace (try \"ompdbg record -o\")", name);
	if (header->version != TRACE_VERSION)
		return ompdbg_error_create(OMPDBG_INCOMPATIBLE,
					   "%s: trace version %u is unknown (expected %d)", name,
					   header->version, TRACE_VERSION);
	if (!source_read(&trace->source, 0, header, sizeof(*header)))
		return ompdbg_error_create(OMPDBG_DAMAGED, "%s: cut off in its header", name);
	copy = *header;
	copy.checksum = 0;
	if (trace_checksum(trace->table, 0, &copy, sizeof(copy)) != header->checksum ||
	    header->header_size < sizeof(*header) ||
	    header->chunk_size < sizeof(struct trace_chunk) ||
	    header->chunk_size > TRACE_MAX_CHUNK || header->chunk_size % 8 ||
	    header->first_chunk % TRACE_ALIGNMENT || !header->ticks_per_second ||
	    header->shift > MAX_SHIFT)
		return ompdbg_error_create(OMPDBG_DAMAGED, "%s: its header is damaged", name);
	return NULL;
}

// ---- Chunks ------------------------------------------------------------------------------------

static struct listed *find_thread(struct listing *listing, uint64_t number)
{
	struct arena *arena = listing->trace->arena;
	struct listed **place = (struct listed **)table_put(&listing->by_number, arena, number);

	if (!*place) {
		*place = ARENA_NEW(arena, struct listed);
		(*place)->number = number;
		*ARENA_APPEND(arena, listing->threads, listing->num_threads, listing->capacity) =
			*place;
	}
	return *place;
}

static void list_events(struct listing *listing, const struct trace_chunk *head, uint64_t content)
{
	struct trace *trace = listing->trace;
	struct lane *lane = &find_thread(listing, head->thread)->lane;

	if (!head->count)
		return;
	*ARENA_APPEND(trace->arena, lane->chunks, lane->num_chunks, lane->capacity) =
		(struct chunk){ content, head->count, head->first, head->used, head->checksum };
	trace->info.events += head->count;
	if (head->last > trace->last)
		trace->last = head->last;
}

/** Take the program and its command. @return false: it is damaged. */
static bool take_command(struct trace *trace, const char *content, size_t size)
{
	struct arena *arena = trace->arena;
	const char *at = content, *end = content + size;
	const char **fields[] = { &trace->info.host, &trace->info.program };
	struct buffer command = { 0 };

	if (!size || end[-1])
		return false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields) && at < end; i++) {
		*fields[i] = arena_strdup(arena, at);
		at += strlen(at) + 1;
	}
	for (const char *first = at; at < end; at += strlen(at) + 1)
		buffer_printf(&command, at > first ? " %s" : "%s", at);
	if (command.data)
		trace->info.command = arena_strdup(arena, command.data);
	buffer_deinit(&command);
	return true;
}

/** Take the content of a chunk that has no events. @return false: it is damaged. */
static bool take_content(struct listing *listing, const struct trace_chunk *head,
			 const unsigned char *content)
{
	struct trace *trace = listing->trace;
	struct trace_thread_state thread;

	switch (head->kind) {
	case TRACE_COMMAND:
		return take_command(trace, (const char *)content, head->used);
	case TRACE_MODULES:
		return trace_take_modules(trace, content, head->used);
	case TRACE_THREAD:
		if (head->used < sizeof(thread))
			return false;
		memcpy(&thread, content, sizeof(thread));
		thread.name[sizeof(thread.name) - 1] = '\0';
		struct listed *listed = find_thread(listing, thread.number);
		listed->state = thread;
		listed->has_state = true;
		return true;
	case TRACE_STATE:
		if (head->used < sizeof(trace->state))
			return false;
		memcpy(&trace->state, content, sizeof(trace->state));
		trace->has_state = true;
		find_unit(trace);
		return true;
	default:
		return true; // of a newer recorder
	}
}

/** Read the content of a chunk. @return false: it is damaged. */
static bool read_whole(const struct trace *trace, const struct trace_chunk *head, uint64_t offset,
		       unsigned char *content)
{
	return source_read(&trace->source, offset, content, head->used) &&
	       trace_checksum(trace->table, 0, content, head->used) == head->checksum;
}

/** Read a chunk that has no events. @return false: it is damaged. */
static bool read_content(struct listing *listing, const struct trace_chunk *head, uint64_t offset)
{
	struct trace *trace = listing->trace;
	unsigned char *content = malloc(head->used + 1);

	if (!content)
		out_of_memory();
	bool is_whole = read_whole(trace, head, offset, content) &&
			take_content(listing, head, content);
	free(content);
	return is_whole;
}

/** Check what claims to be the head of a chunk. */
static bool is_head(const struct trace *trace, const unsigned char *bytes, struct trace_chunk *ret)
{
	struct trace_chunk copy;

	memcpy(&copy, bytes, sizeof(copy));
	if (copy.magic != TRACE_CHUNK_MAGIC)
		return false;
	*ret = copy;
	copy.head_checksum = 0;
	return trace_checksum(trace->table, 0, &copy, sizeof(copy)) == ret->head_checksum &&
	       ret->size >= trace->header.chunk_size && ret->size % TRACE_ALIGNMENT == 0 &&
	       ret->used <= ret->size - trace->header.chunk_size &&
	       ret->size <= (ret->kind == TRACE_EVENTS ? TRACE_MAX_CHUNK : TRACE_MAX_OTHER);
}

/** Find the next head of a chunk behind damage. @return the offset, or the end of the file. */
static uint64_t find_head(const struct trace *trace, uint64_t offset)
{
	unsigned char *window = malloc(WINDOW);
	uint64_t size = trace->source.size, found = size;

	if (!window)
		out_of_memory();
	while (found == size && offset < size && size - offset >= sizeof(struct trace_chunk)) {
		size_t length = size - offset < WINDOW ? (size_t)(size - offset) : WINDOW;
		if (!source_read(&trace->source, offset, window, length))
			break;
		for (size_t i = 0; i + sizeof(struct trace_chunk) <= length; i += TRACE_ALIGNMENT) {
			struct trace_chunk head;
			if (is_head(trace, window + i, &head)) {
				found = offset + i;
				break;
			}
		}
		offset += WINDOW;
	}
	free(window);
	return found;
}

/** Take a chunk whose head is whole. @return false: its content is damaged. */
static bool take_chunk(struct listing *listing, const struct trace_chunk *head, uint64_t offset)
{
	struct trace *trace = listing->trace;
	uint64_t content = offset + trace->header.chunk_size;

	if (content > trace->source.size || head->used > trace->source.size - content)
		trace->is_cut = true;
	else if (head->kind == TRACE_EVENTS)
		list_events(listing, head, content);
	else
		return read_content(listing, head, content);
	return true;
}

/** List all chunks. What is just being written is read once more. */
static void list_chunks(struct listing *listing)
{
	int num_tries = 0;
	struct trace *trace = listing->trace;
	uint64_t offset = trace->header.first_chunk, size = trace->source.size;
	unsigned char bytes[sizeof(struct trace_chunk)];

	while (offset < size) {
		struct trace_chunk head;
		if (!source_read(&trace->source, offset, bytes, sizeof(bytes))) {
			trace->is_cut = true;
			return;
		}
		if (is_head(trace, bytes, &head) && take_chunk(listing, &head, offset)) {
			offset += head.size;
			num_tries = 0;
		} else if (++num_tries == TRIES) {
			trace->damaged_heads++;
			offset = find_head(trace, offset + TRACE_ALIGNMENT);
			num_tries = 0;
		}
	}
}

// ---- Threads -----------------------------------------------------------------------------------

static int compare_listed(const void *a, const void *b)
{
	const struct listed *left = *(struct listed *const *)a, *right = *(struct listed *const *)b;

	return (left->number > right->number) - (left->number < right->number);
}

/** Return the time of the first event of a thread, in units; 0: it has none. */
static uint64_t first_time(const struct lane *lane)
{
	return lane->num_chunks ? lane->chunks[0].first : 0;
}

static struct trace_thread make_thread(const struct trace *trace, const struct listed *listed)
{
	const struct trace_thread_state *state = &listed->state;
	struct trace_thread thread = { .number = listed->number,
				       .name = "",
				       .begin = trace_time(trace, first_time(&listed->lane)),
				       .end = trace->info.duration };

	for (size_t i = 0; i < listed->lane.num_chunks; i++)
		thread.events += listed->lane.chunks[i].count;
	if (!listed->has_state)
		return thread;
	thread.lwp = state->lwp;
	thread.name = arena_strdup(trace->arena, state->name);
	thread.type = state->type;
	thread.begin = trace_ticks(trace, state->begun);
	thread.has_ended = state->ended != 0;
	if (thread.has_ended)
		thread.end = trace_ticks(trace, state->ended);
	thread.lost_events = state->lost_events;
	thread.lost_tasks = state->lost_tasks;
	return thread;
}

/** Make the list of threads out of what was collected. */
static void take_threads(struct listing *listing)
{
	struct trace *trace = listing->trace;
	size_t count = listing->num_threads;

	trace->threads = ARENA_ARRAY(trace->arena, struct trace_thread, count);
	trace->lanes = ARENA_ARRAY(trace->arena, struct lane, count);
	trace->heap = ARENA_ARRAY(trace->arena, uint32_t, count);
	trace->waiting = ARENA_ARRAY(trace->arena, uint32_t, count);
	trace->num_threads = count;
	if (count)
		qsort((void *)listing->threads, count, sizeof(void *), compare_listed);
	for (size_t i = 0; i < count; i++) {
		struct trace_thread *thread = &trace->threads[i];
		*thread = make_thread(trace, listing->threads[i]);
		trace->lanes[i] = listing->threads[i]->lane;
		trace->info.lost_events += thread->lost_events;
		trace->info.lost_tasks += thread->lost_tasks;
		if (trace->lanes[i].num_chunks)
			trace->waiting[trace->num_waiting++] = (uint32_t)i;
	}
}

static int compare_beginnings(const void *a, const void *b, void *context)
{
	const struct trace *trace = context;
	uint64_t left = first_time(&trace->lanes[*(const uint32_t *)a]);
	uint64_t right = first_time(&trace->lanes[*(const uint32_t *)b]);

	return (left > right) - (left < right);
}

const struct trace_thread *trace_threads(const struct trace *trace, size_t *count)
{
	*count = trace->num_threads;
	return trace->threads;
}

// ---- The whole ---------------------------------------------------------------------------------

static void fill_info(struct trace *trace)
{
	const struct trace_header *header = &trace->header;
	struct trace_info *info = &trace->info;

	info->pid = header->pid;
	info->start = header->start_realtime;
	info->runtime = trace->state.runtime;
	info->observes = trace->state.observes;
	info->end = trace->state.end == TRACE_EXIT ? TRACE_EXIT : TRACE_UNENDED;
	info->lost_events = trace->state.lost_events;
	info->lost_threads = trace->state.lost_threads;
	info->duration = trace_time(trace, trace->last);
	if (trace->has_state && trace_ticks(trace, trace->state.ticks) > info->duration)
		info->duration = trace_ticks(trace, trace->state.ticks);
	if (trace->has_state && trace->state.file_size > trace->source.size)
		trace->is_cut = true;
}

void trace_note(struct trace *trace)
{
	struct trace_info *info = &trace->info;
	uint64_t damaged = trace->damaged_heads + info->damaged_chunks;

	if (damaged)
		info->note = "damaged: some of its events are missing";
	else if (!trace->has_state)
		info->note = "cut off: most of it is missing";
	else if (trace->is_cut)
		info->note = "cut off: its end is missing";
	else if (trace->state.error)
		info->note = arena_printf(trace->arena, "not written to its end: %s",
					  strerror((int)trace->state.error));
	else if (info->end == TRACE_UNENDED)
		info->note = "no end: the program still runs, was killed, or became another";
	else
		info->note = NULL;
}

static void open_trace(struct trace *trace)
{
	struct listing listing = { .trace = trace };

	find_unit(trace);
	list_chunks(&listing);
	find_unit(trace);
	fill_info(trace);
	take_threads(&listing);
	if (trace->num_waiting)
		qsort_r(trace->waiting, trace->num_waiting, sizeof(*trace->waiting),
			compare_beginnings, trace);
	trace_note(trace);
}

struct ompdbg_error *trace_open(struct arena *arena, const char *path, struct trace **ret)
{
	struct trace *trace = ARENA_NEW(arena, struct trace);
	struct ompdbg_error *error = source_open(&trace->source, path);

	trace->arena = arena;
	trace->info.host = trace->info.program = trace->info.command = "";
	trace_fill_table(trace->table);
	if (!error)
		error = read_header(trace, path);
	if (error) {
		source_close(&trace->source);
		return error;
	}
	open_trace(trace);
	*ret = trace;
	return NULL;
}

void trace_close(struct trace *trace)
{
	trace_end_merging(trace);
	source_close(&trace->source);
}

const struct trace_info *trace_info(const struct trace *trace)
{
	return &trace->info;
}
