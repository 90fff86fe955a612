// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks alike. In a team many threads wait at the same place, and GDB would unwind each of them anew.
// Here the return addresses alone are looked up: what frames they make is known once GDB has unwound
// one thread with the same ones, and call frame information tells where their registers are.

#include "services.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "chain.h"
#include "libtarget/services.h"

enum { MAX_KNOWN = 4096 }; // stacks that are remembered

struct alike {
	pid_t pid;
	struct chain_reader chain;
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
		hash = (hash ^ chain->addresses[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return hash;
}

void alike_forget(struct gdb_services *services)
{
	if (services->alike)
		chain_forget(&services->alike->chain);
}

void alike_close(struct gdb_services *services)
{
	struct alike *alike = services->alike;

	if (!alike)
		return;
	if (alike->chain.frames)
		call_frames_close(alike->chain.frames);
	chain_deinit(&alike->chain);
	arena_deinit(&alike->arena);
	free(alike);
	services->alike = NULL;
}

/** Open what tells the addresses of a process's stacks. @return NULL: nothing does. */
static struct alike *alike_of(struct gdb_services *services)
{
	pid_t pid = direct_process(services);

	if (!pid)
		return NULL;
	if (services->alike && services->alike->pid == pid)
		return services->alike;
	alike_close(services);
	struct alike *alike = calloc(1, sizeof(*alike));
	if (!alike)
		return NULL;
	services->alike = alike;
	alike->pid = pid;
	alike->chain.memory = &services->direct;
	alike->chain.frames = call_frames_open(pid);
	return alike->chain.frames && chain_init(&alike->chain) ? alike : NULL;
}

bool alike_chain(struct gdb_services *services, int thread, struct chain *ret)
{
	const struct user_regs_struct *registers = thread_registers(services, thread);
	struct alike *alike = registers ? alike_of(services) : NULL;
	uint64_t addresses[CHAIN_DEPTH];

	if (!alike || !alike->chain.steps)
		return false;
	struct place at = place_of_registers(registers);
	ret->count = chain_follow(&alike->chain, &at, addresses);
	if (!ret->count)
		return false;
	ret->addresses = ARENA_ARRAY(&services->stop, uint64_t, ret->count);
	memcpy(ret->addresses, addresses, ret->count * sizeof(*addresses));
	return true;
}

static bool is_same(const struct chain *one, const struct chain *other)
{
	return one->count == other->count &&
	       memcmp(one->addresses, other->addresses, one->count * sizeof(*one->addresses)) == 0;
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

/** Find where the frame of a chain is. @return NULL: that is not so simple. */
static const struct place *place_in(struct gdb_services *services, int thread,
				    struct gdb_stack *stack, size_t index)
{
	const struct user_regs_struct *registers = thread_registers(services, thread);

	if (stack->place_of == index + 1)
		return &stack->place;
	stack->place_of = 0;
	if (!registers || !services->alike)
		return NULL;
	stack->place = place_of_registers(registers);
	if (!chain_climb(&services->alike->chain, &stack->place, index) ||
	    stack->place.pc != stack->chain.addresses[index])
		return NULL;
	stack->place_of = index + 1;
	return &stack->place;
}

bool alike_register(struct gdb_services *services, int thread, const struct ompdbg_frame *frame,
		    enum ompdbg_register number, uint64_t *ret)
{
	static const int8_t kept[OMPDBG_NUM_REGISTERS] = {
		[OMPDBG_RBX] = 1 + CALL_FRAME_RBX,    [OMPDBG_RBP] = 1 + CALL_FRAME_RBP,
		[OMPDBG_R8 + 4] = 1 + CALL_FRAME_R12, [OMPDBG_R8 + 5] = 1 + CALL_FRAME_R13,
		[OMPDBG_R8 + 6] = 1 + CALL_FRAME_R14, [OMPDBG_R15] = 1 + CALL_FRAME_R15,
	};
	struct gdb_stack *stack = table_get(&services->stacks, (uint64_t)thread);
	const struct place *place = NULL;
	size_t index = 0;

	if (!stack || !stack->is_shared || frame->is_tail_call)
		return false;
	for (int i = 0; i < frame->level; i++)
		index += !stack->frames[i].is_inlined && !stack->frames[i].is_tail_call;
	if (index < stack->chain.count)
		place = place_in(services, thread, stack, index);
	if (!place ||
	    (number != OMPDBG_RSP && (!kept[number] || !place->kept[kept[number] - 1].known)))
		return false;
	*ret = number == OMPDBG_RSP ? place->sp : place->kept[kept[number] - 1].value;
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
		if (index == chain->count || frame->pc != chain->addresses[index++])
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
	    !is_plain(services, chain->addresses[0]))
		return;
	struct known_stack *known = ARENA_NEW(&alike->arena, struct known_stack);
	void **place = table_put(&alike->known, &alike->arena, hash_of(chain));
	known->next = *place;
	*place = known;
	alike->num_known++;
	known->chain.count = chain->count;
	known->chain.addresses = ARENA_ARRAY(&alike->arena, uint64_t, chain->count);
	memcpy(known->chain.addresses, chain->addresses, chain->count * sizeof(uint64_t));
	known->num_frames = stack->num_frames;
	known->frames = ARENA_ARRAY(&alike->arena, struct ompdbg_frame, stack->num_frames);
	for (size_t i = 0; i < stack->num_frames; i++) {
		known->frames[i] = stack->frames[i];
		known->frames[i].object = arena_strdup(&alike->arena, stack->frames[i].object);
	}
}
