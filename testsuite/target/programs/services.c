// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack with a signal handler, inlined functions and, with optimization, functions that left no
// frame; and variables with members of all kinds. See test_services.py.

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define NEVER_INLINED __attribute__((noinline))
#define ALWAYS_INLINED __attribute__((always_inline)) inline
#define KEEP_FRAME __asm__ volatile("")

struct flags {
	unsigned int low : 3, high : 5;
	int wide : 20;
	char end;
	struct {
		short inner;
		union {
			int number;
			long word;
		};
	};
};

struct node {
	long id;
	pthread_mutex_t lock;
	struct flags flags;
	struct node *next;
};

struct node nodes[3][2];
static pthread_mutex_t locks[4];
int table[2][3];
__thread int mine = 5;

static ALWAYS_INLINED void innermost(int number)
{
	if (number + table[1][2] + locks[0].__data.__lock + (int)nodes[2][1].id == 3)
		abort(); // LINE: innermost
	KEEP_FRAME;
}

static ALWAYS_INLINED void inlined(int number)
{
	innermost(number + 1); // LINE: inlined
	KEEP_FRAME;
}

NEVER_INLINED void third(int number)
{
	inlined(number); // LINE: third
	KEEP_FRAME;
}

NEVER_INLINED void second(int number)
{
	third(number + 1); // LINE: second
}

NEVER_INLINED void first(int number)
{
	second(number); // LINE: first
}

static void handler(int number)
{
	static volatile int local[3];

	local[1] = number - SIGUSR1 + 1;
	first(local[1]); // LINE: handler
	KEEP_FRAME;
}

int main(void)
{
	pthread_mutex_lock(&locks[3]);
	signal(SIGUSR1, handler);
	raise(SIGUSR1); // LINE: main
	return mine;
}
