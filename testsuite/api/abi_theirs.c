// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same by an LLVM package's header. Our prototypes follow it: a function or callback that is
// declared in another way does not compile.

#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include OMP_TOOLS_H

#include "prototypes.inc"

#define ABI_TABLE abi_theirs
#include "abi_rows.h"
