// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of a template's objects, one for each thread of a team: that of thread 2 is another one.
// Stops in fixture_ready().
#include "state.h"

#include <omp.h>

#include <string>
#include <vector>

namespace shop
{
int open = 3;

extern "C" int __attribute__((noinline, used)) changed(int value)
{
	return open += value;
}

template <typename T> struct Base {
	T low;
};

template <typename T> struct Mesh : Base<T> {
	std::vector<T> cells;
	std::string name;
	T scale;
	static int count;

	int __attribute__((noinline)) sweep(int number)
	{
		T mine = scale * 2;
		const Mesh &self = *this;

		if (!number)
			state_reached(omp_get_num_threads() - 1);
		state_park();
		STATE_KEEP_FRAME();
		return static_cast<int>(mine + self.scale);
	}

	T operator()(int) const
	{
		return scale;
	}
};

template <typename T> int Mesh<T>::count = 5;
} // namespace shop

int main(int argc, char **argv)
{
	int threads = state_number(argc, argv, 1, 4), sum = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
	{
		int number = omp_get_thread_num();
		shop::Mesh<double> mesh;

		mesh.low = 0.25;
		mesh.scale = number == 2 ? -1 : 1.5;
		mesh.name = number == 2 ? "odd" : "even";
		mesh.cells.assign(3, number == 2 ? 7.5 : 0.5);
		sum += mesh.sweep(number) + shop::open + shop::Mesh<double>::count + (int)mesh(0);
	}
	return sum == 0;
}
