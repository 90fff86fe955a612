// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose names are exchanged for others of the same length once it is built (names.py). Its
// threads wait for one another for ever: thread 0 for the lock that it holds, in a task of thread 1,
// or thread 1 itself does; thread 2 for the critical construct that thread 1 is in. With "crash" it
// aborts there.

#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#line 100 "xxFILExxxxxxxxxxxxxxxxxxxxxx.c"

struct xxTYPExxxxxxxxxxxxxxxxxxxxxxxx {
	int xxFIELDxxxxxxxxxxxxxxxxxxxxxxx;
};

static struct xxTYPExxxxxxxxxxxxxxxxxxxxxxxx xxGLOBALxxxxxxxxxxxxxxxxxxxxxx;
static omp_lock_t xxLOCKxxxxxxxxxxxxxxxxxxxxxxxx;
static volatile int done;

static __attribute__((noinline)) void
xxFUNCTIONxxxxxxxxxxxxxxxxxxxx(struct xxTYPExxxxxxxxxxxxxxxxxxxxxxxx *xxPARAMETERxxxxxxxxxxxxxxxxxx,
			       int n)
{
	char text[] = "a\n9  \033[31m\xff\xe2\x80\xae";

	done += xxPARAMETERxxxxxxxxxxxxxxxxxx->xxFIELDxxxxxxxxxxxxxxxxxxxxxxx + text[n & 7];
	omp_set_lock(&xxLOCKxxxxxxxxxxxxxxxxxxxxxxxx);
	done += text[1];
	omp_unset_lock(&xxLOCKxxxxxxxxxxxxxxxxxxxxxxxx);
}

static void name_thread(int number)
{
	static const char *const names[] = { "m\n9  \033[1m\xff", "\xe2\x80\xaex\r\x9bz",
					     "t\xc3\xbc" };

	prctl(PR_SET_NAME, names[number], 0, 0, 0);
}

int main(int argc, char **argv)
{
	omp_init_lock(&xxLOCKxxxxxxxxxxxxxxxxxxxxxxxx);
	omp_set_lock(&xxLOCKxxxxxxxxxxxxxxxxxxxxxxxx);
#pragma omp parallel num_threads(3)
	{
		int number = omp_get_thread_num();

		name_thread(number);
		if (number == 1) {
#pragma omp critical(xxCRITICALxxxxxxxxxxxxxxxxxxxx)
			xxFUNCTIONxxxxxxxxxxxxxxxxxxxx(&xxGLOBALxxxxxxxxxxxxxxxxxxxxxx, number);
		} else if (number == 2) {
			usleep(200000);
#pragma omp critical(xxCRITICALxxxxxxxxxxxxxxxxxxxx)
			done++;
		} else {
			usleep(400000);
			puts("ready");
			fflush(stdout);
			if (argc > 1 && strcmp(argv[1], "crash") == 0)
				abort();
			xxFUNCTIONxxxxxxxxxxxxxxxxxxxx(&xxGLOBALxxxxxxxxxxxxxxxxxxxxxx, number);
		}
	}
	return 0;
}
