// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at the processes that a process has forked, where it may wait for them.

#ifndef OMPDBG_CHILDREN_H
#define OMPDBG_CHILDREN_H

#include "looking.h"

/** Add a finding about the children of a process, if these hang and it has no better reason not to go on. */
void add_children(struct looked *looked, struct view_options *options);

#endif
