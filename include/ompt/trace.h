// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace: the file that `ompdbg record -o FILE` makes of all events of a run. What an event is, and
// its fields, is in recorder.h; events of record_trace_kind come in addition.
//
// A trace is a header, followed by chunks. All numbers are little-endian. A chunk is a struct
// trace_chunk and its content. Chunks begin at multiples of TRACE_ALIGNMENT, so that the next one is
// found behind damage. Whoever is killed while it writes leaves a trace that is whole but for its
// latest milliseconds: content is written before the chunk that tells its length and checksum. A
// chunk may be longer than its content: more is to come, or would have.
//
// Rules for readers:
// - Check `magic`, `version` and the checksum of the header first. Another version is another layout.
//   Within one version, structures only grow at their end, and kinds of chunks may be added.
// - What has a wrong checksum is not there. Nothing else in the file needs it.
//
// Times are units of the trace since its start: (ticks - start_ticks) >> shift. How long a tick is
// follows from the moments in the header and in the state.
//
// Events. The content of a chunk of events is decoded by itself, from this state:
//
//	time = chunk.first; no templates; created = current = 0; no suspended tasks; last[group] = 0
//
// An event is a byte B, the time since the event before, and then what the template does not tell:
//
//	B < 128			the template that followed that of the event before the last time,
//				or 0 if there is none; time B
//	B < 128 + TRACE_TEMPLATES	template B - 128, time: varint
//	B = TRACE_NEW_TEMPLATE	a new template, then time: varint. It gets the lowest unused number;
//				once all are used, 0, 1, 2 … again. Nothing has followed it.
//
// A new template is: the kind (byte); enum trace_object (byte); detail (varint); code, as difference
// from the code of the template that was defined before it (0 at first, signed); number (varint).
//
// A varint has 7 bits in each byte, the lowest first; the highest bit of a byte tells that more follow. A
// signed one is folded: 0, -1, 1, -2, … are 0, 1, 2, 3, …
//
// The number of RECORD_DEPENDENCE is relative to the low 32 bits of `created` (modulo 2^32).
//
// The object is the expected one, the latest suspended task, or the sum of the expected one and a
// signed varint behind the time (modulo 2^64). Expected are:
//
//	RECORD_TASK_CREATE	created + 1
//	RECORD_TASK_BEGIN	created
//	RECORD_TASK_END		current
//	other kinds		last[group], where group is trace_group(kind)
//
// After the event: a created task is `created`; a task that begins is `current`, and is taken off the
// suspended tasks if it is the latest of them. If a task ends with another detail than
// ompt_task_complete and ompt_task_cancel, and is `current`, it becomes the latest suspended one; of
// more than TRACE_MAX_SUSPENDED, further ones are not kept. `current` is 0 after any end. The
// object of other kinds is last[group].

#ifndef OMPDBG_OMPT_TRACE_H
#define OMPDBG_OMPT_TRACE_H

#include <stdint.h>

#include "recorder.h"

#define TRACE_MAGIC "ompdbgT" // with its final null 8 bytes
#define TRACE_VERSION 1
#define TRACE_ALIGNMENT 64
#define TRACE_CHUNK_MAGIC UINT32_C(0x6b686354)
#define TRACE_MAX_CHUNK (UINT32_C(64) * 1024)	     // bytes of a chunk of events, with its head
#define TRACE_MAX_OTHER (UINT32_C(16) * 1024 * 1024) // of any other
#define TRACE_TEMPLATES 126
#define TRACE_NEW_TEMPLATE 254
#define TRACE_MAX_SUSPENDED 64
#define TRACE_MAX_EVENT 56 // no event has more bytes

/** The beginning of the file. */
struct trace_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size; // of this structure
	uint32_t chunk_size;  // of struct trace_chunk
	uint32_t checksum;    // of this structure, with 0 in this place
	uint64_t first_chunk; // its offset in the file
	uint64_t pid;
	uint64_t start_ticks, start_monotonic, start_realtime; // one moment; the latter two in ns
	uint64_t ticks_per_second; // as it was known then, to some tenths of a percent
	uint32_t shift;
	uint32_t unused;
};

enum trace_chunk_kind {
	TRACE_EVENTS = 1, // of one thread, in the order of time
	TRACE_COMMAND,	  // the host, the program's file and its arguments, each with a final null
	TRACE_MODULES,	  // all modules, from some time on: struct trace_module_list
	TRACE_THREAD,	  // struct trace_thread_state; written in its place again
	TRACE_STATE,	  // struct trace_state; written in its place again
	TRACE_CHUNK_KINDS
};

/** The head of a chunk. */
struct trace_chunk {
	uint32_t magic;
	uint32_t kind;
	uint32_t size;		// from this head to the next one
	uint32_t used;		// bytes of content
	uint32_t checksum;	// of the content
	uint32_t head_checksum; // of this structure, with 0 in this place
	uint64_t thread;	// of events: the number of the thread
	uint64_t count;		// of events
	uint64_t first, last;	// of events: times of the first and the last
	uint64_t unused;
};

/** A thread. Times are ticks. */
struct trace_thread_state {
	uint64_t number; // in the recording, unique
	uint64_t lwp;
	uint64_t begun, ended; // ended 0: it has not, as far as is known
	uint64_t lost_events;
	uint64_t lost_tasks; // that found no room in the recorder's budget
	uint32_t type;	     // ompt_thread_t
	uint32_t unused;
	char name[16]; // the system's
};

/** The state of the trace when something was written last. */
struct trace_state {
	uint64_t ticks, monotonic; // that moment; the latter in ns
	uint64_t file_size;	   // of the file then
	uint64_t lost_threads; // that found no room in the recorder's budget: with all their events
	uint64_t lost_events;  // that were not written, in addition to those of the threads
	uint32_t runtime;      // RECORD_LIBGOMP, RECORD_OTHER or both
	uint32_t observes;     // TRACE_OBSERVES_...
	uint32_t end;	       // enum trace_end
	uint32_t error;	       // errno of a file that could not be written further; 0: none
};

#define TRACE_OBSERVES_CREATION 1 // events of record_trace_kind

enum trace_end {
	TRACE_UNENDED = 0, // it still runs, was killed, has crashed, or called exec()
	TRACE_EXIT = 1,	   // the program has ended by exit() or _exit(), or by the end of main()
};

/** A list of modules: this head, `count` times a struct trace_module_head with its path, build id and
 *  ranges behind it. Any list holds from `since` or, where the one before has the same, since that. */
struct trace_module_list {
	uint64_t since; // ticks of the moment when the list before was still true; 0: the first one
	uint64_t looked; // ticks of the moment when this one was found
	uint32_t count;
	uint32_t unused;
};

struct trace_module_head {
	uint64_t bias;		// address minus address in the file; of the first range
	uint32_t path_size;	// bytes, with padding to a multiple of 8; ends with a null
	uint32_t build_id_size; // bytes without such padding, which follows; 0: unknown
	uint32_t num_ranges;	// of struct trace_range_entry
	uint32_t unused;
};

/** A piece of memory that has code of a module. */
struct trace_range_entry {
	uint64_t start, end;
	uint64_t offset; // in the file, of `start`
};

/** How an event gives its object. */
enum trace_object {
	TRACE_OBJECT_EXPECTED,
	TRACE_OBJECT_SUSPENDED, // the latest suspended task
	TRACE_OBJECT_DIFFERENCE,
	TRACE_OBJECT_MODES
};

enum { TRACE_GROUP_REGION, TRACE_GROUP_MUTEX, TRACE_GROUP_OTHER, TRACE_GROUPS };

/** Return the group of a kind. */
static inline uint32_t trace_group(uint32_t kind)
{
	if (kind >= RECORD_PARALLEL_BEGIN && kind <= RECORD_IMPLICIT_END)
		return TRACE_GROUP_REGION;
	if (kind >= RECORD_ACQUIRE && kind <= RECORD_NEST_END)
		return TRACE_GROUP_MUTEX;
	return TRACE_GROUP_OTHER;
}

// ---- The checksum: CRC-32, as in ISO 3309 ------------------------------------------------------

#define TRACE_CHECKSUM_ENTRIES 256

/** Fill the table that the checksum is computed with. */
static inline void trace_fill_table(uint32_t *table)
{
	const uint32_t polynomial = UINT32_C(0xedb88320);

	for (uint32_t i = 0; i < TRACE_CHECKSUM_ENTRIES; i++) {
		uint32_t value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? polynomial : 0);
		table[i] = value;
	}
}

/** Continue a checksum; it begins with 0. */
static inline uint32_t trace_checksum(const uint32_t *table, uint32_t sum, const void *data,
				      uint64_t size)
{
	const unsigned char *bytes = data;

	sum = ~sum;
	for (uint64_t i = 0; i < size; i++)
		sum = sum >> 8 ^ table[(sum ^ bytes[i]) & (TRACE_CHECKSUM_ENTRIES - 1)];
	return ~sum;
}

#endif
