// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef OMPDBG_IDS_H
#define OMPDBG_IDS_H

#include "front.h"

/** Write a word and the identity of what the handle stands for, which the debugger frees. */
ompd_rc_t string_id_of(void *handle, const char *what, core_scope_t scope, char **ret);

#endif
