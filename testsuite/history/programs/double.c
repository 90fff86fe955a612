// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for the recorder: leaves a recording of one thread in memory, damaged as DOUBLE says.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ompt/recorder.h"

enum { RING = 16, EVENTS = 12, HOLDS = 4, LEVELS = 4 };

__attribute__((visibility("default"))) struct record_root ompdbg_record;

static struct record_event ring[RING];
static struct record_hold holds[HOLDS];
static struct record_level levels[LEVELS];
static struct record_thread thread;

static uint64_t address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/** Fill in a whole recording. */
static void fill(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	ompdbg_record = (struct record_root){
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
		.num_threads = 1,
		.threads = address(&thread),
		.threads_seen = 1,
		.pid = (uint64_t)getpid(),
		.start_ticks = 1000,
		.start_monotonic = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec,
		.start_realtime = 1000000000,
		.later_ticks = 1000,
		.ticks_per_second = 1000000000,
	};
	ompdbg_record.later_monotonic = ompdbg_record.start_monotonic;
	thread = (struct record_thread){
		.lwp = (uint64_t)getpid(),
		.begun = 1000,
		.ring = address(ring),
		.head = EVENTS,
		.holds = address(holds),
		.levels = address(levels),
	};
	for (int i = 0; i < RING; i++)
		ring[i] = (struct record_event){
			.time = 1000 + 10 * (uint64_t)i,
			.code = address(getpid) + 1,
			.object = (uint64_t)i,
			.kind = RECORD_CHUNK,
			.number = 1,
		};
}

static void damage(const char *how)
{
	struct record_root *root = &ompdbg_record;

	if (strcmp(how, "magic") == 0)
		root->magic[3] = 'x';
	else if (strcmp(how, "begins") == 0)
		memset(root->magic, 0, sizeof(root->magic));
	else if (strcmp(how, "version") == 0)
		root->version = 99;
	else if (strcmp(how, "event_size") == 0)
		root->event_size = 1;
	else if (strcmp(how, "thread_size") == 0)
		root->thread_size = UINT32_MAX;
	else if (strcmp(how, "ring") == 0)
		root->ring_events = 7;
	else if (strcmp(how, "no_ring") == 0)
		root->ring_events = 0;
	else if (strcmp(how, "threads") == 0)
		root->num_threads = UINT32_MAX;
	else if (strcmp(how, "circle") == 0)
		thread.next = address(&thread);
	else if (strcmp(how, "pointer") == 0)
		root->threads = 64;
	else if (strcmp(how, "ring_pointer") == 0)
		thread.ring = UINT64_MAX - 64;
	else if (strcmp(how, "head") == 0)
		thread.head = UINT64_MAX;
	else if (strcmp(how, "holds") == 0)
		thread.num_holds = UINT32_MAX, thread.holds = 8;
	else if (strcmp(how, "levels") == 0)
		thread.num_levels = UINT32_MAX, thread.levels = 8;
	else if (strcmp(how, "tasks") == 0)
		root->tasks = 8, thread.task = 8;
	else if (strcmp(how, "clock") == 0)
		root->ticks_per_second = 0;
	else if (strcmp(how, "kinds") == 0)
		for (int i = 0; i < RING; i++)
			ring[i].kind = (uint8_t)(i * 37), ring[i].detail = 0xffff,
			ring[i].number = UINT32_MAX, ring[i].object = UINT64_MAX;
	else if (strcmp(how, "quick") == 0) {
		root->ticks_per_second = 4000000000; // less than a ns each
		ring[0].kind = RECORD_ACQUIRE, ring[0].detail = 1, ring[0].object = 8;
		ring[1] = ring[0];
		ring[1].kind = RECORD_ACQUIRED, ring[1].time++;
	} else if (strcmp(how, "whole") != 0)
		abort();
}

__attribute__((constructor)) static void begin(void)
{
	const char *how = getenv("DOUBLE");

	if (!how)
		return;
	fill();
	damage(how);
}
