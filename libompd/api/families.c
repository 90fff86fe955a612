// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of runtimes that the library knows.

#include "api/handles.h"

extern const struct family gomp_family, kmp_family;

const struct family *const families[] = { &gomp_family, &kmp_family, NULL };
