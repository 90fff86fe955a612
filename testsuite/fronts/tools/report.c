// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTERS = 400, COMPLAINTS = 40 };

static struct {
	const char *event, *kind, *endpoint;
	uint64_t number;
} counters[COUNTERS];
static unsigned int num_counters;
static char complaints[COMPLAINTS][200];
static unsigned int num_complaints;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static uint64_t *counter(const char *event, const char *kind, const char *endpoint)
{
	unsigned int i, known = __atomic_load_n(&num_counters, __ATOMIC_ACQUIRE);

	for (i = 0; i < known; i++)
		if (counters[i].event == event && counters[i].kind == kind &&
		    counters[i].endpoint == endpoint)
			return &counters[i].number;
	pthread_mutex_lock(&mutex);
	i = num_counters;
	if (i == COUNTERS)
		abort();
	counters[i].event = event;
	counters[i].kind = kind;
	counters[i].endpoint = endpoint;
	__atomic_store_n(&num_counters, i + 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&mutex);
	return &counters[i].number;
}

void count(const char *event, const char *kind, const char *endpoint)
{
	__atomic_add_fetch(counter(event, kind, endpoint), 1, __ATOMIC_RELAXED);
}

void note(const char *event, const char *kind, uint64_t number)
{
	*counter(event, kind, NULL) = number;
}

void complain(const char *format, ...)
{
	unsigned int i = __atomic_fetch_add(&num_complaints, 1, __ATOMIC_RELAXED);
	va_list arguments;

	if (i >= COMPLAINTS)
		return;
	va_start(arguments, format);
	vsnprintf(complaints[i], sizeof(complaints[i]), format, arguments);
	va_end(arguments);
}

/** Write the sum of all counters with a name, once. */
static void write_counter(FILE *file, unsigned int i)
{
	uint64_t sum = 0;
	char name[100], other[100];

	for (unsigned int j = 0; j < num_counters; j++) {
		snprintf(j == i ? name : other, sizeof(name), "%s%s%s%s%s", counters[j].event,
			 counters[j].kind ? "." : "", counters[j].kind ? counters[j].kind : "",
			 counters[j].endpoint ? "." : "",
			 counters[j].endpoint ? counters[j].endpoint : "");
		if (j < i)
			continue;
		if (j > i && strcmp(name, other) != 0)
			continue;
		sum += counters[j].number;
		if (j > i)
			counters[j].number = 0;
	}
	if (sum || strncmp(name, "set.", 4) == 0 || strncmp(name, "state.", 6) == 0)
		fprintf(file, "%s %llu\n", name, (unsigned long long)sum);
}

void report(void)
{
	const char *path = getenv("OMPT_CHECKER_OUT");
	FILE *file = path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	for (unsigned int i = 0; i < num_counters; i++)
		write_counter(file, i);
	for (unsigned int i = 0; i < num_complaints && i < COMPLAINTS; i++)
		fprintf(file, "complaint %s\n", complaints[i]);
	fclose(file);
}

struct instance *new_instance(void)
{
	struct instance *instance = calloc(1, sizeof(*instance));

	if (!instance)
		abort();
	instance->magic = LIVES;
	return instance;
}

bool lives(const void *instance)
{
	return instance && ((const struct instance *)instance)->magic == LIVES;
}

bool was_instance(const void *instance)
{
	return instance && (lives(instance) || ((const struct instance *)instance)->magic == ENDED);
}

__attribute__((noinline)) bool is_around(const void *address)
{
	const char *here = __builtin_frame_address(0), *bottom;
	pthread_attr_t attributes;
	size_t size = 0;
	void *stack = NULL;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return false;
	pthread_attr_getstack(&attributes, &stack, &size);
	pthread_attr_destroy(&attributes);
	bottom = (const char *)stack + size;
	return (const char *)address > here && (const char *)address < bottom;
}
