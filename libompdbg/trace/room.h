// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this room share.

#ifndef OMPDBG_TRACE_ROOM_H
#define OMPDBG_TRACE_ROOM_H

#include "base/arena.h"
#include "base/table.h"
#include "trace/trace.h"

// ---- The bytes (source.c) ----------------------------------------------------------------------

struct source {
	int file;
	uint64_t size;
};
struct ompdbg_error *source_open(struct source *source, const char *path);
void source_close(struct source *source);
/** Read bytes. @return false: there are not so many, or they cannot be read. */
bool source_read(const struct source *source, uint64_t offset, void *buffer, size_t size);

// ---- Events of a chunk (decoder.c) -------------------------------------------------------------

/** A pattern of events: all that they have in common. */
struct template
{
	uint64_t code;
	uint32_t number;
	uint16_t detail;
	uint8_t kind;
	uint8_t object; // enum trace_object
	uint8_t next;	// template that followed it the last time
};

/** See trace.h in include/ompt for what it means. */
struct decoder {
	const unsigned char *at, *end;
	uint64_t time; // units
	uint64_t num_templates, latest_code;
	struct template *latest; // NULL: none
	uint64_t created, current;
	uint64_t suspended[TRACE_MAX_SUSPENDED];
	uint32_t num_suspended;
	uint64_t last[TRACE_GROUPS];
	struct template templates[TRACE_TEMPLATES];
};
/** Begin to decode. TRACE_MAX_EVENT bytes behind @p bytes must be readable, too. */
void decoder_init(struct decoder *decoder, const unsigned char *bytes, size_t size, uint64_t time);
/** Decode an event. Its time stays in the decoder. @return false: it is damaged. */
bool decoder_next(struct decoder *decoder, struct trace_event *event);

// ---- The trace ---------------------------------------------------------------------------------

/** A chunk of events. */
struct chunk {
	uint64_t offset; // of its content
	uint64_t count, first;
	uint32_t used, checksum;
};

/** A thread's events. */
struct lane {
	struct chunk *chunks; // in the order of the file
	size_t num_chunks, capacity;
	size_t next;   // chunk to read
	uint64_t left; // events of the chunk that is being read
	uint64_t time; // of `event`, units
	struct trace_event event;
	struct lane_buffer *buffer; // NULL: nothing of it is being read
};

struct trace {
	struct arena *arena;
	struct source source;
	struct trace_header header;
	struct trace_state state;
	bool has_state, is_cut;
	uint64_t damaged_heads;
	double unit;   // ns
	uint64_t last; // time of the latest event, units
	struct trace_info info;
	struct lane *lanes; // of `threads`
	struct trace_thread *threads;
	size_t num_threads;
	struct trace_module *modules;
	size_t num_modules, modules_capacity;
	struct table by_start; // address -> 1 + place of the latest module there
	uint32_t table[TRACE_CHECKSUM_ENTRIES];
	// Merging: lanes that have an event, as a heap, and those that have not begun, by their beginning.
	uint32_t *heap, *waiting;
	size_t num_heap, num_waiting, next_waiting;
	struct lane_buffer *free_buffers;
	uint64_t now;  // time of the event that was given last
	uint64_t read; // bytes
};

/** Convert a time of the file to ns. */
uint64_t trace_time(const struct trace *trace, uint64_t units);
/** Convert ticks to ns since the start. */
uint64_t trace_ticks(const struct trace *trace, uint64_t ticks);
/** Take a list of modules. @return false: it is damaged. */
bool trace_take_modules(struct trace *trace, const unsigned char *content, size_t size);
/** Release what merging has allocated. */
void trace_end_merging(struct trace *trace);
/** Tell anew what is missing in the trace. */
void trace_note(struct trace *trace);

#endif
