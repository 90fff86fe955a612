// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads traces (include/ompt/trace.h): all events of a run, merged by time. The memory that it takes
// grows with threads and chunks, not with events. A trace that is cut off or damaged, or is still
// being written, gives what is whole, and a note.

#ifndef OMPDBG_TRACE_H
#define OMPDBG_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt/trace.h"

struct arena;
struct ompdbg_error;
struct trace;

/** Open a trace. @p ret lives until trace_close(), what it gives as long as the arena. */
struct ompdbg_error *trace_open(struct arena *arena, const char *path, struct trace **ret);
void trace_close(struct trace *trace);

// ---- Events ------------------------------------------------------------------------------------

/** An event. Fields are as in struct record_event. */
struct trace_event {
	uint64_t time; // ns since the start of the trace; never less than that of the event before
	uint64_t code;
	uint64_t object;
	uint32_t number;
	uint32_t thread; // place in trace_threads()
	uint16_t detail;
	uint8_t kind; // enum record_kind or record_trace_kind; others are of a newer recorder
};
/** Read the next event. @return false: there are no more. */
bool trace_next(struct trace *trace, struct trace_event *event);
/** Tell how far trace_next() has come. */
void trace_progress(const struct trace *trace, uint64_t *bytes_read, uint64_t *bytes);

// ---- Threads -----------------------------------------------------------------------------------

struct trace_thread {
	uint64_t number;     // in the recording
	uint64_t lwp;	     // 0: unknown
	const char *name;    // "" if unknown
	uint32_t type;	     // ompt_thread_t; 0: unknown
	uint64_t begin, end; // ns; end: of the trace, if the thread has not ended
	bool has_ended;
	uint64_t events, lost_events;
	uint64_t lost_tasks; // explicit tasks without events
};
/** List all threads, in the order of their numbers. */
const struct trace_thread *trace_threads(const struct trace *trace, size_t *count);

// ---- Modules -----------------------------------------------------------------------------------

struct trace_range {
	uint64_t start, end, offset;
};
struct trace_module {
	const char *path;
	const unsigned char *build_id;
	size_t build_id_size; // 0: unknown
	uint64_t bias;	      // address minus address in the file
	const struct trace_range *ranges;
	size_t num_ranges;
	uint64_t since, until; // ns: when it was loaded at the earliest, and unloaded at the latest
};
/** List all modules that the program ever had. */
const struct trace_module *trace_modules(const struct trace *trace, size_t *count);
/** Find the module of a code address at a time; NULL: there is none, or it may be one of two. */
const struct trace_module *trace_module_at(const struct trace *trace, uint64_t code, uint64_t time);

// ---- The run -----------------------------------------------------------------------------------

struct trace_info {
	uint64_t pid;
	const char *host;    // "" if unknown, as the next two
	const char *program; // its file
	const char *command; // its arguments, separated by blanks
	uint32_t runtime;    // RECORD_LIBGOMP, RECORD_OTHER or both
	uint32_t observes;   // TRACE_OBSERVES_...
	uint64_t start;	     // ns of CLOCK_REALTIME
	uint64_t duration;   // ns, until the end or what was written last
	enum trace_end end;
	uint64_t events;      // in all whole chunks
	uint64_t lost_events; // that are not in the trace, but happened
	uint64_t lost_threads;
	uint64_t lost_tasks;
	uint64_t damaged_chunks; // grows while events are read
	// One line without a full stop: cut off, damaged, or not written to its end; NULL. It may change until
	// all events were read.
	const char *note;
};
const struct trace_info *trace_info(const struct trace *trace);

#endif
