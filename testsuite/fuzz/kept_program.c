// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker gives calls of libompdbg's memory_alloc() and its fellows to the functions here
// (--wrap), so that the blocks of the OMPD library are those of a recorded target.

#include "kept_program.h"

#include <stdio.h>
#include <stdlib.h>

#include "../recorded/printer/recorded_services.h"
#include "base/arena.h"
#include "damaged_model.h"
#include "ompd/runtimes.h"

enum { HANDLES = 100000 }; // more than any input needs at once

struct kept {
	struct ompdbg_services services;
	struct ompdbg_program *program; // NULL: not open
	struct recorded_state state;	// of the OMPD library, while nothing is asked
};

static struct recorded_target *targets;
static struct kept *programs;
static const char *path;
static __typeof__(((struct ompdbg_services *)0)->threads) list_threads;
static bool has_no_threads; // for the moment

static void die(const struct recorded_target *target, const char *what)
{
	fprintf(stderr, "%s: %s\n", target->name, what);
	abort();
}

static void check(const struct recorded_target *target, struct ompdbg_error *error)
{
	if (error)
		die(target, error->message);
}

// ---- Memory of the library ---------------------------------------------------------------------

ompd_rc_t __wrap_memory_alloc(ompd_size_t bytes, void **ret);
ompd_rc_t __wrap_memory_free(void *memory);
void __wrap_memory_free_owned(const void *memory);

ompd_rc_t __wrap_memory_alloc(ompd_size_t bytes, void **ret)
{
	*ret = callback_alloc(bytes);
	return *ret ? ompd_rc_ok : ompd_rc_nomem;
}

ompd_rc_t __wrap_memory_free(void *memory)
{
	callback_free(memory);
	return ompd_rc_ok;
}

void __wrap_memory_free_owned(const void *memory)
{
	if (recorded_has(memory))
		recorded_free(memory);
}

// ---- Programs ----------------------------------------------------------------------------------

static struct ompdbg_error *threads(void *context, const struct ompdbg_target_thread **ret,
				    size_t *count)
{
	return has_no_threads ? &ompdbg_error_absent : list_threads(context, ret, count);
}

/** Release everything that belongs to the stop: a program without threads cannot be refreshed. */
static void forget_stop(struct ompdbg_program *program)
{
	has_no_threads = true;
	ompdbg_error_destroy(ompdbg_program_refresh(program));
	has_no_threads = false;
}

static void open_program(struct kept *kept, const struct recorded_target *target)
{
	kept->services.threads = threads;
	check(target, ompdbg_program_open(&kept->services, path, &kept->program));
	// What is found at the first question is kept too.
	for (int view = 0; view < MODEL_VIEWS; view++)
		model_print(kept->program, (enum ompdbg_view)view);
	forget_stop(kept->program);
	recorded_keep_state(&kept->state);
}

struct ompdbg_program *kept_program_take(uint32_t number)
{
	struct kept *kept = &programs[number];
	const struct ompdbg_services services = recorded_services(&targets[number]);

	recorded_begin_call();
	if (!kept->program) {
		kept->services = services;
		open_program(kept, &targets[number]);
	}
	return kept->program;
}

void kept_program_return(uint32_t number)
{
	struct kept *kept = &programs[number];

	forget_stop(kept->program);
	if (recorded_restore_state(&kept->state))
		return;
	recorded_forget_state(&kept->state);
	ompdbg_program_close(kept->program);
	kept->program = NULL;
	if (targets[number].blocks)
		die(&targets[number], "blocks of memory are left");
}

// ---- The library -------------------------------------------------------------------------------

// The library has one table of all handles, which grows, and is freed with the last handle. Open a
// target that is never closed, and so many handles at once that the table never grows again: what
// inputs leave behind is theirs then.
void kept_programs_open(const char *library, struct recorded_target *opened, uint32_t count)
{
	static struct recorded_target keeper;
	static struct ompdbg_services services;
	static ompd_thread_handle_t *handles[HANDLES];
	static struct runtimes runtimes;
	static struct arena arena;
	struct ompd_library *loaded;

	path = library;
	targets = opened;
	programs = calloc(count, sizeof(*programs));
	if (!programs)
		abort();
	keeper = targets[0];
	services = recorded_services(&keeper);
	list_threads = services.threads;
	recorded_begin_call();
	check(&keeper, ompd_library_open(path, -1, &loaded));
	check(&keeper, runtimes_open(&arena, loaded, &services, &runtimes));
	if (!runtimes.num_spaces)
		die(&keeper, "no runtime is recognised");
	struct space *space = runtimes.spaces[0];
	for (int i = 0; i < HANDLES; i++)
		check(&keeper, SPACE_CALL(space, get_thread_handle, space_handle(space),
					  ompd_thread_id_pthread, 8, &keeper.threads[0].pthread,
					  &handles[i]));
	for (int i = 0; i < HANDLES; i++)
		check(&keeper, SPACE_CALL(space, rel_thread_handle, handles[i]));
}
