// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

int fail(struct target_error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -1;
}

void *grow(void *array, size_t *count, size_t size)
{
	void *elements;

	memcpy(&elements, array, sizeof(elements)); // a pointer of whatever type
	// Room is doubled whenever the count is a power of two.
	if ((*count & (*count - 1)) == 0) {
		elements = reallocarray(elements, *count ? *count * 2 : 1, size);
		if (!elements) {
			fputs("ompdbg: out of memory\n", stderr);
			abort();
		}
		memcpy(array, &elements, sizeof(elements));
	}
	return memset((char *)elements + (*count)++ * size, 0, size);
}

static struct target *target_new(const struct target_places *places, struct target_error *error)
{
	struct target *target = calloc(1, sizeof(*target));

	if (!target) {
		fail(error, "out of memory");
		return NULL;
	}
	target->core = -1;
	target->program = places->program ? strdup(places->program) : NULL;
	target->sysroot = places->sysroot ? strdup(places->sysroot) : NULL;
	target->places = (struct target_places){ target->program, target->sysroot };
	return target;
}

/** @return the target; NULL, with none, if it could not be opened. */
static struct target *opened(struct target *target, bool ok)
{
	if (ok)
		return target;
	target_close(target);
	return NULL;
}

struct target *target_open_core(int file, const struct target_places *places,
				struct target_error *error)
{
	struct target *target = target_new(places, error);

	if (!target)
		return NULL;
	target->core = file;
	return opened(target, core_init(target, error) == 0 && files_init(target, error) == 0);
}

/** Open the files and then stop the process: opening takes its time. */
static int look_and_stop(struct target *target, pid_t pid, struct target_error *error)
{
	bool changed;

	if (process_init(target, pid, error) < 0 || files_init(target, error) < 0 ||
	    process_stop(target, &changed, error) < 0)
		return -1;
	if (!changed)
		return 0;
	files_deinit(target);
	free(target->mappings);
	target->mappings = NULL;
	target->num_mappings = 0;
	free(target->executables);
	target->executables = NULL;
	target->num_executables = 0;
	return process_init(target, pid, error) < 0 ? -1 : files_init(target, error);
}

struct target *target_attach(pid_t pid, const struct target_places *places,
			     struct target_error *error)
{
	struct target *target = target_new(places, error);

	if (!target)
		return NULL;
	if (look_and_stop(target, pid, error) < 0)
		return opened(target, false);
	if (snapshot_take(target))
		process_let_go(target);
	return target;
}

struct target *target_adopt(pid_t pid, int memory, const struct target_stopped *threads,
			    size_t num_threads, const struct target_places *places,
			    struct target_error *error)
{
	struct target *target = target_new(places, error);

	if (!target)
		return NULL;
	target->is_adopted = true;
	target->direct.memory = memory + 1;
	target->direct.refused = true; // only the tracer may read in another way
	bool is_there = process_init(target, pid, error) == 0 && files_init(target, error) == 0;
	if (is_there)
		process_adopt(target, threads, num_threads);
	return opened(target, is_there);
}

struct target *target_borrow(const struct target_loaded *files, size_t count, uint64_t vdso,
			     target_reader *read, void *context, struct target_error *error)
{
	const struct target_places places = { 0 };
	struct target *target = target_new(&places, error);

	if (!target)
		return NULL;
	target->is_adopted = true;
	target->read = read;
	target->reader = context;
	target->auxiliary = vdso ? calloc(2, sizeof(*target->auxiliary)) : NULL;
	if (target->auxiliary) {
		target->auxiliary[0] = AT_SYSINFO_EHDR;
		target->auxiliary[1] = vdso;
		target->num_auxiliary = 2;
	}
	files_take(target, files, count);
	return opened(target, files_init(target, error) == 0);
}

struct target *target_open_files(const struct target_loaded *files, size_t count,
				 struct target_error *error)
{
	const struct target_places places = { 0 };
	struct target *target = target_new(&places, error);

	if (!target)
		return NULL;
	target->is_let_go = target->has_files_alone = true;
	files_take(target, files, count);
	return opened(target, files_init(target, error) == 0);
}

const struct target_owner *target_owner(const struct target *target)
{
	return target->owner;
}

bool target_is_stopped(const struct target *target)
{
	return target->core < 0 && !target->is_let_go;
}

void target_close(struct target *target)
{
	if (target->thread_library)
		target->close_thread_library(target->thread_library);
	process_deinit(target);
	snapshot_deinit(&target->snapshot);
	functions_deinit(target);
	files_deinit(target);
	free(target->segments);
	free(target->mappings);
	free(target->executables);
	free(target->threads);
	free(target->auxiliary);
	free(target->program);
	free(target->sysroot);
	free(target->owner);
	free(target);
}

bool memory_read_own(struct target *target, uint64_t address, void *buffer, size_t size)
{
	if (target->read)
		return target->read(target->reader, address, buffer, size) == size;
	if (target->has_files_alone)
		return false;
	if (target->core < 0)
		return direct_read(&target->direct, address, buffer, size) == size;
	return core_read(target, address, buffer, size) == size;
}

size_t target_read(struct target *target, uint64_t address, void *buffer, size_t size)
{
	size_t done = 0;

	if (target->read)
		return target->read(target->reader, address, buffer, size);
	if (target_is_stopped(target))
		return direct_read(&target->direct, address, buffer, size);
	while (done < size) {
		char *at = (char *)buffer + done;
		size_t got = target->core < 0 ? snapshot_read(&target->snapshot, address + done, at,
							      size - done) :
						core_read(target, address + done, at, size - done);

		if (!got)
			got = files_read(target, address + done, at, size - done);
		if (!got)
			break;
		done += got;
	}
	return done;
}

bool target_auxiliary(const struct target *target, uint64_t type, uint64_t *ret)
{
	for (size_t i = 0; i + 1 < target->num_auxiliary; i += 2) {
		if (target->auxiliary[i] == type) {
			*ret = target->auxiliary[i + 1];
			return true;
		}
	}
	return false;
}

size_t target_num_threads(const struct target *target)
{
	return target->num_threads;
}

pid_t target_thread_lwp(const struct target *target, size_t index)
{
	return target->threads[index].lwp;
}

const char *target_thread_name(const struct target *target, size_t index)
{
	return target->threads[index].name;
}

const uint64_t *target_thread_registers(const struct target *target, size_t index)
{
	const struct thread *thread = &target->threads[index];

	return index < target->num_threads && thread->has_registers ? thread->registers : NULL;
}

const uint8_t *target_thread_vectors(const struct target *target, size_t index)
{
	const struct thread *thread = &target->threads[index];

	return index < target->num_threads && thread->has_vectors ? thread->vectors : NULL;
}
