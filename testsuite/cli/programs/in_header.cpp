// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread crashes in what a header of the C++ library has inlined, or called.

#include <omp.h>
#include <string>

static std::string *volatile missing;

static unsigned long measure(const std::string *text)
{
	return text->length(); // LINE: measure
}

int main()
{
	unsigned long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	if (omp_get_thread_num() == 1)
		sum += measure(missing);
	return static_cast<int>(sum);
}
