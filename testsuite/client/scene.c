// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "scene.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct scene_truth scene_truth;
scene_fn scene_play;

static atomic_int arrived, held;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static int first_variable, second_variable;
static double spent[SCENE_NOTES]; // processor time of the threads when they made their notes

// Return the processor time of a thread in seconds.
static double time_of(pthread_t thread)
{
	struct timespec time = { 0 };
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) == 0)
		clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void note(enum scene_place place)
{
	int number = atomic_fetch_add(&scene_truth.count, 1);
	struct scene_note *here = &scene_truth.notes[number];

	spent[number] = time_of(pthread_self());
	here->pthread = (uint64_t)pthread_self();
	here->lwp = (int32_t)syscall(SYS_gettid);
	here->place = place;
	oracle_fill(&here->oracle);
}

static void wait_for(atomic_int *what, int count)
{
	while (atomic_load(what) < count)
		usleep(500);
}

// Tell whether a thread sleeps on a word of memory.
static bool is_asleep(int32_t lwp)
{
	char path[64];
	long number = -1;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)lwp);
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	if (fscanf(file, "%ld", &number) != 1)
		number = -1;
	fclose(file);
	return number == SYS_futex;
}

// Wait until the threads that told that they are about to wait do so: they sleep, or have spun for long
// enough to be where they spin. On a busy machine it takes long until they run at all.
static void wait_for_rest(void)
{
	static const double spun = 0.005; // seconds of processor time
	const int count = atomic_load(&scene_truth.count);

	for (int i = 0; i < count; i++) {
		const struct scene_note *there = &scene_truth.notes[i];

		while (there->place != PLACE_CODE && !is_asleep(there->lwp) &&
		       time_of((pthread_t)there->pthread) < spent[i] + spun)
			usleep(500);
	}
}

static void rest(void)
{
	note(PLACE_CODE);
	atomic_fetch_add(&arrived, 1);
	wait_for(&scene_truth.over, 1);
}

static void create_tasks(void)
{
	for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : first_variable)
		wait_for(&scene_truth.over, 1);
#pragma omp task depend(in : first_variable) depend(inout : second_variable)
		wait_for(&scene_truth.over, 1);
#pragma omp task untied
		wait_for(&scene_truth.over, 1);
	}
}

static void play_tasks(void (*ready)(void))
{
#pragma omp parallel num_threads(3)
	{
#pragma omp master
		{
			create_tasks();
#pragma omp parallel num_threads(2)
			{
#pragma omp master
				{
					create_tasks();
#pragma omp task if (0) final(1)
					{
						note(PLACE_CODE);
						wait_for(&arrived, 3);
						ready();
					}
					atomic_store(&scene_truth.over, 1);
				}
				if (omp_get_thread_num())
					rest();
			}
		}
		if (omp_get_thread_num())
			rest();
	}
}

// The primary thread has both locks and is in the critical construct when the others come.
static void hold_and_wait(int others, void (*ready)(void))
{
	omp_set_lock(&lock);
	omp_set_nest_lock(&nest_lock);
	omp_set_nest_lock(&nest_lock);
	scene_truth.owner = (uint64_t)pthread_self();
#pragma omp critical(scene)
	{
		atomic_store(&held, 1);
		wait_for(&arrived, others);
		wait_for_rest();
		note(PLACE_CODE);
		ready();
		atomic_store(&scene_truth.over, 1);
	}
	omp_unset_nest_lock(&nest_lock);
	omp_unset_nest_lock(&nest_lock);
	omp_unset_lock(&lock);
}

static void wait_in(int number, omp_event_handle_t *event)
{
	static const enum scene_place places[] = {
		PLACE_CODE, PLACE_BARRIER,   PLACE_TASKWAIT, PLACE_TASKGROUP,
		PLACE_LOCK, PLACE_NEST_LOCK, PLACE_CRITICAL, PLACE_BARRIER,
	};

	wait_for(&held, 1);
	note(places[number]);
	atomic_fetch_add(&arrived, number != 2 && number != 3);
	switch (places[number]) {
	case PLACE_TASKWAIT: {
		omp_event_handle_t own = (omp_event_handle_t)0;
#pragma omp task detach(own)
		(void)0;
		*event = own;
		atomic_fetch_add(&arrived, 1);
#pragma omp taskwait
		break;
	}
	case PLACE_TASKGROUP:
#pragma omp taskgroup
	{
		omp_event_handle_t own = (omp_event_handle_t)0;
#pragma omp task detach(own)
		(void)0;
		*event = own;
		atomic_fetch_add(&arrived, 1);
	} break;
	case PLACE_LOCK:
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
		break;
	case PLACE_NEST_LOCK:
		omp_set_nest_lock(&nest_lock);
		omp_unset_nest_lock(&nest_lock);
		break;
	case PLACE_CRITICAL:
#pragma omp critical(scene)
		(void)0;
		break;
	default:
		break;
	}
}

static void play_waits(void (*ready)(void))
{
	enum { THREADS = 8, IDLE = 2 };
	omp_event_handle_t events[THREADS];

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	scene_truth.lock = (uint64_t)(uintptr_t)&lock;
	scene_truth.nest_lock = (uint64_t)(uintptr_t)&nest_lock;
#pragma omp parallel num_threads(THREADS + IDLE)
	usleep(1000);
#pragma omp parallel num_threads(THREADS)
	{
		int number = omp_get_thread_num();

#pragma omp for schedule(dynamic, 2) nowait
		for (int i = 0; i < 5 * THREADS; i++)
			(void)i;
		if (number) {
			wait_in(number, &events[number]);
		} else {
			hold_and_wait(THREADS - 1, ready);
			omp_fulfill_event(events[2]);
			omp_fulfill_event(events[3]);
		}
#pragma omp barrier
	}
}

static void play_ordered(void (*ready)(void))
{
#pragma omp parallel num_threads(3)
#pragma omp for ordered schedule(dynamic, 1)
	for (int i = 0; i < 6; i++) {
		if (i < 3) {
			note(i ? PLACE_ORDERED : PLACE_CODE);
			atomic_fetch_add(&arrived, 1);
		}
#pragma omp ordered
		if (i == 0) {
			wait_for(&arrived, 3);
			wait_for_rest();
			ready();
			atomic_store(&scene_truth.over, 1);
		}
	}
}

// Regions of one thread, with variables of their own.
static void play_serialized(void (*ready)(void))
{
#pragma omp parallel if (0)
	{
		omp_set_num_threads(5);
#pragma omp parallel if (0)
		{
			omp_set_schedule(omp_sched_guided, 9);
#pragma omp task final(1) if (0)
			{
				note(PLACE_CODE);
				ready();
			}
		}
	}
}

// libgomp runs the teams of a league on the host one after another.
static void play_league(void (*ready)(void))
{
#ifdef __clang__
	enum { OTHERS = 3 };
#else
	enum { OTHERS = 1 };
#endif
#pragma omp teams num_teams(2) thread_limit(4)
	{
#pragma omp parallel num_threads(2)
		{
			if (omp_get_team_num() == 0 && omp_get_thread_num() == 0) {
				wait_for(&arrived, OTHERS);
				play_serialized(ready);
				atomic_store(&scene_truth.over, 1);
			} else {
				rest();
			}
		}
	}
}

void scene_play(enum scene scene, void (*ready)(void))
{
	static void (*const plays[SCENES])(void (*)(void)) = {
		[SCENE_TASKS] = play_tasks,
		[SCENE_WAITS] = play_waits,
		[SCENE_ORDERED] = play_ordered,
		[SCENE_LEAGUE] = play_league,
	};

	omp_set_dynamic(0);
	omp_set_max_active_levels(3);
	plays[scene](ready);
}
