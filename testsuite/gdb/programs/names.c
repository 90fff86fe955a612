// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks in all kinds of variables of C: each thread but the first waits for the one that its line
// names, and tasks wait for parts of variables.

#include <omp.h>
#include <stdlib.h>

#include "state.h"

typedef omp_lock_t lock_row[3];

struct account {
	long balance;
	omp_lock_t lock;
	struct {
		int calls;
		omp_nest_lock_t nested;
	};
	union {
		int word;
		omp_lock_t either;
	} state;
};

omp_lock_t single;
static lock_row rows[4];
static struct account accounts[5];
static struct {
	char name[16];
	struct account account;
} bank;
static int table[4][6];

__attribute__((noinline)) static omp_lock_t *local(void)
{
	static omp_lock_t own[7];

	return &own[6];
}

int main(void)
{
	omp_lock_t *locks[] = {
		&single,		   // lock single
		&rows[0][0],		   // lock rows[0][0]
		&rows[2][1],		   // lock rows[2][1]
		&accounts[0].lock,	   // lock accounts[0].lock
		&accounts[3].state.either, // lock accounts[3].state.either
		&bank.account.lock,	   // lock bank.account.lock
		local(),		   // lock own[6]
	};
	enum { LOCKS = sizeof(locks) / sizeof(*locks) };
	omp_nest_lock_t *nested = &accounts[4].nested; // nest lock accounts[4].nested

	for (int i = 0; i < LOCKS; i++) {
		omp_init_lock(locks[i]);
		omp_set_lock(locks[i]);
	}
	omp_init_nest_lock(nested);
	omp_set_nest_lock(nested);
#pragma omp parallel num_threads(LOCKS + 2)
	{
		int number = omp_get_thread_num();

		if (number == 0) {
			// depend out table; depend out table[3]; depend out bank.account
#pragma omp task depend(out : table[0][0], table[3][0], bank.account)
			state_park();
			state_reached(LOCKS + 1);
		} else if (number <= LOCKS) {
			omp_set_lock(locks[number - 1]);
		} else {
			omp_set_nest_lock(nested);
		}
		STATE_KEEP_FRAME();
	}
	return EXIT_SUCCESS;
}
