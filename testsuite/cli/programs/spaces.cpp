// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads wait for locks that variables in namespaces lead to.

#include <omp.h>
#include <unistd.h>

static int before; // on a line before the namespaces

namespace app
{
omp_lock_t *locks;

namespace inner
{
omp_lock_t *all;
}
} // namespace app

static omp_lock_t *own;

static void init(omp_lock_t *&locks)
{
	locks = new omp_lock_t[8];
	for (int i = 0; i < 8; i++) {
		omp_init_lock(&locks[i]);
		omp_set_lock(&locks[i]);
	}
}

int main()
{
	init(app::locks);
	init(app::inner::all);
	init(own);
#pragma omp parallel num_threads(3)
	{
		int i = omp_get_thread_num() + 3;
		if (i == 3)
			omp_set_lock(&app::locks[i]);
		else if (i == 4)
			omp_set_lock(&app::inner::all[i]);
		else
			omp_set_lock(&own[i]);
		before += i;
	}
	return before;
}
