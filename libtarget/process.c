// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes: attached to with PTRACE_SEIZE, which sends no signal, and let go on when they were
// copied or looked at. If this process ends before, however it ends, the kernel lets them go on.

#include "internal.h"
#include "proc.h"
#include "stop_wait.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/regular_file.h"

enum {
	SOON = 10,	   // looks until a thread has stopped, most often
	BURY_TRIES = 1000, // of a millisecond
	MAX_ROUNDS = 1000, // of looks for threads that were born meanwhile
};

/** Tell why a process can't be attached to. */
static int refuse(pid_t pid, int number, struct target_error *error)
{
	int64_t tracer = proc_status_number(pid, "TracerPid", 0, 10);
	struct proc_stat stat;

	if (proc_stat(pid, &stat) && stat.has_ended)
		return fail(error, "process %d has ended already (it is a zombie)", (int)pid);
	if (number == ESRCH || number == ENOENT)
		return fail(error, "there is no process %d", (int)pid);
	if (tracer > 0)
		return fail(error, "process %d is traced already, by process %ld", (int)pid,
			    (long)tracer);
	if (number == EPERM || number == EACCES)
		return fail(error,
			    "process %d may not be attached to: it is another user's, or"
			    " kernel.yama.ptrace_scope forbids it",
			    (int)pid);
	return fail(error, "process %d can't be attached to: %s", (int)pid, strerror(number));
}

// ---- Stopping --------------------------------------------------------------------------------

static bool is_known(const struct target *target, pid_t lwp)
{
	for (size_t i = 0; i < target->num_threads; i++) {
		if (target->threads[i].lwp == lwp)
			return true;
	}
	return false;
}

/** Wait until a thread has stopped. @return 1; 0 if it is gone; -1 if it does not stop, with the
 *  reason. */
static int wait_for_stop(struct thread *thread, const char **obstacle)
{
	const struct timespec pause = { 0, 1000000 };
	struct stop_wait wait = { 0 };
	int status;

	for (int look = 0;; look++) {
		// Asked first: of one that has ended before, there is something to take note of.
		bool has_ended = look > SOON && proc_has_ended(thread->lwp);
		pid_t got = waitpid(thread->lwp, &status, __WALL | WNOHANG);

		if (got < 0 && errno != EINTR)
			return 0;
		if (got > 0 && !WIFSTOPPED(status))
			return 0;
		if (got > 0) {
			// Anything but the stop that was asked for is a signal to be delivered.
			if (status >> 16 != PTRACE_EVENT_STOP)
				thread->signal = WSTOPSIG(status);
			thread->has_stopped = true;
			return 1;
		}
		// The kernel reports the end of a first thread after those of all others.
		if (has_ended)
			return 0;
		if (look <= SOON) {
			sched_yield();
			continue;
		}
		*obstacle = stop_obstacle(&wait, thread->lwp);
		if (*obstacle)
			return -1;
		nanosleep(&pause, NULL);
	}
}

/** Attach to one thread. @return 1; 0 if it is gone; -1 with @p error. */
static int seize(struct target *target, pid_t lwp, struct target_error *error)
{
	if (ptrace(PTRACE_SEIZE, lwp, NULL, NULL) != 0) {
		int number = errno;

		if ((number == ESRCH || number == EPERM) && proc_has_ended(lwp))
			return 0;
		return refuse(lwp, number, error);
	}
	struct thread *thread = GROW(target->threads, target->num_threads);
	thread->lwp = lwp;
	ptrace(PTRACE_INTERRUPT, lwp, NULL, NULL);
	return 1;
}

/** Attach to the threads that are not known yet. @return how many; -1 with @p error. */
static int seize_new(struct target *target, struct target_error *error)
{
	char path[64];
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	DIR *folder = opendir(path);
	if (!folder)
		return refuse(target->pid, errno, error);
	for (struct dirent *entry; (entry = readdir(folder));) {
		pid_t lwp = (pid_t)strtol(entry->d_name, NULL, 10);

		if (lwp <= 0 || is_known(target, lwp))
			continue;
		int result = seize(target, lwp, error);
		if (result < 0) {
			closedir(folder);
			return -1;
		}
		found += result;
	}
	closedir(folder);
	return found;
}

static void read_registers(struct thread *thread)
{
	struct iovec place = { thread->registers, sizeof(thread->registers) };
	struct user_fpregs_struct values;

	thread->has_registers =
		ptrace(PTRACE_GETREGSET, thread->lwp, (void *)NT_PRSTATUS, &place) == 0 &&
		place.iov_len == sizeof(thread->registers);
	place = (struct iovec){ &values, sizeof(values) };
	thread->has_vectors = ptrace(PTRACE_GETREGSET, thread->lwp, (void *)NT_PRFPREG, &place) ==
				      0 &&
			      place.iov_len == sizeof(values);
	if (thread->has_vectors)
		memcpy(thread->vectors, values.xmm_space, sizeof(thread->vectors));
}

static void read_name(const struct target *target, struct thread *thread)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)target->pid, (int)thread->lwp);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = file < 0 ? 0 : read(file, thread->name, sizeof(thread->name) - 1);
	if (file >= 0)
		close(file);
	thread->name[size > 0 ? size - 1 : 0] = '\0'; // the end of the line
}

/** Wait for the threads from the index @p first on; those that are gone are dropped. */
static int await_stops(struct target *target, size_t first, struct target_error *error)
{
	size_t kept = first;

	for (size_t i = first; i < target->num_threads; i++) {
		const char *obstacle;
		int result = wait_for_stop(&target->threads[i], &obstacle);

		if (result < 0)
			return fail(error, "thread %d of process %d can't be stopped: %s",
				    (int)target->threads[i].lwp, (int)target->pid, obstacle);
		if (result)
			target->threads[kept++] = target->threads[i];
	}
	while (target->num_threads > kept)
		target->threads[--target->num_threads] = (struct thread){ 0 };
	return 0;
}

static int stop_all(struct target *target, struct target_error *error)
{
	if (proc_status_number(target->pid, "CoreDumping", 0, 10) > 0)
		return fail(error, "process %d is ending: the kernel writes its core file",
			    (int)target->pid);
	for (int round = 0; round < MAX_ROUNDS; round++) {
		size_t before = target->num_threads;
		int found = seize_new(target, error);

		if (found < 0)
			return -1;
		if (!found)
			return target->num_threads ? 0 : refuse(target->pid, ESRCH, error);
		if (await_stops(target, before, error) < 0)
			return -1;
	}
	return fail(error, "process %d starts new threads all the time", (int)target->pid);
}

// ---- What it is like -------------------------------------------------------------------------

/** Add a text to a sum that another text hardly has. */
static uint64_t add_text(uint64_t sum, const char *text)
{
	const uint64_t prime = UINT64_C(0x100000001b3);

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * prime;
	return sum;
}

/** Add a mapping of a file to the sum. */
static bool sum_up(void *context, const struct proc_mapping *mapping)
{
	struct target *target = context;

	if (mapping->name[0] == '/')
		target->mapped = add_text(target->mapped, mapping->line);
	return true;
}

static bool take_mapping(void *context, const struct proc_mapping *mapping)
{
	if (mapping->permissions[2] == 'x')
		executable_add(context, mapping->start, mapping->end);
	if (mapping->name[0] == '/')
		mapping_add(context, mapping->start, mapping->end, mapping->offset, mapping->name);
	return sum_up(context, mapping);
}

static int read_mappings(struct target *target,
			 bool (*take)(void *context, const struct proc_mapping *mapping),
			 struct target_error *error)
{
	target->mapped = 0;
	if (proc_mappings(target->direct.pid, take, target))
		return 0;
	return refuse(target->pid, errno, error);
}

static void read_auxiliary(struct target *target)
{
	const size_t room = 1024;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)target->direct.pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return;
	free(target->auxiliary);
	target->auxiliary = calloc(room, WORD);
	ssize_t size = target->auxiliary ? read(file, target->auxiliary, room * WORD) : 0;
	target->num_auxiliary = size > 0 ? (size_t)size / WORD : 0;
	close(file);
}

/** Check that the program has 64 bits: the kernel runs others, too. */
static int check_machine(const struct target *target, struct target_error *error)
{
	Elf64_Ehdr header = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)target->direct.pid);
	int file = open_regular_file(path);
	ssize_t size = file < 0 ? 0 : pread(file, &header, sizeof(header), 0);
	if (file >= 0)
		close(file);
	if (size < (ssize_t)offsetof(Elf64_Ehdr, e_version) ||
	    (header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64))
		return 0;
	return fail(error, "process %d: unsupported architecture (ELF machine %u; expected x86-64)",
		    (int)target->pid, header.e_machine);
}

int process_init(struct target *target, pid_t pid, struct target_error *error)
{
	char root[64];

	target->pid = pid;
	target->direct.pid = proc_living_thread(pid);
	if (check_machine(target, error) < 0 || read_mappings(target, take_mapping, error) < 0)
		return -1;
	read_auxiliary(target);
	if (!target->owner)
		target->owner = owner_of_process(target->direct.pid);
	if (!target->sysroot) {
		snprintf(root, sizeof(root), "/proc/%d/root", (int)target->direct.pid);
		target->places.sysroot = target->sysroot = strdup(root);
		target->is_own_root = target->sysroot != NULL;
	}
	return 0;
}

int process_stop(struct target *target, bool *changed, struct target_error *error)
{
	uint64_t before = target->mapped;

	if (stop_all(target, error) < 0)
		return -1;
	target->direct.pid = proc_living_thread(target->pid);
	direct_close_file(&target->direct);
	if (read_mappings(target, sum_up, error) < 0)
		return -1;
	for (size_t i = 0; i < target->num_threads; i++) {
		read_registers(&target->threads[i]);
		read_name(target, &target->threads[i]);
	}
	*changed = target->mapped != before;
	return 0;
}

void process_adopt(struct target *target, const struct target_stopped *threads, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct thread *thread = GROW(target->threads, target->num_threads);

		thread->lwp = threads[i].lwp;
		thread->has_registers = threads[i].registers;
		if (threads[i].registers)
			memcpy(thread->registers, threads[i].registers, sizeof(thread->registers));
		thread->has_vectors = threads[i].vectors;
		if (threads[i].vectors)
			memcpy(thread->vectors, threads[i].vectors, sizeof(thread->vectors));
		read_name(target, thread);
	}
}

/** Take note of a thread's end, without which its process would stay a zombie. */
static void bury(const struct thread *thread)
{
	const struct timespec pause = { 0, 1000000 };
	int status;

	for (int try = 0; try < BURY_TRIES; try++) {
		pid_t got = waitpid(thread->lwp, &status, __WALL | WNOHANG);

		if ((got < 0 && errno != EINTR) || (got > 0 && !WIFSTOPPED(status)))
			return;
		nanosleep(&pause, NULL);
	}
}

void process_let_go(struct target *target)
{
	bool is_gone = false;

	if (!target_is_stopped(target) || target->is_adopted)
		return;
	target->is_let_go = true;
	for (size_t i = 0; i < target->num_threads; i++) {
		const struct thread *thread = &target->threads[i];

		if (ptrace(PTRACE_DETACH, thread->lwp, NULL, (void *)(intptr_t)thread->signal) ==
			    0 ||
		    errno != ESRCH)
			continue;
		if (!thread->has_stopped)
			continue; // it is let go when this process ends
		is_gone = true;
		if (thread->lwp != target->pid)
			bury(thread);
	}
	// The end of the process itself is for its parent to see, which this one may be.
	if (is_gone && proc_status_number(target->pid, "PPid", 0, 10) != getpid())
		bury(&(struct thread){ .lwp = target->pid });
}

void process_deinit(struct target *target)
{
	process_let_go(target);
	if (target->is_adopted)
		target->direct.memory = 0; // the caller's
	if (target->core < 0)
		direct_deinit(&target->direct);
}
