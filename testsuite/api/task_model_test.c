// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random trees of tasks in a team of one thread, where a task runs at no other place than the test
// says. The test keeps a model of what exists, and compares after each step every record that
// libompd enumerates with it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "task_list.h"

enum {
	RUNS = 24,
	MAX_NODES = 400,
	MAX_LIVE = 50, // libgomp runs tasks at once when 64 for each thread are queued
	MAX_DEPTH = 6,
	ADDRESSES = 5,
};

/** A task, as the program knows it. */
struct node {
	struct node *parent; // NULL: the implicit task
	struct node *waits_for[2];
	struct node *last_writer[ADDRESSES]; // of its children
	uint64_t id;			     // 0: not enumerated yet
	uint64_t taskgroup;
	void *depends[2];
	int num_depends;
	int priority;
	int depth;
	int in_group;  // number of the taskgroup around it, 0: none
	int innermost; // the same, or that of the taskgroup that it has opened
	bool undeferred, final;
	bool begun, ended;
	bool recorded; // libgomp's memory leads to it
};

static ompd_address_space_handle_t *space;
static ompd_thread_handle_t *thread;
static ompd_parallel_handle_t *parallel;
static struct task_list list;
static struct node nodes[MAX_NODES];
static struct node implicit_node; // its taskgroup, and the dependences among its children
static int node_count, live, groups;
static uint64_t group_address[MAX_NODES];
static struct node *current; // NULL: the implicit task
static int current_group;
static bool with_priorities;
static bool gcc_10; // whose libgomp follows the pointer to a parent that has ended
static unsigned int run, seed;
static int addresses[ADDRESSES];
static long comparisons, left_open, beyond_reach;

static unsigned int choose(unsigned int below)
{
	return (unsigned int)rand_r(&seed) % below;
}

#define COMPARE(ours, expected)                       \
	do {                                          \
		comparisons++;                        \
		assert_int_equal((ours), (expected)); \
	} while (0)

static void body(void *data);

static uint64_t implicit_id(void)
{
	ompd_task_handle_t *task;
	uint64_t id = 0;

	assert_int_equal(ompd_get_task_in_parallel(parallel, 0, &task), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_handle_id(task, ompd_scope_task, &id), ompd_rc_ok);
	assert_int_equal(ompd_rel_task_handle(task), ompd_rc_ok);
	return id;
}

static unsigned int predecessors(const struct node *node)
{
	unsigned int unfinished = 0;

	for (int i = 0; i < node->num_depends; i++) {
		const struct node *other = node->waits_for[i];

		unfinished += other && !other->ended && !(i && other == node->waits_for[0]);
	}
	return unfinished;
}

// What the task's handle answers is what the enumeration said.
static void compare_handle(ompd_task_handle_t *task, const ompd_ext_task_info *info)
{
	ompd_ext_task_info alone;
	ompd_task_handle_t *parent;
	ompd_address_t function = { 0, 0 };
	uint64_t id = 0;
	ompd_rc_t rc;

	assert_int_equal(ompd_ext_get_task_info(task, &alone), ompd_rc_ok);
	COMPARE(alone.id, info->id);
	COMPARE(alone.parent_id, info->parent_id);
	COMPARE(alone.status, info->status);
	COMPARE(alone.flags, info->flags);
	rc = ompd_get_generating_task_handle(task, &parent);
	COMPARE(rc, info->parent_id ? ompd_rc_ok : ompd_rc_unavailable);
	if (rc == ompd_rc_ok) {
		assert_int_equal(ompd_ext_get_handle_id(parent, ompd_scope_task, &id), ompd_rc_ok);
		COMPARE(id, info->parent_id);
		assert_int_equal(ompd_rel_task_handle(parent), ompd_rc_ok);
	}
	rc = ompd_get_task_function(task, &function);
	COMPARE(rc, info->function ? ompd_rc_ok : ompd_rc_unavailable);
	COMPARE(function.address, info->function);
}

static void compare_by_info(const struct node *node, const ompd_ext_task_info *info)
{
	ompd_task_handle_t *task;
	ompd_ext_depend depends[4];
	size_t count = 77;

	assert_int_equal(ompd_ext_get_task_by_info(parallel, info, &task), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_task_depends(task, depends, 4, &count), ompd_rc_ok);
	COMPARE(count, node->undeferred ? 0 : node->num_depends);
	for (size_t i = 0; i < count; i++) {
		bool found = false;

		for (int j = 0; j < node->num_depends; j++)
			found |= depends[i].address == (uintptr_t)node->depends[j];
		assert_true(found);
		COMPARE(depends[i].kind, ompd_ext_depend_out);
	}
	compare_handle(task, info);
	assert_int_equal(ompd_rel_task_handle(task), ompd_rc_ok);
}

static void compare_group(const struct node *node, const ompd_ext_task_info *info)
{
	if (!node->innermost) {
		COMPARE(info->taskgroup, 0);
		return;
	}
	if (!group_address[node->innermost])
		group_address[node->innermost] = info->taskgroup;
	assert_int_not_equal(info->taskgroup, 0);
	COMPARE(info->taskgroup, group_address[node->innermost]);
}

static void compare_node(const struct node *node, uint64_t implicit)
{
	const ompd_ext_task_info *info = task_list_find(&list, node->id);
	uint64_t parent = !node->parent ? implicit : node->parent->ended ? 0 : node->parent->id;

	if (!info)
		fail_msg("run %u: task %d (%s%s, depth %d) is not enumerated", run,
			 (int)(node - nodes), node->undeferred ? "undeferred" : "deferred",
			 node->begun ? ", begun" : "", node->depth);
	COMPARE(info->kind, ompd_ext_task_explicit);
	COMPARE(info->parent_id, parent);
	COMPARE(info->priority, node->priority);
	COMPARE(info->function, node->undeferred ? 0 : (uintptr_t)body);
	COMPARE(info->num_predecessors, node->begun ? 0 : predecessors(node));
	COMPARE(info->flags & info->flags_known,
		(node->final ? ompd_ext_task_final : 0) |
			(node->undeferred ? ompd_ext_task_undeferred : 0));
	compare_group(node, info);
	if (!node->begun) {
		COMPARE(info->status,
			predecessors(node) ? ompd_ext_task_blocked : ompd_ext_task_queued);
		COMPARE(info->thread_num, -1);
	} else if (node == current) {
		COMPARE(info->status, ompd_ext_task_running);
		COMPARE(info->thread_num, 0);
	} else if (info->status == ompd_ext_task_started || info->status == ompd_ext_task_unknown) {
		left_open++; // no memory of libgomp's tells that it is suspended
	} else {
		COMPARE(info->status, ompd_ext_task_suspended);
	}
	compare_by_info(node, info);
}

// Who leads to whom: a parent is told by its child; what was begun hangs from its parent and its
// taskgroup, what is blocked from those that it waits for, and what is queued from the team.
static bool leads_to(const struct node *from, const struct node *to)
{
	if (from->parent == to)
		return true;
	if (to->undeferred)
		return false;
	if (!to->begun && predecessors(to))
		return from == to->waits_for[0] || from == to->waits_for[1];
	return to->parent == from || (to->in_group && to->in_group == from->innermost);
}

// Marks what can be found. A suspended task is beyond reach if its parent has ended and nobody
// refers to it. Returns how many of these the team counts.
static unsigned int mark_recorded(void)
{
	unsigned int unreached = 0;
	bool more = true;

	for (int i = 0; i < node_count; i++) {
		struct node *node = &nodes[i];

		node->recorded = !node->ended &&
				 (node == current || (!node->begun && !predecessors(node)) ||
				  (node->begun && !node->undeferred &&
				   (!node->parent || (node->in_group &&
						      node->in_group == implicit_node.innermost))));
	}
	while (more) {
		more = false;
		for (int i = 0; i < node_count; i++) {
			for (int j = 0; j < node_count && !nodes[i].recorded; j++) {
				if (nodes[i].ended || nodes[j].ended || !nodes[j].recorded ||
				    !leads_to(&nodes[j], &nodes[i]))
					continue;
				nodes[i].recorded = more = true;
			}
		}
	}
	for (int i = 0; i < node_count; i++)
		unreached += !nodes[i].ended && !nodes[i].recorded && !nodes[i].undeferred &&
			     (nodes[i].begun || !predecessors(&nodes[i]));
	return unreached;
}

// Compares everything. What is new in the enumeration is @p created.
static void compare_all(struct node *created)
{
	uint64_t implicit = implicit_id();
	unsigned int unreached = mark_recorded();
	size_t expected = 1;

	task_list_read(space, parallel, 1 + choose(7), &list);
	for (size_t i = 0; i < list.count; i++) {
		bool known = list.records[i].id == implicit;

		for (int j = 0; j < node_count && !known; j++)
			known = !nodes[j].ended && nodes[j].id == list.records[i].id;
		if (known)
			continue;
		assert_non_null(created);
		assert_int_equal(created->id, 0);
		created->id = list.records[i].id;
	}
	for (int i = 0; i < node_count; i++) {
		if (nodes[i].ended)
			continue;
		if (!nodes[i].recorded) {
			beyond_reach++;
			continue;
		}
		expected++;
		compare_node(&nodes[i], implicit);
	}
	COMPARE(list.count, expected);
	COMPARE(list.unreached, unreached);
}

// The current task, asked by itself.
static void compare_current(void)
{
	ompd_task_handle_t *task, *parent;
	uint64_t id = 0;
	ompd_rc_t rc;

	assert_int_equal(ompd_get_curr_task_handle(thread, &task), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_handle_id(task, ompd_scope_task, &id), ompd_rc_ok);
	COMPARE(id, current->id);
	rc = ompd_get_generating_task_handle(task, &parent);
	if (current->parent && current->parent->ended) {
		COMPARE(rc, ompd_rc_unavailable);
	} else {
		COMPARE(rc, ompd_rc_ok);
		assert_int_equal(ompd_ext_get_handle_id(parent, ompd_scope_task, &id), ompd_rc_ok);
		COMPARE(id, current->parent ? current->parent->id : implicit_id());
		assert_int_equal(ompd_rel_task_handle(parent), ompd_rc_ok);
	}
	assert_int_equal(ompd_rel_task_handle(task), ompd_rc_ok);
}

// Siblings that name an address after one another run after one another.
static void choose_depends(struct node *node, struct task_spec *spec)
{
	struct node *parent = node->parent ? node->parent : &implicit_node;

	if (choose(2) || (gcc_10 && node->parent))
		return;
	node->num_depends = spec->num_depends = 1 + (int)choose(2);
	for (int i = 0, at = (int)choose(ADDRESSES); i < node->num_depends;
	     i++, at = (at + 1) % ADDRESSES) {
		node->depends[i] = spec->depends[i] = &addresses[at];
		node->waits_for[i] = parent->last_writer[at];
		parent->last_writer[at] = node;
	}
}

static void create(void)
{
	struct node *node = &nodes[node_count];
	struct task_spec spec = { .body = body, .argument = node };

	if (node_count == MAX_NODES || live >= MAX_LIVE)
		return;
	*node = (struct node){
		.parent = current,
		.depth = current ? current->depth + 1 : 0,
		.in_group = current_group,
		.innermost = current_group,
		.priority = with_priorities ? (int)choose(9) : 0,
		.undeferred = choose(6) == 0,
		.final = choose(8) == 0,
	};
	spec.undeferred = node->undeferred;
	if (current && current->final)
		node->undeferred = node->final = true; // included
	if (node->final)
		spec.flags |= TASK_FINAL;
	if (choose(3) == 0)
		spec.flags |= TASK_UNTIED;
	spec.priority = node->priority;
	if (!node->undeferred)
		choose_depends(node, &spec);
	live++;
	node_count++;
	task_create(&spec);
	if (!node->undeferred)
		compare_all(node);
}

static void in_taskgroup(void)
{
	struct node *opener = current ? current : &implicit_node;
	int outer = current_group;

#pragma omp taskgroup
	{
		current_group = ++groups;
		opener->innermost = current_group;
		create();
		create();
	}
	current_group = outer;
	opener->innermost = outer;
}

static void act(int steps)
{
	for (int i = 0; i < steps; i++) {
		unsigned int what = choose(10);

		if (what < 7) {
			create();
		} else if (what < 9) {
#pragma omp taskwait
		} else {
			in_taskgroup();
		}
	}
}

static void body(void *data)
{
	struct node *node = *(struct node **)data, *below = current;
	int outer = current_group;

	node->begun = true;
	current = node;
	current_group = node->in_group;
	compare_all(node);
	compare_current();
	// With priorities GOMP_taskwait may run a task that is no child of the waiting one, and then
	// leaves the freed task in its parent's queue: libgomp's own error, to be kept away from.
	if (!with_priorities && node->depth < MAX_DEPTH)
		act((int)choose(4));
	node->ended = true;
	live--;
	current = below;
	current_group = outer;
}

static void open_handles(void)
{
	uint64_t self = (uint64_t)pthread_self();

	assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &self, &thread),
			 ompd_rc_ok);
	assert_int_equal(ompd_get_curr_parallel_handle(thread, &parallel), ompd_rc_ok);
}

static void random_trees(void **state)
{
	(void)state;
	for (run = 0; run < RUNS; run++) {
		seed = run;
		with_priorities = run % 2;
		memset(nodes, 0, sizeof(nodes));
		memset(&implicit_node, 0, sizeof(implicit_node));
		memset(group_address, 0, sizeof(group_address));
		node_count = live = groups = 0;
#pragma omp parallel num_threads(1)
		{
			open_handles();
			compare_all(NULL);
			act(12);
#pragma omp barrier
			compare_all(NULL);
			COMPARE(live, 0);
			ompd_rel_parallel_handle(parallel);
			ompd_rel_thread_handle(thread);
		}
	}
}

static int open_space(void **state)
{
	const char *version;

	(void)state;
	if (ompd_initialize(202111, &plain_callbacks) != ompd_rc_ok ||
	    ompd_process_initialize(plain_context(), &space) != ompd_rc_ok ||
	    ompd_get_omp_version_string(space, &version) != ompd_rc_ok)
		return -1;
	gcc_10 = strstr(version, "GCC 10") != NULL;
	host_free(version);
	return 0;
}

static int close_space(void **state)
{
	(void)state;
	ompd_rel_address_space_handle(space);
	ompd_finalize();
	fprintf(stderr, "%ld comparisons; not recorded by libgomp: %ld states, %ld tasks\n",
		comparisons, left_open, beyond_reach);
	return here_blocks != 0 || comparisons < 10000;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_trees) };

	if (omp_get_max_task_priority() < 9) {
		fprintf(stderr, "to be run with OMP_MAX_TASK_PRIORITY=9\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, open_space, close_space);
}
