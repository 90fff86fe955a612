// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small trace, whole or damaged.

#ifndef DAMAGED_TRACE_H
#define DAMAGED_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

enum { TRACE_SIZE = 1 << 16, TRACE_THREADS = 3, TRACE_EVENT_COUNT = 300 };

/** The event of a thread by its number, as it was written. */
struct trace_event written_event(uint32_t thread, uint32_t number);
/** Write the trace into a buffer of TRACE_SIZE bytes. @return its size. */
size_t make_trace(unsigned char *bytes);
/** Make all checksums right, so that damage gets past them. */
void fix_checksums(unsigned char *bytes, size_t size);

/** What reading gave. */
struct trace_reading {
	bool is_opened;
	bool is_wrong; // something that was not written, or out of order
	uint64_t events;
	bool has_note;
};
/** Read all of a trace. @p is_honest: its events must be some that were written. */
struct trace_reading read_trace(const void *bytes, size_t size, bool is_honest);

#endif
