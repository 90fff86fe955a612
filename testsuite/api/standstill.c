// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "standstill.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

enum { MOST_THREADS = 256 };

static atomic_int stopped;  // threads that are in the handler, and stay there
static atomic_int standing; // 1: they stay; a futex

static void stand_still(int number)
{
	int saved = errno;

	(void)number;
	if (atomic_load(&standing)) {
		atomic_fetch_add(&stopped, 1);
		while (atomic_load(&standing))
			syscall(SYS_futex, &standing, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
		atomic_fetch_sub(&stopped, 1);
	}
	errno = saved;
}

static void give_up(const char *what)
{
	perror(what);
	_exit(1);
}

// Sends the signal to the threads that have not had it, and returns how many have it.
static int stop_new(DIR *tasks, pid_t *known, int count)
{
	struct dirent *entry;

	rewinddir(tasks);
	while ((entry = readdir(tasks))) {
		pid_t tid = atoi(entry->d_name);
		bool has_it = tid == 0 || tid == gettid();

		for (int i = 0; i < count && !has_it; i++)
			has_it = known[i] == tid;
		if (has_it || tgkill(getpid(), tid, SIGUSR1) != 0)
			continue;
		if (count == MOST_THREADS)
			give_up("too many threads");
		known[count++] = tid;
	}
	return count;
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Whether all are there before the time is over.
static bool stop_all(DIR *tasks, long patience)
{
	const long start = milliseconds();
	pid_t known[MOST_THREADS];
	int count = 0, before;

	// Those that left the last one too late would be counted for this one.
	while (atomic_load(&stopped))
		sched_yield();
	atomic_store(&standing, 1);
	do { // a thread may have made another before it stopped
		before = count;
		count = stop_new(tasks, known, count);
		while (atomic_load(&stopped) < count) {
			if (milliseconds() - start > patience)
				return false;
			sched_yield();
		}
	} while (count > before);
	return true;
}

void standstill_begin(void)
{
	static DIR *tasks; // one for all times: to open it again may take a lock

	if (!tasks) {
		struct sigaction action = { .sa_handler = stand_still, .sa_flags = SA_RESTART };

		tasks = opendir("/proc/self/task");
		if (!tasks || sigaction(SIGUSR1, &action, NULL) != 0)
			give_up("standstill");
	}
	// A new thread takes no signal until the one that made it, and may stand still, has put it
	// on its processors (pthread_create() in glibc).
	for (long patience = 10; !stop_all(tasks, patience); patience *= 2)
		standstill_end();
}

void standstill_end(void)
{
	atomic_store(&standing, 0);
	syscall(SYS_futex, &standing, FUTEX_WAKE_PRIVATE, MOST_THREADS, NULL, NULL, 0);
}

// ---- Memory of the kernel's, as malloc() takes locks -----------------------------------------

// In front of each block. Behind it is a page that nobody may touch.
struct header {
	char *start;
	size_t length;
};

static ompd_rc_t take(ompd_size_t size, void **ptr)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t used = (size + 15) / 16 * 16;
	struct header header = {
		.length = (used + sizeof(header) + page - 1) / page * page,
	};

	header.start =
		mmap(NULL, header.length + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (header.start == MAP_FAILED ||
	    mprotect(header.start, header.length, PROT_READ | PROT_WRITE) != 0)
		return ompd_rc_nomem;
	*ptr = header.start + header.length - used;
	memset(*ptr, 0xa5, used); // no library may count on zeroes
	memcpy((char *)*ptr - sizeof(header), &header, sizeof(header));
	here_blocks++;
	return ompd_rc_ok;
}

ompd_rc_t standstill_free(void *ptr)
{
	struct header header;

	memcpy(&header, (char *)ptr - sizeof(header), sizeof(header));
	here_blocks--;
	return munmap(header.start, header.length + (size_t)sysconf(_SC_PAGESIZE)) == 0 ?
		       ompd_rc_ok :
		       ompd_rc_error;
}

ompd_callbacks_t standstill_callbacks(void)
{
	ompd_callbacks_t callbacks = plain_callbacks;

	callbacks.alloc_memory = take;
	callbacks.free_memory = standstill_free;
	return callbacks;
}
