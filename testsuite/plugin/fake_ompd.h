// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the fake OMPD library share.

#ifndef FAKE_OMPD_H
#define FAKE_OMPD_H

#include <stdbool.h>
#include <stdint.h>

#include "ompd/ompd.h"
#include "ompd/ompd_ext.h"

enum {
	FAKE_API_VERSION = 202111,
	FAKE_MAGIC = 0x464b4f4d,
	FAKE_THREADS = 4,
	FAKE_LWP = 1000,	   // of the first thread
	FAKE_PTHREAD = 0x10000000, // what a pthread_t is more than the LWP
	FAKE_READS = 1 << 16,
};

/** ICVs whose reading makes the library call back. */
enum fake_icv {
	FAKE_ICV_SCOPE = 1,   // value: the scope that was asked; home: implicit task
	FAKE_ICV_GLOBAL = 2,  // the same; home: global
	FAKE_ICV_READ = 3,    // sum of all bytes that fake_add_read() names
	FAKE_ICV_SYMBOL = 4,  // address of the symbol "name" of "file"
	FAKE_ICV_STRING = 5,  // the string at the first read
	FAKE_ICV_CONTEXT = 6, // address of the symbol "tls" in the thread with LWP 1001
	FAKE_ICV_PRINT = 7,   // prints
	FAKE_ICV_WRITE = 8,   // what write_memory returns
	FAKE_ICV_CONVERT = 9, // 1 if sizes and conversions are right
	FAKE_ICV_IGNORE = 10, // like READ, but failures of the reads do not matter
	FAKE_ICV_LAST = 10,
};

enum handle_kind { SPACE, THREAD, PARALLEL, TASK };

struct handle {
	uint32_t magic;
	enum handle_kind kind;
	uint64_t value;
	ompd_address_space_context_t *context;
};

struct fake_read {
	uint64_t address, size;
};

struct fake {
	int initialized, live;
	char failing[64];
	int rc;
	char reason[128];
	const ompd_callbacks_t *callbacks;
	struct fake_read reads[FAKE_READS];
	int num_reads;
	uint64_t num_tasks, damaged_at, heap;
	int64_t heap_step;
};
extern struct fake fake;

bool is_handle(const void *memory, enum handle_kind kind);
bool fake_failing(const char *function);

#define FAIL_ON_DEMAND(function)            \
	do {                                \
		if (fake_failing(function)) \
			return fake.rc;     \
	} while (0)

#endif
