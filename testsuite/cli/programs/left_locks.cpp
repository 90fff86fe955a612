// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of four threads leaves a critical construct by longjmp() ("jump"), or does not come to unset a lock because
// of an exception ("throw"); or it stays in the construct ("stay"). The others want to get in.

#include <csetjmp>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

static omp_lock_t lock;
static int entered;

static __attribute__((noinline)) void check(int number, int odd)
{
	if (number == odd)
		throw std::runtime_error("odd");
}

static __attribute__((noinline)) void enter(jmp_buf *out, bool stays)
{
#pragma omp critical(sum)
	{
		__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
		while (stays)
			pause();
		if (out)
			std::longjmp(*out, 1);
	}
}

static __attribute__((noinline)) void leave()
{
	jmp_buf out;

	if (!setjmp(out))
		enter(&out, false);
}

static __attribute__((noinline)) void set(int number)
{
	try {
		omp_set_lock(&lock);
		__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
		check(number, 2);
		omp_unset_lock(&lock);
	} catch (const std::exception &) {
	}
}

int main(int, char **argv)
{
	const std::string way = argv[1];
	const bool throws = way == "throw", stays = way == "stay";

	omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
	{
		const int number = omp_get_thread_num();
		while (number != 2 && !__atomic_load_n(&entered, __ATOMIC_ACQUIRE))
			;
		if (throws)
			set(number);
		else if (number == 2 && !stays)
			leave();
		else
			enter(nullptr, number == 2 && stays);
	}
	return 0;
}
