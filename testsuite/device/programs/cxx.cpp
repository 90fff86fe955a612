// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs for devices in C++: templates, members, lambdas, and data that objects map.

#include <vector>

#include "counts.h"

namespace
{
template <typename T> class Array
{
    public:
	explicit Array(size_t size)
		: values(size)
	{
		T *data = values.data();

		count_enter();
		count_map(size * sizeof(T));
		count_map_to(size * sizeof(T));
#pragma omp target enter data map(to : data[0 : size])
	}

	~Array()
	{
		T *data = values.data();
		size_t size = values.size();

		count_exit();
		count_unmap();
#pragma omp target exit data map(delete : data[0 : size])
	}

	template <typename F> void each(F function)
	{
		T *data = values.data();
		size_t size = values.size();

		// An object is copied there; nobody copies it back.
		count_target();
		count_map(sizeof(function));
		count_map_to(sizeof(function));
		count_kernel(0, 1);
		count_unmap();
#pragma omp target teams distribute parallel for
		for (size_t i = 0; i < size; i++)
			data[i] = function(data[i], i);
	}

	T sum()
	{
		T *data = values.data(), result = 0;
		size_t size = values.size();

		count_update();
		count_map_from(size * sizeof(T));
#pragma omp target update from(data[0 : size])
		for (const T &value : values)
			result += value;
		return result;
	}

    private:
	std::vector<T> values;
};
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		puts("arrays");
		return 0;
	}
	{
		Array<double> first(500);
		Array<short> second(20);

		first.each([](double old, size_t i) { return old + double(i); });
		first.each([](double old, size_t) { return 2 * old; });
		CHECK(first.sum() == 499 * 500);
		second.each([](short, size_t i) { return short(i); });
		CHECK(second.sum() == 190);
	}
	write_counts();
}
