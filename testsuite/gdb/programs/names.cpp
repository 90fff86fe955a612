// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks in variables that only C++ has: each thread but the first waits for the one that its line
// names.

#include <omp.h>

#include "state.h"

namespace shop
{
struct Base {
	long number;
	omp_nest_lock_t inner;
};

template <typename T> struct Till : Base {
	T amount;
	omp_lock_t lock;
	static omp_lock_t all[3];
};

template <typename T> omp_lock_t Till<T>::all[3];

Till<int> tills[4];

namespace
{
omp_lock_t hidden[2];
}
} // namespace shop

__attribute__((noinline)) static omp_lock_t *local()
{
	static omp_lock_t own[7];

	return &own[2];
}

int main()
{
	omp_lock_t *locks[] = {
		&shop::tills[2].lock,	  // lock shop::tills[2].lock
		&shop::Till<int>::all[1], // lock shop::Till<int>::all[1]
		&shop::hidden[1],	  // lock shop::(anonymous namespace)::hidden[1]
		local(),		  // lock own[2]
	};
	constexpr int number_of_locks = sizeof(locks) / sizeof(*locks);
	omp_nest_lock_t *nested = &shop::tills[3].inner; // nest lock shop::tills[3].inner

	for (auto *lock : locks) {
		omp_init_lock(lock);
		omp_set_lock(lock);
	}
	omp_init_nest_lock(nested);
	omp_set_nest_lock(nested);
#pragma omp parallel num_threads(number_of_locks + 2)
	{
		int number = omp_get_thread_num();

		if (number == 0)
			state_reached(number_of_locks + 1);
		else if (number <= number_of_locks)
			omp_set_lock(locks[number - 1]);
		else
			omp_set_nest_lock(nested);
		STATE_KEEP_FRAME();
	}
}
