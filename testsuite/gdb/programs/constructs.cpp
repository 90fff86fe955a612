// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs in lambdas, templates, namespaces and members, and exceptions in a region, to step
// through. Usage: constructs THREADS. See constructs.c.
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <stdexcept>

static int threads = 4;
static long sum;

static __attribute__((noinline)) void add(long value)
{
#pragma omp atomic
	sum += value;
}

namespace outer
{
namespace
{
template <typename T> struct Worker {
	T start;

	__attribute__((noinline)) void run(T n)
	{
		add(n); // AT: member-before
#pragma omp parallel num_threads(threads)
		{
			add(start); // AT: member-first
			add(n);
		}
		add(1); // AT: member-after
	}
};
} // namespace

template <typename T> __attribute__((noinline)) void in_template(const T *values, int n)
{
	add(1); // AT: template-before
#pragma omp parallel for num_threads(threads)
	for (int i = 0; i < n; i++)
		add(values[i]); // AT: template-first
	add(2);			// AT: template-after
}
} // namespace outer

static void in_lambda(int n)
{
	auto work = [n](int more) __attribute__((noinline)) {
		add(more); // AT: lambda-before
#pragma omp parallel num_threads(threads)
		{
			add(n); // AT: lambda-first
		}
		add(1); // AT: lambda-after
	};
	work(n + 1);
}

static __attribute__((noinline)) void around_lambda(int n)
{
#pragma omp parallel num_threads(threads)
#pragma omp master
	{
		auto work = [&n] {
			add(n); // AT: task-before
#pragma omp task shared(n)
			{
				add(n + 1); // AT: task-first
			}
			add(2); // AT: task-later
#pragma omp taskwait
		};
		work();
	}
}

static __attribute__((noinline)) void thrown(int n)
{
	add(n); // AT: thrown-before
#pragma omp parallel num_threads(threads)
	{
		try {
			if (n > 0) // AT: thrown-first
				throw std::runtime_error("of every thread");
			add(1);
		} catch (const std::runtime_error &) {
			add(2);
		}
	}
	add(3); // AT: thrown-after
}

int main(int argc, char **argv)
{
	static const int values[32] = {1, 2};

	if (argc > 1)
		threads = std::atoi(argv[1]);
	outer::Worker<long>{5}.run(3);
	outer::in_template(values, 2 * threads);
	in_lambda(4);
	around_lambda(2);
	thrown(1);
	std::printf("sum %ld\n", sum);
	return 0;
}
