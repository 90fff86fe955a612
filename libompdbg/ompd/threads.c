// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ids of threads: that of the system, and that of the C library.

#include "ompd/room.h"

/** Look for the pthread_t of a stopped thread: with glibc, the thread pointer. */
static struct ompdbg_error *find_pthread(struct space *space,
					 const struct ompdbg_target_thread *thread, uint64_t *ret)
{
	const uint32_t wanted = UINT32_C(1) << OMPDBG_THREAD_POINTER;
	struct ompdbg_registers registers = { 0 };

	*ret = 0;
	if (thread->running)
		return NULL;
	struct ompdbg_error *error = SERVICE(space, registers, thread->number, wanted, &registers);
	if (!error && registers.known & wanted)
		*ret = registers.values[OMPDBG_THREAD_POINTER];
	if (ends_command(error))
		return error;
	ompdbg_error_destroy(error);
	return NULL;
}

/** Note the ids of all threads, once a stop. */
static struct ompdbg_error *note_threads(struct space *space)
{
	const struct ompdbg_target_thread *threads;
	size_t count;

	if (space->has_threads)
		return NULL;
	struct ompdbg_error *error = SERVICE(space, threads, &threads, &count);
	for (size_t i = 0; !error && i < count; i++) {
		void *number = (void *)(intptr_t)threads[i].number;
		uint64_t pthread;

		error = find_pthread(space, &threads[i], &pthread);
		if (error)
			break;
		*table_put(&space->lwps, &space->stop, (uint64_t)threads[i].lwp) = number;
		if (!pthread)
			continue;
		*table_put(&space->pthreads, &space->stop, pthread) = number;
		*table_put(&space->pthread_of, &space->stop, (uint64_t)threads[i].number) =
			(void *)(uintptr_t)pthread;
	}
	space->has_threads = !error;
	return error;
}

struct ompdbg_error *space_find_thread(struct space *space, ompd_thread_id_t kind, uint64_t id,
				       int *ret)
{
	struct ompdbg_error *error = note_threads(space);
	void *number = NULL;

	if (error)
		return error;
	if (kind == ompd_thread_id_pthread)
		number = table_get(&space->pthreads, id);
	else if (kind == ompd_thread_id_lwp)
		number = table_get(&space->lwps, id);
	*ret = (int)(intptr_t)number;
	return number ? NULL : &ompdbg_error_absent;
}

struct ompdbg_error *space_pthread(struct space *space, int thread, uint64_t *ret)
{
	struct ompdbg_error *error = note_threads(space);

	if (error)
		return error;
	*ret = (uintptr_t)table_get(&space->pthread_of, (uint64_t)thread);
	return *ret ? NULL : &ompdbg_error_absent;
}
