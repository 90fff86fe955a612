// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks alike. In a team many threads wait at the same place, and GDB would unwind each of them anew.
// Here libtarget unwinds them by call frame information alone: what frames GDB makes of these is known
// once it has unwound one thread with the same addresses.

#include "services.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "libtarget/services.h"

enum {
	MAX_KNOWN = 4096, // stacks that are remembered
	MAX_DEPTH = 128,  // of these
};

struct alike {
	pid_t pid;
	struct arena arena;
	struct table known; // hash of addresses -> the newest struct known_stack
	size_t num_known;
};

/** The frames that GDB found for these addresses. */
struct known_stack {
	struct known_stack *next; // with the same hash
	struct chain chain;
	struct ompdbg_frame *frames;
	size_t num_frames;
};

static uint64_t hash_of(const struct chain *chain)
{
	uint64_t hash = chain->count;

	for (size_t i = 0; i < chain->count; i++)
		hash = (hash ^ chain->frames[i].pc) * UINT64_C(0x9e3779b97f4a7c15);
	return hash;
}

void alike_close(struct gdb_services *services)
{
	struct alike *alike = services->alike;

	if (!alike)
		return;
	arena_deinit(&alike->arena);
	free(alike);
	services->alike = NULL;
}

/** Find what is remembered of the stacks of a process of this machine. @return NULL: nothing can be. */
static struct alike *alike_of(struct gdb_services *services)
{
	pid_t pid = direct_process(services);

	if (!pid)
		return NULL;
	if (services->alike && services->alike->pid == pid)
		return services->alike;
	alike_close(services);
	services->alike = calloc(1, sizeof(*services->alike));
	if (services->alike)
		services->alike->pid = pid;
	return services->alike;
}

static void copy_frames(struct arena *arena, const struct target_frame *frames, size_t count,
			struct chain *ret)
{
	*ret = (struct chain){ ARENA_ARRAY(arena, struct target_frame, count), count };
	memcpy(ret->frames, frames, count * sizeof(*frames));
}

bool alike_chain(struct gdb_services *services, int thread, struct chain *ret)
{
	const struct user_regs_struct *registers = thread_registers(services, thread);
	struct target_frame frames[MAX_DEPTH];

	if (!registers || !alike_of(services))
		return false;
	size_t count = gdb_files_unwind(services, registers, frames, MAX_DEPTH);
	if (count > 1)
		copy_frames(&services->stop, frames, count, ret);
	return count > 1;
}

static bool is_same(const struct chain *one, const struct chain *other)
{
	if (one->count != other->count)
		return false;
	for (size_t i = 0; i < one->count; i++) {
		if (one->frames[i].pc != other->frames[i].pc)
			return false;
	}
	return true;
}

bool alike_take(struct gdb_services *services, const struct chain *chain, struct gdb_stack *stack)
{
	struct known_stack *known =
		services->alike ? table_get(&services->alike->known, hash_of(chain)) : NULL;

	while (known && !is_same(&known->chain, chain))
		known = known->next;
	if (!known)
		return false;
	stack->frames = known->frames;
	stack->num_frames = known->num_frames;
	stack->is_shared = true;
	return true;
}

bool alike_register(struct gdb_services *services, int thread, const struct ompdbg_frame *frame,
		    enum ompdbg_register number, uint64_t *ret)
{
	const struct gdb_stack *stack = table_get(&services->stacks, (uint64_t)thread);
	int place = target_kept_index(number);
	size_t index = 0;

	if (!stack || !stack->is_shared || frame->is_tail_call)
		return false;
	for (int i = 0; i < frame->level; i++)
		index += !stack->frames[i].is_inlined && !stack->frames[i].is_tail_call;
	if (index >= stack->chain.count || place < 0 || !stack->chain.frames[index].known[place])
		return false;
	*ret = stack->chain.frames[index].kept[place];
	return true;
}

/** Check that the frames are those of the addresses, and tell all of them. GDB may end a stack sooner,
 *  as at main. */
static bool is_told_by(const struct chain *chain, const struct gdb_stack *stack)
{
	size_t index = 0;

	for (size_t i = 0; i < stack->num_frames; i++) {
		const struct ompdbg_frame *frame = &stack->frames[i];

		if (frame->is_signal)
			return false;
		if (frame->is_inlined || frame->is_tail_call)
			continue;
		if (index == chain->count || frame->pc != chain->frames[index++].pc)
			return false;
	}
	return index > 0;
}

/** Check that no inlined function begins at an address: where a thread stopped, GDB makes a frame of such
 *  a one at one stop, and none at another. */
static bool is_plain(struct gdb_services *services, uint64_t pc)
{
	struct ompdbg_error *error;
	const struct ompdbg_services *files = gdb_files(services, &error);

	ompdbg_error_destroy(error);
	return files && !target_services_begins_inlined(files, pc);
}

void alike_learn(struct gdb_services *services, const struct chain *chain,
		 const struct gdb_stack *stack)
{
	struct alike *alike = services->alike;

	if (!alike || alike->num_known == MAX_KNOWN || !is_told_by(chain, stack) ||
	    !is_plain(services, chain->frames[0].pc))
		return;
	struct known_stack *known = ARENA_NEW(&alike->arena, struct known_stack);
	void **place = table_put(&alike->known, &alike->arena, hash_of(chain));
	known->next = *place;
	*place = known;
	alike->num_known++;
	copy_frames(&alike->arena, chain->frames, chain->count, &known->chain);
	known->num_frames = stack->num_frames;
	known->frames = ARENA_ARRAY(&alike->arena, struct ompdbg_frame, stack->num_frames);
	for (size_t i = 0; i < stack->num_frames; i++) {
		known->frames[i] = stack->frames[i];
		known->frames[i].object = arena_strdup(&alike->arena, stack->frames[i].object);
	}
}
