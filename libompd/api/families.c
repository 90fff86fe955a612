// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of runtimes that the library knows.

#include "runtime/family.h"

const struct family *const families[] = { &gomp_family, &kmp_family, NULL };
