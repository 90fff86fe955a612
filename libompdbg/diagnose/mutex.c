// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes of the C library, as of std::mutex, that threads sleep on: they hold one another up as locks
// of OpenMP do. The GNU C library keeps in a mutex whether somebody waits for it, and its owner.

#include "diagnose/room.h"

enum { MAX_FRAMES = 64, AWAITED = 2 };

/** How pthread_mutex_t begins. */
struct mutex_head {
	int32_t word; // AWAITED: it is held, and threads wait for it
	uint32_t count;
	int32_t owner; // id of the thread in the system
};

/** Read a mutex. @return false: it cannot be read, or no thread waits for it. */
static bool read_head(struct process *process, uint64_t address, struct mutex_head *ret)
{
	const struct ompdbg_services *services = process->services;

	return is_ok(services->read_memory(services->context, address, ret, sizeof(*ret))) &&
	       ret->word == AWAITED;
}

static void set_owner(struct process *process, struct lock *mutex, int32_t owner)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		if (process->targets[i].lwp != owner)
			continue;
		mutex->owner = process->threads[i];
		mutex->source = OWNER_RECORDED;
		return;
	}
	// The thread has ended, or has another number here, or the mutex was overwritten.
	mutex->reason = owner ? arena_printf(&process->arena,
					     "its recorded owner, LWP %d, is not among the threads",
					     owner) :
				"it records no owner";
}

static const char *name_of(struct thread *thread, uint64_t address)
{
	struct process *process = thread->runtime->process;
	const struct ompdbg_services *services = process->services;
	struct stack *stack = thread_stack(thread);
	struct ompdbg_symbol symbol;
	const char *name;
	uint64_t near = 0;
	bool has_symbol = is_ok(services->symbol_at(services->context, address, &symbol));

	if (!is_users_data(process, address, has_symbol ? &symbol : NULL))
		return NULL;
	for (size_t i = 0; i < MAX_FRAMES && !near; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame)
			break;
		if (stack_owner(stack, frame) == FRAME_USER)
			near = frame->at.pc;
	}
	if (is_ok(services->variable_at(services->context, address, true, near, &name)))
		return name;
	return has_symbol ? symbol_title(process, &symbol) : NULL;
}

/** Find the mutex on which a thread sleeps. @return 0: it sleeps on none. */
static uint64_t waited_mutex(struct thread *thread)
{
	const struct ompdbg_services *services = thread->runtime->process->services;
	const uint32_t wanted = 1U << OMPDBG_RDI;
	struct ompdbg_registers registers;
	const char *function;

	if (thread->target->running || thread_wait(thread) || !thread_is_asleep(thread))
		return 0;
	// Others end by themselves.
	function = thread_system_function(thread);
	if (!function || (strcmp(function, "pthread_mutex_lock") != 0 &&
			  strcmp(function, "pthread_mutex_lock_full") != 0))
		return 0;
	if (!is_ok(services->registers(services->context, thread->target->number, wanted,
				       &registers)) ||
	    !(registers.known & wanted))
		return 0;
	return registers.values[OMPDBG_RDI];
}

struct lock *process_mutexes(struct process *process, size_t *count)
{
	struct diagnose_room *room = diagnose_room(process);
	struct arena *arena = &process->arena;

	if (!room->has_mutexes)
		room->mutexes = ARENA_ARRAY(arena, struct lock, process->num_targets);
	for (size_t i = 0; i < process->num_targets && !room->has_mutexes; i++) {
		struct thread *thread = process->threads[i];
		uint64_t address = waited_mutex(thread);
		struct lock *mutex = room->mutexes, *end = mutex + room->num_mutexes;
		while (mutex < end && mutex->address != address)
			mutex++;
		if (address && mutex == end) {
			struct mutex_head head;
			if (!read_head(process, address, &head))
				continue;
			room->num_mutexes++;
			mutex->kind = "pthread_mutex";
			mutex->runtime = thread->runtime;
			mutex->symbol = name_of(thread, address);
			mutex->title =
				mutex->symbol ?
					arena_printf(arena, "mutex %s", mutex->symbol) :
					arena_printf(arena, "mutex %#lx", (unsigned long)address);
			mutex->address = address;
			mutex->is_held = YES;
			set_owner(process, mutex, head.owner);
			mutex->waiters =
				ARENA_ARRAY(arena, struct thread *, process->num_targets - i);
		}
		if (address)
			mutex->waiters[mutex->num_waiters++] = thread;
	}
	room->has_mutexes = true;
	*count = room->num_mutexes;
	return room->mutexes;
}
