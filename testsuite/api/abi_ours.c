// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ompd/ompd.h"

#define ABI_TABLE abi_ours
#include "abi_rows.h"
