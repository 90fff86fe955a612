// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/crash.h"

#include <inttypes.h>
#include <string.h>

#include "output/text.h"

// x86-64: int3
enum { BREAKPOINT = 0xcc };

bool is_fatal(int number)
{
	switch (number) {
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGQUIT:
	case SIGSEGV:
	case SIGSYS:
	case SIGTRAP:
	case SIGXCPU:
	case SIGXFSZ:
		return true;
	default:
		return false;
	}
}

const char *signal_name(struct arena *arena, int number)
{
	const char *name = sigabbrev_np(number);

	return name ? arena_printf(arena, "SIG%s", name) : NULL;
}

/** Check whether a thread is behind a breakpoint of the program's own: a debugger takes its breakpoint
 *  out, and puts the thread before it. */
static bool is_at_trap(struct process *process, const struct thread *thread)
{
	const struct ompdbg_services *services = process->services;
	const uint32_t wanted = UINT32_C(1) << OMPDBG_RIP;
	struct ompdbg_registers registers = { 0 };
	uint8_t code = 0;

	if (!thread)
		return false;
	struct ompdbg_error *error =
		services->registers(services->context, thread->target->number, wanted, &registers);
	if (!error && registers.known & wanted)
		error = services->read_memory(services->context, registers.values[OMPDBG_RIP] - 1,
					      &code, sizeof(code));
	ompdbg_error_destroy(error);
	return !error && code == BREAKPOINT;
}

struct thread *crash_thread(struct process *process, const struct crash *crash)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		if (process->targets[i].lwp == crash->lwp)
			return process->threads[i];
	}
	return NULL;
}

bool crash_ended_core(struct process *process, const struct crash *crash)
{
	if (!crash->lwp || !is_fatal(crash->signal))
		return false;
	return crash->signal != SIGTRAP || is_at_trap(process, crash_thread(process, crash));
}

/** Find the process that has sent the signal, by kill() and the like; 0: none, or the program. */
static pid_t sender_of(const struct crash *crash, pid_t pid)
{
	if (!crash->has_info || crash->info.si_code > 0 || crash->info.si_pid == pid)
		return 0;
	return crash->info.si_pid;
}

/** Check whether it is known for which address the signal was raised. */
static bool has_address(const struct crash *crash)
{
	if (!crash->has_info || crash->info.si_code <= 0 || crash->info.si_code == SI_KERNEL)
		return false;
	return crash->signal == SIGBUS || crash->signal == SIGFPE || crash->signal == SIGILL ||
	       crash->signal == SIGSEGV;
}

bool crash_is_own(const struct crash *crash, pid_t pid)
{
	return !sender_of(crash, pid);
}

void json_crash(struct json *json, struct process *process, const struct crash *crash, pid_t pid)
{
	const struct thread *thread = crash_thread(process, crash);
	uint64_t address = (uintptr_t)crash->info.si_addr;
	pid_t sender = sender_of(crash, pid);

	json_begin_object(json);
	json_member_string(json, "signal", signal_name(&process->arena, crash->signal));
	json_member_known_int(json, "thread", thread ? thread->target->number : NOT_KNOWN);
	json_member_int(json, "lwp", crash->lwp);
	json_key(json, "address");
	if (!has_address(crash))
		json_null(json);
	else if (address)
		json_identity(json, address);
	else
		json_string(json, "0x0");
	json_member_known_int(json, "sender", sender ? sender : NOT_KNOWN);
	json_end_object(json);
}

// ---- In words ----------------------------------------------------------------------------------

/** Write "thread 3 (OpenMP thread 2 of 8)". */
static const char *who(struct arena *arena, struct thread *thread, pid_t lwp)
{
	if (!thread)
		return arena_printf(arena, "a thread (LWP %d)", (int)lwp);
	const char *label = thread->target->label;
	int size = thread_team_size(thread);
	if (thread->thread_num == NOT_KNOWN)
		return arena_printf(arena, "thread %s", label);
	if (size == NOT_KNOWN || thread_level(thread) <= 0)
		return arena_printf(arena, "thread %s (OpenMP thread %d)", label,
				    thread->thread_num);
	return arena_printf(arena, "thread %s (OpenMP thread %d of %d)", label, thread->thread_num,
			    size);
}

const char *crash_text(struct process *process, const struct crash *crash, pid_t pid)
{
	struct arena *arena = &process->arena;
	struct thread *thread = crash_thread(process, crash);
	const struct location *location = thread ? thread_location(thread) : NULL;
	pid_t sender = sender_of(crash, pid);
	bool is_about_memory = crash->signal == SIGSEGV || crash->signal == SIGBUS;
	const char *details = "";

	if (sender)
		details = arena_printf(arena, ", sent by process %d", (int)sender);
	else if (has_address(crash))
		details = arena_printf(arena, ", %s 0x%" PRIx64,
				       is_about_memory ? "access to address" : "at",
				       (uint64_t)(uintptr_t)crash->info.si_addr);
	return arena_printf(arena, "%s in %s%s%s%s", signal_name(arena, crash->signal),
			    who(arena, thread, crash->lwp), location ? ": " : "",
			    location ? place_text(arena, location) : "", details);
}
