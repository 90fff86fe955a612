// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait in what headers of the C++ library have called: two for a mutex, one for a future,
// and one for a static variable that another initializes.

#include <future>
#include <mutex>
#include <omp.h>
#include <unistd.h>

static std::mutex mutex;
static std::promise<int> promise;
static volatile int begun;
static int sum;

struct Slow {
	int value;
	Slow() : value(1)
	{
		std::lock_guard<std::mutex> guard(mutex);
		begun = 1;
		for (;;)
			pause();
	}
};

static int slow()
{
	static Slow once;
	return once.value;
}

static void await_begin()
{
	while (!begun)
		usleep(1000);
}

static void work(int number, std::future<int> &future)
{
	if (number == 0) {
		sum += slow();
		return;
	}
	await_begin();
	if (number == 1) {
		mutex.lock(); // LINE: one
		sum++;
	} else if (number == 2) {
		mutex.lock(); // LINE: other
		sum--;
	} else if (number == 3) {
		sum += future.get(); // LINE: future
	} else {
		sum += slow();
	}
}

int main()
{
	std::future<int> future = promise.get_future();

	alarm(3600);
#pragma omp parallel num_threads(5)
	{
		work(omp_get_thread_num(), future);
#pragma omp barrier
		sum++;
	}
	return sum;
}
