// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take locks at random and log what they do, stopped again and again wherever they are:
// what the record says of owners is compared with the log.

#include <dirent.h>
#include <omp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "own_record.h"

#define THREADS 4
#define LOCKS 6
#define STOPS 300 // unless the command line says more
#define MAX_TIDS 16

enum phase { FREE, TAKING, HELD, RELEASING };

/** What a thread logs of itself; shared with the parent, which stops it. */
struct log {
	volatile uint64_t lwp;
	volatile uint32_t phase[LOCKS];
};

static struct log *logs; // of each thread
static omp_lock_t locks[LOCKS];

/** Do something else for a while. */
static void work(int number)
{
	for (volatile int i = 0; i < number;)
		i++;
}

/** Take and release locks for ever, in rising order. */
static void use_locks(void)
{
	struct log *own = &logs[omp_get_thread_num()];
	uint32_t seed = (uint32_t)omp_get_thread_num() * 7919 + 1;

	own->lwp = (uint64_t)syscall(SYS_gettid);
	for (;;) {
		int first = -1, second;

		for (int i = 0; i < 2; i++) {
			seed = seed * 1664525 + 1013904223;
			second = first;
			first = (int)((seed >> 16) % LOCKS);
			if (second >= first) {
				first = -1;
				break;
			}
			own->phase[first] = TAKING;
			omp_set_lock(&locks[first]);
			own->phase[first] = HELD;
			work(500);
		}
		for (int i = 0; i < LOCKS; i++)
			if (own->phase[i] == HELD) {
				own->phase[i] = RELEASING;
				omp_unset_lock(&locks[i]);
				own->phase[i] = FREE;
			}
		work(100);
	}
}

/** Read the child's memory. */
static void read_child(pid_t child, uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)address, size };

	REQUIRE(process_vm_readv(child, &local, 1, &remote, 1, 0) == (ssize_t)size);
}

/** Find the owner of a lock in the record: the latest hold; return its lwp, or 0. */
static uint64_t find_owner(pid_t child, uint64_t lock, uint64_t *since)
{
	struct record_root root;
	struct record_thread thread;
	uint64_t owner = 0;

	*since = 0;
	read_child(child, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "ompdbg_record"), &root,
		   sizeof(root));
	for (uint64_t at = root.threads; at; at = thread.next) {
		struct record_hold hold;

		read_child(child, at, &thread, sizeof(thread));
		for (uint32_t i = 0; i < thread.num_holds; i++) {
			read_child(child, thread.holds + i * sizeof(hold), &hold, sizeof(hold));
			if (hold.kind && hold.object == lock && hold.since >= *since) {
				owner = thread.lwp;
				*since = hold.since;
			}
		}
		REQUIRE(thread.lost_holds == 0);
	}
	return owner;
}

/** Compare the record with the log, for a lock. */
static void compare(pid_t child, int which)
{
	uint64_t since, owner = find_owner(child, (uint64_t)(uintptr_t)&locks[which], &since);
	bool may_own = false;

	for (int i = 0; i < THREADS; i++) {
		if (logs[i].phase[which] == HELD)
			REQUIRE(owner == logs[i].lwp);
		may_own = may_own || (logs[i].phase[which] != FREE && owner == logs[i].lwp);
	}
	REQUIRE(!owner || may_own);
}

/** List the threads of the child. */
static int list_threads(pid_t child, pid_t *tids)
{
	char name[64];
	int number = 0;
	DIR *folder;
	const struct dirent *entry;

	snprintf(name, sizeof(name), "/proc/%d/task", child);
	folder = opendir(name);
	REQUIRE(folder);
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.' && number < MAX_TIDS)
			tids[number++] = atoi(entry->d_name);
	closedir(folder);
	return number;
}

/** Stop the child again and again. */
static void watch(pid_t child, int stops)
{
	pid_t tids[MAX_TIDS];
	int number, status, held = 0;

	for (int i = 0; i < THREADS; i++)
		while (!logs[i].lwp)
			usleep(1000);
	number = list_threads(child, tids);
	for (int i = 0; i < number; i++)
		REQUIRE(ptrace(PTRACE_SEIZE, tids[i], NULL, NULL) == 0);
	for (int stop = 0; stop < stops; stop++) {
		usleep((useconds_t)(rand() % 200));
		for (int i = 0; i < number; i++)
			REQUIRE(ptrace(PTRACE_INTERRUPT, tids[i], NULL, NULL) == 0);
		for (int i = 0; i < number; i++)
			REQUIRE(waitpid(tids[i], &status, __WALL) == tids[i] && WIFSTOPPED(status));
		for (int i = 0; i < LOCKS; i++) {
			compare(child, i);
			for (int j = 0; j < THREADS; j++)
				held += logs[j].phase[i] == HELD;
		}
		for (int i = 0; i < number; i++)
			REQUIRE(ptrace(PTRACE_CONT, tids[i], NULL, NULL) == 0);
	}
	REQUIRE(held >= 10);
	printf("%d stops, %d locks held\n", stops, held);
}

int main(int argc, char **argv)
{
	pid_t child;

	logs = mmap(NULL, THREADS * sizeof(*logs), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(logs != MAP_FAILED);
	child = fork(); // everything is at the same addresses then
	REQUIRE(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 0; i < LOCKS; i++)
			omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(THREADS)
		use_locks();
	}
	watch(child, argc > 1 ? atoi(argv[1]) : STOPS);
	kill(child, SIGKILL);
	return 0;
}
