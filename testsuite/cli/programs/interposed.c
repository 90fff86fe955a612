// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program has a function in place of one of the C library's, which LLVM's runtime calls to sleep. One
// thread of the team does not come to the barrier, and sleeps in that function, too.

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

typedef int wait_function(pthread_cond_t *condition, pthread_mutex_t *mutex);

static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_long num_waits;

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *held)
{
	wait_function *real =
		(wait_function *)dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");

	num_waits++;
	int result = real(condition, held);
	num_waits--;
	return result;
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp single nowait
		{
			pthread_mutex_lock(&mutex);
			pthread_cond_wait(&never, &mutex);
		}
#pragma omp barrier
	}
	return 0;
}
