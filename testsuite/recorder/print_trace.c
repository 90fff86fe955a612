// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a trace for tests, with all of its events if there is a second word: print_trace FILE [events].

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "ompdbg/error.h"
#include "trace/trace.h"

enum { KINDS = 256, DETAILS = 1 << 16 };

static uint64_t counts[KINDS][DETAILS];
static struct table begun; // tasks
static uint64_t num_begun;

static void print_threads(const struct trace *trace)
{
	size_t count;
	const struct trace_thread *threads = trace_threads(trace, &count);

	for (size_t i = 0; i < count; i++)
		printf("thread number=%" PRIu64 " lwp=%" PRIu64 " type=%" PRIu32 " begin=%" PRIu64
		       " end=%" PRIu64 " ended=%d events=%" PRIu64 " lost_events=%" PRIu64
		       " lost_tasks=%" PRIu64 " name=%s\n",
		       threads[i].number, threads[i].lwp, threads[i].type, threads[i].begin,
		       threads[i].end, threads[i].has_ended, threads[i].events,
		       threads[i].lost_events, threads[i].lost_tasks, threads[i].name);
}

static void print_modules(const struct trace *trace)
{
	size_t count;
	const struct trace_module *modules = trace_modules(trace, &count);

	for (size_t i = 0; i < count; i++) {
		printf("module since=%" PRIu64 " until=%" PRIu64 " bias=%" PRIx64 " build_id=",
		       modules[i].since, modules[i].until, modules[i].bias);
		for (size_t j = 0; j < modules[i].build_id_size; j++)
			printf("%02x", modules[i].build_id[j]);
		for (size_t j = 0; j < modules[i].num_ranges; j++)
			printf(" range=%" PRIx64 "-%" PRIx64, modules[i].ranges[j].start,
			       modules[i].ranges[j].end);
		printf(" path=%s\n", modules[i].path);
	}
}

static void print_info(const struct trace_info *info, uint64_t read, uint64_t unknown)
{
	printf("info pid=%" PRIu64 " runtime=%" PRIu32 " observes=%" PRIu32 " start=%" PRIu64
	       " duration=%" PRIu64 " end=%d events=%" PRIu64 " read=%" PRIu64
	       " lost_events=%" PRIu64 " lost_threads=%" PRIu64 " lost_tasks=%" PRIu64
	       " damaged=%" PRIu64 " unknown_code=%" PRIu64 "\n",
	       info->pid, info->runtime, info->observes, info->start, info->duration,
	       (int)info->end, info->events, read, info->lost_events, info->lost_threads,
	       info->lost_tasks, info->damaged_chunks, unknown);
	printf("host %s\nprogram %s\ncommand %s\nnote %s\n", info->host, info->program,
	       info->command, info->note ? info->note : "-");
}

/** Count an event. Initial tasks are in no region: they get the detail 0. The detail of a new task is
 *  the lowest byte of its flags and, eight bits further, those from bit 27 on. */
static void count(struct arena *arena, const struct trace_event *event)
{
	uint16_t detail = event->detail;

	if (event->kind == RECORD_IMPLICIT_BEGIN || event->kind == RECORD_IMPLICIT_END)
		detail = event->object != 0;
	if (event->kind == RECORD_TASK_CREATE)
		detail = (uint16_t)((event->number & 0xff) | event->number >> 27 << 8);
	counts[event->kind][detail]++;
	if (event->kind == RECORD_TASK_BEGIN) {
		void **place = table_put(&begun, arena, event->object);
		num_begun += !*place;
		*place = &begun;
	}
}

static void print_counts(void)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (int detail = 0; detail < DETAILS; detail++)
			if (counts[kind][detail])
				printf("count kind=%d detail=%d number=%" PRIu64 "\n", kind, detail,
				       counts[kind][detail]);
	printf("begun number=%" PRIu64 "\n", num_begun);
}

static void print_event(const struct trace_event *event)
{
	printf("event time=%" PRIu64 " thread=%" PRIu32 " kind=%d detail=%d number=%" PRIu32
	       " object=%" PRIx64 " code=%" PRIx64 "\n",
	       event->time, event->thread, event->kind, event->detail, event->number, event->object,
	       event->code);
}

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct trace_event event;
	struct trace *trace;
	uint64_t read = 0, unknown = 0;

	if (argc < 2)
		return EXIT_FAILURE;
	struct ompdbg_error *error = trace_open(&arena, argv[1], &trace);
	if (error) {
		printf("%s\n", error->message);
		ompdbg_error_destroy(error);
		return EXIT_FAILURE;
	}
	for (; trace_next(trace, &event); read++) {
		count(&arena, &event);
		unknown += event.code && !trace_module_at(trace, event.code, event.time);
		if (argc > 2)
			print_event(&event);
	}
	print_info(trace_info(trace), read, unknown);
	print_counts();
	print_threads(trace);
	print_modules(trace);
	trace_close(trace);
	arena_deinit(&arena);
	return EXIT_SUCCESS;
}
