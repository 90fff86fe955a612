// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .gnu_debugdata, a compressed file with symbols in a program or library. libdw inflates it when it looks for
// symbols, however large it becomes.

#ifndef OMPDBG_DEBUG_DATA_H
#define OMPDBG_DEBUG_DATA_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/** Hide from libdw what becomes too large of a module's .gnu_debugdata. @return whether something was. */
bool debug_data_hide(Dwfl_Module *module);

#endif
