// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both threads wait at a condition variable: the library's function jumps to the C library's.

#include <condition_variable>
#include <mutex>

static std::mutex mutex;
static std::condition_variable never;

int main()
{
#pragma omp parallel num_threads(2)
	{
		std::unique_lock<std::mutex> lock(mutex);
		never.wait(lock);
	}
	return 0;
}
