// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take mutexes of every kind at random; each knows what it holds, and so has the
// recorder to.

#include <omp.h>

#include "own_record.h"

#define LOCKS 12
#define NEST_LOCKS 4
#define STEPS 3000
#define THREADS 4

static omp_lock_t locks[LOCKS];
static omp_nest_lock_t nest_locks[NEST_LOCKS];
long double sum;

/** What a thread knows of itself. */
struct knowledge {
	const struct record_thread *thread;
	bool held[LOCKS];
	uint32_t depth[NEST_LOCKS];
	uint32_t others;		 // critical, ordered
	uint64_t forgotten[THREADS - 1]; // when a lock was taken whose place the runtime lost
	uint64_t seed;
};

/** Return a random number. */
static unsigned int draw(struct knowledge *own, unsigned int below)
{
	own->seed = own->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)((own->seed >> 33) % below);
}

/** Find a valid hold with a depth; with the latest begin if there is a choice. */
static const struct record_hold *latest_hold(const struct knowledge *own)
{
	const struct record_hold *holds = (const void *)(uintptr_t)own->thread->holds;
	const struct record_hold *latest = NULL;

	for (uint32_t i = 0; i < own->thread->num_holds; i++)
		if (holds[i].kind && (!latest || holds[i].since >= latest->since))
			latest = &holds[i];
	return latest;
}

/** Check whether the recorder knows where a hold began. Now and then LLVM 14 loses where its primary
 * thread called it for a lock, and tells tools a place in itself: not more often than others begin. */
static bool is_placed(struct knowledge *own, const struct record_hold *hold)
{
	Dl_info found, runtime;
	const void *entry = dlsym(RTLD_DEFAULT, "__kmpc_set_lock"); // in no other runtime

	if (in_program(hold->code))
		return true;
	if (!entry || !dladdr(entry, &runtime) || !dladdr((void *)(uintptr_t)hold->code, &found) ||
	    found.dli_fbase != runtime.dli_fbase || omp_get_thread_num() != 0)
		return false;
	for (int i = 0; i < THREADS - 1; i++) {
		if (!own->forgotten[i])
			own->forgotten[i] = hold->since;
		if (own->forgotten[i] == hold->since)
			return true;
	}
	return false;
}

/** Compare what the recorder keeps of the thread with what the thread knows. */
static void compare(struct knowledge *own)
{
	const struct record_hold *holds = (const void *)(uintptr_t)own->thread->holds;
	uint32_t number = own->others, depths = 0, found = 0;

	for (int i = 0; i < LOCKS; i++)
		number += own->held[i];
	for (int i = 0; i < NEST_LOCKS; i++) {
		number += own->depth[i] > 0;
		depths += own->depth[i];
	}
	REQUIRE(count_holds(own->thread) == number);
	for (uint32_t i = 0; i < own->thread->num_holds; i++)
		if (holds[i].kind == 3) // a nestable lock
			found += holds[i].depth;
	REQUIRE(found == depths);
	REQUIRE(own->thread->lost_holds == 0);
	REQUIRE(!is_waiting(own->thread));
	if (number > 0) {
		REQUIRE(is_placed(own, latest_hold(own)));
	}
}

/** Take a lock, or release it if it is held. Only in rising order, so that there is no deadlock. */
static void use_lock(struct knowledge *own)
{
	unsigned int which = draw(own, LOCKS);

	if (own->held[which]) {
		omp_unset_lock(&locks[which]);
		own->held[which] = false;
		return;
	}
	for (unsigned int i = which; i < LOCKS; i++)
		if (own->held[i]) {
			own->held[which] = omp_test_lock(&locks[which]);
			return;
		}
	omp_set_lock(&locks[which]);
	own->held[which] = true;
	REQUIRE(latest_hold(own)->kind == 1);
}

/** Take a nestable lock once more, or release it once. */
static void use_nest_lock(struct knowledge *own)
{
	unsigned int which = draw(own, NEST_LOCKS);

	if (draw(own, 2)) {
		int depth = omp_test_nest_lock(&nest_locks[which]);

		REQUIRE(depth == 0 || (uint32_t)depth == own->depth[which] + 1);
		if (depth)
			own->depth[which]++;
	} else if (own->depth[which] > 0) {
		omp_unset_nest_lock(&nest_locks[which]);
		own->depth[which]--;
	}
}

/** Release everything. */
static void release_all(struct knowledge *own)
{
	for (int i = 0; i < LOCKS; i++)
		if (own->held[i])
			omp_unset_lock(&locks[i]);
	for (int i = 0; i < NEST_LOCKS; i++)
		for (; own->depth[i] > 0; own->depth[i]--)
			omp_unset_nest_lock(&nest_locks[i]);
	memset(own->held, 0, sizeof(own->held));
}

/** Be in a critical region. */
static void be_critical(struct knowledge *own)
{
#pragma omp critical(one)
	{
		own->others = 1;
		compare(own);
		REQUIRE(latest_hold(own)->kind == 5);
#pragma omp critical(two)
		{
			own->others = 2;
			compare(own);
		}
		own->others = 1;
		compare(own);
	}
	own->others = 0;
}

/** Add atomically what no instruction can; clang does so without the runtime. */
static void add(struct knowledge *own)
{
#ifndef __clang__
#pragma omp atomic
	sum += 1;
#endif
	compare(own);
}

/** Do everything at random. */
static void work(void)
{
	struct knowledge own = { .thread = own_thread(),
				 .seed = (uint64_t)omp_get_thread_num() + 1 };

	compare(&own);
	for (int i = 0; i < STEPS; i++) {
		if (draw(&own, 2))
			use_lock(&own);
		else
			use_nest_lock(&own);
		compare(&own);
		if (draw(&own, 50) == 0) {
			release_all(&own);
			compare(&own);
			be_critical(&own);
			compare(&own);
			add(&own);
		}
	}
	release_all(&own);
	compare(&own);
#pragma omp barrier
#pragma omp for ordered schedule(dynamic)
	for (int i = 0; i < 100; i++) {
#pragma omp ordered
		{
			own.others = 1;
			compare(&own);
			REQUIRE(latest_hold(&own)->kind == 7);
		}
		own.others = 0;
		compare(&own);
	}
	if (omp_get_thread_num() == 0) {
		omp_lock_t lock;

		omp_init_lock(&lock);
		omp_set_lock(&lock);
		own.others = 1;
		compare(&own);
		omp_destroy_lock(&lock);
		own.others = 0;
		compare(&own);
	}
}

int main(void)
{
	for (int i = 0; i < LOCKS; i++)
		omp_init_lock(&locks[i]);
	for (int i = 0; i < NEST_LOCKS; i++)
		omp_init_nest_lock(&nest_locks[i]);
#pragma omp parallel num_threads(THREADS)
	work();
	return 0;
}
