// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: handlers once|mended
//
// Threads that all access what they may not, at the same time. "once": the handler is for the first
// signal only, prints a line and returns, as that of MPI libraries; the next signal ends the program.
// "mended": it makes the memory accessible, again and again, and the program ends well.

#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, THREADS = 4, ROUNDS = 50 };

static char *pages;

static void say(int number)
{
	static const char text[] = "a signal\n";

	(void)number;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
}

static void mend(int number, siginfo_t *info, void *context)
{
	size_t page = (size_t)((char *)info->si_addr - pages) / PAGE;

	(void)number;
	(void)context;
	mprotect(pages + page * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO, .sa_sigaction = mend };
	int written = 0;

	if (argc > 1 && !strcmp(argv[1], "once"))
		action = (struct sigaction){ .sa_flags = (int)SA_RESETHAND, .sa_handler = say };
	sigaction(SIGSEGV, &action, NULL);
	pages = mmap(NULL, THREADS * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < ROUNDS; i++) {
		mprotect(pages, THREADS * PAGE, PROT_NONE);
#pragma omp parallel num_threads(THREADS) reduction(+ : written)
		{
			volatile char *own = pages + omp_get_thread_num() * PAGE;
#pragma omp barrier
			*own = 1; // LINE: access
			written += *own;
		}
	}
	return written == THREADS * ROUNDS ? 0 : 1;
}
