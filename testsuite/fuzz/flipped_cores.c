// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core files, and programs with debug information, with bytes flipped at random: libtarget and its
// services must neither crash nor hang, whatever is asked. The core file is that of a copy of a program
// that this one runs; every number comes from a fixed seed.

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "services.h"
#include "target.h"

enum {
	CORES = 200,
	PROGRAMS = 100,
	MAX_FLIPS = 64,
	MAX_FRAMES = 256,
	HEADERS = 1 << 14, // where most of what a core file says of itself is
	SKIPPED = 77,
	MAX_MILLISECONDS = 10000,
	MAX_MEGABYTES = 1500, // of what the process has in memory at most, sanitizers included
};

static uint64_t random_state = 20261121;

static uint64_t random_number(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

static void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

// ---- The core file ---------------------------------------------------------------------------

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

/** Run a copy of the program in an empty folder until it aborts. @return its core file, -1 if there is
 *  none. */
static int make_core(char **program, char *folder, int *copy)
{
	static char place[64];
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	char pattern[64];
	int status, file = -1;
	glob_t found;

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
	if (glob(pattern, 0, NULL, &found) == 0) {
		file = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
		unlink(found.gl_pathv[0]);
		globfree(&found);
	}
	*copy = open(place, O_RDWR | O_CLOEXEC);
	return file;
}

struct flip {
	off_t at;
	unsigned char before;
};

/** Half of them are in the headers and notes. @return how many. */
static size_t flip_bytes(int file, off_t size, struct flip *flips)
{
	size_t count = 1 + random_number(MAX_FLIPS);

	for (size_t i = 0; i < count; i++) {
		uint64_t room = random_number(2) && size > HEADERS ? HEADERS : (uint64_t)size;
		unsigned char byte;

		flips[i].at = (off_t)random_number(room);
		if (pread(file, &flips[i].before, 1, flips[i].at) != 1)
			die("pread");
		byte = flips[i].before ^ (unsigned char)(1 + random_number(255));
		if (pwrite(file, &byte, 1, flips[i].at) != 1)
			die("pwrite");
	}
	return count;
}

static void flip_back(int file, const struct flip *flips, size_t count)
{
	while (count--) {
		if (pwrite(file, &flips[count].before, 1, flips[count].at) != 1)
			die("pwrite");
	}
}

// ---- What is asked ---------------------------------------------------------------------------

static size_t frames_seen, symbols_seen;

static void ask_code(struct target *target, uint64_t address)
{
	struct target_instruction instructions[32];
	struct target_symbol symbol;
	Dwarf_Die unit, scopes[16];
	uint64_t bias;

	symbols_seen += target_symbol_at(target, address, &symbol);
	target_instructions(target, address, instructions, 32);
	if (target_unit_at(target, address, &unit, &bias))
		target_scopes(target, &unit, address - bias, scopes, 16);
}

static void ask_thread(struct target *target, size_t thread)
{
	struct target_frame frames[MAX_FRAMES];
	size_t count = target_unwind(target, thread, frames, MAX_FRAMES);

	for (size_t i = 0; i < count; i++)
		ask_code(target, frames[i].pc);
	frames_seen += count;
}

// ---- Services ----------------------------------------------------------------------------------

static const struct ompdbg_services *services;

/** Count an answer; what was damaged may be an error. */
static bool is_answer(struct ompdbg_error *error)
{
	ompdbg_error_destroy(error);
	return !error;
}

static size_t places_seen, values_seen;

/** Ask for the variables of a frame, and for names of what its stack pointer and the like point to. */
static void ask_frame_variables(int thread, const struct ompdbg_frame *frame, uint64_t address)
{
	const struct ompdbg_variable *found;
	const char *name;
	size_t count;

	for (int which = OMPDBG_ARGUMENTS; which <= OMPDBG_LOCALS; which++) {
		if (!is_answer(services->variables(services->context, thread, frame,
						   (enum ompdbg_variables)which, &found, &count)))
			continue;
		for (size_t i = 0; i < count; i++)
			values_seen += strlen(found[i].name) && *found[i].value != '<';
	}
	is_answer(services->frame_name(services->context, thread, frame, address, &name));
}

static void ask_place(int thread, const struct ompdbg_frame *frame)
{
	struct ompdbg_function function;
	struct ompdbg_symbol symbol;
	struct ompdbg_object object;
	uint64_t value;
	int release;

	places_seen +=
		is_answer(services->frame_place(services->context, thread, frame, &function));
	is_answer(services->function_at(services->context, frame->pc, &function));
	is_answer(services->symbol_at(services->context, frame->pc, &symbol));
	is_answer(services->object_at(services->context, frame->pc, &object));
	is_answer(services->newest_gcc(services->context, frame->pc, &release));
	if (!is_answer(
		    services->frame_register(services->context, thread, frame, OMPDBG_RBP, &value)))
		value = frame->pc;
	ask_frame_variables(thread, frame, value);
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
	for (int i = 0; i < 100; i++)
		target_read(target, random_number(UINT64_MAX), page, sizeof(page));
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** Flip bytes of a file and ask. @return false if that took too long. */
static bool ask_flipped(int core, int file, int index, int *opened)
{
	struct target_places places = { NULL, NULL };
	struct flip flips[MAX_FLIPS];
	struct target_error error;
	struct stat status;

	if (fstat(file, &status) != 0)
		die("fstat");
	size_t count = index ? flip_bytes(file, status.st_size, flips) : 0;
	long begin = milliseconds();
	struct target *target = target_open_core(core, &places, &error);

	if (target) {
		*opened += 1;
		ask(target);
		ask_services(target);
		target_close(target);
	}
	flip_back(file, flips, count);
	if (milliseconds() - begin <= MAX_MILLISECONDS)
		return true;
	printf("%s %d took too long\n", file == core ? "core" : "program", index);
	return false;
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/ompdbg-fuzz-XXXXXX";
	struct rusage usage;
	int opened = 0, copy;
	bool is_fast = true;

	if (argc < 2)
		return EXIT_FAILURE;
	int core = make_core(argv + 1, folder, &copy);
	if (core < 0) {
		puts("skipped: the kernel writes no core file into the working folder");
		return SKIPPED;
	}
	for (int i = 0; i < CORES && is_fast; i++)
		is_fast = ask_flipped(core, core, i, &opened);
	for (int i = 0; i < PROGRAMS && is_fast; i++)
		is_fast = ask_flipped(core, copy, i, &opened);
	unlink(argv[1]);
	rmdir(folder);
	getrusage(RUSAGE_SELF, &usage);
	printf("%d of %d opened, %zu frames, %zu symbols, %zu places, %zu values, %ld MB\n", opened,
	       CORES + PROGRAMS, frames_seen, symbols_seen, places_seen, values_seen,
	       usage.ru_maxrss / 1024);
	if (usage.ru_maxrss / 1024 > MAX_MEGABYTES)
		return EXIT_FAILURE;
	return is_fast && frames_seen && symbols_seen && places_seen && values_seen ? EXIT_SUCCESS :
										      EXIT_FAILURE;
}
