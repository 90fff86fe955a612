// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tracer.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "proc.h"
#include "rights.h"
#include "stop_wait.h"

#define PAUSE 0.001

enum {
	// Follow forks and threads, report exec, and end all with the tracer.
	FOLLOW = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
		 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL,
};

static bool refuse(struct trace_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static bool refuse(struct trace_error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return false;
}

bool tracer_follow(struct tracer *tracer, pid_t pid, struct trace_error *error)
{
	(void)tracer;
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(intptr_t)FOLLOW) == 0)
		return true;
	return refuse(error, "%s", strerror(errno));
}

// ---- How threads go on -------------------------------------------------------------------------

static struct going going_of(pid_t process, pid_t thread, int event, int number)
{
	bool stops = number == SIGSTOP || number == SIGTSTP || number == SIGTTIN ||
		     number == SIGTTOU;

	if (event == PTRACE_EVENT_STOP && stops)
		return (struct going){ process, thread, true, 0 };
	return (struct going){ process, thread, false, event ? 0 : number };
}

static void go_on(const struct going *going, bool detach)
{
	void *data = (void *)(intptr_t)going->signal;

	if (detach)
		ptrace(PTRACE_DETACH, going->thread, NULL, data);
	else if (going->listens)
		ptrace(PTRACE_LISTEN, going->thread, NULL, NULL);
	else
		ptrace(PTRACE_CONT, going->thread, NULL, data);
}

static struct going *find_going(struct tracer *tracer, pid_t thread)
{
	for (size_t i = 0; i < tracer->num_goings; i++) {
		if (tracer->goings[i].thread == thread)
			return &tracer->goings[i];
	}
	return NULL;
}

static void keep(struct tracer *tracer, struct going going)
{
	struct going *known = find_going(tracer, going.thread);

	if (!known && tracer->num_goings == tracer->going_capacity) {
		tracer->going_capacity = 2 * tracer->going_capacity + 16;
		tracer->goings = reallocarray(tracer->goings, tracer->going_capacity,
					      sizeof(*tracer->goings));
		if (!tracer->goings)
			out_of_memory();
	}
	*(known ? known : &tracer->goings[tracer->num_goings++]) = going;
}

static void let_go(struct tracer *tracer, pid_t process)
{
	size_t left = 0;

	for (size_t i = 0; i < tracer->num_goings; i++) {
		const struct going *going = &tracer->goings[i];
		if (going->process != process) {
			tracer->goings[left++] = *going;
			continue;
		}
		go_on(going, pids_have(&tracer->seized, going->thread));
		pids_remove(&tracer->seized, going->thread);
	}
	tracer->num_goings = left;
	pids_remove(&tracer->kept, process);
}

// ---- Signals that have a handler ---------------------------------------------------------------

static void add_delivery(struct tracer *tracer, const struct going *going)
{
	tracer->deliveries = reallocarray(tracer->deliveries, tracer->num_deliveries + 1,
					  sizeof(*tracer->deliveries));
	if (!tracer->deliveries)
		out_of_memory();
	tracer->deliveries[tracer->num_deliveries++] = (struct delivery){ .going = *going };
}

static void remove_delivery(struct tracer *tracer, size_t index)
{
	tracer->num_deliveries--;
	memmove(&tracer->deliveries[index], &tracer->deliveries[index + 1],
		(tracer->num_deliveries - index) * sizeof(*tracer->deliveries));
}

/** Find the stop at the first instruction of a handler, and forget that it was waited for. */
static bool has_begun_handler(struct tracer *tracer, pid_t thread, pid_t *process)
{
	for (size_t i = 0; i < tracer->num_deliveries; i++) {
		const struct delivery *delivery = &tracer->deliveries[i];

		if (delivery->going.thread != thread || !delivery->has_begun)
			continue;
		*process = delivery->going.process;
		remove_delivery(tracer, i);
		return true;
	}
	return false;
}

/** Keep the threads of a process that wait for their signals, with these. */
static void keep_waiting(struct tracer *tracer, pid_t process)
{
	for (size_t i = tracer->num_deliveries; i-- > 0;) {
		const struct delivery delivery = tracer->deliveries[i];

		if (delivery.going.process != process || delivery.has_begun)
			continue;
		remove_delivery(tracer, i);
		keep(tracer, delivery.going);
	}
}

// ---- Keeping one stopped -----------------------------------------------------------------------

bool find_stop(pid_t thread, int *event, int *number)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)thread, &info, WSTOPPED | WNOHANG | __WALL) != 0 || !info.si_pid)
		return false;
	*event = info.si_status >> 8;
	*number = info.si_status & 0x7f;
	return true;
}

/** Ask a thread to stop. */
static bool interrupt(struct tracer *tracer, pid_t task, struct trace_error *error)
{
	int64_t other = proc_status_number(task, "TracerPid", 0, 10);

	if (other != getpid()) {
		if (ptrace(PTRACE_SEIZE, task, NULL, NULL) != 0) {
			int number = errno;
			if (proc_has_ended(task))
				return true;
			if (other > 0)
				return refuse(error, "it is traced already, by process %lld",
					      (long long)other);
			return refuse(error, "it cannot be attached to (%s)", strerror(number));
		}
		pids_add(&tracer->seized, task);
	}
	ptrace(PTRACE_INTERRUPT, task, NULL, NULL);
	return true;
}

/** Stop all threads that have not ended, and list them. */
static bool stop_threads(struct tracer *tracer, pid_t process, struct pids *ret,
			 struct trace_error *error)
{
	struct stop_wait wait = { 0 };
	struct pids asked = { 0 };
	pid_t watched = 0;
	bool ok = true;

	keep_waiting(tracer, process);
	for (;;) {
		struct pids tasks = tasks_of(process);
		size_t living = 0;
		pid_t missing = 0;
		for (size_t i = 0; i < tasks.count; i++) {
			if (!proc_has_ended(tasks.all[i]))
				tasks.all[living++] = tasks.all[i];
		}
		tasks.count = living;
		for (size_t i = 0; i < tasks.count && ok; i++) {
			pid_t task = tasks.all[i];
			int event, number;
			if (find_going(tracer, task))
				continue;
			missing = task;
			if (!pids_have(&asked, task)) {
				pids_add(&asked, task);
				ok = interrupt(tracer, task, error);
			}
			if (ok && find_stop(task, &event, &number)) {
				if (has_begun_handler(tracer, task, &process) && number == SIGTRAP)
					number = 0;
				keep(tracer, going_of(process, task, event, number));
			}
		}
		if (ok && !living)
			ok = refuse(error, "it has ended");
		if (missing != watched)
			wait = (struct stop_wait){ 0 };
		watched = missing;
		const char *obstacle = ok && missing ? stop_obstacle(&wait, missing) : NULL;
		if (obstacle)
			ok = refuse(error, "its thread %d cannot be stopped: %s", (int)missing,
				    obstacle);
		if (ok && !missing) {
			*ret = tasks;
			break;
		}
		pids_deinit(&tasks);
		if (!ok)
			break;
		pause_for(PAUSE);
	}
	pids_deinit(&asked);
	return ok;
}

/** Registers of a stopped thread. */
struct registers {
	uint64_t general[TARGET_REGISTERS];
	struct user_fpregs_struct floating;
};

static bool read_set(pid_t thread, int kind, void *buffer, size_t size)
{
	struct iovec piece = { buffer, size };

	return ptrace(PTRACE_GETREGSET, thread, (void *)(intptr_t)kind, &piece) == 0 &&
	       piece.iov_len == size; // one of 32 bits has fewer
}

static void read_registers(const struct pids *threads, struct halted *ret)
{
	struct registers *registers = calloc(threads->count + 1, sizeof(*registers));

	ret->threads = calloc(threads->count + 1, sizeof(*ret->threads));
	if (!registers || !ret->threads)
		out_of_memory();
	ret->registers = registers;
	ret->num_threads = threads->count;
	for (size_t i = 0; i < threads->count; i++) {
		struct registers *one = &registers[i];
		struct target_stopped *thread = &ret->threads[i];
		thread->lwp = threads->all[i];
		if (read_set(thread->lwp, NT_PRSTATUS, one->general, sizeof(one->general)))
			thread->registers = one->general;
		if (read_set(thread->lwp, NT_PRFPREG, &one->floating, sizeof(one->floating)))
			thread->vectors = one->floating.xmm_space;
	}
}

static bool halt(struct tracer *tracer, pid_t process, struct halted *ret,
		 struct trace_error *error)
{
	struct pids threads = { 0 };
	char path[64];
	bool ok = stop_threads(tracer, process, &threads, error);

	*ret = (struct halted){ .pid = process, .memory = -1 };
	if (ok) {
		snprintf(path, sizeof(path), "/proc/%d/mem", (int)threads.all[0]);
		ret->memory = open(path, O_RDONLY | O_CLOEXEC);
		if (ret->memory < 0)
			ok = refuse(error, "its memory cannot be opened (%s)", strerror(errno));
	}
	if (ok)
		read_registers(&threads, ret);
	else
		let_go(tracer, process);
	pids_deinit(&threads);
	return ok;
}

bool tracer_halt(struct tracer *tracer, pid_t process, struct halted *ret,
		 struct trace_error *error)
{
	pids_add(&tracer->kept, process);
	return halt(tracer, process, ret, error);
}

void halted_deinit(struct halted *halted)
{
	if (halted->memory >= 0)
		close(halted->memory);
	free(halted->threads);
	free(halted->registers);
	*halted = (struct halted){ .memory = -1 };
}

void tracer_resume(struct tracer *tracer, pid_t process)
{
	let_go(tracer, process);
}

void tracer_forget(struct tracer *tracer, pid_t process)
{
	pids_add(&tracer->seen, process);
}

// ---- Stops -------------------------------------------------------------------------------------

/** Keep a process that is about to end, to be looked at. */
static void note_crash(struct tracer *tracer, pid_t process, pid_t thread, int number)
{
	struct crashed crashed = { .crash = { .signal = number, .lwp = thread } };
	struct trace_error error;
	char name[PROGRAM_NAME];

	crashed.crash.has_info = ptrace(PTRACE_GETSIGINFO, thread, NULL, &crashed.crash.info) == 0;
	pids_add(&tracer->kept, process);
	keep(tracer, going_of(process, thread, 0, number));
	if (!halt(tracer, process, &crashed.halted, &error)) {
		tracer->say("%s (%d): SIG%s: %s", program_name(process, name), (int)process,
			    sigabbrev_np(number), error.text);
		return;
	}
	tracer->crashes =
		reallocarray(tracer->crashes, tracer->num_crashes + 1, sizeof(*tracer->crashes));
	if (!tracer->crashes)
		out_of_memory();
	tracer->crashes[tracer->num_crashes++] = crashed;
}

/** Check for a signal that ends a process of which the crash is of interest. */
static bool is_crash(const struct tracer *tracer, const struct going *going)
{
	return !pids_have(&tracer->seen, going->process) && would_end(going->thread, going->signal);
}

/** Let the next thread of a process get its signal, if no other just gets one. */
static void deliver_next(struct tracer *tracer, pid_t process)
{
	size_t next = tracer->num_deliveries;

	for (size_t i = next; i-- > 0;) {
		if (tracer->deliveries[i].going.process != process)
			continue;
		if (tracer->deliveries[i].has_begun)
			return;
		next = i;
	}
	if (next == tracer->num_deliveries)
		return;
	struct delivery *delivery = &tracer->deliveries[next];
	const struct going going = delivery->going;
	if (is_crash(tracer, &going)) {
		remove_delivery(tracer, next);
		note_crash(tracer, process, going.thread, going.signal);
		return;
	}
	// It stops again where the handler begins.
	delivery->has_begun = true;
	ptrace(PTRACE_SINGLESTEP, going.thread, NULL, (void *)(intptr_t)going.signal);
}

void tracer_ended(struct tracer *tracer, pid_t thread)
{
	size_t left = 0;

	pids_remove(&tracer->seen, thread);
	pids_remove(&tracer->seized, thread);
	pids_remove(&tracer->kept, thread);
	for (size_t i = 0; i < tracer->num_goings; i++) {
		if (tracer->goings[i].process != thread)
			tracer->goings[left++] = tracer->goings[i];
	}
	tracer->num_goings = left;
	for (size_t i = tracer->num_deliveries; i-- > 0;) {
		if (tracer->deliveries[i].going.process == thread)
			remove_delivery(tracer, i);
	}
	pid_t process;
	if (has_begun_handler(tracer, thread, &process))
		deliver_next(tracer, process);
}

void tracer_stopped(struct tracer *tracer, pid_t thread, int status)
{
	int event = status >> 16, number = WSTOPSIG(status);
	pid_t process = 0;

	if (has_begun_handler(tracer, thread, &process)) {
		if (number == SIGTRAP && !event)
			number = 0;
		const struct going going = going_of(process, thread, event, number);
		if (pids_have(&tracer->kept, process)) {
			keep(tracer, going);
			return;
		}
		go_on(&going, false);
		deliver_next(tracer, process);
		return;
	}
	// Most stops are forks and SIGCHLD: they cost as little as can be.
	if (tracer->kept.count || tracer->is_watched(number)) {
		int64_t group = proc_status_number(thread, "Tgid", 0, 10);
		process = group < 0 ? 0 : (pid_t)group;
	}
	struct going going = going_of(process, thread, event, number);
	if (process && pids_have(&tracer->kept, process))
		keep(tracer, going);
	else if (event == PTRACE_EVENT_EXEC && give_back_rights(thread, tracer->say))
		return; // no longer traced
	else if (!event && process && tracer->is_watched(number) &&
		 !pids_have(&tracer->seen, process)) {
		add_delivery(tracer, &going);
		deliver_next(tracer, process);
	} else
		go_on(&going, false);
}
