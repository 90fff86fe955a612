// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "damaged_files.h"

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "services.h"
#include "target.h"

enum {
	MAX_DAMAGE = 64,
	MAX_SECTIONS = 64,
	MAX_FRAMES = 256,
	CORE_HEADERS = 1 << 14, // where most of what a core file says of itself is
};

struct found found;

static void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

// ---- The files ---------------------------------------------------------------------------------

enum { CORE, PROGRAM };

static struct {
	int descriptor;
	uint64_t size;
} files[] = { { -1, 0 }, { -1, 0 } };

static char folder[] = "/tmp/ompdbg-fuzz-XXXXXX";
static char place[64];

struct section {
	uint64_t begin, size;
};
static struct section sections[MAX_SECTIONS];
static size_t num_sections;

/** Find what the program has in its file besides headers. */
static void find_sections(void)
{
	Elf64_Shdr header;
	Elf64_Ehdr elf;

	if (pread(files[PROGRAM].descriptor, &elf, sizeof(elf), 0) != sizeof(elf))
		die("pread");
	for (size_t i = 0; i < elf.e_shnum && num_sections < MAX_SECTIONS; i++) {
		off_t at = (off_t)(elf.e_shoff + i * sizeof(header));

		if (pread(files[PROGRAM].descriptor, &header, sizeof(header), at) != sizeof(header))
			die("pread");
		if (header.sh_type != SHT_NOBITS && header.sh_size)
			sections[num_sections++] =
				(struct section){ header.sh_offset, header.sh_size };
	}
	// The headers of sections are like one.
	if (num_sections < MAX_SECTIONS)
		sections[num_sections++] =
			(struct section){ elf.e_shoff, elf.e_shnum * sizeof(header) };
}

/** Copy a program. @return the copy, open. */
static int copy_program(const char *from, const char *to)
{
	static char block[1 << 16];
	int source = open(from, O_RDONLY | O_CLOEXEC);
	int target = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t got;

	if (source < 0 || target < 0)
		die("open");
	while ((got = read(source, block, sizeof(block))) > 0) {
		if (write(target, block, (size_t)got) != got)
			die("write");
	}
	close(source);
	return target;
}

bool files_open(char **program)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	char pattern[64];
	glob_t cores;
	int status;

	if (!mkdtemp(folder))
		die("mkdtemp");
	snprintf(place, sizeof(place), "%s/program", folder);
	close(copy_program(program[0], place)); // what is open for writing cannot be run
	program[0] = place;
	pid_t child = fork();
	if (child == 0) {
		setenv("FIXTURE_ABORT", "1", 1);
		setrlimit(RLIMIT_CORE, &all);
		if (chdir(folder) == 0)
			execv(program[0], program);
		_exit(EXIT_FAILURE);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		die("fork");
	snprintf(pattern, sizeof(pattern), "%s/*core*", folder);
	if (glob(pattern, 0, NULL, &cores) == 0) {
		files[CORE].descriptor = open(cores.gl_pathv[0], O_RDWR | O_CLOEXEC);
		unlink(cores.gl_pathv[0]);
		globfree(&cores);
	}
	files[PROGRAM].descriptor = open(place, O_RDWR | O_CLOEXEC);
	if (files[CORE].descriptor < 0 || files[PROGRAM].descriptor < 0)
		return false;
	for (int i = CORE; i <= PROGRAM; i++) {
		struct stat known;

		if (fstat(files[i].descriptor, &known) != 0)
			die("fstat");
		files[i].size = (uint64_t)known.st_size;
	}
	find_sections();
	return true;
}

void files_remove(void)
{
	unlink(place);
	rmdir(folder);
}

// ---- Damage ------------------------------------------------------------------------------------

/** A byte as it was. */
struct kept {
	int descriptor;
	off_t at;
	uint8_t byte;
};

static void put_byte(const struct kept *byte)
{
	if (pwrite(byte->descriptor, &byte->byte, 1, byte->at) != 1)
		die("pwrite");
}

/** Put a byte of damage. @return what was there. */
static struct kept put_damage(const struct damage *damage)
{
	struct kept before = { .descriptor = files[CORE].descriptor };
	struct section region = { 0, files[CORE].size };
	uint32_t at;

	memcpy(&at, damage->at, sizeof(at));
	if (damage->where == IN_CORE_HEADERS && region.size > CORE_HEADERS)
		region.size = CORE_HEADERS;
	if (damage->where >= IN_PROGRAM_HEADERS)
		before.descriptor = files[PROGRAM].descriptor;
	if (damage->where == IN_PROGRAM_HEADERS)
		region = (struct section){ 0, sizeof(Elf64_Ehdr) + 16 * sizeof(Elf64_Phdr) };
	else if (damage->where >= IN_SECTIONS)
		region = sections[(damage->where - IN_SECTIONS) % num_sections];
	before.at = (off_t)(region.begin + at % region.size);
	if (pread(before.descriptor, &before.byte, 1, before.at) != 1)
		die("pread");
	put_byte(&(struct kept){ before.descriptor, before.at, damage->value });
	return before;
}

// ---- What is asked ---------------------------------------------------------------------------

static void ask_code(struct target *target, uint64_t address)
{
	struct target_symbol symbol;
	Dwarf_Die unit, scopes[16];
	uint64_t bias;

	found.symbols += target_symbol_at(target, address, &symbol);
	if (target_unit_at(target, address, &unit, &bias))
		target_scopes(target, &unit, address - bias, scopes, 16);
}

static void ask_thread(struct target *target, size_t thread)
{
	struct target_frame frames[MAX_FRAMES];
	size_t count = target_unwind(target, thread, frames, MAX_FRAMES);

	for (size_t i = 0; i < count; i++)
		ask_code(target, frames[i].pc);
	found.frames += count;
}

// ---- Services ----------------------------------------------------------------------------------

static const struct ompdbg_services *services;

/** Count an answer; what was damaged may be an error. */
static bool is_answer(struct ompdbg_error *error)
{
	ompdbg_error_destroy(error);
	return !error;
}

/** Evaluate a variable in a frame, what it points to, and parts of it. */
static void ask_values(int thread, const struct ompdbg_frame *frame, const char *name)
{
	static const char *const forms[] = { "%s", "*%s", "%s[1]", "%s(1)", "%s@3", "&%s", "%s.a" };
	char expression[64];
	struct ompdbg_value value;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms) && strlen(name) < 40; i++) {
		snprintf(expression, sizeof(expression), forms[i], name);
		found.values += is_answer(services->evaluate(services->context, thread, frame,
							     expression, i ? 'x' : 0, &value)) &&
				value.text;
	}
}

/** Ask for the variables of a frame, and for names of what its stack pointer and the like point to. */
static void ask_frame_variables(int thread, const struct ompdbg_frame *frame, uint64_t address)
{
	const struct ompdbg_variable *variables;
	enum ompdbg_storage storage;
	const char *name;
	size_t count;

	for (int which = OMPDBG_ARGUMENTS; which <= OMPDBG_LOCALS; which++) {
		if (!is_answer(services->variables(services->context, thread, frame,
						   (enum ompdbg_variables)which, &variables,
						   &count)))
			continue;
		for (size_t i = 0; i < count; i++) {
			found.values += strlen(variables[i].name) && *variables[i].value != '<';
			ask_values(thread, frame, variables[i].name);
			is_answer(services->variable_storage(services->context, thread, frame,
							     variables[i].name, &storage));
		}
	}
	ask_values(thread, frame, "stdout"); // of no frame
	is_answer(services->frame_name(services->context, thread, frame, address,
				       (enum ompdbg_naming)(address % 3), &name));
	for (int reg = OMPDBG_RAX; reg <= OMPDBG_R15; reg++) {
		const struct ompdbg_pointer pointers[] = {
			{ .address = address, .offset = 8 },
			{ .in_register = true, .reg = (enum ompdbg_register)reg, .offset = -8 },
		};
		const char *last;
		is_answer(services->access_name(services->context, thread, frame, pointers, 2,
						address, 8, &name, &last));
	}
}

static void ask_place(int thread, const struct ompdbg_frame *frame)
{
	struct ompdbg_function function;
	struct ompdbg_symbol symbol;
	struct ompdbg_object object;
	uint64_t value;
	int release;

	found.places +=
		is_answer(services->frame_place(services->context, thread, frame, &function));
	if (!is_answer(services->function_at(services->context, frame->pc, &function)))
		function.start = frame->pc;
	is_answer(services->symbol_at(services->context, frame->pc, &symbol));
	is_answer(services->object_at(services->context, frame->pc, &object));
	is_answer(services->newest_gcc(services->context, frame->pc, &release));
	if (!is_answer(
		    services->frame_register(services->context, thread, frame, OMPDBG_RBP, &value)))
		value = frame->pc;
	ask_frame_variables(thread, frame, value);
	// A task's code is on the stack if it runs; its argument need not be one.
	const struct ompdbg_given *given;
	size_t num_given;
	if (is_answer(services->task_variables(services->context, function.start, value, &given,
					       &num_given)))
		found.values += num_given;
}

/** Ask for the names of what lies at each eighth byte of a symbol, and a bit further. */
static void ask_variables(const char *symbol)
{
	enum { BYTES = 512, STEP = 8 };
	uint64_t address;
	const char *name;

	if (!is_answer(services->symbol_address(services->context, symbol, NULL, 0, &address)))
		return;
	for (unsigned int at = 0; at < BYTES; at += STEP)
		is_answer(services->variable_at(services->context, address + at, at & STEP, 0,
						&name));
}

static void ask_services(struct target *target)
{
	static const char *const structures[] = { "state_row", "gomp_team", "_IO_FILE" };
	const struct ompdbg_target_thread *threads;
	const struct ompdbg_frame *frames;
	struct ompdbg_layout layout;
	size_t num_threads, num_frames;

	if (!is_answer(target_services_create(target, 0, &services)))
		return;
	target_services_have_memory(services);
	if (!is_answer(services->threads(services->context, &threads, &num_threads)))
		num_threads = 0;
	for (size_t i = 0; i < num_threads; i++) {
		int number = threads[i].number;

		if (!is_answer(services->unwind(services->context, number, MAX_FRAMES, &frames,
						&num_frames)))
			continue;
		for (size_t n = 0; n < num_frames; n++)
			ask_place(number, &frames[n]);
	}
	for (size_t i = 0; i < sizeof(structures) / sizeof(*structures); i++)
		is_answer(services->layout(services->context, structures[i], "_flags", NULL,
					   &layout));
	ask_variables("stdout");
	ask_variables("state_rows");
	target_services_destroy(services);
}

// ---- All ---------------------------------------------------------------------------------------

static void ask(struct target *target)
{
	uint64_t value;
	char page[4096];

	target_is_truncated(target);
	target_auxiliary(target, 3, &value);
	for (size_t i = 0; i < target_num_files(target); i++) {
		struct target_file file = target_file_at(target, i);

		target_symbol_named(target, i, "omp_get_thread_num", &value);
		target_read(target, file.start, page, sizeof(page));
		target_read(target, file.end - 1, page, sizeof(page));
	}
	for (size_t i = 0; i < target_num_threads(target); i++)
		ask_thread(target, i);
	for (uint64_t address = 1; address; address <<= 1)
		target_read(target, address, page, sizeof(page));
}

void files_ask(const uint8_t *input, size_t size)
{
	struct target_places places = { NULL, NULL };
	struct kept kept[MAX_DAMAGE];
	struct target_error error;
	struct damage damage;
	size_t count = 0;

	for (; size >= sizeof(damage) && count < MAX_DAMAGE; size -= sizeof(damage)) {
		memcpy(&damage, input, sizeof(damage));
		input += sizeof(damage);
		kept[count++] = put_damage(&damage);
	}
	struct target *target = target_open_core(files[CORE].descriptor, &places, &error);
	if (target) {
		found.opened++;
		ask(target);
		ask_services(target);
		target_close(target);
	}
	while (count)
		put_byte(&kept[--count]);
}
