// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads recordings that are damaged at random: whatever the memory of a program holds, the reader comes
// to an end, and shows nothing that it was not given.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/history.h"

enum { BASE = 0x10000, THREADS = 3, RING = 64, HOLDS = 8, LEVELS = 4, TASKS = 16 };
enum {
	ROUNDS = 20000,
	MAX_FLIPS = 12,
	SPAN = 2
}; // most events that a damaged ring may have: SPAN rings

/** The memory of the program, from BASE on. */
static struct image {
	struct record_root root;
	struct record_thread threads[THREADS];
	struct record_event rings[THREADS][RING];
	struct record_hold holds[THREADS][HOLDS];
	struct record_level levels[THREADS][LEVELS];
	struct record_tasks block;
	struct record_task tasks[TASKS];
} whole, image;

#define ADDRESS(member) (BASE + offsetof(struct image, member))

static uint64_t seed = 1;

static uint64_t next_number(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

// ---- A whole recording -------------------------------------------------------------------------

static void fill_thread(size_t index)
{
	struct record_thread *thread = &whole.threads[index];

	*thread = (struct record_thread){
		.next = index + 1 < THREADS ? ADDRESS(threads[index + 1]) : 0,
		.number = index,
		.lwp = 100 + index,
		.begun = 1,
		.ring = ADDRESS(rings[index]),
		.head = RING + 10 * index,
		.wait = { 500, 4096, ADDRESS(tasks[index]), RECORD_WAIT_BEGIN, 1 },
		.acquire = { 500, 4096, 7, index == 0 ? RECORD_ACQUIRE : 0, 1 },
		.holds = ADDRESS(holds[index]),
		.levels = ADDRESS(levels[index]),
		.num_holds = 2,
		.num_levels = 2,
		.task = ADDRESS(tasks[index < 2 ? index : 0]),
	};
	for (size_t i = 0; i < RING; i++)
		whole.rings[index][i] = (struct record_event){
			.time = 10 + i * THREADS + index,
			.code = 4096 + i,
			.object = i,
			.kind = (uint8_t)(1 + i % (RECORD_KINDS - 1)),
		};
	whole.holds[index][0] = (struct record_hold){ 300 + index, 4096, index, 1, 0, 1 };
	whole.levels[index][1] =
		(struct record_level){ 20, 1, 4096, (uint32_t)index, THREADS, 0, 0 };
}

static void fill(void)
{
	whole.root = (struct record_root){
		.magic = RECORD_MAGIC,
		.version = RECORD_VERSION,
		.root_size = sizeof(struct record_root),
		.thread_size = sizeof(struct record_thread),
		.event_size = sizeof(struct record_event),
		.hold_size = sizeof(struct record_hold),
		.level_size = sizeof(struct record_level),
		.task_size = sizeof(struct record_task),
		.ring_events = RING,
		.max_holds = HOLDS,
		.max_levels = LEVELS,
		.num_threads = THREADS,
		.threads = ADDRESS(threads[0]),
		.tasks = ADDRESS(block),
		.start_ticks = 1,
		.later_ticks = 1000,
		.start_monotonic = 1,
		.later_monotonic = 1000,
		.ticks_per_second = 1000000000,
	};
	whole.block.capacity = TASKS;
	for (size_t i = 0; i < THREADS; i++)
		fill_thread(i);
}

/** Flip bytes, mostly those of the root and the threads; numbers become 0, small, or huge. */
static void damage(void)
{
	size_t flips = next_number() % MAX_FLIPS;

	image = whole;
	for (size_t i = 0; i < flips; i++) {
		size_t size = next_number() % 2 ? offsetof(struct image, rings) : sizeof(image);
		size_t at = next_number() % (size / 4) * 4;
		static const uint32_t numbers[] = { 0, 1, 8, BASE, 0x7fffffff, UINT32_MAX };
		uint32_t value = next_number() % 2 ?
					 numbers[next_number() % (sizeof(numbers) / 4)] :
					 (uint32_t)next_number();
		memcpy((char *)&image + at, &value, sizeof(value));
	}
}

// ---- The program -------------------------------------------------------------------------------

static uint64_t bytes_read;

static struct ompdbg_error *read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	if (address < BASE || size > sizeof(image) || address - BASE > sizeof(image) - size)
		return ompdbg_error_unreadable(address);
	memcpy(buffer, (char *)&image + (address - BASE), size);
	bytes_read += size;
	return NULL;
}

static struct ompdbg_error *symbol_address(void *context, const char *name, const char *object,
					   int thread, uint64_t *ret)
{
	(void)context, (void)name, (void)object, (void)thread;
	*ret = BASE;
	return NULL;
}

static struct ompdbg_error *stop_time(void *context, uint64_t *ret)
{
	(void)context;
	*ret = 5000;
	return NULL;
}

static bool interrupted(void *context)
{
	(void)context;
	return false;
}

static const struct ompdbg_services services = {
	.size = sizeof(services),
	.read_memory = read_memory,
	.symbol_address = symbol_address,
	.stop_time = stop_time,
	.interrupted = interrupted,
};

// ---- Reading -----------------------------------------------------------------------------------

/** Check that events are what the memory has, in the order of time. */
static bool are_right(const struct history_event *events, size_t count)
{
	if (count > (size_t)SPAN * RING * THREADS)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!events[i].event.kind || events[i].event.kind >= RECORD_KINDS ||
		    (i && events[i].event.time < events[i - 1].event.time))
			return false;
	}
	return true;
}

/** Check what threads of a whole recording wait for: a mutex; tasks; nothing, for another task waits. */
static bool waits_are_right(struct thread *threads)
{
	const struct record_wait *first = history_wait(&threads[0]);
	const struct record_wait *second = history_wait(&threads[1]);

	return first && first->kind == RECORD_ACQUIRE && second &&
	       second->kind == RECORD_WAIT_BEGIN && !history_wait(&threads[2]);
}

/** Ask for everything. @return how many events there are; -1: something is wrong. */
static long read_all(void)
{
	struct runtime runtime = { 0 };
	struct ompdbg_target_thread targets[THREADS] = { 0 };
	struct thread threads[THREADS] = { 0 };
	struct thread *pointers[THREADS];
	struct process process = { .services = &services,
				   .targets = targets,
				   .num_targets = THREADS,
				   .threads = pointers,
				   .has_own_ids = true }; // the kernel's are
	struct history_owner owner;
	struct history_event *events;
	size_t count = 0;
	long result = 0;

	runtime.process = &process;
	for (int i = 0; i < THREADS; i++) {
		targets[i].number = i + 1;
		targets[i].lwp = 100 + i;
		threads[i].runtime = &runtime;
		threads[i].target = &targets[i];
		pointers[i] = &threads[i];
	}
	struct history *history = process_history(&process);
	if (!history != (history_problem(&process) != NULL) && memcmp(image.root.magic, "", 1) != 0)
		result = -1;
	if (history) {
		if (history_events(history, NULL, 0, &events, &count) || !are_right(events, count))
			result = -1;
		else
			result = (long)count;
		history_complete_from(history, NULL);
		for (int i = 0; i < THREADS; i++) {
			history_owner(history, (uint64_t)i, &owner);
			history_wait(&threads[i]);
			history_numbered(history, (uint64_t)i);
			history_level(&threads[i], (struct team *)&runtime);
		}
		if (!memcmp(&image, &whole, sizeof(image)) && !waits_are_right(threads))
			result = -1;
	}
	arena_deinit(&process.arena);
	return result;
}

int main(void)
{
	const uint64_t most = 64 * sizeof(image); // bytes that one round may read
	long first;

	fill();
	image = whole;
	first = read_all();
	if (first != THREADS * (RING - 1)) {
		printf("a whole recording has %ld events\n", first);
		return EXIT_FAILURE;
	}
	for (int i = 0; i < ROUNDS; i++) {
		damage();
		bytes_read = 0;
		if (read_all() < 0 || bytes_read > most) {
			printf("round %d: wrong events, or %lu bytes read\n", i,
			       (unsigned long)bytes_read);
			return EXIT_FAILURE;
		}
	}
	return EXIT_SUCCESS;
}
