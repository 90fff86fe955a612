// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that opens regions sleeps in a call of its own, in a region or after it, or joins one that does.
// The first argument says in which call, the second where: "region", "after", "joined".

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY_BYTES = 1 << 12, LONG = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static char bytes[MANY_BYTES];
static sem_t semaphore;
static int ends[2];

static void *sleep_in(void *argument)
{
	const char *how = argument;
	struct timespec end;

	if (strcmp(how, "condition") == 0) {
		pthread_mutex_lock(&mutex);
		pthread_cond_wait(&condition, &mutex);
	} else if (strcmp(how, "timed") == 0) {
		pthread_mutex_lock(&mutex);
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_sec += LONG;
		pthread_cond_timedwait(&condition, &mutex, &end);
	} else if (strncmp(how, "semaphore", strlen("semaphore")) == 0) {
		sem_wait(&semaphore);
	} else if (strcmp(how, "read") == 0) {
		printf("%zd\n", read(ends[0], bytes, 1));
	} else if (strcmp(how, "write") == 0) {
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		while (write(ends[1], bytes, sizeof(bytes)) > 0)
			;
		fcntl(ends[1], F_SETFL, 0);
		printf("%zd\n", write(ends[1], bytes, 1));
	} else if (strcmp(how, "poll") == 0) {
		poll(NULL, 0, -1);
	} else {
		sleep(LONG);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = 0;
	pthread_t thread;

	if (argc != 3 || pipe(ends) != 0 ||
	    sem_init(&semaphore, strcmp(argv[1], "semaphore_shared") == 0, 0) != 0)
		return 1;
#pragma omp parallel num_threads(2) reduction(+ : count)
	{
		count++;
		if (strcmp(argv[2], "region") == 0)
			sleep_in(argv[1]);
	}
	if (strcmp(argv[2], "joined") == 0) {
		pthread_create(&thread, NULL, sleep_in, argv[1]);
		pthread_join(thread, NULL);
	}
	sleep_in(argv[1]);
	return count;
}
