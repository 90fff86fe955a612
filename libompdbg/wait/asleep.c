// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a thread sleeps in the kernel, and on what. x86-64 Linux.
//
// A thread that was woken may not have run yet: it still is in its system call then. But it went to
// sleep on a word of memory, and who wakes it changes the word first.

#include "wait/room.h"

/** Operations of futex() that wait. */
enum { FUTEX_WAIT = 0, FUTEX_LOCK_PI = 6, FUTEX_WAIT_BITSET = 9, FUTEX_WAIT_REQUEUE_PI = 11 };
enum {
	FUTEX_OPERATION = 0x7f,
	FUTEX_PRIVATE = 0x80, // only threads of the process know it
	CALL_SCHED_YIELD = 24,
	CALL_NANOSLEEP = 35,
	CALL_FUTEX = 202,
	CALL_RESTART = 219, // goes on with a timed call that a stop has interrupted
	CALL_CLOCK_NANOSLEEP = 230,
};
enum { SYSCALL_BYTES = 2, R10 = OMPDBG_R8 + 2 };

/** Results of calls that were interrupted before they have done anything (ERESTARTSYS and the like). */
enum { FIRST_RESTART = -516, LAST_RESTART = -512, INTERRUPTED = -4 };

/** read, poll, select, pause, connect, accept, recvfrom, recvmsg, wait4, semop, msgrcv, flock,
 *  rt_sigtimedwait, rt_sigsuspend, semtimedop, epoll_wait, waitid, pselect6, ppoll, epoll_pwait,
 *  accept4, recvmmsg: they wait for something outside of the process, perhaps for ever. */
static const uint16_t calls_that_wait[] = {
	0,  7,	 23,  34,  42,	43,  45,  47,  61,  65,	 70,
	73, 128, 130, 220, 232, 247, 270, 271, 281, 288, 299,
};

/** write, open, pread64, pwrite64, readv, writev, sendfile, sendto, sendmsg, msgsnd, fcntl, creat, openat,
 *  mq_timedsend, mq_timedreceive, splice, tee, vmsplice, preadv, pwritev, sendmmsg, openat2: seldom
 *  they have to wait, for a lock of a file, or somebody at the other end. */
static const uint16_t calls_that_may_wait[] = {
	1,  2,	 17,  18,  19,	20,  40,  44,  46,  69,	 72,
	85, 257, 242, 243, 275, 276, 278, 295, 296, 307, 437,
};

struct known_call {
	bool is_call;
	struct system_call call;
};

static bool is_among(uint64_t number, const uint16_t *calls, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (calls[i] == number)
			return true;
	}
	return false;
}

/** Check for a call that waits for something outside of the process. @p result: its register, which tells
 *  whether it has come to an end. */
static bool waits_outside(uint64_t number, int64_t result)
{
	bool is_interrupted = (result >= FIRST_RESTART && result <= LAST_RESTART) ||
			      result == INTERRUPTED;

	return is_among(number, calls_that_wait,
			sizeof(calls_that_wait) / sizeof(*calls_that_wait)) ||
	       (is_interrupted &&
		is_among(number, calls_that_may_wait,
			 sizeof(calls_that_may_wait) / sizeof(*calls_that_may_wait)));
}

/** Check whether the instruction at an address is a system call. */
static bool is_system_call(struct process *process, uint64_t pc)
{
	static const uint8_t syscall[SYSCALL_BYTES] = { 0x0f, 0x05 };
	uint8_t code[SYSCALL_BYTES];

	return code_read(process_code(process), pc, code, sizeof(code)) == sizeof(code) &&
	       code[0] == syscall[0] && code[1] == syscall[1];
}

static bool is_unchanged(struct process *process, uint64_t address, uint32_t expected)
{
	uint32_t word;

	return process_read(process, address, &word, sizeof(word)) && word == expected;
}

/** Look at the system call of a thread. If a signal interrupted it and the handler has returned, the thread
 *  is at the call again; of those only calls count in which it is about to sleep. */
static bool look_at(struct thread *thread, struct system_call *call)
{
	struct process *process = thread->runtime->process;
	struct ompdbg_registers registers;
	struct stack_frame *frame = thread->target->running ? NULL :
							      stack_frame(thread_stack(thread), 0);

	if (!frame)
		return false;
	bool is_in = is_system_call(process, frame->at.pc - SYSCALL_BYTES);
	uint32_t number = is_in ? OMPDBG_ORIG_RAX : OMPDBG_RAX;
	uint32_t wanted = 1U << number | 1U << OMPDBG_RAX | 1U << OMPDBG_RDI | 1U << OMPDBG_RSI |
			  1U << OMPDBG_RDX | 1U << R10;

	if (!(is_in || is_system_call(process, frame->at.pc)) ||
	    !is_ok(SERVICE(process, registers, thread->target->number, wanted, &registers)) ||
	    (registers.known & wanted) != wanted)
		return false;
	call->number = registers.values[number];
	if ((int64_t)call->number < 0)
		return false; // it was in none, or has left it
	call->arguments[0] = registers.values[OMPDBG_RDI];
	call->arguments[1] = registers.values[OMPDBG_RSI];
	if (call->number == CALL_SCHED_YIELD)
		return false; // it gives its time away, and goes on without being woken
	call->waits_outside = waits_outside(call->number, (int64_t)registers.values[OMPDBG_RAX]);
	call->is_timed = call->number == CALL_NANOSLEEP || call->number == CALL_CLOCK_NANOSLEEP ||
			 call->number == CALL_RESTART;
	uint64_t operation = registers.values[OMPDBG_RSI] & FUTEX_OPERATION;
	bool on_word = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
	if (call->number != CALL_FUTEX ||
	    !(on_word || operation == FUTEX_LOCK_PI || operation == FUTEX_WAIT_REQUEUE_PI))
		return is_in;
	call->is_futex_wait = true;
	call->address = registers.values[OMPDBG_RDI];
	call->is_timed = registers.values[R10];
	call->is_shared = !(registers.values[OMPDBG_RSI] & FUTEX_PRIVATE);
	call->sleeps = on_word &&
		       is_unchanged(process, call->address, (uint32_t)registers.values[OMPDBG_RDX]);
	return is_in || call->sleeps;
}

bool thread_system_call(struct thread *thread, struct system_call *ret)
{
	struct process *process = thread->runtime->process;
	struct known_call **known = (struct known_call **)table_put(
		&wait_room(process)->sleeps, &process->arena, (uint64_t)thread->target->number);

	if (!*known) {
		struct known_call *call = *known = ARENA_NEW(&process->arena, struct known_call);
		call->is_call = look_at(thread, &call->call);
	}
	*ret = (*known)->call;
	return (*known)->is_call;
}

bool thread_is_asleep(struct thread *thread)
{
	struct system_call call;

	return thread_system_call(thread, &call) && call.sleeps;
}
