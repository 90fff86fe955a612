// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "below.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

#define PAUSE 0.02

enum { END_SECONDS = 10 };

// ---- Numbers -----------------------------------------------------------------------------------

void pids_add(struct pids *pids, pid_t pid)
{
	if (pids_have(pids, pid))
		return;
	if (pids->count == pids->capacity) {
		pids->capacity = pids->capacity ? 2 * pids->capacity : 16;
		pids->all = reallocarray(pids->all, pids->capacity, sizeof(*pids->all));
		if (!pids->all)
			out_of_memory();
	}
	pids->all[pids->count++] = pid;
}

bool pids_have(const struct pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->count; i++) {
		if (pids->all[i] == pid)
			return true;
	}
	return false;
}

void pids_remove(struct pids *pids, pid_t pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < pids->count; i++) {
		if (pids->all[i] != pid)
			pids->all[kept++] = pids->all[i];
	}
	pids->count = kept;
}

void pids_deinit(struct pids *pids)
{
	free(pids->all);
	*pids = (struct pids){ 0 };
}

static int compare(const void *a, const void *b)
{
	const pid_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void pause_for(double seconds)
{
	nanosleep(&(struct timespec){ (time_t)seconds,
				      (long)((seconds - (double)(time_t)seconds) * 1e9) },
		  NULL);
}

// ---- /proc -------------------------------------------------------------------------------------

/** Fields of /proc/PID/stat. */
struct stat_line {
	char state;
	pid_t parent;
	uint64_t ticks;
};

static bool read_stat(pid_t pid, struct stat_line *ret)
{
	unsigned long user, system;
	char path[64], line[1024];
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	ssize_t size = read(file, line, sizeof(line) - 1);
	close(file);
	line[size > 0 ? size : 0] = '\0';
	const char *behind = strrchr(line, ')');
	if (!behind || sscanf(behind + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			      &ret->state, &parent, &user, &system) != 4)
		return false;
	ret->parent = parent;
	ret->ticks = (uint64_t)user + system;
	return true;
}

static bool is_end(char state)
{
	return state == 'Z' || state == 'X';
}

bool has_ended(pid_t thread)
{
	struct stat_line stat;

	return !read_stat(thread, &stat) || is_end(stat.state);
}

/** List the numbers that name entries of a folder. */
static struct pids numbers_in(const char *path)
{
	struct pids found = { 0 };
	struct dirent *entry;
	DIR *folder = opendir(path);

	while (folder && (entry = readdir(folder))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			pids_add(&found, (pid_t)strtol(entry->d_name, NULL, 10));
	}
	if (folder)
		closedir(folder);
	if (found.count)
		qsort(found.all, found.count, sizeof(*found.all), compare);
	return found;
}

struct pids tasks_of(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return numbers_in(path);
}

pid_t living_thread(pid_t pid)
{
	pid_t found = pid;

	if (!has_ended(pid))
		return pid;
	struct pids tasks = tasks_of(pid);
	for (size_t i = 0; i < tasks.count && found == pid; i++) {
		if (!has_ended(tasks.all[i]))
			found = tasks.all[i];
	}
	pids_deinit(&tasks);
	return found;
}

struct pids processes_below(void)
{
	struct pids all = numbers_in("/proc"), found = { 0 };
	pid_t *parents = calloc(all.count + 1, sizeof(*parents));

	if (!parents)
		out_of_memory();
	for (size_t i = 0; i < all.count; i++) {
		struct stat_line stat;
		// Its first thread may have ended before the others.
		if (read_stat(all.all[i], &stat) &&
		    (!is_end(stat.state) || living_thread(all.all[i]) != all.all[i]))
			parents[i] = stat.parent;
	}
	pid_t parent = getpid();
	for (size_t next = 0;; next++) {
		for (size_t i = 0; i < all.count; i++) {
			if (parents[i] == parent)
				pids_add(&found, all.all[i]);
		}
		if (next == found.count)
			break;
		parent = found.all[next];
	}
	free(parents);
	pids_deinit(&all);
	return found;
}

uint64_t processor_time(void)
{
	struct pids all = processes_below();
	uint64_t total = 0;

	for (size_t i = 0; i < all.count; i++) {
		struct stat_line stat;
		if (read_stat(all.all[i], &stat))
			total += stat.ticks;
	}
	pids_deinit(&all);
	return total;
}

const char *program_name(pid_t pid, char name[PROGRAM_NAME])
{
	static const char deleted[] = " (deleted)";
	char path[64], target[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)living_thread(pid));
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0) {
		snprintf(name, PROGRAM_NAME, "process");
		return name;
	}
	target[length] = '\0';
	char *end = target + length - (sizeof(deleted) - 1);
	if (end > target && strcmp(end, deleted) == 0)
		*end = '\0';
	const char *slash = strrchr(target, '/');
	snprintf(name, PROGRAM_NAME, "%.*s", PROGRAM_NAME - 1, slash ? slash + 1 : target);
	return name;
}

bool status_text(pid_t pid, const char *field, char *text, size_t size)
{
	size_t length = strlen(field), room = 0;
	char path[64], *line = NULL;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "re");
	while (file && !found && getline(&line, &room, file) > 0) {
		if (strncmp(line, field, length) != 0 || line[length] != ':')
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(text, size, "%s", line + length + 1 + strspn(line + length + 1, " \t"));
		found = true;
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

int64_t status_number(pid_t pid, const char *field, int word, int base)
{
	char text[256], *at = text, *end;

	if (!status_text(pid, field, text, sizeof(text)))
		return -1;
	for (;; word--) {
		uint64_t number = strtoull(at, &end, base);
		if (end == at)
			return -1;
		if (!word)
			return (int64_t)number;
		at = end;
	}
}

bool would_end(pid_t pid, int number)
{
	int64_t caught = status_number(pid, "SigCgt", 0, 16);
	int64_t ignored = status_number(pid, "SigIgn", 0, 16);
	uint64_t taken = (caught == -1 ? 0 : (uint64_t)caught) |
			 (ignored == -1 ? 0 : (uint64_t)ignored);

	return !(taken >> (number - 1) & 1);
}

// ---- The end -----------------------------------------------------------------------------------

void adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

struct ended end_all(void)
{
	struct pids ended = { 0 }, others = { 0 };
	double deadline = now() + END_SECONDS;

	while (now() < deadline) {
		struct pids left = processes_below();
		size_t pending = 0;
		for (size_t i = 0; i < left.count; i++) {
			pid_t pid = left.all[i];
			if (pids_have(&others, pid))
				continue;
			pending++;
			if (kill(pid, SIGKILL) == 0 || errno == ESRCH)
				pids_add(&ended, pid);
			else
				pids_add(&others, pid);
		}
		pids_deinit(&left);
		// Take note of ends that nobody asks for.
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
		if (!pending)
			break;
		pause_for(PAUSE);
	}
	struct ended result = { ended.count, others.count };
	pids_deinit(&ended);
	pids_deinit(&others);
	return result;
}
