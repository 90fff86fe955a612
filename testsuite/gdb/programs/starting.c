// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stops when the first worker of a team runs, and the thread that makes it has not been told its
// pthread_t.

#include "state.h"

#include <dlfcn.h>
#include <pthread.h>

int pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	pthread_t made;
	static int made_one;

	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	int rc = create(&made, attributes, start, argument);

	if (!made_one++)
		fixture_ready();
	*ret = made;
	return rc;
}

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	sum++;
	return sum != 3;
}
