// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks for everything of a core file while the user presses Ctrl-C, or a service fails, at one
// moment after the other: break_services LIBOMPD CORE
//
// After Ctrl-C every function must end with OMPDBG_INTERRUPTED, soon. Once the services are whole
// again, a second look must tell what is told without a fault; but for failures while the program is
// opened, which leave the OMPD library with less knowledge of the runtime.

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompdbg/ompdbg.h"
#include "ompdbg/target.h"

enum {
	MOMENTS = 60,	   // that are tried
	MOST_CALLS = 2000, // of services after Ctrl-C
};

enum fault { NO_FAULT, INTERRUPT, FAIL_ONCE, FAIL_ALWAYS };

/** Services that break at one moment. */
struct broken {
	const struct ompdbg_services *whole;
	enum fault fault;
	uint64_t calls, moment;
	uint64_t opened; // calls that it takes to open the program
};

static struct broken broken;

/** Count a call. @return true if it must fail. */
static bool is_broken(void)
{
	uint64_t call = broken.calls++;

	if (broken.fault == FAIL_ALWAYS)
		return call >= broken.moment;
	return broken.fault == FAIL_ONCE && call == broken.moment;
}

static bool is_interrupted(void *context)
{
	(void)context;
	return broken.fault == INTERRUPT && broken.calls >= broken.moment;
}

#define OTHERWISE(call)                                                      \
	do {                                                                 \
		if (is_broken())                                             \
			return ompdbg_error_create(OMPDBG_FAILED, "broken"); \
		return broken.whole->call;                                   \
	} while (0)

static struct ompdbg_error *read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	if (is_broken())
		return ompdbg_error_unreadable(address + size / 2);
	return broken.whole->read_memory(context, address, buffer, size);
}

static struct ompdbg_error *threads(void *context, const struct ompdbg_target_thread **ret,
				    size_t *count)
{
	OTHERWISE(threads(context, ret, count));
}

static struct ompdbg_error *registers(void *context, int thread, uint32_t wanted,
				      struct ompdbg_registers *ret)
{
	OTHERWISE(registers(context, thread, wanted, ret));
}

static struct ompdbg_error *unwind(void *context, int thread, size_t most,
				   const struct ompdbg_frame **ret, size_t *count)
{
	OTHERWISE(unwind(context, thread, most, ret, count));
}

static struct ompdbg_error *frame_place(void *context, int thread, const struct ompdbg_frame *frame,
					struct ompdbg_function *ret)
{
	OTHERWISE(frame_place(context, thread, frame, ret));
}

static struct ompdbg_error *symbol_address(void *context, const char *name, const char *object,
					   int thread, uint64_t *ret)
{
	OTHERWISE(symbol_address(context, name, object, thread, ret));
}

static struct ompdbg_error *symbol_at(void *context, uint64_t address, struct ompdbg_symbol *ret)
{
	OTHERWISE(symbol_at(context, address, ret));
}

static struct ompdbg_error *function_at(void *context, uint64_t address,
					struct ompdbg_function *ret)
{
	OTHERWISE(function_at(context, address, ret));
}

static struct ompdbg_services break_services(const struct ompdbg_services *whole)
{
	struct ompdbg_services services = *whole;

	broken.whole = whole;
	// As of a program that was compiled with the first headers of libompdbg.so.0.
	services.size = offsetof(struct ompdbg_services, open_source);
	services.interrupted = is_interrupted;
	services.read_memory = read_memory;
	services.threads = threads;
	services.registers = registers;
	services.unwind = unwind;
	services.frame_place = frame_place;
	services.symbol_address = symbol_address;
	services.symbol_at = symbol_at;
	services.function_at = function_at;
	return services;
}

// ---- What is told ----------------------------------------------------------------------------

static uint64_t digest;

static void add_number(uint64_t number)
{
	digest = (digest ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	digest ^= digest >> 29;
}

static void add_text(const char *text)
{
	add_number(text ? 1 : 0);
	for (; text && *text; text++)
		add_number((unsigned char)*text);
}

static struct ompdbg_error *visit_thread(void *context, const struct ompdbg_thread *thread)
{
	(void)context;
	add_number((uint64_t)thread->number);
	add_text(thread->team);
	add_text(thread->state);
	add_text(thread->wait);
	add_text(thread->place.function);
	return NULL;
}

static struct ompdbg_error *visit_team(void *context, const struct ompdbg_team *team)
{
	(void)context;
	add_text(team->label);
	add_number((uint64_t)team->size);
	add_text(team->opened.function);
	return NULL;
}

static struct ompdbg_error *visit_task(void *context, const struct ompdbg_task *task)
{
	(void)context;
	add_number(task->id);
	add_text(task->status);
	add_text(task->code.function);
	return NULL;
}

static struct ompdbg_error *ask_all(struct ompdbg_program *program)
{
	digest = 1;
	struct ompdbg_error *error = ompdbg_visit_threads(program, visit_thread, NULL);
	if (!error)
		error = ompdbg_visit_teams(program, visit_team, NULL);
	if (!error)
		error = ompdbg_visit_tasks(program, visit_task, NULL, NULL);
	return error;
}

// ---- Runs ------------------------------------------------------------------------------------

/** Set when the services break. */
static void set_fault(enum fault fault, uint64_t moment)
{
	broken.fault = fault;
	broken.calls = 0;
	broken.moment = moment;
}

/** Open the program with broken services and ask for everything. Once they are whole, ask again. */
static bool run(const struct ompdbg_services *services, const char *library, enum fault fault,
		uint64_t moment, uint64_t expected)
{
	struct ompdbg_program *program = NULL;

	set_fault(fault, moment);
	struct ompdbg_error *error = ompdbg_program_open(services, library, &program);
	if (!error)
		error = ask_all(program);
	bool is_right = true;
	if (fault == INTERRUPT &&
	    (!error || error->code != OMPDBG_INTERRUPTED || broken.calls - moment > MOST_CALLS)) {
		printf("interrupted at call %" PRIu64 ": %s, after %" PRIu64 " more calls\n",
		       moment, error ? error->message : "no error", broken.calls - moment);
		is_right = false;
	}
	ompdbg_error_destroy(error);
	set_fault(NO_FAULT, 0);
	if (program) {
		error = ompdbg_program_refresh(program);
		if (!error)
			error = ask_all(program);
		if (moment >= broken.opened && (error || digest != expected)) {
			printf("after the fault at call %" PRIu64 ": %s\n", moment,
			       error ? error->message : "another answer");
			is_right = false;
		}
		ompdbg_error_destroy(error);
	}
	ompdbg_program_close(program);
	return is_right;
}

int main(int argc, char **argv)
{
	struct ompdbg_target *target = NULL;
	struct ompdbg_program *program = NULL;
	bool is_right = true;

	if (argc != 3)
		return 2;
	struct ompdbg_error *error = ompdbg_target_open_core(argv[2], NULL, NULL, &target);
	if (error) {
		printf("%s\n", error->message);
		return 2;
	}
	struct ompdbg_services services = break_services(ompdbg_target_services(target));
	set_fault(NO_FAULT, 0);
	error = ompdbg_program_open(&services, argv[1], &program);
	broken.opened = broken.calls;
	if (!error)
		error = ask_all(program);
	if (error) {
		printf("%s\n", error->message);
		return 2;
	}
	uint64_t calls = broken.calls, expected = digest;
	ompdbg_program_close(program);
	for (uint64_t i = 0; i < MOMENTS; i++) {
		uint64_t moment = calls * i / MOMENTS;

		is_right &= run(&services, argv[1], INTERRUPT, moment, expected);
		is_right &= run(&services, argv[1], FAIL_ONCE, moment, expected);
		is_right &= run(&services, argv[1], FAIL_ALWAYS, moment, expected);
	}
	printf("%d moments of %" PRIu64 " calls, of which %" PRIu64 " open the program\n", MOMENTS,
	       calls, broken.opened);
	ompdbg_target_close(target);
	return is_right ? 0 : 1;
}
