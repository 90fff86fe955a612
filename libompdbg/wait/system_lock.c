// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of the C library that threads wait for: mutexes, as of std::mutex, locks of readers and writers, as
// of std::shared_mutex, and spin locks. They hold one another up as locks of OpenMP do. The GNU C library
// keeps in a mutex whether somebody waits for it, and its owner; in a lock of readers and writers who
// writes; in a spin lock whether it is held.

#include <stddef.h>
#include <string.h>

#include "wait/evidence.h"

enum { AWAITED = 2 };

/** How pthread_mutex_t begins. */
struct mutex_head {
	int32_t word; // AWAITED: it is held, and threads wait for it
	uint32_t count;
	int32_t owner; // id of the thread in the system
};

/** The members of pthread_rwlock_t. */
struct rwlock_head {
	uint32_t readers; // their number, and flags; readers sleep on it that let a writer go first
	uint32_t writers;
	uint32_t phase_futex;	// readers sleep on it, and the first of the writers
	uint32_t writers_futex; // other writers sleep on it
	uint32_t unused[2];
	int32_t writer; // id of the thread in the system that writes; 0: none
};
enum {
	READERS_SHIFT = 3, // flags below the number
	PHASE_FLAGS = 3,   // all that `phase_futex` has
};

static bool read_mutex(struct process *process, uint64_t address, struct lock_state *ret)
{
	struct mutex_head head;

	if (!process_read(process, address, &head, sizeof(head)) || head.word != AWAITED)
		return false;
	ret->owner = head.owner;
	return true;
}

static bool read_rwlock(struct process *process, uint64_t address, struct lock_state *ret)
{
	struct rwlock_head head;

	if (!process_read(process, address, &head, sizeof(head)))
		return false;
	ret->owner = head.writer;
	ret->num_readers = head.writer ? 0 : head.readers >> READERS_SHIFT;
	return ret->owner || ret->num_readers;
}

static bool read_spinlock(struct process *process, uint64_t address, struct lock_state *ret)
{
	int32_t word;

	*ret = (struct lock_state){ .records_nobody = true };
	return process_read(process, address, &word, sizeof(word)) && word <= 0;
}

bool read_system_lock(struct process *process, uint32_t kind, uint64_t address,
		      struct lock_state *ret)
{
	*ret = (struct lock_state){ 0 };
	switch (kind) {
	case WAIT_PTHREAD_MUTEX:
		return read_mutex(process, address, ret);
	case WAIT_PTHREAD_RWLOCK:
		return read_rwlock(process, address, ret);
	case WAIT_PTHREAD_SPINLOCK:
		return read_spinlock(process, address, ret);
	default:
		return false;
	}
}

/** Functions that wait for such locks, without end. */
static const struct {
	const char *name;
	uint32_t kind;
} functions[] = {
	{ "pthread_mutex_lock", WAIT_PTHREAD_MUTEX },
	{ "pthread_mutex_lock_full", WAIT_PTHREAD_MUTEX },
	{ "pthread_rwlock_wrlock", WAIT_PTHREAD_RWLOCK },
	{ "pthread_rwlock_rdlock", WAIT_PTHREAD_RWLOCK },
	{ "pthread_spin_lock", WAIT_PTHREAD_SPINLOCK },
};

/** Find the lock of readers and writers of which a thread sleeps on a member. A reader sleeps on the number of
 *  readers only while it is not 0, the flag that they wait is set, and a writer waits. */
static uint64_t rwlock_of_member(struct process *process, uint64_t address)
{
	uint32_t word;

	if (address % sizeof(uint64_t))
		return address - offsetof(struct rwlock_head, writers_futex);
	if (!process_read(process, address, &word, sizeof(word)))
		return 0;
	return word > PHASE_FLAGS ? address - offsetof(struct rwlock_head, readers) :
				    address - offsetof(struct rwlock_head, phase_futex);
}

/** Find the address of the lock: where the thread sleeps, or what it looks at in a loop. @return 0: it
 *  may have got the lock. */
static uint64_t awaited_address(struct thread *thread, uint32_t kind)
{
	struct system_call call;

	if (kind == WAIT_PTHREAD_SPINLOCK)
		return spin_address(thread);
	if (!thread_system_call(thread, &call) || !call.sleeps)
		return 0;
	return kind == WAIT_PTHREAD_RWLOCK ?
		       rwlock_of_member(thread->runtime->process, call.address) :
		       call.address;
}

bool awaited_system_lock(struct thread *thread, struct awaited_lock *ret)
{
	const char *function = thread_system_function(thread);
	struct lock_state state;

	*ret = (struct awaited_lock){ 0 };
	for (size_t i = 0; function && i < sizeof(functions) / sizeof(*functions); i++) {
		if (strcmp(function, functions[i].name) == 0)
			ret->kind = functions[i].kind;
	}
	if (!ret->kind)
		return false;
	ret->address = awaited_address(thread, ret->kind);
	if (!ret->address ||
	    !read_system_lock(thread->runtime->process, ret->kind, ret->address, &state))
		*ret = (struct awaited_lock){ 0 };
	return ret->address;
}
