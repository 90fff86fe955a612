// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of services, and those that need no more than the target itself.

#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/foreign.h"
#include "owner.h"

_Static_assert((int)TARGET_NAMED_REGISTERS == OMPDBG_NUM_REGISTERS, "the same numbers");

/** Set in the environment, it lets the messages of the OMPD library be printed. */
static const char debug_variable[] = "OMPDBG_DEBUG";

static struct target_services *of_table(const struct ompdbg_services *table)
{
	return table->context;
}

// ---- Memory and threads ----------------------------------------------------------------------

static struct ompdbg_error *read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	struct target_services *services = context;
	size_t got = target_read(services->target, address, buffer, size);

	return got == size ? NULL : ompdbg_error_unreadable(address + got);
}

static struct ompdbg_error *threads(void *context, const struct ompdbg_target_thread **ret,
				    size_t *count)
{
	const struct target_services *services = context;

	*ret = services->threads;
	*count = services->num_threads;
	return NULL;
}

struct ompdbg_error *thread_index(const struct target_services *services, int thread, size_t *ret)
{
	if (services->debugger) {
		*ret = (size_t)thread;
		return NULL;
	}
	if (thread < 1 || (size_t)thread > services->num_threads)
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "there is no thread %d", thread);
	*ret = services->order[thread - 1];
	return NULL;
}

struct ompdbg_error *answered(struct target_services *services, struct ompdbg_error *error)
{
	arena_deinit(&services->scratch);
	return is_interrupted(services) ? interruption() : error;
}

struct ompdbg_registers registers_of(const struct target_services *services, size_t index,
				     uint32_t wanted)
{
	const struct ompdbg_services *debugger = services->debugger;
	const uint64_t *values = target_thread_registers(services->target, index);
	struct ompdbg_registers found = { 0 };

	if (debugger) {
		if (!is_ok(debugger->registers(debugger->context, (int)index, wanted, &found)))
			found.known = 0;
		return found;
	}

	for (size_t i = 0; values && i < OMPDBG_NUM_REGISTERS; i++) {
		if (!(wanted & (UINT32_C(1) << i)))
			continue;
		found.known |= UINT32_C(1) << i;
		found.values[i] = values[target_register_places[i]];
	}
	return found;
}

static struct ompdbg_error *registers(void *context, int thread, uint32_t wanted,
				      struct ompdbg_registers *ret)
{
	size_t index = 0;
	struct ompdbg_error *error = thread_index(context, thread, &index);

	if (!error)
		*ret = registers_of(context, index, wanted);
	return error;
}

static int by_lwp(const void *a, const void *b)
{
	const struct ompdbg_target_thread *one = a, *other = b;

	return (one->lwp > other->lwp) - (one->lwp < other->lwp);
}

/** List the threads. The first one of a core file is the one that ended the program; of a process,
 *  the oldest. */
static void list_threads(struct target_services *services)
{
	struct target *target = services->target;
	struct arena *arena = &services->arena;
	size_t count = target_num_threads(target);

	services->num_threads = count;
	services->order = ARENA_ARRAY(arena, size_t, count);
	services->threads = ARENA_ARRAY(arena, struct ompdbg_target_thread, count);
	for (size_t i = 0; i < count; i++) {
		services->threads[i] = (struct ompdbg_target_thread){
			.number = (int)i, // in the target
			.name = target_thread_name(target, i),
			.lwp = target_thread_lwp(target, i),
			.selected = false,
		};
	}
	if (services->pid && count)
		qsort(services->threads, count, sizeof(*services->threads), by_lwp);
	for (size_t i = 0; i < count; i++) {
		struct ompdbg_target_thread *thread = &services->threads[i];

		services->order[i] = (size_t)thread->number;
		thread->number = (int)i + 1;
		thread->label = arena_printf(arena, "%d", thread->number);
		thread->selected = i == 0;
	}
}

bool target_services_have_memory(const struct ompdbg_services *table)
{
	const struct target_services *services = of_table(table);
	const size_t stack = target_register_places[OMPDBG_RSP];
	char byte;

	for (size_t i = 0; i < services->num_threads; i++) {
		const uint64_t *values =
			target_thread_registers(services->target, services->order[i]);

		if (values && values[stack] &&
		    target_read(services->target, values[stack], &byte, 1) == 1)
			return true;
	}
	return false;
}

// ---- Symbols ---------------------------------------------------------------------------------

static const char *program(void *context)
{
	const struct target_services *services = context;
	ssize_t index = services->objects.program;

	return index < 0 ? "" : target_file_at(services->target, (size_t)index).path;
}

// ---- The user --------------------------------------------------------------------------------

static bool interrupted(void *context)
{
	return is_interrupted(context);
}

static void log_line(void *context, const char *line)
{
	struct target_services *services = context;
	size_t length = strlen(line);

	if (!getenv(debug_variable))
		return;
	while (length && strchr(" \t\r\n", line[length - 1]))
		length--;
	const char *shown = arena_strndup(&services->arena, line, length);
	fprintf(stderr, "[ompd] %s\n", foreign_visible(&services->arena, shown));
}

/** Tell when the process was stopped: just before it was opened. */
static struct ompdbg_error *stop_time(void *context, uint64_t *ret)
{
	const struct target_services *services = context;

	*ret = services->opened;
	return services->opened ? NULL : &ompdbg_error_absent;
}

/** Return the time by CLOCK_MONOTONIC, in ns. */
static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int open_source(void *context, const char *path)
{
	struct target_services *services = context;

	return owner_open(target_owner(services->target), path);
}

static void forget_frames(struct target_services *services)
{
	services->contexts = services->scopes = services->living = (struct table){ 0 };
	arena_deinit(&services->stop);
	services->stop = (struct arena){ 0 };
}

void target_services_set_debugger(const struct ompdbg_services *table,
				  const struct ompdbg_services *debugger)
{
	struct target_services *services = of_table(table);

	forget_frames(services);
	services->debugger = debugger;
}

void target_services_set_detailed(const struct ompdbg_services *table)
{
	of_table(table)->is_detailed = true;
}

// ---- The table -------------------------------------------------------------------------------

struct ompdbg_error *target_services_create(struct target *target, pid_t pid,
					    const struct ompdbg_services **ret)
{
	struct target_services *services = calloc(1, sizeof(*services));

	if (!services)
		return &ompdbg_error_no_memory;
	services->target = target;
	services->pid = pid;
	services->opened = pid ? now() : 0;
	services->table = (struct ompdbg_services){
		.size = sizeof(services->table),
		.context = services,
		.read_memory = read_memory,
		.threads = threads,
		.registers = registers,
		.unwind = service_unwind,
		.frame_register = service_frame_register,
		.frame_place = service_frame_place,
		.variables = service_variables,
		.program = program,
		.object_at = service_object_at,
		.symbol_address = service_symbol_address,
		.symbol_at = service_symbol_at,
		.function_at = service_function_at,
		.function_named = service_function_named,
		.variable_at = service_variable_at,
		.frame_name = service_frame_name,
		.layout = service_layout,
		.newest_gcc = service_newest_gcc,
		.interrupted = interrupted,
		.log = log_line,
		.code_place = service_code_place,
		.stop_time = stop_time,
		.source_path = service_source_path,
		.evaluate = service_evaluate,
		.variable_storage = service_variable_storage,
		.access_name = service_access_name,
		.task_variables = service_task_variables,
		.file_address = service_file_address,
		.open_source = open_source,
	};
	objects_init(services);
	list_threads(services);
	*ret = &services->table;
	return NULL;
}

void target_services_destroy(const struct ompdbg_services *table)
{
	if (!table)
		return;
	struct target_services *services = of_table(table);

	forget_frames(services);
	arena_deinit(&services->scratch);
	arena_deinit(&services->arena);
	free(services);
}
