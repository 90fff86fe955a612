// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "children.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/objects.h"

enum { MOST_CHILDREN = 64, PATH_BYTES = 64 };

/** Check that two processes run the same program: one was forked by the other, and runs no other since. */
static bool is_same_program(pid_t one, pid_t other)
{
	const pid_t pids[] = { one, other };
	struct stat files[2];

	for (int i = 0; i < 2; i++) {
		char path[PATH_BYTES];
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)pids[i]);
		if (stat(path, &files[i]) != 0)
			return false;
	}
	return files[0].st_dev == files[1].st_dev && files[0].st_ino == files[1].st_ino;
}

/** List the processes that a thread has forked, after those that are listed. */
static size_t add_children_of(pid_t pid, const char *thread, pid_t *children, size_t count)
{
	char path[PATH_BYTES + NAME_MAX];
	int number;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, thread);
	FILE *file = fopen(path, "re");
	while (file && count < MOST_CHILDREN && fscanf(file, "%d", &number) == 1) {
		if (is_same_program(pid, number))
			children[count++] = number;
	}
	if (file)
		fclose(file);
	return count;
}

static size_t list_children(pid_t pid, pid_t *children)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	size_t count = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			count = add_children_of(pid, entry->d_name, children, count);
	}
	if (folder)
		closedir(folder);
	return count;
}

/** Diagnose a child. @return false: it does not hang, or cannot be looked at. */
static bool look_at_child(const struct place *parent, pid_t pid, struct arena *arena,
			  struct child *ret)
{
	const char *name = arena_printf(arena, "%d", (int)pid);
	const struct place place = { .name = name,
				     .program = parent->program,
				     .sysroot = parent->sysroot };
	struct failure failure = { 0 };
	struct looked looked;
	size_t count;
	bool hangs = false;

	if (look_at(&place, &looked, &failure)) {
		const struct finding *findings = diagnose(looked.process, NULL, &count);
		const struct finding *worst = worst_finding(findings, count);
		hangs = is_suspicious(worst);
		if (hangs)
			*ret = (struct child){ (int)pid, worst->severity,
					       arena_strdup(arena, worst->text),
					       worst->remedy ? arena_strdup(arena, worst->remedy) :
							       NULL };
		looked_close(&looked);
		looked_deinit(&looked); // what was missing in a child is not told
	}
	failure_deinit(&failure);
	return hangs;
}

void add_children(struct looked *looked, struct view_options *options)
{
	struct process *process = looked->process;
	struct arena *arena = &process->arena;
	pid_t pids[MOST_CHILDREN];
	struct child children[MOST_CHILDREN];
	size_t count = 0;

	if (!looked->pid || looked->place->halted || options->thread ||
	    !process_is_quiet(process) ||
	    !may_wait_for_children(process,
				   worst_finding(options->findings, options->num_findings)))
		return;
	const size_t num_pids = list_children(looked->pid, pids);
	for (size_t i = 0; i < num_pids && !process_is_interrupted(process); i++)
		count += look_at_child(looked->place, pids[i], arena, &children[count]);
	if (num_pids)
		signal(SIGTSTP, SIG_IGN); // the process that is looked at is still stopped
	struct finding *findings = ARENA_ARRAY(arena, struct finding, options->num_findings + 1);
	if (!diagnose_children(process, children, count, &findings[0]))
		return;
	memcpy(findings + 1, options->findings, options->num_findings * sizeof(*findings));
	options->findings = findings;
	options->num_findings++;
}
