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
#include <unistd.h>

#include "here.h"

enum { MOST_THREADS = 256, HEADER = 64 };

static atomic_int stopped; // threads that are in the handler
static atomic_int standing; // 1: they stay there; a futex

static void stand_still(int number)
{
	int saved = errno;

	(void)number;
	atomic_fetch_add(&stopped, 1);
	while (atomic_load(&standing))
		syscall(SYS_futex, &standing, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	atomic_fetch_sub(&stopped, 1);
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

void standstill_begin(void)
{
	static DIR *tasks; // one for all times: to open it again may take a lock
	pid_t known[MOST_THREADS];
	int count = 0, before;

	if (!tasks) {
		struct sigaction action = { .sa_handler = stand_still, .sa_flags = SA_RESTART };

		tasks = opendir("/proc/self/task");
		if (!tasks || sigaction(SIGUSR1, &action, NULL) != 0)
			give_up("standstill");
	}
	// Those that left the last one too late would be counted for this one.
	while (atomic_load(&stopped))
		sched_yield();
	atomic_store(&standing, 1);
	do { // a thread may have made another before it stopped
		before = count;
		count = stop_new(tasks, known, count);
		while (atomic_load(&stopped) < count)
			sched_yield();
	} while (count > before);
}

void standstill_end(void)
{
	atomic_store(&standing, 0);
	syscall(SYS_futex, &standing, FUTEX_WAKE_PRIVATE, MOST_THREADS, NULL, NULL, 0);
}

// ---- Memory of the kernel's, as malloc() takes locks -----------------------------------------

ompd_rc_t standstill_alloc(ompd_size_t size, void **ptr)
{
	char *block = mmap(NULL, size + HEADER, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED)
		return ompd_rc_nomem;
	memcpy(block, &size, sizeof(size));
	*ptr = memset(block + HEADER, 0xa5, size); // no library may count on zeroes
	here_blocks++;
	return ompd_rc_ok;
}

ompd_rc_t standstill_free(void *ptr)
{
	char *block = (char *)ptr - HEADER;
	ompd_size_t size;

	if (!ptr)
		return ompd_rc_ok;
	memcpy(&size, block, sizeof(size));
	here_blocks--;
	return munmap(block, size + HEADER) == 0 ? ompd_rc_ok : ompd_rc_error;
}
