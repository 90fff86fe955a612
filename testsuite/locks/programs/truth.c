// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See truth.h.

#define _GNU_SOURCE
#include "truth.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MAX_WAITERS = 8,
	POLL_MICROSECONDS = 1000,
	AWAKE_TICKS = 2, // of processor time since it was let go: it spins
	ASLEEP_POLLS = 3,
	NAP_MICROSECONDS = 100 * 1000 * 1000,
	LIFETIME_SECONDS = 3600,
};

static struct {
	const char *kind, *symbol;
	const void *address;
} lock;
static int holder_number, num_meeting;
static atomic_long bystander;
static atomic_int num_others, num_claimed, num_waiters, has_taken;
static long waiters[MAX_WAITERS];

__attribute__((constructor)) static void limit_life(void)
{
	alarm(LIFETIME_SECONDS);
}

void truth(const char *kind, const void *address, const char *symbol)
{
	lock.kind = kind;
	lock.address = address;
	lock.symbol = symbol;
}

void set_holder(int number)
{
	holder_number = number;
}

bool stands_by(void)
{
	const int last = 2;

	if (omp_get_thread_num() == last) {
		bystander = syscall(SYS_gettid);
		return true;
	}
	while (!bystander)
		usleep(POLL_MICROSECONDS);
	return false;
}

bool holds_it(void)
{
	if (omp_get_thread_num() == holder_number) {
		num_others = omp_get_num_threads() - 1 - (bystander != 0);
		return true;
	}
	while (!has_taken)
		usleep(POLL_MICROSECONDS);
	waiters[num_claimed++] = syscall(SYS_gettid);
	num_waiters++; // not before its id is there
	return false;
}

/** Read a file of /proc about a thread. */
static void read_file(long tid, const char *name, char *line, int size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%ld/%s", tid, name);
	FILE *file = fopen(path, "r");
	if (!file || !fgets(line, size, file))
		*line = '\0';
	if (file)
		fclose(file);
}

static unsigned long ticks(long tid)
{
	char line[1024];
	unsigned long user = 0, system = 0;

	read_file(tid, "stat", line, sizeof(line));
	char *end = strrchr(line, ')');
	if (end)
		sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		       &system);
	return user + system;
}

/** Wait until a thread sleeps on a futex, or has spent the time for more than the way there. */
static void await_rest(long tid)
{
	unsigned long begin = ticks(tid);
	char line[256];

	for (int asleep = 0; asleep < ASLEEP_POLLS && ticks(tid) < begin + AWAKE_TICKS;) {
		read_file(tid, "syscall", line, sizeof(line));
		asleep = strncmp(line, "202 ", 4) == 0 ? asleep + 1 : 0;
		usleep(POLL_MICROSECONDS);
	}
}

/** Tell of one wait. */
static void tell(const char *kind, const void *address, const char *symbol, long waiter, long owner)
{
	printf("%s\t%#lx\t%s\t%ld\t%ld\n", kind, (unsigned long)address, symbol ? symbol : "-",
	       waiter, owner);
}

/** What the holder of a lock does from now on. */
static void go_on(void)
{
	const char *does = getenv("LOCKS_OWNER");

	if (does && strcmp(does, "works") == 0) {
		for (volatile unsigned long sum = 1;; sum++)
			sum *= sum;
	}
	for (;;) {
		if (does && strcmp(does, "naps") == 0)
			usleep(NAP_MICROSECONDS);
		else
			pause();
	}
}

void hold(void)
{
	has_taken = 1;
	while (num_waiters < num_others)
		usleep(POLL_MICROSECONDS);
	for (int i = 0; i < num_waiters; i++)
		await_rest(waiters[i]);
	if (bystander)
		await_rest(bystander);
	printf("%d\t%ld\n", (int)num_waiters, (long)bystander);
	for (int i = 0; i < num_waiters; i++)
		tell(lock.kind, lock.address, lock.symbol, waiters[i], syscall(SYS_gettid));
	fflush(stdout);
	go_on();
}

void set_count(int count)
{
	num_meeting = count;
}

void meet(const char *kind, const void *address, int number, int owner)
{
	static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;

	waiters[number] = syscall(SYS_gettid);
	num_waiters++;
	while (num_waiters < num_meeting)
		usleep(POLL_MICROSECONDS);
	pthread_mutex_lock(&telling);
	if (!has_taken++)
		printf("%d\t0\n", num_meeting);
	tell(kind, address, "?", waiters[number], waiters[owner]);
	fflush(stdout);
	pthread_mutex_unlock(&telling);
}

int run_idiom(const struct idiom *idioms, int argc, char **argv)
{
	for (int i = 0; idioms[i].name; i++) {
		if (argc < 2) {
			puts(idioms[i].name);
		} else if (strcmp(idioms[i].name, argv[1]) == 0) {
			set_holder(i % 2);
			idioms[i].run();
		}
	}
	return 0;
}
