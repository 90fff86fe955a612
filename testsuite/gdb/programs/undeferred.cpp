// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same in C++.

#include "undeferred.c"
