// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of a trace: its header and its chunks.

#include <errno.h>
#include <fcntl.h>
#include <linux/utsname.h>

#include "spill.h"
#include "spill_system.h"

#define STATE_AT UINT64_C(128) // behind the header, in the same page
#define FIRST_CHUNK 1024
#define GROWTH 4
#define MAX_COMMAND 65536
#define MIN_UNIT_NS 3
#define NANOSECONDS UINT64_C(1000000000)

struct trace_file trace_file;
static unsigned char scratch[MAX_COMMAND + sizeof(struct new_utsname) + 4096];

// ---- Writing -----------------------------------------------------------------------------------

/** Write bytes at a place of the file. After the first failure nothing more is written, but for the
 *  state, which has its place. */
static bool write_at(uint64_t at, const void *bytes, uint64_t size)
{
	while (size > 0) {
		long done = system_call(SYS_pwrite64, trace_file.file, POINTER(bytes), (long)size,
					(long)at);

		if (done == -EINTR)
			continue;
		if (done <= 0) {
			if (!trace_file.error)
				trace_file.error = done ? (int)-done : EIO;
			return false;
		}
		bytes = (const char *)bytes + done;
		at += (uint64_t)done;
		size -= (uint64_t)done;
		if (at > trace_file.size)
			trace_file.size = at;
	}
	return true;
}

/** Return a size rounded up to the alignment of chunks. */
static uint64_t aligned(uint64_t size)
{
	return (size + TRACE_ALIGNMENT - 1) / TRACE_ALIGNMENT * TRACE_ALIGNMENT;
}

/** Write the head of a chunk. */
static bool write_head(uint64_t at, struct trace_chunk *head)
{
	head->magic = TRACE_CHUNK_MAGIC;
	head->head_checksum = 0;
	head->head_checksum = trace_checksum(trace_file.table, 0, head, sizeof(*head));
	return write_at(at, head, sizeof(*head));
}

/** Write a chunk without events at a place. */
static bool write_chunk(uint64_t at, enum trace_chunk_kind kind, const void *content, uint32_t size)
{
	struct {
		struct trace_chunk head;
		char content[256];
	} small = { .head = { .kind = kind,
			      .size = (uint32_t)aligned(sizeof(struct trace_chunk) + size),
			      .used = size } };

	small.head.checksum = trace_checksum(trace_file.table, 0, content, size);
	if (size > sizeof(small.content))
		return write_at(at + sizeof(small.head), content, size) &&
		       write_head(at, &small.head);
	// What is written again must be whole at any time.
	small.head.magic = TRACE_CHUNK_MAGIC;
	small.head.head_checksum =
		trace_checksum(trace_file.table, 0, &small.head, sizeof(small.head));
	copy_bytes(small.content, content, size);
	return write_at(at, &small, sizeof(small.head) + size);
}

uint64_t file_append(enum trace_chunk_kind kind, const void *content, uint32_t size)
{
	uint64_t at = trace_file.end;

	if (trace_file.error || !write_chunk(at, kind, content, size))
		return 0;
	trace_file.end = at + aligned(sizeof(struct trace_chunk) + size);
	return at;
}

void file_rewrite(uint64_t at, enum trace_chunk_kind kind, const void *content, uint32_t size)
{
	if (at && !trace_file.error)
		write_chunk(at, kind, content, size);
}

// ---- Chunks of events --------------------------------------------------------------------------

void file_begin_chunk(struct spill *spill, uint64_t time)
{
	struct trace_chunk *chunk = &spill->chunk;

	clear_bytes(chunk, sizeof(*chunk));
	chunk->kind = TRACE_EVENTS;
	chunk->size = spill->next_size ? spill->next_size : FIRST_CHUNK;
	chunk->thread = spill->state.number;
	chunk->first = chunk->last = time;
	spill->next_size = chunk->size < TRACE_MAX_CHUNK ? GROWTH * chunk->size : chunk->size;
	encoder_init(&spill->encoder, time);
	spill->chunk_at = trace_file.end;
	trace_file.end += chunk->size;
	// From now on the next chunk is found.
	if (!trace_file.error)
		write_head(spill->chunk_at, chunk);
}

void file_put_events(struct spill *spill, const unsigned char *bytes, uint32_t size, uint64_t count,
		     uint64_t last)
{
	struct trace_chunk *chunk = &spill->chunk;

	if (!trace_file.error &&
	    write_at(spill->chunk_at + sizeof(*chunk) + chunk->used, bytes, size)) {
		chunk->checksum = trace_checksum(trace_file.table, chunk->checksum, bytes, size);
		chunk->used += size;
		chunk->count += count;
		chunk->last = last;
		if (write_head(spill->chunk_at, chunk))
			return;
	}
	trace_file.lost_events += count;
}

void file_end_chunk(struct spill *spill)
{
	struct trace_chunk *chunk = &spill->chunk;
	uint32_t needed = (uint32_t)aligned(sizeof(*chunk) + chunk->used);

	if (!spill->chunk_at)
		return;
	// Nothing follows: the rest of the room is free.
	if (spill->chunk_at + chunk->size == trace_file.end && needed < chunk->size &&
	    !trace_file.error) {
		chunk->size = needed;
		if (write_head(spill->chunk_at, chunk))
			trace_file.end = spill->chunk_at + needed;
	}
	spill->chunk_at = 0;
}

// ---- The beginning -----------------------------------------------------------------------------

/** Read a clock of the system. */
static uint64_t nanoseconds(long clock)
{
	struct {
		int64_t seconds, nanoseconds;
	} time = { 0, 0 };

	system_call(SYS_clock_gettime, clock, POINTER(&time), 0, 0);
	return (uint64_t)time.seconds * NANOSECONDS + (uint64_t)time.nanoseconds;
}

/** Return the time in ticks. */
static uint64_t now_ticks(uint64_t monotonic)
{
	return recorder.tsc ? ticks() : monotonic;
}

/** Read the clocks at one moment. */
static void read_clocks(uint64_t *now, uint64_t *monotonic)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		uint64_t before = now_ticks(0), between = nanoseconds(1), // CLOCK_MONOTONIC
			after = now_ticks(0);

		if (after - before >= best)
			continue;
		best = after - before;
		*now = recorder.tsc ? before + best / 2 : between;
		*monotonic = between;
	}
}

/** Append a text without its null to the scratch buffer. */
static uint64_t put_file(const char *path, uint64_t at, uint64_t most)
{
	long file = system_call(SYS_openat, AT_FDCWD, POINTER(path), O_RDONLY | O_CLOEXEC, 0), done;
	uint64_t end = at;

	if (file < 0)
		return at;
	while (end < at + most && (done = system_call(SYS_read, file, POINTER(scratch + end),
						      (long)(at + most - end), 0)) > 0)
		end += (uint64_t)done;
	system_call(SYS_close, file, 0, 0, 0);
	return end;
}

/** Write the host, the program and its arguments. */
static void put_command(void)
{
	struct new_utsname *host = (void *)scratch;
	uint64_t at = 0;
	long size;

	if (system_call(SYS_uname, POINTER(host), 0, 0, 0) >= 0)
		while (at < sizeof(host->nodename) - 1 && host->nodename[at]) {
			scratch[at] = (unsigned char)host->nodename[at];
			at++;
		}
	scratch[at++] = '\0';
	size = system_call(SYS_readlinkat, AT_FDCWD, POINTER("/proc/self/exe"),
			   POINTER(scratch + at), 4095);
	if (size > 0)
		at += (uint64_t)size;
	scratch[at++] = '\0';
	at = put_file("/proc/self/cmdline", at, MAX_COMMAND - at - 1);
	if (scratch[at - 1])
		scratch[at++] = '\0';
	file_append(TRACE_COMMAND, scratch, (uint32_t)at);
}

/** Return how many threads the recorder has no room for. */
static uint64_t dropped_threads(void)
{
	return __atomic_load_n(&ompdbg_record.threads_dropped, __ATOMIC_RELAXED);
}

int file_begin(const char *path)
{
	struct trace_header header = { .magic = TRACE_MAGIC,
				       .version = TRACE_VERSION,
				       .header_size = sizeof(header),
				       .chunk_size = sizeof(struct trace_chunk),
				       .first_chunk = STATE_AT };
	long file = system_call(SYS_openat, AT_FDCWD, POINTER(path),
				O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (file < 0)
		return (int)-file;
	trace_file.file = (int)file;
	trace_file.error = 0;
	trace_file.size = 0;
	trace_file.lost_events = 0;
	trace_file.dropped_before = dropped_threads();
	trace_fill_table(trace_file.table);
	read_clocks(&header.start_ticks, &header.start_monotonic);
	header.start_realtime = nanoseconds(0); // CLOCK_REALTIME
	header.ticks_per_second = ompdbg_record.ticks_per_second;
	header.pid = (uint64_t)system_call(SYS_getpid, 0, 0, 0, 0);
	while ((NANOSECONDS << header.shift) / header.ticks_per_second < MIN_UNIT_NS)
		header.shift++;
	trace_file.start = header.start_ticks;
	trace_file.shift = header.shift;
	header.checksum = trace_checksum(trace_file.table, 0, &header, sizeof(header));
	_Static_assert(sizeof(header) <= STATE_AT, "room for the header");
	write_at(0, &header, sizeof(header));
	trace_file.end =
		STATE_AT + aligned(sizeof(struct trace_chunk) + sizeof(struct trace_state));
	file_put_state(TRACE_UNENDED);
	put_command();
	return trace_file.error;
}

void file_put_state(enum trace_end end)
{
	struct trace_state state = { .file_size = trace_file.size,
				     .lost_threads = dropped_threads() - trace_file.dropped_before,
				     .lost_events = trace_file.lost_events,
				     .runtime = ompdbg_record.runtime,
				     .observes = trace_file.observes,
				     .end = end,
				     .error = (uint32_t)trace_file.error };
	int error = trace_file.error;

	read_clocks(&state.ticks, &state.monotonic);
	write_chunk(STATE_AT, TRACE_STATE, &state, sizeof(state));
	if (error)
		trace_file.error = error;
}
