// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -DHOST a program that opens the rest as a library and counts how often objects are closed: the library
// has more places that call the runtime than there is room for.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HOST
static int closed;

int dlclose(void *handle)
{
	int (*next)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");

	closed++;
	return next(handle);
}

int main(int argc, char **words)
{
	void *library = dlopen(argc > 1 ? words[1] : NULL, RTLD_NOW | RTLD_LOCAL);
	void (*work)(void) = (void (*)(void))dlsym(library, "work");

	work();
	int before = closed;
	for (int i = 0; i < 10; i++)
		work();
	printf("closed %d\n", closed - before);
}
#else
volatile int places;

#define ONE _Pragma("omp critical") places++;
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE

void work(void)
{
	TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
}
#endif
