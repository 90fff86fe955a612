// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for locks, which they reach by way of pointers. A comment has the name of each lock,
// and that of an older frame, where optimized code keeps none. Writes into the file "places" where the
// locks are, in the order of the threads.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN_FRAME __attribute__((noinline))

struct node {
	int id;
	omp_lock_t lock;
	struct node *next;
};

struct table {
	struct node *nodes;
	omp_lock_t *locks;
};

enum { COUNT = 8 };

static omp_lock_t *all;
static struct table shared;
static volatile int sink;

static OWN_FRAME void use(const void *pointer)
{
	sink += pointer != NULL;
}

static OWN_FRAME void by_pointer(omp_lock_t *held)
{
	omp_set_lock(held); // NAME: held
	use(held);
}

static OWN_FRAME void by_next(struct node *node)
{
	volatile int none = 0; // no index

	omp_set_lock(&node->next->lock); // NAME: node->next->lock
	use(node);
	sink += none;
}

static OWN_FRAME void by_index(struct table *table, int i)
{
	omp_set_lock(&table->locks[i]); // NAME: table->locks[5]
	use(table);
	use(&table->locks[i]);
}

static OWN_FRAME void by_global(volatile int *i)
{
	int at = *i;

	omp_set_lock(&all[at]); // NAME: all[7]
	use(&all[at]);
}

static OWN_FRAME void by_first(void)
{
	omp_set_lock(all); // NAME: all
	sink++;
}

static OWN_FRAME void by_member(volatile int *i)
{
	int at = *i;

	omp_set_lock(&shared.nodes[at].lock); // NAME: shared.nodes[3].lock
	use(&shared.nodes[at]);
}

static OWN_FRAME void set(omp_lock_t *lock)
{
	omp_set_lock(lock); // NAME: lock
	sink++;
}

static OWN_FRAME void by_caller(struct node *node)
{
	set(&node->next->lock); // OLDER: node->next->lock
	use(node);
}

static struct node *new_nodes(void)
{
	struct node *nodes = calloc(COUNT, sizeof(*nodes));

	for (int i = 0; i < COUNT; i++) {
		nodes[i].next = &nodes[(i + 1) % COUNT];
		omp_init_lock(&nodes[i].lock);
		omp_set_lock(&nodes[i].lock);
	}
	return nodes;
}

static omp_lock_t *new_locks(void)
{
	omp_lock_t *locks = calloc(COUNT, sizeof(*locks));

	for (int i = 0; i < COUNT; i++) {
		omp_init_lock(&locks[i]);
		omp_set_lock(&locks[i]);
	}
	return locks;
}

int main(void)
{
	struct table *own = calloc(1, sizeof(*own));
	volatile int three = 3, seven = 7;
	omp_lock_t mine;

	omp_init_lock(&mine); // the first one: LLVM's runtime gives it the number 0
	omp_set_lock(&mine);
	shared = (struct table){ new_nodes(), new_locks() };
	*own = (struct table){ new_nodes(), new_locks() };
	all = new_locks();

	FILE *places = fopen("places", "w");

	if (!places)
		return 1;
	fprintf(places, "%p %p %p %p %p %p %p\n", (void *)&mine, (void *)&own->nodes[5].lock,
		(void *)&own->locks[5], (void *)&all[7], (void *)all, (void *)&shared.nodes[3].lock,
		(void *)&own->nodes[2].lock);
	fclose(places);
#pragma omp parallel num_threads(7)
	switch (omp_get_thread_num()) {
	case 0:
		by_pointer(&mine);
		break;
	case 1:
		by_next(&own->nodes[4]);
		break;
	case 2:
		by_index(own, 5);
		break;
	case 3:
		by_global(&seven);
		break;
	case 4:
		by_first();
		break;
	case 5:
		by_member(&three);
		break;
	case 6:
		by_caller(&own->nodes[1]);
		break;
	}
	return 0;
}
