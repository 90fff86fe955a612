// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "diagnose/diagnose.h"
#include "inherited.h"
#include "proc.h"
#include "recording.h"

#define TICK 0.5

enum {
	TIMED_OUT = 124,
	GRACE_SECONDS = 5,
	STANDSTILL_SECONDS = 10,
	REASON = 128,
};

static const char terminated[] = "asked to end by SIGTERM";

/** One run of a command. */
struct supervisor {
	const struct plan *plan;
	const struct reports *reports;
	struct tracer tracer;
	struct work *work; // that is being done; NULL
	pid_t child;
	bool has_status;
	int status;
	bool was_terminated; // a program below has been sent SIGTERM
	int asked;	     // the signal by which this process was asked to end; 0
	double begin, stood_since;
	uint64_t used; // processor time
};

static const int asked[] = { SIGINT, SIGTERM, SIGHUP };
// Launchers of MPI programs send these, which end whoever does not expect them.
static const int passed_on[] = { SIGUSR1, SIGUSR2 };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool is_asked(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

static bool is_passed_on(int number)
{
	return number == SIGUSR1 || number == SIGUSR2;
}

/** Add those of some signals that this process was not told to ignore, as nohup does: a signal that is
 *  blocked would be waited for all the same. */
static void add_signals(sigset_t *set, const int *numbers, size_t count)
{
	struct sigaction inherited;

	for (size_t i = 0; i < count; i++) {
		if (sigaction(numbers[i], NULL, &inherited) != 0 || inherited.sa_handler != SIG_IGN)
			sigaddset(set, numbers[i]);
	}
}

static sigset_t signal_set(bool with_asked)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (with_asked)
		add_signals(&set, asked, COUNT(asked));
	add_signals(&set, passed_on, COUNT(passed_on));
	return set;
}

/** Wait for a signal. @return its number; 0: there was none. */
static int next_signal(bool with_asked, double seconds, siginfo_t *info)
{
	const struct timespec time = { 0, (long)(seconds * 1e9) };
	sigset_t set = signal_set(with_asked);
	int number = sigtimedwait(&set, info, &time);

	return number < 0 ? 0 : number;
}

static bool is_fatal_or_term(int number)
{
	return is_fatal(number) || number == SIGTERM;
}

static const char *processes_text(size_t number, char text[REASON])
{
	snprintf(text, REASON, "%zu process%s", number, number == 1 ? "" : "es");
	return text;
}

/** Show a line that the next one overwrites, to people only. */
static void show_progress(const char *text)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%s", text);
	fflush(stderr);
}

// ---- The begin ---------------------------------------------------------------------------------

static _Noreturn void become_command(struct supervisor *supervisor, const sigset_t *mask)
{
	char *const *command = supervisor->plan->command;
	struct rlimit limit;

	restore_inherited_signals();
	if (supervisor->plan->recording)
		recording_set(supervisor->plan->recording);
	if (supervisor->plan->with_core && getrlimit(RLIMIT_CORE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_CORE, &limit);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(command[0], command);
	int status = errno == ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_EXECUTABLE;
	supervisor->reports->say("%s: %s.", command[0], strerror(errno));
	_exit(status);
}

static bool start(struct supervisor *supervisor, const sigset_t *mask)
{
	struct trace_error error;
	char byte = '.';
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	supervisor->child = fork();
	if (supervisor->child < 0)
		return false;
	if (supervisor->child == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1) // until it is traced
			_exit(COMMAND_NOT_STARTED);
		become_command(supervisor, mask);
	}
	close(ends[0]);
	if (supervisor->plan->traces &&
	    !tracer_follow(&supervisor->tracer, supervisor->child, &error))
		supervisor->reports->say(
			"crashes are not reported: the command cannot be traced (%s)", error.text);
	(void)!write(ends[1], &byte, 1);
	close(ends[1]);
	return true;
}

// ---- News --------------------------------------------------------------------------------------

static void take_news(struct supervisor *supervisor)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			tracer_stopped(&supervisor->tracer, pid, status);
			continue;
		}
		tracer_ended(&supervisor->tracer, pid);
		if (pid == supervisor->child) {
			supervisor->has_status = true;
			supervisor->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
								   WEXITSTATUS(status);
		} else if (supervisor->work && pid == supervisor->work->pid) {
			work_ended(supervisor->work, status);
		}
	}
	if (pid < 0 && errno == ECHILD && !supervisor->has_status) {
		supervisor->has_status = true;
		supervisor->status = COMMAND_NOT_STARTED;
	}
}

static void send_on(const struct supervisor *supervisor, int number)
{
	if (!supervisor->has_status)
		kill(supervisor->child, number);
}

/** Check whether somebody wants the end at once: the first SIGTERM may ask for reports. */
static bool is_interrupted(const struct supervisor *supervisor)
{
	sigset_t pending;

	sigpending(&pending);
	if (supervisor->plan->on_term && !supervisor->asked)
		sigdelset(&pending, SIGTERM);
	for (size_t i = 0; i < COUNT(asked); i++) {
		if (sigismember(&pending, asked[i]))
			return true;
	}
	return false;
}

/** Do what may take long or fail. Meanwhile the processes below go on. @p name: of what is not there if
 *  it fails; "": nobody misses it. */
static bool do_work(struct supervisor *supervisor,
		    void (*run)(void *context, struct answer *answer), void *context,
		    const char *name, struct answer *ret)
{
	const struct reports *reports = supervisor->reports;
	struct work work;
	char reason[REASON];
	siginfo_t info;

	if (!work_start(&work, run, context, supervisor->plan->report_seconds)) {
		reports->say("no %s: %s", *name ? name : "diagnosis", strerror(errno));
		return false;
	}
	supervisor->work = &work;
	while (!work_is_over(&work)) {
		work_check_time(&work);
		int number = next_signal(false, TICK / 5, &info);
		if (is_passed_on(number))
			send_on(supervisor, number);
		take_news(supervisor);
		if (is_interrupted(supervisor))
			work_end(&work, "interrupted");
	}
	supervisor->work = NULL;
	if (work_answer(&work, ret, reason, sizeof(reason)))
		return true;
	reports->clear(reports->context, work.pid);
	if (*name)
		reports->say("no %s: %s", name, reason);
	return false;
}

// ---- Looking -----------------------------------------------------------------------------------

/** Report a process that is stopped, which stays so. @return false: nothing has come out. */
static bool look(struct supervisor *supervisor, struct halted *halted, const char *reason,
		 const struct crash *crash, struct answer *answer)
{
	const struct reports *reports = supervisor->reports;
	struct question question = { halted, reason, crash, reports->context };
	char program[PROGRAM_NAME], name[PROGRAM_NAME + REASON];

	snprintf(name, sizeof(name), "report of %s (%d)", program_name(halted->pid, program),
		 (int)halted->pid);
	bool ok = do_work(supervisor, reports->look, &question, name, answer);
	halted_deinit(halted);
	if (!ok)
		return false;
	for (size_t i = 0; i < answer->num_lines; i++)
		reports->say("%s", answer->lines[i]);
	reports->take(reports->context, answer);
	return true;
}

/** Report the first crash that has not been, and let it end the program. */
static bool report_crash(struct supervisor *supervisor)
{
	struct tracer *tracer = &supervisor->tracer;
	char name[PROGRAM_NAME], signal_name[32];
	struct answer answer;

	if (!tracer->num_crashes)
		return false;
	struct crashed crashed = tracer->crashes[0];
	pid_t pid = crashed.halted.pid;
	tracer->num_crashes--;
	memmove(tracer->crashes, tracer->crashes + 1,
		tracer->num_crashes * sizeof(*tracer->crashes));
	if (crashed.crash.signal == SIGTERM) { // schedulers send it to all processes of a job
		look(supervisor, &crashed.halted, terminated, NULL, &answer);
		supervisor->was_terminated = true;
	} else {
		snprintf(signal_name, sizeof(signal_name), "SIG%s",
			 sigabbrev_np(crashed.crash.signal));
		supervisor->reports->say("%s (%d): %s", program_name(pid, name), (int)pid,
					 signal_name);
		look(supervisor, &crashed.halted, signal_name, &crashed.crash, &answer);
	}
	tracer_forget(tracer, pid);
	tracer_resume(tracer, pid);
	return true;
}

/** Let the kernel write a core file. */
static void abort_process(struct supervisor *supervisor, pid_t pid)
{
	double deadline = now() + 6 * GRACE_SECONDS;
	bool is_there = true;

	tracer_forget(&supervisor->tracer, pid);
	if (kill(pid, SIGABRT) != 0)
		return;
	tracer_resume(&supervisor->tracer, pid);
	while (is_there && now() < deadline) {
		take_news(supervisor);
		pause_for(TICK / 10);
		struct pids left = processes_below();
		is_there = pids_have(&left, pid);
		pids_deinit(&left);
	}
}

/** Report one of all processes. @return whether it has OpenMP, or may have. */
static bool look_at_one(struct supervisor *supervisor, pid_t pid, const char *reason)
{
	struct trace_error error;
	char name[PROGRAM_NAME];
	struct halted halted;
	struct answer answer;

	if (!tracer_halt(&supervisor->tracer, pid, &halted, &error)) {
		if (!proc_has_ended(pid))
			supervisor->reports->say("%s (%d): %s", program_name(pid, name), (int)pid,
						 error.text);
		return false;
	}
	bool ok = look(supervisor, &halted, reason, NULL, &answer);
	if (ok && supervisor->plan->with_core && answer.severity != NO_OPENMP)
		abort_process(supervisor, pid);
	return !ok || answer.num_lines;
}

static void look_at_all(struct supervisor *supervisor, const char *reason)
{
	char text[REASON];
	bool found = false;

	while (report_crash(supervisor))
		;
	struct pids all = processes_below();
	for (size_t i = 0; i < all.count; i++) {
		if (is_interrupted(supervisor)) {
			supervisor->reports->say("interrupted: %zu processes not looked at",
						 all.count - i);
			pids_deinit(&all);
			return;
		}
		snprintf(text, sizeof(text), "ompdbg run: looking at process %zu of %zu", i + 1,
			 all.count);
		show_progress(text);
		found |= look_at_one(supervisor, all.all[i], reason);
	}
	pids_deinit(&all);
	if (!found && !supervisor->was_terminated)
		supervisor->reports->say("no OpenMP program is running: nothing to report");
}

// ---- The time between --------------------------------------------------------------------------

/** Check that no processor time was used for a while; asked again only after as long a time. */
static bool stands_still(struct supervisor *supervisor, double time)
{
	uint64_t used = processor_time(), before = supervisor->used;

	// Being asked costs a tick now and then.
	if (used > before + 1 || before > used + 1) {
		supervisor->used = used;
		supervisor->stood_since = time;
	}
	if (time - supervisor->stood_since < STANDSTILL_SECONDS)
		return false;
	supervisor->stood_since = time;
	return true;
}

/** Check whether the diagnosis says of one of the processes that it is stuck. */
static bool is_stuck(struct supervisor *supervisor)
{
	struct pids all = processes_below();
	bool result = false;

	for (size_t i = 0; i < all.count && !result; i++) {
		const struct reports *reports = supervisor->reports;
		struct trace_error error;
		struct halted halted;
		struct answer answer;
		if (!tracer_halt(&supervisor->tracer, all.all[i], &halted, &error))
			continue;
		struct question question = { &halted, NULL, NULL, reports->context };
		result = do_work(supervisor, reports->look, &question, "", &answer) &&
			 (answer.severity == SEVERITY_STUCK || answer.severity == SEVERITY_HELD_UP);
		halted_deinit(&halted);
		tracer_resume(&supervisor->tracer, all.all[i]);
	}
	pids_deinit(&all);
	return result;
}

/** Find a reason to end the command. */
static bool find_reason(struct supervisor *supervisor, char reason[REASON])
{
	const struct plan *plan = supervisor->plan;
	double time = now();

	if (plan->timeout > 0 && time - supervisor->begin >= plan->timeout) {
		snprintf(reason, REASON, "time-out after %g s", plan->timeout);
		return true;
	}
	if (plan->on_hang && stands_still(supervisor, time) && is_stuck(supervisor)) {
		snprintf(reason, REASON, "hangs: no progress for %d s", STANDSTILL_SECONDS);
		return true;
	}
	return false;
}

static int asked_to_end(struct supervisor *supervisor, const siginfo_t *told)
{
	double deadline = now() + GRACE_SECONDS;
	int number = told->si_signo;
	siginfo_t info;

	supervisor->asked = number;
	if (number == SIGTERM && supervisor->plan->on_term) {
		supervisor->reports->say("%s", terminated);
		look_at_all(supervisor, terminated);
		return 128 + number;
	}
	if (told->si_code != SI_KERNEL) // else the terminal has sent it to the command, too
		send_on(supervisor, number);
	while (now() < deadline && !supervisor->has_status) {
		take_news(supervisor);
		if (is_asked(next_signal(true, TICK / 5, &info)))
			break; // it is meant
	}
	return 128 + number;
}

static void show_time(const struct supervisor *supervisor)
{
	char text[2 * REASON], limit[REASON] = "", count[REASON];

	if (!isatty(STDERR_FILENO))
		return;
	struct pids all = processes_below();
	if (supervisor->plan->timeout > 0)
		snprintf(limit, sizeof(limit), " of %g s", supervisor->plan->timeout);
	snprintf(text, sizeof(text), "ompdbg run: %.0f s%s, %s", now() - supervisor->begin, limit,
		 processes_text(all.count, count));
	pids_deinit(&all);
	show_progress(text);
}

static int wait_for_end(struct supervisor *supervisor)
{
	char reason[REASON];
	siginfo_t info;

	for (;;) {
		take_news(supervisor);
		if (report_crash(supervisor))
			continue;
		if (supervisor->has_status)
			return supervisor->status;
		if (find_reason(supervisor, reason)) {
			supervisor->reports->say("%s", reason);
			look_at_all(supervisor, reason);
			return TIMED_OUT;
		}
		int number = next_signal(true, TICK, &info);
		if (is_asked(number))
			return asked_to_end(supervisor, &info);
		if (is_passed_on(number))
			send_on(supervisor, number);
		show_time(supervisor);
	}
}

// ---- The end -----------------------------------------------------------------------------------

static void end_what_is_left(struct supervisor *supervisor, int status)
{
	struct ended ended = end_all();
	char text[REASON];

	show_progress("");
	if (ended.ended && !supervisor->asked && status != TIMED_OUT)
		supervisor->reports->say("ended what was still running: %s",
					 processes_text(ended.ended, text));
	if (ended.others)
		supervisor->reports->say("not ended: %s of other users",
					 processes_text(ended.others, text));
}

static void finish(struct supervisor *supervisor)
{
	const struct reports *reports = supervisor->reports;
	struct answer answer;

	if (!reports->has_to_finish(reports->context) ||
	    !do_work(supervisor, reports->finish, reports->context, "picture of all reports",
		     &answer))
		return;
	for (size_t i = 0; i < answer.num_lines; i++)
		reports->say("%s", answer.lines[i]);
}

int supervise(const struct plan *plan, const struct reports *reports)
{
	struct supervisor supervisor = {
		.plan = plan,
		.reports = reports,
		.tracer = { .is_watched = plan->on_term ? is_fatal_or_term : is_fatal,
			    .say = reports->say },
		.begin = now(),
	};
	sigset_t set = signal_set(true), mask;

	supervisor.stood_since = supervisor.begin;
	adopt_orphans();
	sigprocmask(SIG_BLOCK, &set, &mask);
	if (!start(&supervisor, &mask)) {
		reports->say("the command cannot be started: %s", strerror(errno));
		return COMMAND_NOT_STARTED;
	}
	int status = wait_for_end(&supervisor);
	end_what_is_left(&supervisor, status);
	finish(&supervisor);
	end_all();
	return status;
}
