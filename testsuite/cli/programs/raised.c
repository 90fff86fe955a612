// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: raised again|far|sent
//
// Ends by SIGSEGV that a handler raises again, after an access by a null pointer or elsewhere; or that
// nothing but the program's own raise() has brought about.

#include <signal.h>
#include <string.h>

struct pair {
	long first, second;
};

static void raise_again(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void set_second(struct pair *pair)
{
	pair->second = 1; // LINE: access
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

#pragma omp parallel num_threads(2)
	{
#pragma omp master
		if (strcmp(how, "sent"))
			signal(SIGSEGV, raise_again);
		else
			raise(SIGSEGV);
	}
	set_second((struct pair *)(strcmp(how, "far") ? 0 : 0x123456780000));
	return 0;
}
