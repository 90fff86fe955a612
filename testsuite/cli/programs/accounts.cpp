// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads take two locks in opposite orders, locks that are parts of objects: "mutex", "lock". A third
// thread waits for the first one. The file "addresses"
// has those of both.

#include <atomic>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <omp.h>

struct Lock {
	omp_lock_t lock_;
	Lock()
	{
		omp_init_lock(&lock_);
	}
	void lock()
	{
		omp_set_lock(&lock_);
	}
	void unlock()
	{
		omp_unset_lock(&lock_);
	}
};

static std::atomic<int> holders;

template <typename Mutex> struct Account {
	double balance = 0;
	Mutex guard_;

	void transfer_to(Account &other)
	{
		std::lock_guard<Mutex> mine(guard_);
		holders++;
		while (holders < 2)
			;
		std::lock_guard<Mutex> theirs(other.guard_); // LINE: transfer
		balance += other.balance;
	}
	void close()
	{
		while (holders < 2)
			;
		std::lock_guard<Mutex> mine(guard_); // LINE: close
		balance = 0;
	}
};

template <typename Mutex> static void transfer()
{
	auto first = std::make_unique<Account<Mutex>>(), second = std::make_unique<Account<Mutex>>();

	std::ofstream("addresses") << &first->guard_ << ' ' << &second->guard_;
#pragma omp parallel num_threads(3)
	switch (omp_get_thread_num()) {
	case 0:
		first->transfer_to(*second);
		break;
	case 1:
		second->transfer_to(*first);
		break;
	default:
		first->close();
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && std::strcmp(argv[1], "lock") == 0)
		transfer<Lock>();
	else
		transfer<std::mutex>();
}
