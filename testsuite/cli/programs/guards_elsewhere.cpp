// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of guards.cpp, which Clang describes where their constructors are.

#include "guards.h"

namespace mesh
{
Guard::Guard() : count(0)
{
	omp_init_lock(&lock);
	omp_set_lock(&lock);
}
} // namespace mesh
