// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A debugger of the process that it is part of: the OMPD callbacks over its own memory and
// symbols. Counts what is allocated, and fails on demand.

#ifndef HOST_H
#define HOST_H

#include <stdbool.h>

#include "callbacks.h"
#include "here.h"

/** The allocation from now on that fails; 0: none. Counted down. */
extern long host_fail_allocation;

/** So many bytes from there on can't be read; 0: all can. */
extern uint64_t host_hidden;
enum { HOST_HIDDEN = 8 };

/** Whether glibc has the kernel write the thread's processor into its memory (rseq). */
bool host_keeps_processors(void);

/** For a string that the library returned. */
void host_free(const char *string);

/** Opens OMPD with such callbacks, and this process. @return 0, or -1 with the reason printed. */
int host_open(const ompd_callbacks_t *callbacks, ompd_address_space_handle_t **ret);
/** Closes both. @return Other than 0 if blocks were left behind. */
int host_close(ompd_address_space_handle_t *space);

#endif
