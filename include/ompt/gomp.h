// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libompt-gomp.so, which brings OMPT to libgomp, tells a debugger about itself. The symbol
// `ompdbg_gomp_ompt` of the library is a `struct gomp_ompt_root`. Nothing here is an interface to
// call.
//
// The library passes regions and tasks on to libgomp with a function of its own, a trampoline, in
// place of the program's `fn`, and with a block of its own in front of, or instead of, `data`:
// - The data of a parallel or teams region that begins at `parallel_body` is a block on the stack of
//   the thread that encountered the region: the program's `fn` is at `region_fn` in it, the program's
//   `data` at `region_data`.
// - The data of a task that begins at `task_body` is a block with the program's `fn` at `task_fn`
//   in it. The program's data begin behind the block, at the number of bytes that the uint32_t at
//   `task_header_size` tells.
// - A thread's block is at its thread pointer plus `thread_tpoff` (of the initial-exec model; 0: not
//   known yet). The tool's data of the thread are in it, at `thread_data`.
//
// Check `magic`, `version` and `size` first: another version is another layout; within one version
// the structure only grows at its end.

#ifndef OMPDBG_OMPT_GOMP_H
#define OMPDBG_OMPT_GOMP_H

#include <stdint.h>

#define GOMP_OMPT_MAGIC "ompdbgG" // with its final null 8 bytes
#define GOMP_OMPT_VERSION 1
#define GOMP_OMPT_TRAMPOLINES 8

struct gomp_ompt_root {
	char magic[8];
	uint32_t version;
	uint32_t size; // of this structure
	uint64_t text_start, text_end;
	// Addresses of the trampolines; 0: not used.
	uint64_t parallel_body[GOMP_OMPT_TRAMPOLINES];
	uint64_t task_body[GOMP_OMPT_TRAMPOLINES];
	// Offsets, in bytes.
	uint32_t region_fn;
	uint32_t region_data;
	uint32_t region_parallel_data; // ompt_data_t of the region
	uint32_t task_fn;
	uint32_t task_data; // ompt_data_t of the task
	uint32_t task_header_size;
	int64_t thread_tpoff;
	uint32_t thread_data; // ompt_data_t of the thread
	uint32_t unused;
};

// ---- For the recorder and the collector --------------------------------------------------------

/** Phases of a thread that creates explicit tasks. */
enum gomp_task_phase {
	GOMP_TASK_CREATE_BEGIN,	   // it enters the runtime to create a task, or those of a taskloop
	GOMP_TASK_CREATE_END,	   // it is back
	GOMP_TASK_CREATE_LOOP_END, // it is back after a taskloop
};

/** Callback. @p code: return address of the call. @p ran: at an end, whether tasks were executed
 *  meanwhile; at a begin, whether the program asks for that: by an if clause, or in a final task. */
typedef void (*gomp_task_phase_t)(enum gomp_task_phase phase, const void *code, int ran);

// A name that a tool looks up, beyond OMPT: the function sets the callback.
#define GOMP_SET_TASK_PHASE "ompdbg_set_task_phase"
typedef void (*gomp_set_task_phase_t)(gomp_task_phase_t callback);

#endif
