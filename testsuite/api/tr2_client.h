// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A debugger of the interface of 2016, written from the document alone: its callbacks, and the
// library's functions.

#ifndef TR2_CLIENT_H
#define TR2_CLIENT_H

#include "ompd/ompd_tr2.h"
#include "tr2_target.h"

/** Every function of the document, as the debugger looks it up after it has loaded the library. */
struct tr2_client {
#define FUNCTION(section, name, parameters) __typeof__(name) *name;
#include "tr2_interface.def"
};

extern struct tr2_client client;

/** Looks up the functions, initializes the library, and opens the target. */
ompd_address_space_handle_t *client_open(void *library);
void client_close(ompd_address_space_handle_t *space);

/** Ends the program if @p rc is not ok. */
void client_check(ompd_rc_t rc, const char *what);

/** Kernel's id of a thread. */
int client_lwp(ompd_thread_handle_t *thread);

#endif
