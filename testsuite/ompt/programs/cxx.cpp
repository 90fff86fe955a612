// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs in C++, with what only C++ has: exceptions, destructors, and tasks that copy objects.

#include <omp.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "counts.h"

namespace
{

constexpr int threads = 3, rounds = 20;
int alive;

// Counts itself: what is copied for a task is destroyed after it.
struct object {
	std::string text;

	explicit object(int number) : text(std::to_string(number) + std::string(40, '.'))
	{
		__atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
	}
	object(const object &other) : text(other.text)
	{
		__atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
	}
	object &operator=(const object &) = delete;
	~object()
	{
		__atomic_sub_fetch(&alive, 1, __ATOMIC_RELAXED);
	}
};

void require(bool condition)
{
	if (!condition)
		std::abort();
}

void raise(int number)
{
	throw std::runtime_error(std::to_string(number));
}

void tasks_of_objects()
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < rounds; i++) {
			object one(i);

			COUNT(task);
#pragma omp task firstprivate(one, i)
			{
				COUNT(task_run);
				require(std::atoi(one.text.c_str()) == i);
				dwell();
			}
			COUNT(task);
			COUNT(undeferred);
#pragma omp task firstprivate(one, i) if (0)
			{
				COUNT(task_run);
				require(std::atoi(one.text.c_str()) == i);
			}
		}
		COUNT(taskwait);
#pragma omp taskwait
	}
	require(alive == 0);
}

// Thrown and caught within a task, a critical region and a region.
void exceptions()
{
	int caught = 0;

	for (int round = 0; round < rounds; round++) {
		COUNT(parallel);
#pragma omp parallel
		{
			count_implicit();
			try {
				object one(round);
				raise(round);
			} catch (const std::runtime_error &error) {
				COUNT(critical);
#pragma omp critical
				{
					// Tasks of other threads add to it outside of the critical region.
#pragma omp atomic
					caught += std::atoi(error.what()) == round;
				}
			}
			COUNT(task);
#pragma omp task shared(caught)
			{
				COUNT(task_run);
				try {
					raise(-round);
				} catch (const std::runtime_error &) {
#pragma omp atomic
					caught++;
				}
			}
			COUNT(taskwait);
#pragma omp taskwait
		}
	}
	require(caught == rounds * threads * 2);
}

void iterators()
{
	std::vector<int> numbers(30, 1);

	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(loop_dynamic);
		COUNT(barrier_loop);
#pragma omp for schedule(dynamic)
		for (auto i = numbers.begin(); i < numbers.end(); ++i)
			++*i;
		dwell();
	}
	for (int number : numbers)
		require(number == 2);
}

} // namespace

int main()
{
	omp_set_num_threads(threads);
	omp_set_dynamic(0);
	tasks_of_objects();
	exceptions();
	iterators();
}
