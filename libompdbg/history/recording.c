// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a recording: its root, its clock and its threads.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history/room.h"

static const char recorder[] = "libompdbg-recorder.so", root_symbol[] = "ompdbg_record";

enum { NS_PER_SECOND = 1000000000 };

struct history_room *history_room(struct process *process)
{
	if (!process->rooms[ROOM_HISTORY])
		process->rooms[ROOM_HISTORY] = ARENA_NEW(&process->arena, struct history_room);
	return process->rooms[ROOM_HISTORY];
}

bool history_read(struct process *process, uint64_t address, void *buffer, size_t size)
{
	return address && is_ok(SERVICE(process, read_memory, address, buffer, size));
}

// ---- The root ----------------------------------------------------------------------------------

static bool is_stride(uint32_t size, size_t known)
{
	return size >= known && size <= MAX_STRIDE;
}

/** Check what the root says of the layout. */
static bool is_sane(const struct record_root *root)
{
	return is_stride(root->root_size, sizeof(struct record_root)) &&
	       is_stride(root->thread_size, sizeof(struct record_thread)) &&
	       is_stride(root->event_size, sizeof(struct record_event)) &&
	       is_stride(root->hold_size, sizeof(struct record_hold)) &&
	       is_stride(root->level_size, sizeof(struct record_level)) &&
	       is_stride(root->task_size, sizeof(struct record_task)) && root->ring_events > 1 &&
	       root->ring_events <= MAX_RING && !(root->ring_events & (root->ring_events - 1)) &&
	       root->max_holds <= MAX_ELEMENTS && root->max_levels <= MAX_ELEMENTS &&
	       root->num_threads <= MAX_THREADS;
}

/** Read the root. @return false: there is none, or *problem says why it cannot be read. */
static bool read_root(struct process *process, struct record_root *root, const char **problem)
{
	static const char nothing[sizeof(root->magic)];
	const size_t head = offsetof(struct record_root, root_size);
	uint64_t address;

	if (!is_ok(SERVICE(process, symbol_address, root_symbol, recorder, 0, &address)))
		return false;
	if (!history_read(process, address, root, head)) {
		*problem = "its memory cannot be read";
		return false;
	}
	if (memcmp(root->magic, nothing, sizeof(nothing)) == 0)
		return false; // it has not begun
	bool is_whole = memcmp(root->magic, RECORD_MAGIC, sizeof(root->magic)) == 0;
	if (is_whole && root->version != RECORD_VERSION)
		*problem = arena_printf(&process->arena,
					"version %u is unknown (expected version %d)",
					root->version, RECORD_VERSION);
	else if (is_whole && !history_read(process, address, root, sizeof(*root)))
		*problem = "its memory cannot be read";
	else if (!is_whole || !is_sane(root))
		*problem = "it is damaged";
	return !*problem;
}

// ---- The clock ---------------------------------------------------------------------------------

/** Find the speed of the clock. A pair of times that is being renewed does not belong together. */
static double find_speed(const struct record_root *root)
{
	if (!(root->renewing & 1) && root->later_ticks > root->start_ticks &&
	    root->later_monotonic > root->start_monotonic)
		return (double)(root->later_ticks - root->start_ticks) * NS_PER_SECOND /
		       (double)(root->later_monotonic - root->start_monotonic);
	return (double)root->ticks_per_second;
}

double history_seconds(const struct history *history, uint64_t from, uint64_t to)
{
	if (!(history->per_second > 0))
		return NAN;
	return (double)(int64_t)(to - from) / history->per_second;
}

/** Find when the program was stopped. @return false: unknown, or before the latest event, which is
 *  another's time. */
static bool find_stop(struct history *history, uint64_t latest, uint64_t *ret)
{
	const struct record_root *root = &history->root;
	bool is_renewed = !(root->renewing & 1) && root->later_ticks > root->start_ticks;
	uint64_t ticks = is_renewed ? root->later_ticks : root->start_ticks;
	uint64_t monotonic = is_renewed ? root->later_monotonic : root->start_monotonic;
	uint64_t stop;

	if (!(history->per_second > 0) || !is_ok(SERVICE(history->process, stop_time, &stop)) ||
	    stop < monotonic)
		return false;
	double since = (double)(stop - monotonic) / NS_PER_SECOND * history->per_second;
	if (since >= (double)(UINT64_MAX - ticks))
		return false;
	*ret = ticks + (uint64_t)since;
	return *ret >= latest;
}

// ---- Threads -----------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
	const struct history_thread *left = a, *right = b;
	uint64_t one = left->record.number, other = right->record.number;

	return (one > other) - (one < other);
}

static void read_threads(struct history *history)
{
	struct process *process = history->process;
	const struct record_root *root = &history->root;
	uint64_t address = root->threads;
	size_t most = (size_t)root->num_threads + 1; // one may just be added

	history->threads = ARENA_ARRAY(&process->arena, struct history_thread, most);
	for (size_t i = 0; address && i < most && !process_is_interrupted(process); i++) {
		struct history_thread *thread = &history->threads[history->num_threads];
		struct record_thread *record = &thread->record;
		if (!history_read(process, address, record, sizeof(*record)))
			break;
		address = record->next;
		if (!record->begun)
			continue; // it is being made ready for another thread
		history->num_threads++;
		thread->written = record->head;
		// The slot that is written next may be half written.
		thread->lost = record->head > root->ring_events - 1 ?
				       record->head - (root->ring_events - 1) :
				       0;
	}
	history->is_damaged |= address != 0;
	if (history->num_threads)
		qsort(history->threads, history->num_threads, sizeof(*history->threads),
		      compare_numbers);
}

/** Find the recorded threads that the process has. Of two with one id in the system, which is used again,
 *  the later one is there. */
static void match_threads(struct history *history, struct history_room *room)
{
	struct process *process = history->process;
	struct arena *arena = &process->arena;
	struct table by_lwp = { 0 };
	struct history_thread *living;

	for (size_t i = 0; i < history->num_threads; i++) {
		struct history_thread *thread = &history->threads[i];
		if (thread->record.ended)
			continue;
		struct history_thread **place =
			(struct history_thread **)table_put(&by_lwp, arena, thread->record.lwp);
		if (!*place || (*place)->record.begun <= thread->record.begun)
			*place = thread;
	}
	for (size_t i = 0; i < process->num_targets; i++) {
		const struct ompdbg_target_thread *target = &process->targets[i];
		living = table_get(&by_lwp, (uint64_t)thread_own_id(process->threads[i]));
		if (!living || target->running)
			continue;
		living->thread = process->threads[i];
		*table_put(&room->by_thread, arena, (uint64_t)target->number) = living;
	}
}

/** Find the time of the latest event. */
static uint64_t find_latest(const struct history *history)
{
	const struct record_root *root = &history->root;
	uint64_t latest = root->start_ticks;

	for (size_t i = 0; i < history->num_threads; i++) {
		const struct history_thread *thread = &history->threads[i];
		struct record_event event;
		uint64_t slot = (thread->written - 1) & (root->ring_events - 1);
		if (thread->written &&
		    history_read(history->process, thread->record.ring + slot * root->event_size,
				 &event, sizeof(event)) &&
		    event.time > latest)
			latest = event.time;
	}
	return latest;
}

static void open_history(struct process *process, struct history_room *room)
{
	struct history *history = ARENA_NEW(&process->arena, struct history);

	history->process = process;
	if (!read_root(process, &history->root, &room->problem))
		return;
	history->per_second = find_speed(&history->root);
	read_threads(history);
	match_threads(history, room);
	history->end = find_latest(history);
	history->is_end_stop = find_stop(history, history->end, &history->end);
	room->history = history;
}

struct history *process_history(struct process *process)
{
	struct history_room *room = history_room(process);

	if (!room->is_opened) {
		room->is_opened = true;
		open_history(process, room);
	}
	return room->history;
}

const char *history_problem(struct process *process)
{
	process_history(process);
	return history_room(process)->problem;
}
