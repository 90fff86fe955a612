// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callbacks of 2016 over the process that the test is (as host.h has those of 5.x). Counts what
// is allocated, and fails on demand.

#ifndef TR2_HOST_H
#define TR2_HOST_H

#include <stdbool.h>

#include "here.h"
#include "ompd/ompd_tr2.h"

extern const ompd_callbacks_t tr2_host_callbacks;

extern struct tr2_host {
	long fail_allocation, fail_read; // which from now on fails; 0: none. Counted down
	bool no_symbols;		 // none is found
	int pointer_size;		 // of the target; 0: as it is
	ompd_rc_t failing_reads;	 // what every read returns, if it is not ok
} tr2_host;

/** Any pointer but NULL will do as a context. */
ompd_address_space_context_t *tr2_host_context(void);

/** What the library gave; NULL is ignored. */
void tr2_host_free(void *memory);

#endif
