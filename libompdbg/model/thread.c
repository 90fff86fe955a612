// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of the debugger, and what OpenMP knows of it. It may be no OpenMP thread.

#include <limits.h>

#include "model/room.h"

/** Ask the library for a thread by one of its ids. *is_wrong_kind: by another it may know it. */
static struct ompdbg_error *open_by(struct thread *thread, ompd_thread_id_t kind, uint64_t id,
				    bool *is_wrong_kind)
{
	struct space *space = thread->runtime->space;
	// An LWP has 31 bits. They come first in memory: the machine is little endian.
	size_t size = kind == ompd_thread_id_lwp ? sizeof(int32_t) : sizeof(id);
	ompd_thread_handle_t *handle = NULL;
	struct ompdbg_error *error =
		SPACE_CALL(space, get_thread_handle, space_handle(space), kind, size, &id, &handle);

	*is_wrong_kind = space_last_code(space) == ompd_rc_unsupported ||
			 space_last_code(space) == ompd_rc_bad_input;
	error = space_made(space, ompd_scope_thread, error, handle);
	if (!error)
		thread->handle = handle;
	return error;
}

/** Note why an OpenMP thread could not be asked, if that is a failure. */
static struct ompdbg_error *note_failure(struct thread *thread, struct ompdbg_error *error)
{
	if (error && error->code != OMPDBG_UNAVAILABLE)
		thread->error = arena_strdup(&thread->runtime->process->arena, error->message);
	return unless_interrupted(error);
}

/** Read what only the extended library tells. */
static void read_info(struct thread *thread)
{
	ompd_ext_thread_info info = { .barrier_phase = -1 };

	if (!runtime_is_extended(thread->runtime) ||
	    !is_ok(SPACE_CALL(thread->runtime->space, ext_get_thread_info, thread->handle, &info)))
		return;
	thread->is_helper = info.kind == ompd_ext_thread_helper;
	if (info.barrier_phase >= 0)
		thread->barrier_phase = info.barrier_phase;
}

struct ompdbg_error *thread_open(struct thread *thread)
{
	struct space *space = thread->runtime->space;
	bool is_wrong_kind = true;
	uint64_t pthread;

	if (thread->target->running)
		return NULL;
	struct ompdbg_error *error = space_pthread(space, thread->target->number, &pthread);
	if (!error)
		error = open_by(thread, ompd_thread_id_pthread, pthread, &is_wrong_kind);
	if (ends_command(error))
		return error;
	if (error && is_wrong_kind && thread->target->lwp >= 0 && thread->target->lwp <= INT_MAX) {
		ompdbg_error_destroy(error);
		error = open_by(thread, ompd_thread_id_lwp, (uint64_t)thread->target->lwp,
				&is_wrong_kind);
	}
	if (error)
		return note_failure(thread, error);
	thread->id = space_id(space, ompd_scope_thread, thread->handle);
	read_info(thread);
	return NULL;
}

struct ompdbg_error *thread_join(struct thread *thread)
{
	struct space *space = thread->runtime->space;
	ompd_parallel_handle_t *region = NULL;

	if (!thread->handle || thread->is_helper)
		return NULL;
	struct ompdbg_error *error =
		SPACE_CALL(space, get_curr_parallel_handle, thread->handle, &region);
	error = space_made(space, ompd_scope_parallel, error, region);
	if (error)
		return note_failure(thread, error);
	thread->team = runtime_team(thread->runtime, region);
	if (thread->team)
		thread->thread_num = thread_number_in(thread, thread->team);
	return NULL;
}

/** Find where the C library keeps the id of a thread in its own record of it, as it says for libthread_db;
 *  0: unknown. */
static uint64_t own_id_offset(struct process *process)
{
	struct {
		uint32_t bits, count, offset;
	} field;
	uint64_t address;

	if (!process->has_own_ids) {
		process->has_own_ids = true;
		if (is_ok(SERVICE(process, symbol_address, "_thread_db_pthread_tid", NULL, 0,
				  &address)) &&
		    process_read(process, address, &field, sizeof(field)) && field.bits == 32 &&
		    field.count == 1)
			process->own_id_offset = field.offset;
	}
	return process->own_id_offset;
}

int64_t thread_own_id(const struct thread *thread)
{
	struct process *process = thread->runtime->process;
	const uint64_t offset = own_id_offset(process);
	uint64_t pthread;
	int32_t id;

	if (offset && !thread->target->running &&
	    is_ok(space_pthread(thread->runtime->space, thread->target->number, &pthread)) &&
	    process_read(process, pthread + offset, &id, sizeof(id)) && id > 0)
		return id;
	return thread->target->lwp;
}

void thread_list_append(struct thread_list *list, struct arena *arena, struct thread *thread)
{
	*ARENA_APPEND(arena, list->all, list->count, list->capacity) = thread;
}

void thread_list_add(struct thread_list *list, struct arena *arena, struct thread *thread)
{
	if (!thread_list_has(list, thread))
		thread_list_append(list, arena, thread);
}

void thread_list_join(struct thread_list *list, struct arena *arena,
		      const struct thread_list *added)
{
	for (size_t i = 0; i < added->count; i++)
		thread_list_add(list, arena, added->all[i]);
}

bool thread_list_has(const struct thread_list *list, const struct thread *thread)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->all[i] == thread)
			return true;
	}
	return false;
}

enum tristate thread_is_openmp(const struct thread *thread)
{
	if (thread->handle)
		return YES;
	return thread->target->running || thread->error ? UNKNOWN : NO;
}

/** Find the number of a thread for libraries that do not tell it. */
static int look_for_number(struct thread *thread, struct team *team)
{
	struct arena *arena = &team->runtime->process->arena;

	if (!team->has_numbers) {
		team->has_numbers = true;
		for (int number = 0; number < team->size && number < MAX_MEMBERS; number++) {
			struct thread *member = team_member(team, number);

			if (!member)
				continue;
			void **place =
				table_put(&team->numbers, arena, (uint64_t)member->target->number);
			if (!*place)
				*place = (void *)(intptr_t)(number + 1);
		}
	}
	void *number = table_get(&team->numbers, (uint64_t)thread->target->number);
	return number ? (int)(intptr_t)number - 1 : NOT_KNOWN;
}

int thread_number_in(struct thread *thread, struct team *team)
{
	int number = -1;

	if (!thread->handle || thread->runtime != team->runtime)
		return NOT_KNOWN;
	if (!runtime_is_extended(thread->runtime))
		return look_for_number(thread, team);
	if (!is_ok(SPACE_CALL(thread->runtime->space, ext_get_thread_num, thread->handle,
			      team->handle, &number)))
		return NOT_KNOWN;
	return number < 0 ? NOT_KNOWN : number;
}

struct task *thread_task(struct thread *thread)
{
	struct space *space = thread->runtime->space;
	ompd_ext_task_info info = { 0 };
	ompd_task_handle_t *handle = NULL;

	if (thread->has_task || !thread->handle)
		return thread->task;
	thread->has_task = true;
	struct ompdbg_error *error =
		SPACE_CALL(space, get_curr_task_handle, thread->handle, &handle);
	error = space_made(space, ompd_scope_task, error, handle);
	if (!error)
		error = SPACE_CALL(space, ext_get_task_info, handle, &info);
	if (!is_ok(error) || (thread->is_helper && info.kind == ompd_ext_task_implicit))
		return NULL;
	thread->task = ARENA_NEW(&thread->runtime->process->arena, struct task);
	thread->task->runtime = thread->runtime;
	thread->task->info = info;
	thread->task->handle = handle;
	return thread->task;
}

size_t thread_views(struct thread *thread, struct thread **views)
{
	struct process *process = thread->runtime->process;
	size_t index = (size_t)(thread->target - process->targets), count = 0;

	views[count++] = thread;
	for (size_t i = 0; i < process->num_runtimes; i++) {
		struct thread *view = process->runtimes[i]->threads[index];

		if (view != thread && view->handle)
			views[count++] = view;
	}
	return count;
}

int thread_team_size(struct thread *thread)
{
	return thread->team ? thread->team->size : NOT_KNOWN;
}

int thread_level(struct thread *thread)
{
	return thread->team ? thread->team->level : NOT_KNOWN;
}

int thread_active_level(struct thread *thread)
{
	return thread->team ? thread->team->active_level : NOT_KNOWN;
}
