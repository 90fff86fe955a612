// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: guards KIND
//
// Locks that functions of the program set and unset: constructors, destructors, and others. Of each
// KIND but "runs", two threads wait for each other's lock. "runs" does everything that guards are
// used for, and never hangs; each thread marks what it is about to do and what it has done, so that
// whoever stops it knows who may have which lock.
#include "state.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
#include <utility>

enum { THREADS = 4, LOCKS = 4 };
enum { FREE, WANTS, HAS, LEAVES };

struct Lock {
	omp_lock_t word;
	int number;
	void lock()
	{
		omp_set_lock(&word);
	}
	void unlock()
	{
		omp_unset_lock(&word);
	}
	bool try_lock()
	{
		return omp_test_lock(&word);
	}
};

struct Guard {
	omp_lock_t *word;
	explicit Guard(omp_lock_t &wanted) : word(&wanted)
	{
		omp_set_lock(word);
	}
	~Guard()
	{
		omp_unset_lock(word);
	}
};

struct Perhaps {
	omp_lock_t *word;
	Perhaps(omp_lock_t &wanted, bool is_wanted) : word(is_wanted ? &wanted : nullptr)
	{
		if (word)
			omp_set_lock(word);
	}
	~Perhaps()
	{
		if (word)
			omp_unset_lock(word);
	}
};

extern "C" {
Lock locks[LOCKS];
volatile int marks[THREADS][LOCKS];
volatile int lwps[THREADS];
volatile int rounds;
}

typedef std::unique_lock<Lock> Unique;

static thread_local unsigned int seed;
static int met;

static int chance(int count)
{
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 16) % (unsigned int)count);
}

static void mark(Lock *lock, int what)
{
	marks[omp_get_thread_num()][lock->number] = what;
}

static void work()
{
	usleep((unsigned int)chance(300));
}
static void set(Lock *lock)
{
	omp_set_lock(&lock->word);
}
static void unset(Lock *lock)
{
	omp_unset_lock(&lock->word);
}

// In the function itself, which is then known to have set it.
#define GET(lock) (mark(lock, WANTS), set(lock), mark(lock, HAS))

static void give(Lock *lock)
{
	mark(lock, LEAVES);
	unset(lock);
	mark(lock, FREE);
}

// The last lock that a way needs.
static void last(Lock *lock)
{
	GET(lock);
	work();
	give(lock);
}

// ---- Ways that never hang: the first lock comes before the second one in all of them -----------

static void nested(Lock *one, Lock *two)
{
	mark(one, WANTS);
	{
		Guard outer(one->word);
		mark(one, HAS);
		mark(two, WANTS);
		{
			Guard inner(two->word);
			mark(two, HAS);
			work();
			mark(two, LEAVES);
		}
		mark(two, FREE);
		mark(one, LEAVES);
	}
	mark(one, FREE);
}

static void left(Lock *one, Lock *two)
{
	mark(one, WANTS);
	{
		Guard guard(one->word);
		mark(one, HAS);
		work();
		mark(one, LEAVES);
	}
	mark(one, FREE);
	last(two);
}

static void left_by_number(Lock *, Lock *two)
{
	if (two == &locks[0])
		return;
	mark(&locks[0], WANTS);
	{
		Guard guard(locks[0].word);
		mark(&locks[0], HAS);
		work();
		mark(&locks[0], LEAVES);
	}
	mark(&locks[0], FREE);
	mark(two, WANTS);
	{
		Guard guard(two->word);
		mark(two, HAS);
		mark(two, LEAVES);
	}
	mark(two, FREE);
}

static void moved(Lock *one, Lock *two)
{
	mark(one, WANTS);
	Unique guard(*one);
	mark(one, HAS);
	{
		Unique other(std::move(guard));
		work();
		mark(one, LEAVES);
	}
	mark(one, FREE);
	last(two);
}

static void swapped(Lock *one, Lock *two)
{
	mark(one, WANTS);
	Unique guard(*one), other;
	mark(one, HAS);
	std::swap(guard, other);
	mark(one, LEAVES);
	other.unlock();
	mark(one, FREE);
	last(two);
}

static void swapped_both(Lock *one, Lock *two)
{
	mark(one, WANTS);
	Unique guard(*one);
	mark(one, HAS);
	mark(two, WANTS);
	Unique other(*two);
	mark(two, HAS);
	std::swap(guard, other);
	mark(two, LEAVES);
	guard.unlock();
	mark(two, FREE);
	work();
	mark(one, LEAVES);
	other.unlock();
	mark(one, FREE);
}

static void perhaps(Lock *one, Lock *two)
{
	bool is_wanted = chance(2);

	mark(one, is_wanted ? WANTS : FREE);
	{
		Perhaps guard(one->word, is_wanted);
		mark(one, is_wanted ? HAS : FREE);
		last(two);
		mark(one, is_wanted ? LEAVES : FREE);
	}
	mark(one, FREE);
}

static void deferred(Lock *one, Lock *two)
{
	Unique guard(*one, std::defer_lock);

	if (chance(2)) {
		mark(one, WANTS);
		guard.lock();
		mark(one, HAS);
	}
	last(two);
	if (guard) {
		mark(one, LEAVES);
		guard.unlock();
		mark(one, FREE);
	}
}

static void tried(Lock *one, Lock *two)
{
	mark(one, WANTS);
	Unique guard(*one, std::try_to_lock);
	mark(one, guard ? HAS : FREE);
	last(two);
	if (guard) {
		mark(one, LEAVES);
		guard.unlock();
		mark(one, FREE);
	}
}

static void fail()
{
	if (chance(2))
		throw 1;
}

static void caught_without(Lock *one, Lock *two)
{
	bool has = false;

	try {
		fail();
		GET(one);
		has = true;
	} catch (int) {
	}
	last(two);
	if (has)
		give(one);
}

static void given_when_caught(Lock *one, Lock *two)
{
	bool has = true;

	GET(one);
	try {
		fail();
	} catch (int) {
		give(one);
		has = false;
	}
	last(two);
	if (has)
		give(one);
}

static void given_elsewhere(Lock *one, Lock *two)
{
	mark(one, WANTS);
	omp_set_lock(&one->word);
	mark(one, HAS);
	work();
	give(one);
	last(two);
}

static void goes_on(Lock *one, Lock *two)
{
	give(one);
	last(two);
}

static void given_by_the_next(Lock *one, Lock *two)
{
	GET(one);
	goes_on(one, two);
}

static void hand_over_hand(Lock *, Lock *)
{
	Lock *held = &locks[0];

	GET(held);
	for (int i = 1; i < LOCKS; i++) {
		GET(&locks[i]);
		give(held);
		held = &locks[i];
		work();
	}
	give(held);
}

static void (*volatile give_it)(Lock *) = give;

static void given_by_a_pointer(Lock *one, Lock *two)
{
	GET(one);
	give_it(one);
	last(two);
}

static void on_the_heap(Lock *one, Lock *two)
{
	mark(one, WANTS);
	std::unique_ptr<Guard> guard(new Guard(one->word));
	mark(one, HAS);
	mark(one, LEAVES);
	guard.reset();
	mark(one, FREE);
	last(two);
}

static void argument_changes(Lock *one, Lock *two)
{
	Lock *first = one;

	mark(one, WANTS);
	set(one);
	mark(one, HAS);
	one = two;
	last(one);
	give(first);
}

struct Job {
	int number;
	Lock *lock;
};

static void change(Job *job, Lock *lock)
{
	job->lock = lock;
}

static void member_changes(Lock *one, Lock *two)
{
	Job job = { 1, one };

	mark(one, WANTS);
	set(job.lock);
	mark(one, HAS);
	change(&job, two);
	last(two);
	give(one);
}

typedef void (*Way)(Lock *, Lock *);
static const Way ways[] = {
	nested,
	left,
	left_by_number,
	moved,
	swapped,
	swapped_both,
	perhaps,
	deferred,
	tried,
	caught_without,
	given_when_caught,
	given_elsewhere,
	given_by_the_next,
	hand_over_hand,
	given_by_a_pointer,
	on_the_heap,
	argument_changes,
	member_changes,
};

static void run()
{
#pragma omp parallel num_threads(THREADS)
	{
		seed = (unsigned int)omp_get_thread_num();
		lwps[omp_get_thread_num()] = (int)gettid();
		for (;;) {
			int one = chance(LOCKS - 1), two = one + 1 + chance(LOCKS - 1 - one);

			ways[chance(sizeof(ways) / sizeof(ways[0]))](&locks[one], &locks[two]);
			rounds++;
		}
	}
}

// ---- Ways that hang ----------------------------------------------------------------------------

static void meet()
{
	__atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&met, __ATOMIC_SEQ_CST) < 2)
		;
}

static void by_guards(Lock *one, Lock *two)
{
	Guard outer(one->word);
	meet();
	Guard inner(two->word);
	work();
}

static void by_functions(Lock *one, Lock *two)
{
	set(one);
	meet();
	set(two);
	unset(two);
	unset(one);
}

static void by_lock_guard(Lock *one, Lock *two)
{
	std::lock_guard<Lock> outer(*one);
	meet();
	std::lock_guard<Lock> inner(*two);
	work();
}

static void by_unique_lock(Lock *one, Lock *two)
{
	Unique outer(*one);
	meet();
	Unique inner(*two);
	work();
}

static const struct {
	const char *name;
	Way run;
} kinds[] = { { "guards", by_guards },
	      { "functions", by_functions },
	      { "lock_guard", by_lock_guard },
	      { "unique_lock", by_unique_lock } };

static void *watch(void *)
{
	state_reached(THREADS);
	return NULL;
}

static void hang(Way way)
{
	pthread_t watcher;

	pthread_create(&watcher, NULL, watch, NULL);
#pragma omp parallel num_threads(THREADS)
	{
		if (omp_get_thread_num() == 1)
			way(&locks[0], &locks[1]);
		else if (omp_get_thread_num() == 2)
			way(&locks[1], &locks[0]);
	}
}

int main(int argc, char **argv)
{
	const char *name = state_word(argc, argv, 1, "runs");

	for (int i = 0; i < LOCKS; i++) {
		omp_init_lock(&locks[i].word);
		locks[i].number = i;
	}
	if (!strcmp(name, "runs"))
		run();
	for (const auto &kind : kinds) {
		if (!strcmp(name, kind.name))
			hang(kind.run);
	}
	state_unknown(name);
}
