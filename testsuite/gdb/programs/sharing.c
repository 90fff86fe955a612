// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables whose names tell their data-sharing attributes: s_ are shared, f_ firstprivate, p_ private;
// of x_ the one that is seen is neither surely. Stops in inspect().
#include <omp.h>

struct pair {
	double left, right;
};

static double sink;

__attribute__((noinline)) void inspect(const void *first, const void *second)
{
	__asm__ volatile("" : : "r"(first), "r"(second) : "memory");
}

// Keeps a value alive up to a stop.
#define USE(value) (sink += (double)(value))

__attribute__((noinline)) static void region(int seed)
{
	double s_written = 2.5, s_list[4] = { 1, 2, 3, 4 };
	int s_read = seed, s_outer = 6, f_count = seed + 7, p_index = 0, x_sum = 0;
	int *f_where = &s_outer, x_last = 0, s_swap = 1;
	struct pair s_pair = { 1, 2 };
	struct pair x_pair = { 3, 4 };

	// clang-format off
#pragma omp parallel num_threads(2) firstprivate(f_count, f_where, x_pair) private(p_index) \
	reduction(+ : x_sum)
	// clang-format on
	{
		int p_mine = omp_get_thread_num() + 40;
		static int x_static = 3;

		p_index = p_mine;
#pragma omp atomic
		s_swap++;
		x_sum += p_mine;
#pragma omp barrier
#pragma omp single
		inspect(&s_written, &s_list);
		inspect(&p_mine, &x_pair);
		{
			int p_inner = p_mine + 1;

			inspect(&p_inner, &s_pair);
			USE(p_inner);
		}
#pragma omp for lastprivate(x_last)
		for (int p_step = 0; p_step < 2; p_step++) {
			x_last = p_step;
			inspect(&p_step, &x_last);
		}
		USE(x_sum + p_index + f_count + *f_where + s_read + x_static + x_pair.left);
	}
	USE(s_written + x_sum + x_last + s_outer + s_swap);
}

// Loops within regions have copies of their own: here what is read in the region is none of the region's.
__attribute__((noinline)) static void loops(int seed)
{
	int x_again = seed, x_first = seed + 1, s_limit = seed + 2;

#pragma omp parallel num_threads(2)
	{
		USE(x_again);
#pragma omp for private(x_again) firstprivate(x_first)
		for (int p_step = 0; p_step < 2; p_step++) {
			x_again = p_step;
			inspect(&x_again, &x_first);
			USE(x_again + x_first + s_limit);
		}
	}
}

__attribute__((noinline)) static void tasks(int seed)
{
	double s_field = 1;
	struct pair f_pair = { 5, 6 };
	int f_number = seed, p_own = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(s_field) firstprivate(f_number, f_pair) private(p_own)
		{
			int p_within = f_number + 4;

			p_own = p_within;
			inspect(&p_within, &s_field);
			USE(p_within + p_own + f_number + f_pair.left);
		}
#pragma omp taskwait
	}
}

// Of an array with computed bounds GCC describes nothing that the code is given.
__attribute__((noinline)) static void computed(int seed)
{
	double s_field[seed + 2];
	int f_count = seed, s_read = seed + 1;

	s_field[0] = seed;
#pragma omp parallel num_threads(1) firstprivate(f_count)
	{
		int p_mine = f_count + 2;

		inspect(&p_mine, &s_field);
		USE(s_field[0] + f_count + s_read + p_mine);
	}
	USE(s_field[0]);
}

int main(int argc, char **argv)
{
	(void)argv;
	region(argc);
	loops(argc);
	computed(argc);
	tasks(argc);
	return 0;
}
