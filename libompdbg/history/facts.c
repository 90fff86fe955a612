// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts that last: what threads hold and wait for, their regions, and the tasks that live.

#include <string.h>

#include "history/room.h"

enum { MAX_BLOCKS = 1 << 16 };

// ---- Threads -----------------------------------------------------------------------------------

struct history_thread *history_of(struct thread *thread)
{
	struct process *process = thread->runtime->process;

	if (!process_history(process))
		return NULL;
	return table_get(&history_room(process)->by_thread, (uint64_t)thread->target->number);
}

struct history_thread *history_numbered(struct history *history, uint64_t number)
{
	for (size_t i = 0; i < history->num_threads; i++) {
		if (history->threads[i].record.number == number)
			return &history->threads[i];
	}
	return NULL;
}

/** Read an array of a thread: @p count elements, one each @p stride bytes, of which @p size are known. */
static void *read_array(struct history *history, uint64_t address, size_t count, size_t stride,
			size_t size)
{
	struct arena *arena = &history->process->arena;
	char *bytes = ARENA_ARRAY(arena, char, count *stride + 1);
	char *elements = ARENA_ARRAY(arena, char, count *size + 1);

	if (!count)
		return elements;
	if (!history_read(history->process, address, bytes, count * stride)) {
		history->is_damaged = true;
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		memcpy(elements + i * size, bytes + i * stride, size);
	return elements;
}

static void read_facts(struct history *history, struct history_thread *thread)
{
	const struct record_root *root = &history->root;
	const struct record_thread *record = &thread->record;
	size_t levels = record->num_levels < root->max_levels ? record->num_levels :
								root->max_levels;
	size_t holds = record->num_holds < root->max_holds ? record->num_holds : root->max_holds;

	if (thread->has_facts)
		return;
	thread->has_facts = true;
	thread->holds =
		read_array(history, record->holds, holds, root->hold_size, sizeof(*thread->holds));
	thread->levels = read_array(history, record->levels, levels, root->level_size,
				    sizeof(*thread->levels));
	thread->num_holds = thread->holds ? holds : 0;
	thread->num_levels = thread->levels ? levels : 0;
}

const struct record_wait *history_wait(struct thread *thread)
{
	const struct history_thread *found = history_of(thread);
	const struct record_thread *record = found ? &found->record : NULL;

	if (record && record->acquire.kind)
		return &record->acquire;
	return record && record->wait.kind && record->wait.object == record->task ? &record->wait :
										    NULL;
}

// ---- Owners ------------------------------------------------------------------------------------

/** Check that no release of a mutex can have been missed: by a thread that found no room, or in a signal
 *  handler. */
static bool has_all_releases(const struct history *history)
{
	for (size_t i = 0; i < history->num_threads; i++) {
		if (history->threads[i].record.lost_events)
			return false;
	}
	return !history->root.threads_dropped;
}

bool history_owner(struct history *history, uint64_t object, struct history_owner *ret)
{
	struct history_owner found = { 0 };

	for (size_t i = 0; i < history->num_threads; i++) {
		struct history_thread *thread = &history->threads[i];
		read_facts(history, thread);
		for (size_t k = 0; k < thread->num_holds; k++) {
			const struct record_hold *hold = &thread->holds[k];
			// Who took it later has it: somebody has released it before.
			if (hold->kind && hold->object == object &&
			    (!found.by || hold->since > found.hold.since))
				found = (struct history_owner){ thread, *hold };
		}
	}
	if (!found.by || !has_all_releases(history))
		return false;
	*ret = found;
	return true;
}

// ---- Regions -----------------------------------------------------------------------------------

const struct record_level *history_level(struct thread *thread, struct team *team)
{
	struct history_thread *found = history_of(thread);
	const struct team *inner = thread->team;
	size_t depth = 0;

	if (!found || !team)
		return NULL;
	read_facts(process_history(thread->runtime->process), found);
	if (found->record.num_levels > found->num_levels)
		return NULL; // the innermost are not kept
	for (; inner && inner != team && depth < found->num_levels; depth++)
		inner = team_parent((struct team *)inner);
	if (inner != team || depth >= found->num_levels)
		return NULL;
	const struct record_level *level = &found->levels[found->num_levels - 1 - depth];
	return level->region && (int)level->team == team->size &&
			       (int)level->thread == thread_number_in(thread, team) ?
		       level :
		       NULL;
}

// ---- Tasks -------------------------------------------------------------------------------------

/** Read where the blocks of tasks are. */
static void read_blocks(struct history *history, struct history_room *room)
{
	struct process *process = history->process;
	uint64_t address = history->root.tasks;
	struct record_tasks block;

	room->has_blocks = true;
	while (address && room->num_blocks < MAX_BLOCKS && !process_is_interrupted(process) &&
	       history_read(process, address, &block, sizeof(block))) {
		uint64_t first = address + sizeof(block);
		*ARENA_APPEND(&process->arena, room->blocks, room->num_blocks, room->capacity) =
			(struct task_block){ first, first + (uint64_t)block.capacity *
								    history->root.task_size };
		address = block.next;
	}
	history->is_damaged |= address != 0;
}

/** Check for the address of a task of the recording. */
static bool is_task_address(struct history *history, uint64_t address)
{
	struct history_room *room = history_room(history->process);

	if (!room->has_blocks)
		read_blocks(history, room);
	for (size_t i = 0; i < room->num_blocks; i++) {
		const struct task_block *block = &room->blocks[i];
		if (address >= block->first && address < block->end)
			return (address - block->first) % history->root.task_size == 0;
	}
	return false;
}

bool history_task(struct task *task, struct record_task *ret)
{
	struct runtime *runtime = task->runtime;
	struct history *history = process_history(runtime->process);
	uint64_t data;

	return history && task->info.kind == ompd_ext_task_explicit &&
	       task_tool_data(task, &data) && is_task_address(history, data) &&
	       history_read(runtime->process, data, ret, sizeof(*ret)) && ret->id;
}
