// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool proc_stat(pid_t pid, struct proc_stat *ret)
{
	unsigned long user, system;
	unsigned long long began;
	char path[64], line[1024], state;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	ssize_t size = read(file, line, sizeof(line) - 1);
	close(file);
	line[size > 0 ? size : 0] = '\0';
	const char *behind = strrchr(line, ')'); // the name of the program may have anything in it
	if (!behind || sscanf(behind + 1,
			      " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d "
			      "%*d %*d %llu",
			      &state, &parent, &user, &system, &began) != 5)
		return false;
	ret->state = state;
	ret->has_ended = state == 'Z' || state == 'X';
	ret->parent = parent;
	ret->used = (uint64_t)user + system;
	ret->began = began;
	return true;
}

bool proc_has_ended(pid_t thread)
{
	struct proc_stat stat;

	return !proc_stat(thread, &stat) || stat.has_ended;
}

pid_t proc_living_thread(pid_t pid)
{
	char path[64];
	pid_t found = pid;

	if (!proc_has_ended(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *folder = opendir(path);
	for (struct dirent *entry; folder && found == pid && (entry = readdir(folder));) {
		pid_t lwp = (pid_t)strtol(entry->d_name, NULL, 10);

		if (lwp > 0 && !proc_has_ended(lwp))
			found = lwp;
	}
	if (folder)
		closedir(folder);
	return found;
}

bool proc_mappings(pid_t pid, bool (*take)(void *context, const struct proc_mapping *mapping),
		   void *context)
{
	char path[64], *line = NULL;
	size_t room = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *file = fopen(path, "re");
	bool ok = file != NULL;
	while (ok && getline(&line, &room, file) > 0) {
		struct proc_mapping mapping;
		int name = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
			   &mapping.start, &mapping.end, mapping.permissions, &mapping.offset,
			   &name) != 4 ||
		    !name)
			continue;
		mapping.name = line + name;
		mapping.line = line;
		ok = take(context, &mapping);
	}
	int number = errno;
	ok = ok && !ferror(file);
	free(line);
	if (file)
		fclose(file);
	errno = number;
	return ok;
}

bool proc_status(pid_t pid, const char *field, char *text, size_t size)
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

int64_t proc_status_number(pid_t pid, const char *field, int word, int base)
{
	char text[256], *at = text, *end;

	if (!proc_status(pid, field, text, sizeof(text)))
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
