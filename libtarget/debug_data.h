// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libdw inflates, however large it becomes: compressed sections, and .gnu_debugdata, a compressed file with
// symbols in a program or library.

#ifndef OMPDBG_DEBUG_DATA_H
#define OMPDBG_DEBUG_DATA_H

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdbool.h>

/** Check that the compressed sections of a file do not become too large: by what they say of themselves, which
 *  libelf holds them to. */
bool debug_data_is_moderate(Elf *elf, int file);
/** Hide all of a module's compressed sections from libdw, if they become too large. @return whether something
 *  was. */
bool debug_data_hide_sections(Dwfl_Module *module, int file);
/** Hide from libdw what becomes too large of a module's .gnu_debugdata. @return whether something was. */
bool debug_data_hide(Dwfl_Module *module);

#endif
