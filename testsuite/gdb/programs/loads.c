// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads a library that uses OpenMP, which this program does not, and loads it again.
// Usage: loads LIBRARY
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int call(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW);
	int (*work)(int) = handle ? (int (*)(int))dlsym(handle, "work") : NULL;
	int sum;

	if (!work)
		return -1;
	sum = work(2);	// LINE: first
	sum += work(3); // LINE: second
	usleep(200000); // libgomp goes with the library: no worker may be in it but asleep
	dlclose(handle);
	return sum;
}

int main(int argc, char **argv)
{
	int sum;

	setenv("OMP_WAIT_POLICY", "passive", 1);
	sum = call(argv[argc - 1]);

	sum += call(argv[argc - 1]);
	printf("sum %d\n", sum);
	return 0;
}
