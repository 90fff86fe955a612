// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "looking.h"

#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/objects.h"
#include "core_file.h"
#include "files.h"
#include "mapped_files.h"
#include "places.h"
#include "terminal.h"

/** Check for the number of a process that is no file. */
static bool is_process(const char *name)
{
	struct stat status;

	return number_in(name) >= 0 && stat(name, &status) != 0;
}

/** Check that a file is a program of x86-64. */
static bool check_program(const char *path, struct failure *failure)
{
	const char *why;
	Elf64_Ehdr header = { 0 };
	int file = open_regular(path, &why);

	if (file < 0)
		return fail_with(failure, STATUS_UNREADABLE, "%s: %s", path, why);
	ssize_t size = pread(file, &header, sizeof(header), 0);
	close(file);
	if (size != sizeof(header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN) || header.e_machine != EM_X86_64)
		return fail_with(failure, STATUS_UNREADABLE, "%s: not a program for x86-64", path);
	return true;
}

const char *place_name(const struct place *place)
{
	return place->name ? place->name : "newest core file";
}

// ---- The target --------------------------------------------------------------------------------

static bool open_process(struct looked *looked, const struct target_places *places,
			 struct failure *failure)
{
	struct target_error error;
	const char *name = looked->place->name;
	int64_t number = number_in(name);

	if (number <= 0 || number > INT32_MAX || number == getpid())
		return fail_with(failure, STATUS_UNREADABLE, "cannot look at process %s", name);
	// Whoever stops this program from his terminal would stop the other one with it.
	signal(SIGTSTP, SIG_IGN);
	looked->pid = (pid_t)number;
	looked->target = target_attach(looked->pid, places, &error);
	if (!looked->target)
		return fail_with(failure, STATUS_UNREADABLE, "%s", error.text);
	return true;
}

static bool open_target(struct looked *looked, struct failure *failure)
{
	const struct place *place = looked->place;
	const struct target_places places = { place->program, place->sysroot };
	const struct halted *halted = place->halted;
	struct target_error error;

	if (place->program && !check_program(place->program, failure))
		return false;
	if (halted) {
		looked->pid = halted->pid;
		looked->target = target_adopt(halted->pid, halted->memory, halted->threads,
					      halted->num_threads, &places, &error);
		return looked->target || fail_with(failure, STATUS_UNREADABLE, "%s", error.text);
	}
	if (!place->is_kept && is_process(place->name))
		return open_process(looked, &places, failure);
	looked->core = place->is_kept ? core_file_of_system(place->name, failure) :
					core_file_open(place->name, failure);
	if (looked->core < 0)
		return false;
	looked->target = target_open_core(looked->core, &places, &error);
	if (!looked->target)
		return fail_with(failure, STATUS_UNREADABLE, "%s: %s", place_name(place),
				 error.text);
	return true;
}

// ---- Its runtimes ------------------------------------------------------------------------------

/** Say where code is: that of a library that was unloaded is in no file. */
static const char *code_text(struct looked *looked, uint64_t pc)
{
	const struct ompdbg_services *services = looked->services;
	struct ompdbg_object object;
	struct ompdbg_symbol symbol;

	if (!is_ok(services->object_at(services->context, pc, &object)))
		return "code that is in no file, perhaps of a library that was unloaded";
	if (is_ok(services->symbol_at(services->context, pc, &symbol)))
		return arena_printf(&looked->arena, "%s in %s", symbol.name,
				    base_name(object.path));
	return base_name(object.path);
}

/** Tell which signal has ended the program of a core file in which there is no runtime; NULL: none has. */
static const char *crash_without_runtime(struct looked *looked)
{
	const struct ompdbg_services *services = looked->services;
	const struct target_end *end = target_end(looked->target);
	const struct ompdbg_target_thread *threads;
	const uint32_t wanted = UINT32_C(1) << OMPDBG_RIP;
	struct ompdbg_registers registers = { 0 };
	const char *name = signal_name(&looked->arena, end->signal);
	const char *place = "";
	size_t count = 0;

	// A debugger may have written the file at a breakpoint.
	if (looked->pid || !end->thread || !name || !is_fatal(end->signal) ||
	    end->signal == SIGTRAP ||
	    !is_ok(services->threads(services->context, &threads, &count)))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (threads[i].lwp == end->thread &&
		    is_ok(services->registers(services->context, threads[i].number, wanted,
					      &registers)) &&
		    registers.known & wanted)
			place = arena_printf(&looked->arena, " at 0x%lx (%s)",
					     (unsigned long)registers.values[OMPDBG_RIP],
					     code_text(looked, registers.values[OMPDBG_RIP]));
	}
	return arena_printf(&looked->arena, "%s in LWP %d%s", name, (int)end->thread, place);
}

/** Note that no runtime is understood, and why. */
static bool fail_without_runtime(struct looked *looked, struct failure *failure)
{
	const struct runtimes *runtimes = &looked->runtimes;
	const char *crash = crash_without_runtime(looked), *reason;
	bool is_truncated = target_is_truncated(looked->target);
	// Of a part it cannot be said that there is none in the whole.
	enum status status = is_truncated ? STATUS_UNREADABLE : STATUS_NO_OPENMP;
	size_t next = 0;

	if (!target_services_have_memory(looked->services)) {
		status = STATUS_UNREADABLE;
		reason = is_truncated ? "no memory of the program is in the core file" :
					"no memory of the program is in the core file "
					"(coredump_filter in core(5))";
		next = runtimes->num_problems;
	} else if (runtimes->num_problems) {
		reason = runtimes->problems[next++];
	} else {
		reason = hidden_runtime(looked);
	}
	if (!reason)
		reason = runtimes->absent;
	if (crash)
		fail_with(failure, status == STATUS_NO_OPENMP ? STATUS_FOUND : status, "%s; %s",
			  crash, reason);
	else
		fail_with(failure, status, "%s", reason);
	while (next < runtimes->num_problems)
		fail_also(failure, runtimes->problems[next++]);
	for (size_t i = 0; i < looked->num_problems; i++)
		fail_also(failure, looked->problems[i]);
	return false;
}

static bool open_runtimes(struct looked *looked, struct failure *failure)
{
	struct runtimes *runtimes = &looked->runtimes;
	struct ompdbg_error *error =
		ompd_library_open(libompd_path(&looked->arena), -1, &looked->library);

	if (!error)
		error = runtimes_open(&looked->arena, looked->library, looked->services, runtimes);
	if (error)
		return looked_check(looked, error, failure);
	if (!runtimes->num_spaces)
		return fail_without_runtime(looked, failure);
	looked->constants = constants_create(looked->services);
	error = process_open(looked->services, looked->constants, runtimes->spaces,
			     runtimes->num_spaces, runtimes->problems, runtimes->num_problems,
			     &looked->process);
	if (!looked_check(looked, error, failure))
		return false;
	struct crash crash;
	if (!looked->pid && looked_crash(looked, &crash))
		crash_mark(looked->process, &crash, target_end(looked->target)->process);
	return true;
}

bool look_at(const struct place *place, struct looked *looked, struct failure *failure)
{
	*looked = (struct looked){ .place = place, .core = -1 };
	if (!open_target(looked, failure))
		goto failed;
	if (!looked_check(looked,
			  target_services_create(looked->target, looked->pid, &looked->services),
			  failure))
		goto failed;
	if (place->is_detailed)
		target_services_set_detailed(looked->services);
	note_files(looked);
	if (target_is_truncated(looked->target))
		*ARENA_APPEND(&looked->arena, looked->problems, looked->num_problems,
			      looked->capacity) =
			"the core file is truncated: some answers are missing";
	if (open_runtimes(looked, failure))
		return true;
failed:
	looked_close(looked);
	looked_warn(looked, failure);
	return false;
}

void looked_close(struct looked *looked)
{
	if (looked->target) {
		note_split(looked);
		note_left_out(looked);
	}
	if (looked->process)
		process_close(looked->process);
	if (looked->constants)
		constants_destroy(looked->constants);
	runtimes_close(&looked->runtimes);
	if (looked->library)
		ompd_library_close(looked->library);
	target_services_destroy(looked->services);
	if (looked->target)
		target_close(looked->target);
	if (looked->core >= 0)
		close(looked->core);
	if (looked->pid && !looked->place->halted)
		signal(SIGTSTP, SIG_DFL);
}

void looked_warn(struct looked *looked, const struct failure *failure)
{
	for (size_t i = 0; i < looked->num_problems && !failure->status; i++)
		say("ompdbg: warning: %s", looked->problems[i]);
	looked_deinit(looked);
}

void looked_deinit(struct looked *looked)
{
	arena_deinit(&looked->arena);
}

bool looked_check(const struct looked *looked, struct ompdbg_error *error, struct failure *failure)
{
	if (!error)
		return true;
	if (!failure->status) {
		fail_with(failure, STATUS_UNREADABLE, "%s", error->message);
		for (size_t i = 0; i < looked->num_problems; i++)
			fail_also(failure, looked->problems[i]);
	}
	ompdbg_error_destroy(error);
	return false;
}

bool looked_crash(const struct looked *looked, struct crash *ret)
{
	const struct target_end *end = target_end(looked->target);

	*ret = (struct crash){ end->signal, end->thread, end->has_info, end->info };
	return crash_ended_core(looked->process, ret);
}
