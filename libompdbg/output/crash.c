// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/crash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/regular_file.h"
#include "diagnose/fault.h"
#include "diagnose/words.h"
#include "output/json/parts.h"
#include "output/text/text.h"

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
	const uint32_t wanted = UINT32_C(1) << OMPDBG_RIP;
	struct ompdbg_registers registers = { 0 };
	uint8_t code = 0;

	if (!thread)
		return false;
	struct ompdbg_error *error =
		SERVICE(process, registers, thread->target->number, wanted, &registers);
	if (!error && registers.known & wanted)
		error = SERVICE(process, read_memory, registers.values[OMPDBG_RIP] - 1, &code,
				sizeof(code));
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

static bool is_about_memory(const struct crash *crash)
{
	return crash->signal == SIGSEGV || crash->signal == SIGBUS;
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

// ---- In words ----------------------------------------------------------------------------------

/** Check whether a handler of the program's may have raised the signal again, as that of Fortran's runtime:
 *  then it has come where the access failed. */
static bool may_be_raised_again(const struct crash *crash, pid_t pid)
{
	return crash->signal == SIGSEGV && crash->has_info && crash->info.si_code <= 0 &&
	       crash_is_own(crash, pid);
}

/** Find what a thread has accessed; for what is not about memory, the address alone. */
static struct fault fault_of(const struct crash *crash, struct thread *thread, pid_t pid)
{
	const uint64_t address = (uint64_t)(uintptr_t)crash->info.si_addr;
	bool is_known = has_address(crash);
	// For an address that no memory can have, the processor does not tell it.
	bool is_hidden = crash->signal == SIGSEGV && crash->has_info &&
			 crash->info.si_code == SI_KERNEL;

	is_hidden |= may_be_raised_again(crash, pid);
	if (thread && (is_hidden || (is_known && is_about_memory(crash))))
		return thread_fault(thread, is_known ? &address : NULL);
	return (struct fault){ .has_address = is_known, .address = address };
}

/** Name an access as in JSON; NULL if it is unknown which it is. */
static const char *kind_name(enum fault_kind kind)
{
	static const char *const names[] = {
		[FAULT_READ] = "read",
		[FAULT_WRITE] = "write",
		[FAULT_JUMP] = "jump",
	};

	return names[kind];
}

/** Say what an arithmetic operation did; NULL: the kernel does not tell. */
static const char *arithmetic_text(const struct crash *crash, struct thread *thread)
{
	uint64_t divisor;

	switch (crash->signal == SIGFPE ? crash->info.si_code : 0) {
	case FPE_INTDIV: // also if the result is too large
		if (!thread || !thread_divisor(thread, &divisor))
			return "integer division by zero, or with too large a result";
		return divisor ? "integer division with too large a result" :
				 "integer division by zero";
	case FPE_FLTDIV:
		return "floating-point division by zero";
	case FPE_FLTOVF:
		return "floating-point overflow";
	case FPE_FLTUND:
		return "floating-point underflow";
	case FPE_FLTRES:
		return "inexact floating-point result";
	case FPE_FLTINV:
		return "invalid floating-point operation";
	default:
		return NULL;
	}
}

/** Say that a thread has come to the end of its stack, and what gives it a larger one. */
static const char *overflow_text(struct arena *arena, struct thread *thread, pid_t pid)
{
	const char *remedy = "";

	if (thread->target->lwp == pid || thread_own_id(thread) == pid)
		remedy = "; ulimit -s sets its size";
	else if (thread->team && thread->thread_num > 0)
		remedy = "; OMP_STACKSIZE sets its size";
	return arena_printf(arena, " (probably a stack overflow%s)", remedy);
}

/** Say that the program was ended for an exception; NULL: it was not. */
static const char *exception_text(struct arena *arena, const struct crash *crash,
				  struct thread *thread)
{
	bool is_thrown;
	const struct logical_frame *construct =
		crash->signal == SIGABRT && thread ? thread_uncaught(thread, &is_thrown) : NULL;

	if (!construct)
		return NULL;
	const char *name = construct_name(construct->construct);
	const char *where = construct->function ? arena_printf(arena, " of %s",
							       at_text(arena, construct->function,
								       construct->construct_file,
								       construct->construct_line)) :
						  "";

	return arena_printf(arena, "an exception%s was not caught in the %s%s",
			    is_thrown ? "" : " or pthread_exit()", name, where);
}

/** Write what the signal is about: "invalid read at 0x8 (p->next; p is null)"; NULL if it is unknown. */
static const char *details_text(struct arena *arena, const struct crash *crash, pid_t pid,
				struct thread *thread, const struct fault *fault)
{
	const char *kind = kind_name(fault->kind), *reason = "";
	const pid_t sender = sender_of(crash, pid);

	if (sender)
		return arena_printf(arena, "sent by process %d", (int)sender);
	if (crash->signal == SIGABRT)
		return exception_text(arena, crash, thread);
	if (!fault->has_address)
		return NULL;
	if (!is_about_memory(crash)) {
		reason = arithmetic_text(crash, thread);
		return reason ? reason : arena_printf(arena, "at 0x%" PRIx64, fault->address);
	}
	if (fault->expression && fault->pointer)
		reason =
			arena_printf(arena, " (%s; %s is null)", fault->expression, fault->pointer);
	else if (fault->is_below_stack)
		reason = overflow_text(arena, thread, pid);
	else if (fault->expression)
		reason = arena_printf(arena, " (%s)", fault->expression);
	else if (!fault->address)
		reason = " (null pointer)";
	return arena_printf(arena, "invalid %s %s 0x%" PRIx64 "%s", kind ? kind : "access",
			    fault->kind == FAULT_JUMP ? "to" : "at", fault->address, reason);
}

const char *crash_text(struct process *process, const struct crash *crash, pid_t pid)
{
	struct arena *arena = &process->arena;
	struct thread *thread = crash_thread(process, crash);
	const struct location *location = thread ? thread_location(thread) : NULL;
	const struct fault fault = fault_of(crash, thread, pid);
	const char *details = details_text(arena, crash, pid, thread, &fault);
	const char *who = thread ? thread_text(arena, thread) :
				   arena_printf(arena, "a thread (LWP %d)", (int)crash->lwp);

	if (location && !location->function && fault.kind == FAULT_JUMP)
		location = NULL; // there is no code
	return arena_printf(arena, "%s in %s%s%s%s%s", signal_name(arena, crash->signal), who,
			    location ? ": " : "", location ? place_text(arena, location) : "",
			    details ? ", " : "", details ? details : "");
}

/** The signal that a process keeps. */
struct marked_crash {
	struct crash crash;
	pid_t pid;
};

static const char *describe_marked(struct process *process, void *context)
{
	const struct marked_crash *marked = context;

	return crash_text(process, &marked->crash, marked->pid);
}

void crash_mark(struct process *process, const struct crash *crash, pid_t pid)
{
	struct thread *thread = crash_thread(process, crash);
	const char *name = signal_name(&process->arena, crash->signal);
	struct marked_crash *marked;

	if (!thread || !name)
		return;
	const struct fault fault = fault_of(crash, thread, pid);
	if (crash->signal == SIGSEGV && fault.kind == FAULT_JUMP)
		process->failed_jump = fault.address;
	marked = ARENA_NEW(&process->arena, struct marked_crash);
	*marked = (struct marked_crash){ *crash, pid };
	process_set_signal(process, &(struct process_signal){ .thread = thread,
							      .name = name,
							      .is_sent = !crash_is_own(crash, pid),
							      .describe = describe_marked,
							      .context = marked });
}

/** Check that a source file is not newer than what was compiled of it. */
static bool is_compiled(struct process *process, const struct location *location, const char *path)
{
	struct ompdbg_object object;
	struct stat source, program;

	return is_ok(SERVICE(process, object_at, location->code, &object)) && object.opened &&
	       stat(path, &source) == 0 && S_ISREG(source.st_mode) &&
	       stat(object.opened, &program) == 0 && source.st_mtime <= program.st_mtime;
}

/** Open a source file. */
static int open_source(struct process *process, const char *path)
{
	const struct ompdbg_services *services = process->services;
	// Tables of programs that were compiled before end there.
	bool has_it = services->size > offsetof(struct ompdbg_services, open_source);

	return has_it && services->open_source ? services->open_source(services->context, path) :
						 open_regular_file(path);
}

/** Read the line of a source file at a place in the code. @return NULL: this machine does not have the
 *  file, or it is newer than the program. */
static const char *source_line(struct process *process, const struct location *location)
{
	const char *path, *found = NULL;
	char *line = NULL;
	size_t size = 0;

	if (!location || !location->file || !location->line ||
	    !is_ok(SERVICE(process, source_path, location->code, location->file, &path)) ||
	    !is_compiled(process, location, path))
		return NULL;
	int descriptor = open_source(process, path);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
	if (!file) {
		if (descriptor >= 0)
			close(descriptor);
		return NULL;
	}
	for (int i = 0; i < location->line && getline(&line, &size, file) >= 0; i++) {
		if (i + 1 == location->line)
			found = arena_strndup(&process->arena, line, strcspn(line, "\r\n"));
	}
	fclose(file);
	free(line);
	return found;
}

/** Return what the C library has said before it ended the program: of an assertion, or of damage that it has
 *  found (glibc's __abort_msg: the size of a block, and the text in it). @return NULL: nothing. */
static const char *last_words(struct process *process, const struct crash *crash, pid_t pid)
{
	enum { MOST = 4096 };
	uint64_t variable, block;
	uint32_t size;

	if (crash->signal != SIGABRT || !crash_is_own(crash, pid) ||
	    !is_ok(SERVICE(process, symbol_address, "__abort_msg", NULL, 0, &variable)) ||
	    !process_read(process, variable, &block, sizeof(block)) || !block ||
	    !process_read(process, block, &size, sizeof(size)) || size <= sizeof(size))
		return NULL;
	size = size - sizeof(size) < MOST ? size - (uint32_t)sizeof(size) : MOST;
	char *words = arena_alloc(&process->arena, size + 1);
	if (!process_read(process, block + sizeof(size), words, size))
		return NULL;
	words[strcspn(words, "\r\n")] = 0;
	return *words ? words : NULL;
}

struct ompdbg_error *print_crash(struct process *process, const struct crash *crash, pid_t pid,
				 const struct form *form, struct sink *sink)
{
	struct thread *thread = crash_thread(process, crash);
	const struct location *location = thread ? thread_location(thread) : NULL;
	const char *source = source_line(process, location);
	const char *words = last_words(process, crash, pid);
	struct lines lines = { 0 };
	struct text text;

	text_init(&text, process, form);
	lines_wrap(&lines, &text.paper, crash_text(process, crash, pid), " ");
	for (size_t i = 0; i < lines.count; i++)
		text_add(&text, paint(&text.paper, STYLE_ERROR, lines.lines[i]));
	if (location && source)
		TEXT_CUT(&text, "%d  %s", location->line, source + strspn(source, " \t"));
	if (words)
		TEXT_CUT(&text, "The program said: %s", words);
	return text_write(&text, sink);
}

// ---- JSON ---------------------------------------------------------------------------------------

void json_crash(struct json *json, struct process *process, const struct crash *crash, pid_t pid)
{
	struct thread *thread = crash_thread(process, crash);
	const struct fault fault = fault_of(crash, thread, pid);
	pid_t sender = sender_of(crash, pid);

	json_begin_object(json);
	json_member_string(json, "signal", signal_name(&process->arena, crash->signal));
	json_member_thread(json, "thread", thread);
	json_member_int(json, "lwp", crash->lwp);
	json_key(json, "address");
	if (!fault.has_address)
		json_null(json);
	else if (fault.address)
		json_identity(json, fault.address);
	else
		json_string(json, "0x0");
	json_member_known_int(json, "sender", sender ? sender : NOT_KNOWN);
	json_member_string(json, "access", kind_name(fault.kind));
	json_member_string(json, "expression", fault.expression);
	json_member_string(json, "null_pointer", fault.pointer);
	json_member_string(json, "details",
			   details_text(&process->arena, crash, pid, thread, &fault));
	json_member_string(json, "message", last_words(process, crash, pid));
	json_end_object(json);
}
