// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a generated program, stops it at random moments, and compares what libompd answers with what
// the program knows. At last it ends the program, and compares its core if there is one.
//
//     legal_check STOPS SEED PROGRAM
//
// Exit status: 0 no difference; 1 differences, in lines on stderr; 2 the program did not run.

#define _GNU_SOURCE

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../api/callbacks.h"
#include "../api/tr2_target.h"
#include "ask.h"

enum { LONGEST_PAUSE = 20000, FIRST_PAUSE = 3000, STALLED = 200 };

static struct truth records[TRUTH_THREADS], held[TRUTH_THREADS];
static unsigned long cores;

// ---- The program -----------------------------------------------------------------------------

static pid_t start(char *const *program)
{
	struct rlimit limit;
	pid_t child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_CORE, &limit);
	execv(program[0], program);
	perror(program[0]);
	_exit(127);
}

// The records that hold; those being written do not.
static size_t read_records(void)
{
	uint64_t address;
	size_t count = 0;

	if (!tr2_symbol("truth_records", NULL, &address) ||
	    !tr2_read(address, records, sizeof(records)))
		return 0;
	for (size_t i = 0; i < TRUTH_THREADS; i++) {
		if (!records[i].used)
			continue;
		if (records[i].sequence % 2 || records[i].state == TRUTH_NOTHING)
			tally.skipped++;
		else
			held[count++] = records[i];
	}
	return count;
}

static uint64_t read_progress(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TRUTH_THREADS; i++)
		sum += records[i].sequence;
	return sum;
}

// Compare a process, by its number, or a core of it.
static bool compare(const char *what)
{
	if (!tr2_open(what))
		return false;
	tally.stops++;
	size_t count = read_records();

	ask(held, count, read_progress() != 0);
	tr2_close();
	return true;
}

static void pause_up_to(unsigned int *seed, unsigned int longest)
{
	usleep(1 + (unsigned int)rand_r(seed) % longest);
}

static bool stop_once(pid_t child)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)child);
	return compare(number);
}

// End the program, and compare the core that the kernel writes into this folder.
static void take_core(pid_t child)
{
	char name[32];
	int status;

	kill(child, SIGABRT);
	if (waitpid(child, &status, 0) != child || !WCOREDUMP(status))
		return;
	snprintf(name, sizeof(name), "core.%d", (int)child);
	cores += compare(access(name, R_OK) == 0 ? name : "core");
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: legal_check STOPS SEED PROGRAM\n");
		return 2;
	}
	unsigned long stops = strtoul(argv[1], NULL, 10), stalled = 0;
	unsigned int seed = (unsigned int)strtoul(argv[2], NULL, 10);
	pid_t child = start(argv + 3);
	uint64_t before = 0;
	bool ended = false;
	int status = 0;

	if (child < 0 || ompd_initialize(202111, &plain_callbacks) != ompd_rc_ok)
		return 2;
	for (unsigned long i = 0; i < stops && stalled < STALLED && !ended; i++) {
		pause_up_to(&seed, i ? LONGEST_PAUSE : FIRST_PAUSE);
		ended = waitpid(child, &status, WNOHANG) == child || !stop_once(child);
		stalled = read_progress() == before ? stalled + 1 : 0;
		before = read_progress();
	}
	if (ended) {
		fprintf(stderr, "the program ended, status 0x%x\n", (unsigned int)status);
	} else {
		pause_up_to(&seed, LONGEST_PAUSE);
		take_core(child);
	}
	ompd_finalize();
	printf("stops %lu\ncores %lu\nthreads %lu\nskipped %lu\nanswers %lu\ndifferences %lu\nblocks %ld\n",
	       tally.stops, cores, tally.threads, tally.skipped, tally.answers, tally.differences,
	       tr2_blocks);
	ask_print_unanswered();
	if (tally.differences || tr2_blocks)
		return 1;
	return ended || stalled == STALLED ? 2 : 0;
}
