// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder, which is preloaded, keeps of this process, for a program that checks it against
// its own knowledge. A program ends with 1, and a message, if it disagrees.

#ifndef OMPDBG_TEST_OWN_RECORD_H
#define OMPDBG_TEST_OWN_RECORD_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "include/ompt/recorder.h"

#define REQUIRE(condition)                                                                        \
	do {                                                                                      \
		if (!(condition)) {                                                               \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1);                                                                 \
		}                                                                                 \
	} while (0)

/** Find the root. */
static inline const struct record_root *own_root(void)
{
	static const struct record_root *root;

	if (!root)
		root = dlsym(RTLD_DEFAULT, "ompdbg_record");
	REQUIRE(root && !strcmp(root->magic, RECORD_MAGIC));
	return root;
}

/** Find the block of the calling thread, or null. */
static inline const struct record_thread *find_own_thread(void)
{
	uint64_t lwp = (uint64_t)syscall(SYS_gettid);
	const struct record_thread *thread = (const void *)(uintptr_t)own_root()->threads;

	while (thread && (thread->lwp != lwp || thread->ended || !thread->begun))
		thread = (const void *)(uintptr_t)thread->next;
	return thread;
}

/** Find the block of the calling thread. */
static inline const struct record_thread *own_thread(void)
{
	const struct record_thread *thread = find_own_thread();

	REQUIRE(thread);
	return thread;
}

/** Return whether an address is in this program. */
static inline bool in_program(uint64_t code)
{
	Dl_info found, program;

	return dladdr((void *)(uintptr_t)code, &found) && dladdr((void *)own_root, &program) &&
	       found.dli_fbase == program.dli_fbase;
}

/** Check whether a thread is shown to wait. */
static inline bool is_waiting(const struct record_thread *thread)
{
	return thread->acquire.kind || (thread->wait.kind && thread->wait.object == thread->task);
}

/** Count the mutexes that a thread holds. */
static inline uint32_t count_holds(const struct record_thread *thread)
{
	const volatile struct record_hold *holds = (const void *)(uintptr_t)thread->holds;
	uint32_t number = 0;

	for (uint32_t i = 0; i < thread->num_holds; i++)
		number += holds[i].kind != 0;
	return number;
}

/** Count the threads that live. */
static inline int count_threads(void)
{
	const volatile struct record_thread *thread = (const void *)(uintptr_t)own_root()->threads;
	int number = 0;

	for (; thread; thread = (const void *)(uintptr_t)thread->next)
		number += thread->begun && !thread->ended;
	return number;
}

/** Count the tasks that live. */
static inline int count_tasks(void)
{
	const volatile struct record_tasks *block = (const void *)(uintptr_t)own_root()->tasks;
	int number = 0;

	for (; block; block = (const void *)(uintptr_t)block->next) {
		const volatile struct record_task *tasks = (const volatile void *)(block + 1);

		for (uint32_t i = 0; i < block->capacity; i++)
			number += tasks[i].id != 0;
	}
	return number;
}

/** Count the events of a kind that a thread's ring still has. */
static inline int count_events(const struct record_thread *thread, enum record_kind kind)
{
	const volatile struct record_event *ring = (const void *)(uintptr_t)thread->ring;
	uint64_t size = own_root()->ring_events, head = thread->head;
	int number = 0;

	for (uint64_t i = head < size ? 0 : head - size + 1; i < head; i++)
		number += ring[i % size].kind == kind;
	return number;
}

#endif
