// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How programs in C hold locks.

#define _GNU_SOURCE

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "truth.h"

static omp_lock_t gate, other, locks[8], matrix[3][4];
static omp_nest_lock_t nested;
static int work;

// ---- Variables ---------------------------------------------------------------------------------

static void global(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
	TOGETHER(omp_set_lock(&gate); hold(); omp_unset_lock(&gate), omp_set_lock(&gate); work++;
		 omp_unset_lock(&gate));
}

static void static_local(void)
{
	static omp_lock_t mine;

	omp_init_lock(&mine);
	truth("lock", &mine, "mine");
	TOGETHER(omp_set_lock(&mine); hold(); omp_unset_lock(&mine), omp_set_lock(&mine); work++;
		 omp_unset_lock(&mine));
}

static void on_stack(void)
{
	omp_lock_t mine;

	omp_init_lock(&mine);
	truth("lock", &mine, NULL);
	TOGETHER(omp_set_lock(&mine); hold(); omp_unset_lock(&mine), omp_set_lock(&mine); work++;
		 omp_unset_lock(&mine));
}

static void on_heap(void)
{
	omp_lock_t *mine = malloc(sizeof(*mine));

	omp_init_lock(mine);
	truth("lock", mine, NULL);
	TOGETHER(omp_set_lock(mine); hold(); omp_unset_lock(mine), omp_set_lock(mine); work++;
		 omp_unset_lock(mine));
}

// ---- Arrays ------------------------------------------------------------------------------------

static void init_locks(void)
{
	for (int i = 0; i < 8; i++)
		omp_init_lock(&locks[i]);
}

static NOINLINE void own_element(int index)
{
	omp_set_lock(&locks[index]);
	hold();
	omp_unset_lock(&locks[index]);
}

static NOINLINE void take_element(int index)
{
	omp_set_lock(&locks[index]);
	work++;
	omp_unset_lock(&locks[index]);
}

static void element(void)
{
	init_locks();
	truth("lock", &locks[3], "locks[3]");
	TOGETHER(own_element(3), take_element(3));
}

static NOINLINE void own_cell(int row, int column)
{
	omp_set_lock(&matrix[row][column]);
	hold();
	omp_unset_lock(&matrix[row][column]);
}

static NOINLINE void take_cell(int row, int column)
{
	omp_set_lock(&matrix[row][column]);
	work++;
	omp_unset_lock(&matrix[row][column]);
}

static void two_dimensions(void)
{
	omp_init_lock(&matrix[1][2]);
	truth("lock", &matrix[1][2], "matrix[1][2]");
	TOGETHER(own_cell(1, 2), take_cell(1, 2));
}

/** Take the locks of an element and of its neighbours. */
static NOINLINE void own_neighbours(int middle)
{
	for (int i = middle - 1; i <= middle + 1; i++)
		omp_set_lock(&locks[i]);
	hold();
	for (int i = middle - 1; i <= middle + 1; i++)
		omp_unset_lock(&locks[i]);
}

static void neighbours(void)
{
	init_locks();
	truth("lock", &locks[4], "locks[4]");
	TOGETHER(own_neighbours(4), take_element(4));
}

/** Take the locks of an element and of its neighbours, and stay: the counter is past the last one. */
static NOINLINE void stay_with_neighbours(int middle)
{
	for (int i = middle - 1; i <= middle + 1; i++)
		omp_set_lock(&locks[i]);
#pragma omp barrier
	for (int i = middle - 1; i <= middle + 1; i++)
		omp_unset_lock(&locks[i]);
}

static void past_neighbours(void)
{
	init_locks();
	truth("lock", &locks[5], "locks[5]");
#pragma omp parallel num_threads(3)
	{
		if (stands_by()) {
			stay_with_neighbours(3);
		} else {
			if (holds_it())
				own_element(5);
			else
				take_element(5);
#pragma omp barrier
		}
	}
}

// ---- Structures and pointers -------------------------------------------------------------------

struct account {
	int number;
	omp_lock_t lock;
	struct account *next;
	union {
		omp_lock_t lock;
		long word;
	} either;
};

struct bank {
	char name[20];
	struct account *accounts;
};

static struct account account;

static NOINLINE void own_account(struct account *which)
{
	omp_set_lock(&which->lock);
	which->number++;
	hold();
	omp_unset_lock(&which->lock);
}

static NOINLINE void take_account(struct account *which)
{
	omp_set_lock(&which->lock);
	which->number++;
	omp_unset_lock(&which->lock);
}

static void member(void)
{
	omp_init_lock(&account.lock);
	truth("lock", &account.lock, "account.lock");
	TOGETHER(own_account(&account), take_account(&account));
}

static NOINLINE void own_in_bank(struct bank *bank, int index)
{
	omp_set_lock(&bank->accounts[index].lock);
	hold();
	omp_unset_lock(&bank->accounts[index].lock);
}

static NOINLINE void take_in_bank(struct bank *bank, int index)
{
	omp_set_lock(&bank->accounts[index].lock);
	work++;
	omp_unset_lock(&bank->accounts[index].lock);
}

static void member_of_element(void)
{
	struct bank bank = { .accounts = calloc(5, sizeof(struct account)) };

	omp_init_lock(&bank.accounts[2].lock);
	truth("lock", &bank.accounts[2].lock, NULL);
	TOGETHER(own_in_bank(&bank, 2), take_in_bank(&bank, 2));
}

static NOINLINE void own_either(struct account *which)
{
	omp_set_lock(&which->either.lock);
	hold();
	omp_unset_lock(&which->either.lock);
}

static NOINLINE void take_either(struct account *which)
{
	omp_set_lock(&which->either.lock);
	work++;
	omp_unset_lock(&which->either.lock);
}

static void member_of_union(void)
{
	struct account *which = calloc(1, sizeof(*which));

	omp_init_lock(&which->either.lock);
	truth("lock", &which->either.lock, NULL);
	TOGETHER(own_either(which), take_either(which));
}

static NOINLINE void own_indirect(omp_lock_t **which)
{
	omp_set_lock(*which);
	hold();
	omp_unset_lock(*which);
}

static NOINLINE void take_indirect(omp_lock_t **which)
{
	omp_set_lock(*which);
	work++;
	omp_unset_lock(*which);
}

static void pointer_to_pointer(void)
{
	omp_lock_t **table = calloc(3, sizeof(*table));

	table[1] = malloc(sizeof(**table));
	omp_init_lock(table[1]);
	truth("lock", table[1], NULL);
	TOGETHER(own_indirect(&table[1]), take_indirect(&table[1]));
}

/** Walk along a list: the next lock is taken before the one before it is given back. */
static NOINLINE void own_third(struct account *first)
{
	omp_set_lock(&first->lock);
	for (int i = 0; i < 2; i++) {
		struct account *next = first->next;
		omp_set_lock(&next->lock);
		omp_unset_lock(&first->lock);
		first = next;
	}
	hold();
	omp_unset_lock(&first->lock);
}

static void hand_over_hand(void)
{
	struct account *list = calloc(4, sizeof(*list));

	for (int i = 0; i < 4; i++) {
		list[i].next = i < 3 ? &list[i + 1] : NULL;
		omp_init_lock(&list[i].lock);
	}
	truth("lock", &list[2].lock, NULL);
	TOGETHER(own_third(list), take_account(&list[2]));
}

// ---- Helpers -----------------------------------------------------------------------------------

static NOINLINE void lock_it(omp_lock_t *which)
{
	work++;
	omp_set_lock(which);
	__asm__ volatile("" ::: "memory"); // not a jump
}

static NOINLINE void jump_to_lock(omp_lock_t *which)
{
	omp_set_lock(which);
}

static INLINE void lock_inlined(omp_lock_t *which)
{
	work++;
	omp_set_lock(which);
}

static NOINLINE void unlock_it(omp_lock_t *which)
{
	omp_unset_lock(which);
}

static NOINLINE void own_by_helper(omp_lock_t *which)
{
	lock_it(which);
	hold();
	unlock_it(which);
}

static void helper(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
	TOGETHER(own_by_helper(&gate), lock_it(&gate); unlock_it(&gate));
}

static NOINLINE void own_by_jump(omp_lock_t *which)
{
	jump_to_lock(which);
	hold();
	unlock_it(which);
}

static void helper_that_jumps(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
	TOGETHER(own_by_jump(&gate), jump_to_lock(&gate); unlock_it(&gate));
}

static NOINLINE void own_inlined(omp_lock_t *which)
{
	lock_inlined(which);
	hold();
	omp_unset_lock(which);
}

static void helper_inlined(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
	TOGETHER(own_inlined(&gate), lock_inlined(&gate); omp_unset_lock(&gate));
}

static NOINLINE void lock_by_index(int index)
{
	omp_set_lock(&locks[index]);
	work++;
}

static NOINLINE void own_by_index(int index)
{
	lock_by_index(index);
	hold();
	omp_unset_lock(&locks[index]);
}

static void helper_by_index(void)
{
	init_locks();
	truth("lock", &locks[6], "locks[6]");
	TOGETHER(own_by_index(6), take_element(6));
}

static NOINLINE void own_deep(int depth)
{
	if (!depth)
		omp_set_lock(&gate);
	if (depth < 4)
		own_deep(depth + 1);
	else
		hold();
	if (!depth)
		omp_unset_lock(&gate);
	work++;
}

static void recursion(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
	TOGETHER(own_deep(0), omp_set_lock(&gate); omp_unset_lock(&gate));
}

static void (*volatile set_by_pointer)(omp_lock_t *) = omp_set_lock;

static NOINLINE void own_by_pointer(omp_lock_t *which)
{
	set_by_pointer(which);
	hold();
	omp_unset_lock(which);
}

static NOINLINE void take_by_pointer(omp_lock_t *which)
{
	set_by_pointer(which);
	work++;
}

static void function_pointer(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
	TOGETHER(own_by_pointer(&gate), take_by_pointer(&gate));
}

// ---- Orders ------------------------------------------------------------------------------------

static NOINLINE void own_second(omp_lock_t *first, omp_lock_t *second)
{
	omp_set_lock(first);
	work++;
	omp_unset_lock(first);
	omp_set_lock(second);
	hold();
	omp_unset_lock(second);
}

static NOINLINE void take_second(omp_lock_t *first, omp_lock_t *second)
{
	omp_set_lock(first);
	omp_set_lock(second);
	work++;
	omp_unset_lock(second);
	omp_unset_lock(first);
}

static void after_another(void)
{
	omp_init_lock(&gate);
	omp_init_lock(&other);
	truth("lock", &other, "other");
	TOGETHER(own_second(&gate, &other), take_second(&gate, &other));
}

static NOINLINE void own_perhaps(omp_lock_t *which, int is_wanted)
{
	if (is_wanted)
		omp_set_lock(which);
	hold();
	if (is_wanted)
		omp_unset_lock(which);
}

static void on_condition(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
	TOGETHER(own_perhaps(&gate, 1), own_perhaps(&gate, 2));
}

/** Take the lock, and give it back before it goes on. */
static NOINLINE void pass_through(omp_lock_t *which)
{
	omp_set_lock(which);
	work++;
	omp_unset_lock(which);
	omp_set_lock(&other);
	work++;
	omp_unset_lock(&other);
}

/** The waiter has set the lock before, and has given it back. */
static void again(void)
{
	omp_init_lock(&gate);
	omp_init_lock(&other);
	truth("lock", &other, "other");
	TOGETHER(omp_set_lock(&other); hold(); omp_unset_lock(&other), pass_through(&gate));
}

static NOINLINE void own_by_test(omp_lock_t *which)
{
	while (!omp_test_lock(which))
		work++;
	hold();
	omp_unset_lock(which);
}

static void test_loop(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
	TOGETHER(own_by_test(&gate), omp_set_lock(&gate); omp_unset_lock(&gate));
}

// ---- Nest locks --------------------------------------------------------------------------------

static void nest(void)
{
	omp_init_nest_lock(&nested);
	truth("nest_lock", &nested, "nested");
	TOGETHER(omp_set_nest_lock(&nested); hold();
		 omp_unset_nest_lock(&nested), omp_set_nest_lock(&nested); work++;
		 omp_unset_nest_lock(&nested));
}

static NOINLINE void own_nested(omp_nest_lock_t *which, int depth)
{
	omp_set_nest_lock(which);
	if (depth)
		own_nested(which, depth - 1);
	else
		hold();
	omp_unset_nest_lock(which);
}

static NOINLINE void take_nested(omp_nest_lock_t *which)
{
	omp_set_nest_lock(which);
	work++;
	omp_unset_nest_lock(which);
}

static void nest_recursion(void)
{
	omp_init_nest_lock(&nested);
	truth("nest_lock", &nested, "nested");
	TOGETHER(own_nested(&nested, 3), take_nested(&nested));
}

// ---- Constructs --------------------------------------------------------------------------------

static void in_task(void)
{
	omp_init_lock(&gate);
	truth("lock", &gate, "gate");
#pragma omp parallel num_threads(2)
	if (holds_it()) {
#pragma omp task if (0)
		{
			omp_set_lock(&gate);
			hold();
			omp_unset_lock(&gate);
		}
	} else {
		omp_set_lock(&gate);
	}
}

static NOINLINE void unnamed_critical(int is_owner)
{
#pragma omp critical
	{
		if (is_owner)
			hold();
		work++;
	}
}

static void critical_unnamed(void)
{
	truth("critical", NULL, NULL);
	TOGETHER(unnamed_critical(1), unnamed_critical(0));
}

static NOINLINE void named_critical(int is_owner)
{
#pragma omp critical(ledger)
	{
		if (is_owner)
			hold();
		work++;
	}
}

static void critical_named(void)
{
	truth("critical", NULL, "ledger");
	TOGETHER(named_critical(1), named_critical(0));
}

static NOINLINE void two_criticals(int is_owner)
{
#pragma omp critical(outer)
	{
		work++;
		if (is_owner)
			work++;
	}
#pragma omp critical(inner)
	{
		if (is_owner)
			hold();
		work++;
	}
}

static void critical_second(void)
{
	truth("critical", NULL, "inner");
	TOGETHER(two_criticals(1), two_criticals(0));
}

static NOINLINE void in_outer(void)
{
#pragma omp critical(first)
	{
		work++;
#pragma omp critical(second)
		work++;
		work++;
	}
}

/** The waiter holds another critical construct. */
static void critical_in_critical(void)
{
	truth("critical", NULL, "second");
#pragma omp parallel num_threads(2)
	if (holds_it()) {
#pragma omp critical(second)
		hold();
	} else {
		in_outer();
	}
}

static void ordered(void)
{
	truth("ordered", NULL, NULL);
	set_holder(0); // the first iteration's
#pragma omp parallel num_threads(2)
	{
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 2; i++) {
			bool is_first = holds_it();
#pragma omp ordered
			{
				if (is_first)
					hold();
				work++;
			}
		}
	}
}

// ---- Readers and writers ------------------------------------------------------------------------

static pthread_rwlock_t book = PTHREAD_RWLOCK_INITIALIZER, pages[2];
static pthread_rwlock_t queue = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static NOINLINE void read_book(void)
{
	pthread_rwlock_rdlock(&book);
	hold();
	pthread_rwlock_unlock(&book);
	work++;
}

static NOINLINE void write_book(void)
{
	pthread_rwlock_wrlock(&book);
	hold();
	pthread_rwlock_unlock(&book);
	work++;
}

static NOINLINE void look_up(void)
{
	pthread_rwlock_rdlock(&book);
	work++;
	pthread_rwlock_unlock(&book);
	work++;
}

static NOINLINE void note_down(void)
{
	pthread_rwlock_wrlock(&book);
	work++;
	pthread_rwlock_unlock(&book);
	work++;
}

static void reader_first(void)
{
	truth("pthread_rwlock", &book, "book");
	TOGETHER(read_book(), note_down());
}

static void writer_first(void)
{
	truth("pthread_rwlock", &book, "book");
	TOGETHER(write_book(), look_up());
}

/** Read a page, and write another that somebody else reads. */
static NOINLINE void copy_page(int from, int to)
{
	pthread_rwlock_rdlock(&pages[from]);
	meet("pthread_rwlock", &pages[to], from, to);
	pthread_rwlock_wrlock(&pages[to]);
	work++;
	pthread_rwlock_unlock(&pages[to]);
	pthread_rwlock_unlock(&pages[from]);
	work++;
}

static void readers(int count)
{
	set_count(count);
	for (int i = 0; i < 2; i++)
		pthread_rwlock_init(&pages[i], NULL);
#pragma omp parallel num_threads(count)
	{
		int own = omp_get_thread_num();

		copy_page(own, (own + 1) % count);
		work++;
	}
}

static void readers_pair(void)
{
	readers(2);
}

static void readers_self(void)
{
	readers(1);
}

/** Read, but not before a writer waits: such a lock lets no reader past it. */
static NOINLINE void read_after_writer(void)
{
	while (pthread_rwlock_tryrdlock(&queue) == 0) {
		pthread_rwlock_unlock(&queue);
		usleep(1000);
	}
	pthread_rwlock_rdlock(&queue);
	work++;
	pthread_rwlock_unlock(&queue);
	work++;
}

static NOINLINE void read_queue(void)
{
	pthread_rwlock_rdlock(&queue);
	hold();
	pthread_rwlock_unlock(&queue);
	work++;
}

static NOINLINE void write_queue(void)
{
	pthread_rwlock_wrlock(&queue);
	work++;
	pthread_rwlock_unlock(&queue);
	work++;
}

static void reader_after_writer(void)
{
	truth("pthread_rwlock", &queue, "queue");
	set_holder(0);
#pragma omp parallel num_threads(3)
	{
		if (holds_it())
			read_queue();
		else if (omp_get_thread_num() == 1)
			write_queue();
		else
			read_after_writer();
#pragma omp barrier
	}
}

static pthread_spinlock_t turnstile;

static NOINLINE void own_turnstile(void)
{
	pthread_spin_lock(&turnstile);
	hold();
	pthread_spin_unlock(&turnstile);
	work++;
}

static NOINLINE void take_turnstile(void)
{
	pthread_spin_lock(&turnstile);
	work++;
	pthread_spin_unlock(&turnstile);
}

/** Try until somebody else has it. */
static NOINLINE void try_in_vain(void)
{
	while (pthread_spin_trylock(&turnstile) == 0) {
		pthread_spin_unlock(&turnstile);
		usleep(1000);
	}
#pragma omp barrier
	work++;
}

static void tried_in_vain(void)
{
	pthread_spin_init(&turnstile, PTHREAD_PROCESS_PRIVATE);
	truth("pthread_spinlock", (const void *)&turnstile, "turnstile");
#pragma omp parallel num_threads(3)
	{
		if (stands_by()) {
			try_in_vain();
		} else {
			if (holds_it())
				own_turnstile();
			else
				take_turnstile();
#pragma omp barrier
		}
	}
}

// ---- What others post ---------------------------------------------------------------------------

static sem_t posted;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;

static NOINLINE void await_post(void)
{
	sem_wait(&posted);
	work++;
}

static void semaphore(void)
{
	sem_init(&posted, 0, 0);
	truth("sem_wait", NULL, NULL);
	TOGETHER(hold(), await_post());
}

static NOINLINE void await_opening(void)
{
	pthread_mutex_lock(&door);
	while (!is_open)
		pthread_cond_wait(&opened, &door);
	pthread_mutex_unlock(&door);
	work++;
}

/** Its mutex is given back, and nobody holds it. */
static NOINLINE void own_door(void)
{
	pthread_mutex_lock(&door);
	work++;
	pthread_mutex_unlock(&door);
	hold();
	work++;
}

static void condition(void)
{
	truth("pthread_cond_wait", NULL, NULL);
	TOGETHER(own_door(), await_opening());
}

int main(int argc, char **argv)
{
#define IDIOM(name)         \
	{                   \
#name, name \
	}
	static const struct idiom idioms[] = {
		IDIOM(global),
		IDIOM(static_local),
		IDIOM(on_stack),
		IDIOM(on_heap),
		IDIOM(element),
		IDIOM(two_dimensions),
		IDIOM(neighbours),
		IDIOM(member),
		IDIOM(member_of_element),
		IDIOM(member_of_union),
		IDIOM(pointer_to_pointer),
		IDIOM(hand_over_hand),
		IDIOM(helper),
		IDIOM(helper_that_jumps),
		IDIOM(helper_inlined),
		IDIOM(helper_by_index),
		IDIOM(recursion),
		IDIOM(function_pointer),
		IDIOM(after_another),
		IDIOM(on_condition),
		IDIOM(again),
		IDIOM(test_loop),
		IDIOM(nest),
		IDIOM(nest_recursion),
		IDIOM(in_task),
		IDIOM(critical_unnamed),
		IDIOM(critical_named),
		IDIOM(critical_second),
		IDIOM(critical_in_critical),
		IDIOM(ordered),
		IDIOM(reader_first),
		IDIOM(writer_first),
		IDIOM(readers_pair),
		IDIOM(readers_self),
		IDIOM(semaphore),
		IDIOM(condition),
		IDIOM(past_neighbours),
		IDIOM(reader_after_writer),
		IDIOM(tried_in_vain),
		{ NULL, NULL },
	};

	return run_idiom(idioms, argc, argv);
}
