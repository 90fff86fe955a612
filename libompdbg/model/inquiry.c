// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool (OMPT) could ask of a thread.

#include "model/inquiry.h"

#include "model/room.h"

enum { MAX_LEVEL = 4096, MAX_PLACES = 4096 };

/** ompt_task_flag_t */
enum { TASK_INITIAL = 1, TASK_EXPLICIT = 4 };
static const struct {
	uint32_t bit;
	const char *name;
} types[] = {
	{ 1, "initial" },	{ 2, "implicit" },     { 4, "explicit" },
	{ 8, "target" },	{ 16, "taskwait" },    { 1U << 27, "undeferred" },
	{ 1U << 28, "untied" }, { 1U << 29, "final" }, { 1U << 30, "mergeable" },
};

const char *answer_name(enum answer answer)
{
	static const char *const names[] = {
		[ANSWER_STATE] = "state",
		[ANSWER_WAIT_ID] = "wait_id",
		[ANSWER_DATA] = "data",
		[ANSWER_PLACE] = "place",
		[ANSWER_PARTITION] = "partition",
		[ANSWER_PROCESSOR] = "processor",
		[ANSWER_TYPE] = "type",
		[ANSWER_THREAD_NUM] = "thread_num",
		[ANSWER_PARALLEL_DATA] = "parallel_data",
		[ANSWER_EXIT_FRAME] = "exit_frame",
		[ANSWER_ENTER_FRAME] = "enter_frame",
		[ANSWER_MEMORY] = "memory",
		[ANSWER_TEAM_SIZE] = "team_size",
		[ANSWER_LEVEL] = "level",
		[ANSWER_NEXT] = "next",
	};

	return names[answer];
}

size_t task_type_names(uint32_t type, const char **names, size_t most)
{
	size_t count = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types) && count < most; i++) {
		if (type & types[i].bit)
			names[count++] = types[i].name;
	}
	return count;
}

/** Note that something was asked, and the answer or the reason why there is none. */
static bool note(struct inquiry *found, enum answer answer, struct ompdbg_error *error)
{
	found->asked |= 1U << answer;
	if (!error) {
		found->known |= 1U << answer;
		return true;
	}
	found->reasons[answer] =
		arena_strdup(&found->thread->runtime->process->arena, error->message);
	ompdbg_error_destroy(error);
	return false;
}

/** Note an answer that another one tells. */
static void set(struct inquiry *found, enum answer answer, bool is_known, uint64_t number)
{
	found->asked |= 1U << answer;
	if (is_known)
		found->known |= 1U << answer;
	found->numbers[answer] = number;
}

static struct inquiry *new_inquiry(struct thread *thread, int level)
{
	struct inquiry *found = ARENA_NEW(&thread->runtime->process->arena, struct inquiry);

	found->thread = thread;
	found->level = level;
	return found;
}

/** Ask for the reason why there is no tool data. */
static void explain_data(struct inquiry *found)
{
	ompd_word_t value;
	ompd_address_t data;
	struct ompdbg_error *error = SPACE_CALL(found->thread->runtime->space, get_tool_data,
						found->thread->handle, ompd_scope_thread, &value,
						&data);

	if (error)
		note(found, ANSWER_DATA, error);
}

// ---- Threads -------------------------------------------------------------------------------------

static void ask_partition(struct inquiry *found)
{
	int *places = ARENA_ARRAY(&found->thread->runtime->process->arena, int, MAX_PLACES);
	size_t count = 0;

	if (!note(found, ANSWER_PARTITION,
		  SPACE_CALL(found->thread->runtime->space, ext_get_partition_place_nums,
			     found->thread->handle, places, MAX_PLACES, &count)))
		return;
	if (!count || count > MAX_PLACES) {
		found->known &= ~(1U << ANSWER_PARTITION);
		return;
	}
	found->partition[0] = places[0];
	found->partition[1] = places[count - 1];
}

static struct inquiry *ask_thread(struct thread *thread)
{
	struct inquiry *found = new_inquiry(thread, NOT_KNOWN);
	struct space *space = thread->runtime->space;
	ompd_thread_handle_t *handle = thread->handle;
	ompd_word_t state = 0, value = 0;
	ompd_wait_id_t wait_id = 0;
	ompd_address_t data = { 0 };
	int place = 0, processor = 0;

	if (note(found, ANSWER_STATE, SPACE_CALL(space, get_state, handle, &state, &wait_id)))
		found->state = runtime_state_name(thread->runtime, (uint64_t)state);
	set(found, ANSWER_WAIT_ID, found->state, wait_id);
	note(found, ANSWER_DATA,
	     SPACE_CALL(space, get_tool_data, handle, ompd_scope_thread, &value, &data));
	found->numbers[ANSWER_DATA] = (uint64_t)value;
	note(found, ANSWER_PLACE, SPACE_CALL(space, ext_get_place_num, handle, &place));
	found->numbers[ANSWER_PLACE] = (uint64_t)(int64_t)place;
	ask_partition(found);
	note(found, ANSWER_PROCESSOR, SPACE_CALL(space, ext_get_proc_id, handle, &processor));
	found->numbers[ANSWER_PROCESSOR] = (uint64_t)(int64_t)processor;
	return found;
}

// ---- Levels --------------------------------------------------------------------------------------

static uint64_t frame_of(ompd_frame_info_t frame)
{
	return frame.frame_address.address;
}

static struct ompdbg_error *ask_task(struct inquiry *found)
{
	struct thread *thread = found->thread;
	struct space *space = thread->runtime->space;
	ompd_ext_ompt_task_info info = { 0 };
	struct ompdbg_error *error =
		SPACE_CALL(space, ext_get_ompt_task_info, thread->handle, found->level, &info);
	uint64_t address = 0;

	if (error)
		return error;
	set(found, ANSWER_TYPE, info.known & ompd_ext_ompt_type, info.type);
	found->type = info.type;
	set(found, ANSWER_THREAD_NUM, info.known & ompd_ext_ompt_thread_num,
	    (uint64_t)(int64_t)info.thread_num);
	set(found, ANSWER_DATA, info.known & ompd_ext_ompt_task_data, info.task_data);
	set(found, ANSWER_PARALLEL_DATA, info.known & ompd_ext_ompt_parallel_data,
	    info.parallel_data);
	set(found, ANSWER_EXIT_FRAME, info.known & ompd_ext_ompt_frame, frame_of(info.exit_frame));
	set(found, ANSWER_ENTER_FRAME, info.known & ompd_ext_ompt_frame,
	    frame_of(info.enter_frame));
	if (!(info.known & ompd_ext_ompt_task_data))
		explain_data(found);
	if (found->level)
		return NULL;
	found->asked |= 1U << ANSWER_MEMORY; // only an explicit task has some of its own
	if (info.known & ompd_ext_ompt_type && info.type & TASK_EXPLICIT)
		note(found, ANSWER_MEMORY,
		     SPACE_CALL(space, ext_get_task_memory, thread->handle, 0, &address,
				&found->memory_size));
	found->numbers[ANSWER_MEMORY] = address;
	return NULL;
}

static struct ompdbg_error *ask_region(struct inquiry *found)
{
	struct thread *thread = found->thread;
	ompd_ext_ompt_parallel_info info = { 0 };
	struct ompdbg_error *error = SPACE_CALL(thread->runtime->space, ext_get_ompt_parallel_info,
						thread->handle, found->level, &info);

	if (error)
		return error;
	set(found, ANSWER_TEAM_SIZE, true, (uint64_t)(int64_t)info.team_size);
	set(found, ANSWER_DATA, info.known & ompd_ext_ompt_parallel_data, info.parallel_data);
	if (!(info.known & ompd_ext_ompt_parallel_data))
		explain_data(found);
	return NULL;
}

typedef struct ompdbg_error *ask_level(struct inquiry *found);

/** Give an inquiry that says why there is no such level. */
static void set_no_level(struct inquiry *found, struct ompdbg_error *error)
{
	found->reasons[ANSWER_LEVEL] =
		arena_strdup(&found->thread->runtime->process->arena, error->message);
	ompdbg_error_destroy(error);
}

static struct inquiry *ask_levels(struct thread *thread, int level, ask_level *ask, size_t *count)
{
	struct arena *arena = &thread->runtime->process->arena;
	struct inquiry *found = NULL;
	size_t capacity = 0;

	*count = 0;
	if (level != NOT_KNOWN) {
		struct inquiry *one = new_inquiry(thread, level);
		struct ompdbg_error *error = ask(one);
		if (error)
			set_no_level(one, error);
		*count = 1;
		return one;
	}
	while (*count < MAX_LEVEL) {
		struct inquiry *one = new_inquiry(thread, (int)*count);
		struct ompdbg_error *error = ask(one);
		if (!error) {
			*ARENA_APPEND(arena, found, *count, capacity) = *one;
			continue;
		}
		if (!*count) {
			set_no_level(one, error);
			*count = 1;
			return one;
		}
		struct inquiry *last = &found[*count - 1];
		if (last->known & 1U << ANSWER_TYPE && !(last->type & TASK_INITIAL))
			last->reasons[ANSWER_NEXT] = arena_strdup(arena, error->message);
		ompdbg_error_destroy(error);
		break;
	}
	return found;
}

const struct inquiry *inquiries_of(struct thread *thread, enum inquiry_kind kind, int level,
				   size_t *count)
{
	if (kind != INQUIRY_THREAD)
		return ask_levels(thread, level, kind == INQUIRY_TASK ? ask_task : ask_region,
				  count);
	*count = 1;
	return ask_thread(thread);
}
