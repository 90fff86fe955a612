// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core files with bytes flipped at random: libtarget must neither crash nor hang, whatever is asked.
// The core file is that of a program that this one runs; every number comes from a fixed seed.

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

#include "target.h"

enum {
	CORES = 200,
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

/** Runs the program in an empty folder until it aborts. @return its core file, -1 if there is none. */
static int make_core(char *const *program, char *folder)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	char pattern[64];
	int status, file = -1;
	glob_t found;

	if (!mkdtemp(folder))
		die("mkdtemp");
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
	rmdir(folder);
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

int main(int argc, char **argv)
{
	char folder[] = "/tmp/ompdbg-fuzz-XXXXXX";
	struct target_places places = { NULL, NULL };
	struct flip flips[MAX_FLIPS];
	struct target_error error;
	struct rusage usage;
	struct stat status;
	int opened = 0;

	if (argc < 2)
		return EXIT_FAILURE;
	argv[1] = realpath(argv[1], NULL);
	int file = argv[1] ? make_core(argv + 1, folder) : -1;
	if (file < 0 || fstat(file, &status) != 0) {
		puts("skipped: the kernel writes no core file into the working folder");
		return SKIPPED;
	}
	for (int i = 0; i < CORES; i++) {
		size_t count = i ? flip_bytes(file, status.st_size, flips) : 0;
		long begin = milliseconds();
		struct target *target = target_open_core(file, &places, &error);

		if (target) {
			opened++;
			ask(target);
			target_close(target);
		}
		flip_back(file, flips, count);
		if (milliseconds() - begin > MAX_MILLISECONDS) {
			printf("core %d took too long\n", i);
			return EXIT_FAILURE;
		}
	}
	free(argv[1]);
	getrusage(RUSAGE_SELF, &usage);
	printf("%d of %d cores opened, %zu frames, %zu symbols, %ld MB\n", opened, CORES,
	       frames_seen, symbols_seen, usage.ru_maxrss / 1024);
	if (usage.ru_maxrss / 1024 > MAX_MEGABYTES)
		return EXIT_FAILURE;
	return opened && frames_seen && symbols_seen ? EXIT_SUCCESS : EXIT_FAILURE;
}
