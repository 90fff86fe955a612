// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The writer of a trace (include/ompt/trace.h): a thread that copies the rings to a file, all the
// time. The other threads wait for it only if their rings are full.
//
// The thread is one of the kernel's, not of the C library's: the program does not notice it where it
// counts its threads, or waits for the last of them. It has its own file descriptors, so that neither
// closes those of the other. When the program changes its user or groups, it follows (rights.c). It may
// use nothing of the C library: no function that has thread-local data, which errno is.

#ifndef OMPDBG_RECORDER_SPILL_H
#define OMPDBG_RECORDER_SPILL_H

#include "include/ompt/trace.h"
#include "recorder.h"

// ---- Encoding (spill_encoder.c) ----------------------------------------------------------------

#define ENCODER_SLOTS 256

/** A pattern of events: all that they have in common. */
struct encoder_template {
	uint64_t code;
	uint32_t number;
	uint16_t detail;
	uint8_t kind;
	uint8_t object; // enum trace_object
	uint8_t next;	// template that followed it the last time
	uint8_t slot;	// of `slots`
};

struct encoder {
	uint64_t time, num_templates, latest_code;
	struct encoder_template *latest;
	uint64_t created, current;
	uint64_t suspended[TRACE_MAX_SUSPENDED];
	uint32_t num_suspended;
	uint64_t last[TRACE_GROUPS];
	uint8_t slots[ENCODER_SLOTS]; // by a hash: 1 + template
	struct encoder_template templates[TRACE_TEMPLATES];
};

void encoder_init(struct encoder *encoder, uint64_t time);
/** Encode an event, of at most TRACE_MAX_EVENT bytes. @return the byte behind it. */
unsigned char *encoder_put(struct encoder *encoder, const struct record_event *event, uint64_t time,
			   unsigned char *out);

// ---- The file (spill_file.c) -------------------------------------------------------------------

/** A thread's part of the trace. */
struct spill {
	uint64_t tail;		 // events of the ring that were copied; atomic
	uint32_t waiting;	 // the thread waits for `tail` to move; atomic
	uint32_t ended;		 // the thread has, and its block waits for the writer; atomic
	uint64_t lost_before;	 // events that were lost before the trace began
	uint64_t dropped_before; // tasks
	// The rest is the writer's.
	bool has_begun;
	struct trace_thread_state state;
	uint64_t state_at; // offset of the chunk with the state
	uint64_t chunk_at; // offset of the chunk that is being filled; 0: none
	struct trace_chunk chunk;
	uint32_t next_size; // of a chunk
	struct encoder encoder;
};

/** The trace of this process. */
struct trace_file {
	int file;
	int error;	// errno of what could not be written; 0
	uint64_t end;	// where the next chunk begins
	uint64_t size;	// of the file
	uint64_t start; // ticks
	uint32_t shift;
	uint64_t lost_events;
	uint64_t dropped_before; // threads
	uint32_t observes;	 // TRACE_OBSERVES_...
	uint32_t table[TRACE_CHECKSUM_ENTRIES];
};
extern struct trace_file trace_file;

/** Create the file and write its beginning. @return an errno; 0. */
int file_begin(const char *path);
/** Append a chunk without events. @return its offset; 0: it cannot be written. */
uint64_t file_append(enum trace_chunk_kind kind, const void *content, uint32_t size);
/** Write a chunk of file_append() again. */
void file_rewrite(uint64_t at, enum trace_chunk_kind kind, const void *content, uint32_t size);
/** Append encoded events to the chunk of a thread. */
void file_put_events(struct spill *spill, const unsigned char *bytes, uint32_t size, uint64_t count,
		     uint64_t last);
/** Begin a chunk of events. */
void file_begin_chunk(struct spill *spill, uint64_t time);
void file_end_chunk(struct spill *spill);
/** Tell in the file how far it is. */
void file_put_state(enum trace_end end);

// ---- Modules (spill_modules.c) -----------------------------------------------------------------

/** Write the list of modules if it has changed. */
void modules_look(void);
/** Check whether a code address is in a module of the latest list. */
bool modules_have(uint64_t code);
void modules_forget(void);
/** Open the lists of modules: after giving up rights, the program may no longer do that. */
void modules_begin(void);

// ---- The writer (spill.c) ----------------------------------------------------------------------

/** Begin the trace of a process. Errors are told to the user. @p path: null or "": there is to be none. */
void spill_begin(const char *path);
/** Check whether a trace is to be written, and could be until now. */
bool spill_is_wanted(void);
/** Return the time in ticks: for the writer. (spill_writer.c) */
uint64_t spill_ticks(void);
/** Write whatever there is, and wait for it. */
void spill_flush(void);
/** Do that, and look for modules, which change. */
void spill_flush_modules(void);
/** Note that the program ends, and write whatever there is. */
void spill_end(void);
/** Begin anew in the child of a fork, with its first event. */
void spill_after_fork(void);
/** Let no other thread change the program's rights. @return false: there is no writer that would have to
 *  follow. */
bool spill_lock_rights(void);
/** Have the writer make a call that has changed the program's rights, and wait for it. If it cannot be
 *  made, the trace ends. */
void spill_follow(long number, long a, long b, long c);
void spill_unlock_rights(void);
/** Return the memory that a thread's block needs. */
uint64_t spill_bytes(void);
/** Prepare the block of a thread that begins. */
void spill_begin_thread(struct thread *thread);
/** Leave the block of a thread that has ended to the writer. @return false: there is none. */
bool spill_end_thread(struct thread *thread);

#endif
