// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of tasks: blocks that are never given back, lists of free records in each thread, and a
// store through which threads that end more tasks than they create hand records to the others.

#include "recorder.h"

#define BLOCK_BYTES (UINT64_C(64) * 1024)
#define BATCH 64
#define IDS 64

// Batches of BATCH records, linked by `region` of their first. Whoever finds it busy does without.
static struct {
	uint32_t busy;
	uint32_t unused;
	struct record_task *first;
} store;

/** Enter the store, unless another thread is there. */
static bool open_store(void)
{
	return !__atomic_exchange_n(&store.busy, 1, __ATOMIC_ACQUIRE);
}

/** Leave the store. */
static void close_store(void)
{
	__atomic_store_n(&store.busy, 0, __ATOMIC_RELEASE);
}

/** Return the next record of a list. */
static struct record_task *next_of(const struct record_task *task)
{
	return (struct record_task *)(uintptr_t)task->parent;
}

/** Take a batch from the store; return false if there is none. */
static bool take_batch(struct thread *thread)
{
	struct record_task *first;

	if (!__atomic_load_n(&store.first, __ATOMIC_RELAXED) || !open_store())
		return false;
	first = store.first;
	if (first)
		__atomic_store_n(&store.first, (struct record_task *)(uintptr_t)first->region,
				 __ATOMIC_RELAXED);
	close_store();
	thread->free_tasks = first;
	thread->num_free_tasks = first ? BATCH : 0;
	return first;
}

/** Map another block of records; return false if the budget has no room. */
static bool map_block(struct thread *thread)
{
	struct record_tasks *block = map_memory(BLOCK_BYTES);
	uint64_t first = __atomic_load_n(&ompdbg_record.tasks, __ATOMIC_RELAXED);

	if (!block)
		return false;
	block->capacity = (BLOCK_BYTES - sizeof(*block)) / sizeof(struct record_task);
	do
		block->next = first;
	while (!__atomic_compare_exchange_n(&ompdbg_record.tasks, &first,
					    (uint64_t)(uintptr_t)block, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	thread->fresh_tasks = (struct record_task *)(block + 1);
	thread->num_fresh_tasks = block->capacity;
	return true;
}

/** Fill the list of free records, which is empty, and the numbers for tasks. */
bool refill_tasks(struct thread *thread)
{
	if (thread->next_task_id == thread->last_task_id) {
		thread->next_task_id =
			__atomic_fetch_add(&recorder.num_task_ids, IDS, __ATOMIC_RELAXED);
		thread->last_task_id = thread->next_task_id + IDS;
	}
	if (thread->free_tasks || take_batch(thread))
		return true;
	if (!thread->num_fresh_tasks && !map_block(thread))
		return false;
	for (int i = 0; i < BATCH && thread->num_fresh_tasks; i++) {
		struct record_task *task = thread->fresh_tasks++;

		thread->num_fresh_tasks--;
		task->parent = (uint64_t)(uintptr_t)thread->free_tasks;
		thread->free_tasks = task;
		thread->num_free_tasks++;
	}
	return true;
}

/** Put a batch of the thread's free records, of which there are at least two, into the store. */
void return_tasks(struct thread *thread)
{
	struct record_task *first = thread->free_tasks, *last = first;

	if (!open_store())
		return;
	for (int i = 1; i < BATCH; i++)
		last = next_of(last);
	thread->free_tasks = next_of(last);
	thread->num_free_tasks -= BATCH;
	last->parent = 0;
	first->region = (uint64_t)(uintptr_t)store.first;
	__atomic_store_n(&store.first, first, __ATOMIC_RELAXED);
	close_store();
}

/** Forget in the child of a fork the tasks that did not come along: all but the one with this address.
 *  Their records are not used again, for the runtime may still know them. */
void forget_tasks(uint64_t but)
{
	const struct record_tasks *block;

	if (store.busy) { // with a thread that is no more
		store.busy = 0;
		store.first = NULL;
	}
	for (block = (const void *)(uintptr_t)ompdbg_record.tasks; block;
	     block = (const void *)(uintptr_t)block->next) {
		struct record_task *tasks = (struct record_task *)(block + 1);

		for (uint32_t i = 0; i < block->capacity; i++)
			if ((uint64_t)(uintptr_t)&tasks[i] != but)
				tasks[i].id = 0;
	}
}
