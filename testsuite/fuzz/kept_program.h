// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that stay open from one input to the next: most of the time of an input would go into opening
// one, which proves the layout of its runtime. What the OMPD library keeps of a program is the same for
// each input; libompdbg keeps what the services tell, which no damage changes.

#ifndef OMPDBG_FUZZ_KEPT_PROGRAM_H
#define OMPDBG_FUZZ_KEPT_PROGRAM_H

#include "ompdbg/ompdbg.h"
#include "recorded_target.h"

/** Load an OMPD library for all programs, one for each of the targets. */
void kept_programs_open(const char *library, struct recorded_target *targets, uint32_t count);

/** Choose a target, which is whole, and return its program. */
struct ompdbg_program *kept_program_take(uint32_t number);
/** Give it back when the target is whole again. Aborts if memory of the library is left. */
void kept_program_return(uint32_t number);

#endif
