// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that end, or go on, in many ways while a trace is written: lives NAME [ARGUMENT...].

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REQUIRE(condition)                                                      \
	do {                                                                    \
		if (!(condition)) {                                             \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			exit(99);                                               \
		}                                                               \
	} while (0)

static omp_lock_t lock;

/** Take a lock so many times in each thread of a team. */
static void work(int threads, int times)
{
#pragma omp parallel num_threads(threads)
	for (int i = 0; i < times; i++) {
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
	}
}

// ---- Threads -----------------------------------------------------------------------------------

static void *work_alone(void *unused)
{
	(void)unused;
	work(1, 10);
	return NULL;
}

/** Let threads come and go, so many. */
static void comings(int times)
{
	for (int i = 0; i < times; i++) {
		pthread_t thread;

		REQUIRE(!pthread_create(&thread, NULL, work_alone, NULL));
		REQUIRE(!pthread_join(thread, NULL));
	}
}

static void *work_late(void *unused)
{
	usleep(50000);
	return work_alone(unused);
}

/** Let the initial thread end before another one. */
static void last_thread(void)
{
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, work_late, NULL));
	puts("the initial thread ends");
	pthread_exit(NULL);
}

/** Count the threads whose signals are not all blocked, by what the system says. */
static int count_open_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	REQUIRE(tasks);
	while ((entry = readdir(tasks))) {
		char path[300], line[200];
		unsigned long long blocked = 0;
		FILE *status;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		status = fopen(path, "r");
		REQUIRE(status);
		while (fgets(line, sizeof(line), status))
			sscanf(line, "SigBlk: %llx", &blocked);
		fclose(status);
		count += !(blocked >> (SIGTERM - 1) & 1);
	}
	closedir(tasks);
	return count;
}

/** Check that all threads have the rights of this one, by what the system says. */
static void require_same_rights(void)
{
	static const char *const names[] = { "Uid:", "Gid:", "Groups:", "CapPrm:", "CapEff:" };
	enum { NAMES = sizeof(names) / sizeof(*names) };
	char own[NAMES][200] = { "" };
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int threads = 0;

	REQUIRE(tasks);
	while ((entry = readdir(tasks))) {
		char path[300], line[200];
		FILE *status;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		status = fopen(path, "r");
		REQUIRE(status);
		while (fgets(line, sizeof(line), status)) {
			for (int i = 0; i < NAMES; i++) {
				if (strncmp(line, names[i], strlen(names[i])))
					continue;
				if (!own[i][0])
					strcpy(own[i], line);
				REQUIRE(!strcmp(own[i], line));
			}
		}
		fclose(status);
		threads++;
	}
	REQUIRE(threads == 3);
	closedir(tasks);
}

/** Give up the rights of root by each function that the C library has for it. */
static void give_up_rights(void)
{
	const gid_t groups[] = { 3, 4 };

	work(2, 10);
	REQUIRE(!setegid(7));
	require_same_rights();
	REQUIRE(!setregid(0, 8));
	require_same_rights();
	REQUIRE(!setgroups(2, groups));
	require_same_rights();
	REQUIRE(!initgroups("root", 5));
	require_same_rights();
	REQUIRE(!seteuid(1007));
	require_same_rights();
	REQUIRE(setgid(99) && errno == EPERM);
	require_same_rights();
	REQUIRE(!seteuid(0));
	require_same_rights();
	REQUIRE(!setresgid(11, 12, 12));
	require_same_rights();
	REQUIRE(!setgid(13));
	require_same_rights();
	REQUIRE(!setreuid(0, 1008));
	require_same_rights();
	REQUIRE(!setresuid(1008, 0, 0));
	require_same_rights();
	REQUIRE(!setuid(1009));
	require_same_rights();
	REQUIRE(setuid(0) && errno == EPERM);
	work(2, 10);
}

/** Make tasks: 40 deferred ones, 50 that are executed at once, and a taskloop of 5. */
static void tasks(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < 40; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
			sum++;
		}
		for (int i = 0; i < 50; i++) {
#pragma omp task shared(sum) if (0)
#pragma omp atomic
			sum++;
		}
#pragma omp taskloop shared(sum) num_tasks(5)
		for (int i = 0; i < 10; i++)
#pragma omp atomic
			sum++;
	}
	REQUIRE(sum == 100);
}

/** Return the time of day in ns. */
static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/** Make locks, and print the time before and after each. */
static void times(void)
{
	for (int i = 0; i < 50; i++) {
		omp_lock_t own;
		long long before = now();

		omp_init_lock(&own);
		printf("%lld %lld\n", before, now());
		omp_destroy_lock(&own);
		usleep(1000);
	}
}

static volatile sig_atomic_t num_handled;

/** Make and destroy a lock, wherever the thread is. */
static void handle(int number)
{
	omp_lock_t own;

	(void)number;
	omp_init_lock(&own);
	omp_destroy_lock(&own);
	num_handled++;
}

/** Interrupt the recorder again and again. */
static void handlers(void)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };

	REQUIRE(signal(SIGALRM, handle) != SIG_ERR);
	REQUIRE(!setitimer(ITIMER_REAL, &often, NULL));
	while (num_handled < 2000)
		work(1, 1000);
	REQUIRE(!setitimer(ITIMER_REAL, &never, NULL));
	printf("handled %d\n", (int)num_handled);
}

static volatile sig_atomic_t num_forks, is_child;

/** Fork wherever the thread is. */
static void fork_here(int number)
{
	pid_t child;

	(void)number;
	if (num_forks == 20 || is_child)
		return;
	num_forks++;
	child = fork();
	if (child == 0)
		is_child = 1;
	else
		printf("child %d\n", (int)child);
}

/** Fork in the midst of the recorder; children then take the lock a hundred times, at most. */
static void forks_anywhere(void)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };

	REQUIRE(signal(SIGALRM, fork_here) != SIG_ERR);
	REQUIRE(!setitimer(ITIMER_REAL, &often, NULL));
	while (num_forks < 20 && !is_child)
		work(1, 100);
	REQUIRE(!setitimer(ITIMER_REAL, &never, NULL));
	if (is_child)
		_exit(0);
	while (wait(NULL) > 0)
		;
}

// ---- Files -------------------------------------------------------------------------------------

/** Close all files that the program knows, and use their numbers again. */
static void close_files(void)
{
	work(2, 10);
	for (int file = 3; file < 1024; file++)
		close(file);
	int mine = open("/dev/null", O_WRONLY);
	REQUIRE(mine == 3);
	work(2, 1000);
	REQUIRE(write(mine, "x", 1) == 1);
	REQUIRE(fcntl(4, F_GETFD) < 0 && errno == EBADF);
}

/** Close the output, and end when the input does. */
static void close_output(void)
{
	char byte;

	alarm(30);
	work(2, 10);
	close(1);
	REQUIRE(read(0, &byte, 1) == 0);
}

/** Allow no file of more than some bytes. */
static void limit_files(void)
{
	struct rlimit limit = { 65536, 65536 };

	REQUIRE(!setrlimit(RLIMIT_FSIZE, &limit));
	work(2, 100000);
}

// ---- Processes ---------------------------------------------------------------------------------

static void forks(void)
{
	// Not with more threads: of libgomp, the child would wait for them.
	work(1, 100);
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();
		int status;

		REQUIRE(child >= 0);
		if (child == 0) {
			if (i < 2)
				work(3, 50);
			if (i == 0)
				exit(0);
			_exit(0);
		}
		REQUIRE(waitpid(child, &status, 0) == child && status == 0);
		printf("child %d\n", (int)child);
	}
	work(1, 100);
}

static void exec(const char *program)
{
	char *words[] = { (char *)program, "work", "2", "70", NULL };

	work(2, 30);
	REQUIRE(execv(program, words) == 0);
}

static void open_library(const char *path)
{
	work(2, 10);
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(path, RTLD_NOW);
		void (*run)(void);

		REQUIRE(library);
		*(void **)&run = dlsym(library, "run_region");
		REQUIRE(run);
		run();
		printf("library %p\n", *(void **)&run);
		REQUIRE(!dlclose(library));
	}
}

int main(int count, char **words)
{
	const char *name = count > 1 ? words[1] : "";
	int first = count > 2 ? atoi(words[2]) : 0, second = count > 3 ? atoi(words[3]) : 0;

	omp_init_lock(&lock);
	if (!strcmp(name, "work")) {
		work(first, second);
	} else if (!strcmp(name, "comings")) {
		comings(first);
	} else if (!strcmp(name, "last_thread")) {
		last_thread();
	} else if (!strcmp(name, "signals")) {
		work(2, 10);
		REQUIRE(count_open_threads() == 2);
	} else if (!strcmp(name, "rights")) {
		give_up_rights();
	} else if (!strcmp(name, "tasks")) {
		tasks();
	} else if (!strcmp(name, "times")) {
		times();
	} else if (!strcmp(name, "handlers")) {
		handlers();
	} else if (!strcmp(name, "forks_anywhere")) {
		forks_anywhere();
	} else if (!strcmp(name, "close_files")) {
		close_files();
	} else if (!strcmp(name, "close_output")) {
		close_output();
	} else if (!strcmp(name, "limit_files")) {
		limit_files();
	} else if (!strcmp(name, "forks")) {
		forks();
	} else if (!strcmp(name, "exec")) {
		exec(words[0]);
	} else if (!strcmp(name, "open_library")) {
		open_library(words[2]);
	} else if (!strcmp(name, "exit_inside")) {
		work(2, 10);
#pragma omp parallel num_threads(2)
		if (omp_get_thread_num() == 1)
			exit(5);
		else
			pause();
	} else if (!strcmp(name, "abort")) {
		work(2, 10);
		abort();
	} else if (!strcmp(name, "wait")) {
		work(2, 1000);
		alarm(60);
		pause();
	} else {
		return 99;
	}
	return 0;
}
