// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "tr2_target.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

static struct target *target;
static int core = -1;
long tr2_blocks;

bool tr2_open(const char *what)
{
	const struct target_places places = { .program = NULL };
	struct target_error error = { "" };
	char *end;
	long pid = strtol(what, &end, 10);

	if (*end == '\0') {
		target = target_attach((pid_t)pid, &places, &error);
	} else {
		core = open(what, O_RDONLY | O_CLOEXEC);
		target = target_open_core(core, &places, &error);
	}
	if (!target)
		fprintf(stderr, "%s: %s\n", what, error.text);
	return target != NULL;
}

void tr2_close(void)
{
	target_close(target);
}

bool tr2_read(uint64_t address, void *buffer, size_t size)
{
	return target_read(target, address, buffer, size) == size;
}

// A file's own name, or one with more of a version behind it.
static bool is_named(const char *path, const char *file_name)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t length = strlen(file_name);

	return strncmp(base, file_name, length) == 0 &&
	       (base[length] == '\0' || base[length] == '.');
}

bool tr2_symbol(const char *name, const char *file_name, uint64_t *ret)
{
	for (int program = 1; program >= 0; program--) {
		for (size_t i = 0; i < target_num_files(target); i++) {
			const struct target_file file = target_file_at(target, i);

			if (file.is_program != program ||
			    (file_name && !is_named(file.path, file_name)))
				continue;
			if (target_symbol_named(target, i, name, ret))
				return true;
		}
	}
	return false;
}

size_t tr2_num_threads(void)
{
	return target_num_threads(target);
}

int tr2_lwp(size_t thread)
{
	return target_thread_lwp(target, thread);
}

size_t tr2_frames(size_t thread, struct tr2_frame *frames, size_t max)
{
	enum { RSP = 2 }; // of the kept registers
	struct target_frame *found = calloc(max, sizeof(*found));
	size_t count = found ? target_unwind(target, thread, found, max) : 0;

	for (size_t i = 0; i < count; i++)
		frames[i] = (struct tr2_frame){ found[i].pc,
						found[i].known[RSP] ? found[i].kept[RSP] : 0 };
	free(found);
	return count;
}

bool tr2_is_program(uint64_t pc)
{
	ssize_t index = target_file_index(target, pc);

	return index >= 0 && target_file_at(target, (size_t)index).is_program;
}

void *tr2_alloc(size_t size)
{
	void *memory = malloc(size);

	if (memory)
		memset(memory, 0xa5, size);
	tr2_blocks += memory != NULL;
	return memory;
}

void tr2_free(void *memory)
{
	tr2_blocks -= memory != NULL;
	free(memory);
}

void *tr2_function(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "the library has no %s\n", name);
		exit(1);
	}
	return function;
}
