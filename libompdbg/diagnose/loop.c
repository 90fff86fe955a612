// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in flight: those of which threads fetch their iterations from the runtime. The iterations of a
// loop with a static schedule are divided by the program's own code, and nothing in memory tells.

#include "base/text.h"
#include "diagnose/room.h"
#include "libcode/code.h"
#include "wait/room.h"

enum {
	MAX_CALLS = 128,
	MAX_FRAMES = 256,
};

/** One thread of a region in a loop. */
struct in_loop {
	int number;
	struct thread *thread;
	ompd_ext_loop_info info;
	struct stack_frame *frame; // whose code is in the loop; NULL: the thread's place
};

// ---- Whether a thread is in the loop that it began last ----------------------------------------

enum loop_call_kind { NO_LOOP_CALL, LOOP_BEGINS, LOOP_ENDS };

/** Tell whether libgomp's threads come by a function into a loop or sections, or out of them. */
static enum loop_call_kind loop_call_kind(const char *function)
{
	static const char *const ends[] = { "GOMP_loop_end", "GOMP_sections_end",
					    "GOMP_single_copy_start" };

	if (!function)
		return NO_LOOP_CALL;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (starts_with(function, ends[i]))
			return LOOP_ENDS;
	}
	if (starts_with(function, "GOMP_loop_") || starts_with(function, "GOMP_sections"))
		return LOOP_BEGINS;
	return NO_LOOP_CALL;
}

static uint32_t flags_of(const char *function)
{
	if (starts_with(function, "GOMP_sections"))
		return ompd_ext_loop_sections;
	return strstr(function, "_ordered_") || strstr(function, "_doacross_") ?
		       ompd_ext_loop_ordered :
		       0;
}

/** The calls of a function that begin or end loops. */
struct loop_calls {
	struct {
		uint64_t returns;
		enum loop_call_kind kind;
		uint32_t flags;
	} calls[MAX_CALLS];
	size_t count;
	uint64_t from; // of the search that goes on
	uint64_t here; // the frame's pc, or the call that returns there
};

static bool find_calls(struct runtime *runtime, const struct code_flow *flow,
		       struct loop_calls *found)
{
	for (uint32_t i = 0; i < flow->count; i++) {
		const struct code_block *block = &flow->blocks[i];
		ompd_ext_wait_site site;
		if (block->kind != CODE_CALL || !classify_block(runtime, block, &site))
			continue;
		enum loop_call_kind kind = loop_call_kind(site.function);
		if (kind == NO_LOOP_CALL)
			continue;
		if (found->count == MAX_CALLS)
			return false;
		found->calls[found->count].returns = block->end;
		found->calls[found->count].kind = kind;
		found->calls[found->count++].flags = flags_of(site.function);
	}
	return true;
}

/** Check for a call that begins or ends a loop: a search goes past none. */
static bool is_other_call(void *context, const struct code_block *block)
{
	const struct loop_calls *calls = context;

	if (block->last == calls->here)
		return false;
	for (size_t i = 0; i < calls->count; i++) {
		if (calls->calls[i].returns == block->end && block->end != calls->from)
			return block->kind == CODE_CALL;
	}
	return false;
}

static bool follows(const struct code_flow *flow, struct loop_calls *calls, uint64_t from)
{
	calls->from = from;
	return code_flow_reaches(flow, from, calls->here, is_other_call, calls);
}

/** Tell of what kind the loop is in which a frame is: all ways to there lead into a loop, and none
 *  leads out. @return NOT_KNOWN: it is in none, or that cannot be told. */
static int64_t look_at_frame(struct thread *thread, struct stack_frame *frame)
{
	struct process *process = thread->runtime->process;
	uint64_t start = stack_place(thread_stack(thread), frame)->start;
	struct loop_calls *calls = ARENA_NEW(&process->arena, struct loop_calls);
	struct code_flow flow;
	int64_t kind = NOT_KNOWN;

	calls->here = frame_here(process, frame);
	if (!calls->here || !function_flow(process, start, &flow) || !flow.is_complete)
		return NOT_KNOWN;
	code_flow_remove_unbound(process_code(process), &flow);
	if (!find_calls(thread->runtime, &flow, calls))
		return NOT_KNOWN;
	for (size_t i = 0; i < calls->count; i++) {
		if (calls->calls[i].kind == LOOP_ENDS &&
		    (frame->at.pc == calls->calls[i].returns ||
		     follows(&flow, calls, calls->calls[i].returns)))
			return NOT_KNOWN;
	}
	if (follows(&flow, calls, start))
		return NOT_KNOWN;
	for (size_t i = 0; i < calls->count; i++) {
		if (calls->calls[i].kind != LOOP_BEGINS ||
		    !follows(&flow, calls, calls->calls[i].returns))
			continue;
		if (kind != NOT_KNOWN && kind != calls->calls[i].flags)
			return NOT_KNOWN;
		kind = calls->calls[i].flags;
	}
	return kind;
}

/** Look at each place once: many threads are at one. */
static int64_t kind_at_frame(struct thread *thread, struct stack_frame *frame)
{
	struct process *process = thread->runtime->process;
	int64_t **known = (int64_t **)table_put(&diagnose_room(process)->loop_kinds,
						&process->arena, frame->at.pc);

	if (!*known) {
		*known = ARENA_NEW(&process->arena, int64_t);
		**known = look_at_frame(thread, frame);
	}
	return **known;
}

/** Find the frame whose code is in the loop that a thread began last, and what that tells. */
static struct stack_frame *find_frame(struct thread *thread, uint32_t *flags)
{
	struct stack *stack = thread_stack(thread);
	bool seen = false;

	for (size_t i = 0; i < MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame)
			break;
		if (stack_owner(stack, frame) != FRAME_USER) {
			if (seen)
				break; // the region's begin, or a task's
			continue;
		}
		seen = true;
		if (frame->at.is_inlined || frame->at.is_signal)
			continue;
		int64_t kind = kind_at_frame(thread, frame);
		if (kind != NOT_KNOWN) {
			*flags = (uint32_t)kind;
			return frame;
		}
	}
	return NULL;
}

// ---- Loops ---------------------------------------------------------------------------------------

static bool find_loop_of(struct region *region, size_t number, struct in_loop *ret)
{
	struct thread *thread = region->members[number];
	uint32_t flags = 0;

	if (!thread || !thread->handle || thread->team != region->team || thread->target->running)
		return false;
	*ret = (struct in_loop){ .number = (int)number, .thread = thread };
	if (!is_ok(SPACE_CALL(thread->runtime->space, ext_get_loop_info, thread->handle,
			      &ret->info)))
		return false;
	if (ret->info.flags & ompd_ext_loop_last) {
		ret->frame = find_frame(thread, &flags);
		ret->info.flags |= flags;
		return ret->frame;
	}
	return true;
}

static const char *schedule_name(uint32_t schedule)
{
	static const char *const names[] = { NULL, "static", "dynamic", "guided" };

	return schedule < sizeof(names) / sizeof(*names) ? names[schedule] : NULL;
}

static int64_t known_number(uint64_t number, bool is_known)
{
	return is_known && number <= INT64_MAX ? (int64_t)number : NOT_KNOWN;
}

/** Put together what the threads of a loop tell. */
static void describe(struct region *region, const struct in_loop *entries, size_t count,
		     struct loop *loop)
{
	struct arena *arena = &region->team->runtime->process->arena;
	const struct in_loop *first = &entries[0];
	uint32_t flags = first->info.flags;
	bool has_remaining = flags & ompd_ext_loop_remaining;
	uint64_t remaining = first->info.remaining;
	int known = region->num_at_barrier;

	loop->numbers = ARENA_ARRAY(arena, int, count);
	for (size_t i = 0; i < count; i++) {
		loop->numbers[i] = entries[i].number;
		thread_list_append(&loop->threads, arena, entries[i].thread);
		known += !region->at_barrier[entries[i].number];
		if (i && flags & ompd_ext_loop_own &&
		    __builtin_add_overflow(remaining, entries[i].info.remaining, &remaining))
			has_remaining = false;
	}
	loop->is_sections = flags & ompd_ext_loop_sections;
	loop->is_ordered = flags & ompd_ext_loop_ordered;
	loop->schedule = schedule_name(first->info.schedule);
	loop->chunk = known_number(first->info.chunk, first->info.chunk);
	loop->total = known_number(first->info.total, flags & ompd_ext_loop_total);
	loop->remaining = known_number(remaining, has_remaining);
	loop->remaining_is_least = has_remaining && flags & ompd_ext_loop_own &&
				   known < region->team->size;
	loop->location = first->frame ? locate(first->thread, first->frame) :
					thread_location(first->thread);
}

struct loop *region_loops(struct region *region, size_t *count)
{
	struct arena *arena = &region->team->runtime->process->arena;
	struct in_loop *found = ARENA_ARRAY(arena, struct in_loop, region->num_members);
	struct in_loop *together = ARENA_ARRAY(arena, struct in_loop, region->num_members);
	struct loop *loops = region->loops;
	size_t num_found = 0;

	*count = region->num_loops;
	if (loops)
		return loops;
	loops = region->loops = ARENA_ARRAY(arena, struct loop, region->num_members + 1);
	for (size_t i = 0; i < region->num_members; i++)
		num_found += find_loop_of(region, i, &found[num_found]);
	*count = 0;
	for (size_t i = 0; i < num_found; i++) {
		size_t num_together = 0;
		if (!found[i].thread)
			continue; // told with an earlier one
		for (size_t k = i; k < num_found; k++) {
			if (!found[k].thread || found[k].info.id != found[i].info.id)
				continue;
			together[num_together++] = found[k];
			if (k > i)
				found[k].thread = NULL;
		}
		describe(region, together, num_together, &loops[(*count)++]);
	}
	region->num_loops = *count;
	return loops;
}
