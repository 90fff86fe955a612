// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <omp.h>

namespace mesh
{
struct Guard {
	Guard();
	int count;
	omp_lock_t lock;
};

struct Owner {
	Guard guards[3];
};
} // namespace mesh
