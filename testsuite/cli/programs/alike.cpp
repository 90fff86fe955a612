// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads set two locks in different orders, in functions of lambda expressions. The locks have the same
// name where they are set, and the functions have long ones.

#include <map>
#include <omp.h>
#include <string>

struct Account {
	double value = 0;
	omp_lock_t lock;
};

class Book
{
	std::map<std::string, Account> accounts;
	int ready = 0;

      public:
	explicit Book()
	{
		omp_init_lock(&accounts["one"].lock);
		omp_init_lock(&accounts["two"].lock);
	}

	template <class Body>
	__attribute__((noinline)) void with(const std::string &name, Body body)
	{
		Account &account = accounts.at(name);

		omp_set_lock(&account.lock);
		body(account);
		omp_unset_lock(&account.lock);
	}

	__attribute__((noinline)) void move(const std::string &from, const std::string &to)
	{
		with(from, [&](Account &one) {
			__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
			while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < 2)
				;
			with(to, [&](Account &other) { other.value += one.value; });
		});
	}
};

int main()
{
	Book book;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			book.move("one", "two");
		else
			book.move("two", "one");
	}
	return 0;
}
