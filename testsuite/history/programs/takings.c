// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hangs, and tells before what its threads did, and between which times (ns of CLOCK_REALTIME): what
// the recorder has must be the same.

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, TAKINGS = 100, TASKS = 2 };

static omp_lock_t held;
static omp_nest_lock_t nested;
static volatile int about_to_wait; // atomic

__attribute__((noinline)) static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void tell(const char *what, uint64_t before, uint64_t after, const void *address)
{
	char line[160];
	int size = snprintf(line, sizeof(line), "%s\t%ld\t%lu\t%lu\t%#lx\n", what,
			    syscall(SYS_gettid), (unsigned long)before, (unsigned long)after,
			    (unsigned long)(uintptr_t)address);

	if (write(STDOUT_FILENO, line, (size_t)size) != size)
		abort();
}

static void will_wait(const char *what, const void *address)
{
	tell(what, now(), 0, address);
	__atomic_add_fetch(&about_to_wait, 1, __ATOMIC_SEQ_CST);
}

static void stay(void)
{
	for (;;)
		pause();
}

static void hold(void)
{
	while (__atomic_load_n(&about_to_wait, __ATOMIC_SEQ_CST) < THREADS - 2)
		usleep(1000);
	if (write(STDOUT_FILENO, "READY\n", 6) != 6)
		abort();
	stay();
}

static void take_again_and_again(void)
{
	for (int i = 0; i < TAKINGS; i++) {
		omp_set_lock(&held);
		omp_unset_lock(&held);
	}
}

static void owner(void)
{
	uint64_t before;

	take_again_and_again();
	for (int i = 0; i < TASKS; i++) {
		before = now();
#pragma omp task // creates
		stay();
		tell("task", before, now(), NULL);
	}
	before = now();
	omp_set_lock(&held); // takes the lock
	tell("lock", before, now(), &held);
	omp_set_nest_lock(&nested);
	before = now();
	omp_set_nest_lock(&nested);
	tell("nested", before, now(), &nested);
	hold();
}

static void critical_owner(void)
{
	uint64_t before = now();

#pragma omp critical(table) // takes the critical
	{
		tell("critical", before, now(), NULL);
		stay();
	}
}

static void critical_waiter(void)
{
	usleep(100000);
	will_wait("critical_wait", NULL);
#pragma omp critical(table) // waits for the critical
	about_to_wait++;
}

int main(void)
{
	omp_init_lock(&held);
	omp_init_nest_lock(&nested);
	tell("main", now(), 0, NULL);
#pragma omp parallel num_threads(THREADS)
	{
		switch (omp_get_thread_num()) {
		case 0:
			critical_owner();
			break;
		case 1:
			owner();
			break;
		case 2:
			critical_waiter();
			break;
		case 3:
		case 4:
			usleep(100000);
			will_wait("lock_wait", &held);
			omp_set_lock(&held); // waits for the lock
			break;
		default:
			will_wait("barrier", NULL);
		}
#pragma omp barrier
	}
	return 0;
}
