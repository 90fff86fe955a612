// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A client written from the specification. It stops an OpenMP program at rest and asks every routine
// of the library everything; then again while one callback after another fails, in every way, and
// while one page after another cannot be read: the answer is the same, or unknown, or an error.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { MOST_PLACES = 32, CODES = 13 };

static const char *const scene_names[SCENES] = { "tasks", "waits", "ordered", "league" };

long failures;
bool thorough; // else only so many of the faults are tried as a test may take

static bool every_fault;	    // of what is asked now
static unsigned int sparseness = 3; // of the faults, unless every one
static enum scene scene;
static struct handles places[MOST_PLACES];
static size_t place_count;
static long asked, refused, agreed;
static struct fault hole_for_all; // there since the space was opened

void complain(const char *format, ...)
{
	enum { MOST_LINES = 40 };
	va_list arguments;

	if (failures++ >= MOST_LINES)
		return;
	fprintf(stderr, "%s: ", scene_names[scene]);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n");
}

// Whether this one of many faults is tried.
static bool is_chosen(unsigned int one_of)
{
	static unsigned int number;

	return every_fault || number++ % (one_of * sparseness) == 0;
}

// ---- Judging ---------------------------------------------------------------------------------

static bool has_answer(const struct answer *answer)
{
	return answer->rc == ompd_rc_ok || answer->rc == ompd_rc_incomplete;
}

static void describe_fault(struct fault with, char *text, size_t size)
{
	if (with.hole)
		snprintf(text, size, "page %llx unreadable", (unsigned long long)with.hole);
	else
		snprintf(text, size, "call %ld of %s returning %d (%llu)", with.index,
			 callback_names[with.callback], with.code,
			 (unsigned long long)with.garbage);
}

// Asks with a fault; returns whether it was met.
static bool ask_with(const struct question *question, const struct handles *handles, int variant,
		     struct fault with, const struct answer *expected)
{
	static struct answer got;
	const long blocks = debugger_blocks;
	char text[200];

	question_name = question->name;
	question_variant = variant;
	debugger_begin(with);
	if (!ask(question, handles, variant, &got))
		return debugger_end();
	const bool met = debugger_end();

	asked++;
	refused += !has_answer(&got);
	agreed += has_answer(&got);
	describe_fault(with, text, sizeof(text));
	// A space that was opened with the hole has yet to take what it keeps.
	if (debugger_blocks != blocks && !hole_for_all.hole) {
		complain("%s(%d) leaves %ld blocks behind, with %s", question->name, variant,
			 debugger_blocks - blocks, text);
		debugger_blocks = blocks;
	}
	if (expected && has_answer(&got) && !answers_agree(question, &got, expected))
		complain("%s(%d) answers %d instead of %d, with %s", question->name, variant,
			 got.rc, expected->rc, text);
	return met;
}

// ---- Callbacks that fail ---------------------------------------------------------------------

// Those that the library must survive without any use of their answers.
static bool is_silent(enum callback callback)
{
	return callback == CALLBACK_FREE || callback == CALLBACK_PRINT;
}

static void fail_callback(const struct question *question, const struct handles *handles,
			  int variant, enum callback callback, long calls,
			  const struct answer *expected)
{
	enum { ALL = 100, STEP = 97 };
	static unsigned int turn;

	for (long index = 1; index <= calls; index += index < ALL ? 1 : STEP) {
		for (int code = 1; code < CODES; code++) {
			const struct fault with = {
				.callback = callback,
				.index = index,
				.code = (ompd_rc_t)(1 +
						    (turn++ + (unsigned int)code) % (CODES - 1)),
			};

			if (!is_chosen(is_silent(callback) ? 64 : 16))
				continue;
			if (!ask_with(question, handles, variant, with, expected))
				complain("%s(%d) calls %s less often", question->name, variant,
					 callback_names[callback]);
		}
	}
}

// An answer may then be anything; a second space is asked, so that the first stays as it is.
static void spoil_callback(const struct question *question, const struct handles *handles,
			   int variant, enum callback callback, long calls)
{
	enum { ALL = 100, STEP = 97, KINDS = 7 };

	for (long index = 1; index <= calls; index += index < ALL ? 1 : STEP) {
		for (uint64_t garbage = 0; garbage < KINDS; garbage++) {
			const struct fault with = {
				.callback = callback,
				.index = index,
				.garbage = garbage + KINDS * (uint64_t)index,
			};

			if (is_chosen(16))
				ask_with(question, handles, variant, with, NULL);
		}
	}
}

// Memory that is damaged all over.
static void flip_bits(const struct question *question, const struct handles *handles, int variant)
{
	static const unsigned int rarities[] = { 8, 100, 2000 };
	enum { SEEDS = 300 };

	for (unsigned int seed = 0; seed < SEEDS; seed++) {
		const struct fault with = { .garbage = seed, .rarity = rarities[seed % 3] };

		if (is_chosen(61))
			ask_with(question, handles, variant, with, NULL);
	}
}

static void make_holes(const struct question *question, const struct handles *handles, int variant,
		       const struct answer *expected)
{
	static uint64_t holes[MOST_PAGES];
	const size_t count = page_count;

	memcpy(holes, pages_read, count * sizeof(holes[0]));
	for (size_t i = 0; i < count; i++) {
		const struct fault with = { .hole = holes[i] };

		if (is_chosen(count > 32 ? 16 : 2) &&
		    !ask_with(question, handles, variant, with, expected))
			complain("%s(%d) reads fewer pages", question->name, variant);
	}
}

static void try_question(const struct question *question, const struct handles *handles,
			 const struct handles *spare, int variant)
{
	static struct answer expected, again;
	long calls[CALLBACKS];

	// To open a process takes long, and is the same in each scene.
	every_fault = thorough && (question->needs != NEEDS_SPACE || scene == SCENE_WAITS);

	// What they cache, they have now.
	if (!ask(question, handles, variant, &expected))
		return;
	ask(question, spare, variant, &again);
	debugger_begin((struct fault){ .index = 0 });
	ask(question, handles, variant, &expected);
	debugger_end();
	memcpy(calls, callback_calls, sizeof(calls));
	make_holes(question, handles, variant, &expected);
	for (int i = 0; i < CALLBACKS; i++) {
		fail_callback(question, handles, variant, (enum callback)i, calls[i], &expected);
		if (!is_silent((enum callback)i))
			spoil_callback(question, spare, variant, (enum callback)i, calls[i]);
	}
	flip_bits(question, spare, variant);
	ask(question, handles, variant, &again);
	if (again.rc != expected.rc || strcmp(again.text, expected.text) != 0)
		complain("%s(%d) answers otherwise after a fault: %d \"%s\" instead of %d \"%s\"",
			 question->name, variant, again.rc, again.text, expected.rc, expected.text);
}

// ---- Handles ---------------------------------------------------------------------------------

// The word on which a thread sleeps, as its system call tells; 0: it does not sleep on one.
static uint64_t futex_of(ompd_thread_handle_t *thread)
{
	enum { FUTEX = 202 };
	unsigned long long number, address;
	pid_t lwp = 0;
	char path[64];

	if (ompd_get_thread_id(thread, ompd_thread_id_lwp, sizeof(lwp), &lwp) != ompd_rc_ok)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)lwp);
	FILE *file = fopen(path, "r");
	int got = file ? fscanf(file, "%llu %llx", &number, &address) : 0;

	if (file)
		fclose(file);
	return got == 2 && number == FUTEX ? address : 0;
}

static void open_places(ompd_address_space_handle_t *space)
{
	ompd_thread_handle_t **threads = NULL;

	if (ompd_ext_get_threads(space, &threads, &place_count) != ompd_rc_ok ||
	    place_count > MOST_PLACES) {
		complain("cannot enumerate the threads: %s", ompd_ext_last_reason());
		exit(1);
	}
	for (size_t i = 0; i < place_count; i++) {
		places[i] = (struct handles){ .space = space, .thread = threads[i] };
		places[i].futex = futex_of(threads[i]);
		place_open(&places[i]);
	}
	debugger_callbacks.free_memory(threads);
}

static void close_places(void)
{
	for (size_t i = 0; i < place_count; i++)
		place_close(&places[i]);
}

// The handles of the same thread in another space; those that cannot be had are NULL.
static struct handles handles_in(ompd_address_space_handle_t *space, const struct handles *other)
{
	struct handles ret = { .space = space, .futex = other->futex };
	uint64_t pthread;

	if (ompd_get_thread_id(other->thread, ompd_thread_id_pthread, sizeof(pthread), &pthread) !=
		    ompd_rc_ok ||
	    ompd_get_thread_handle(space, ompd_thread_id_pthread, sizeof(pthread), &pthread,
				   &ret.thread) != ompd_rc_ok)
		ret.thread = NULL;
	place_open(&ret);
	return ret;
}

static void for_each_question(const struct handles *handles, bool with_space,
			      void (*each)(const struct question *question,
					   const struct handles *handles,
					   const struct handles *other, int variant),
			      const struct handles *other)
{
	for (size_t i = 0; i < question_count; i++) {
		if (questions[i].needs == NEEDS_SPACE && !with_space)
			continue;
		for (int variant = 0; variant < questions[i].variants; variant++)
			each(&questions[i], handles, other, variant);
	}
}

// ---- A page that cannot be read from the beginning -------------------------------------------

static void compare_question(const struct question *question, const struct handles *handles,
			     const struct handles *whole, int variant)
{
	static struct answer expected;

	if (ask(question, whole, variant, &expected))
		ask_with(question, handles, variant, hole_for_all, &expected);
}

static void open_with_hole(uint64_t page)
{
	ompd_address_space_handle_t *space = NULL;

	hole_for_all = (struct fault){ .hole = page };
	debugger_begin(hole_for_all);
	ompd_rc_t rc = ompd_process_initialize(debugger_context(), &space);

	if (rc == ompd_rc_ok) {
		for (size_t i = 0; i < place_count; i++) {
			if (i > 2 && !thorough)
				break;
			debugger_begin(hole_for_all);
			struct handles handles = handles_in(space, &places[i]);

			debugger_end();
			for_each_question(&handles, i == 0, compare_question, &places[i]);
			place_close(&handles);
		}
		ompd_rel_address_space_handle(space);
	}
	debugger_end();
	hole_for_all.hole = 0;
}

static void open_with_holes(void)
{
	static uint64_t holes[MOST_PAGES];
	ompd_address_space_handle_t *space = NULL;
	const long blocks = debugger_blocks;

	debugger_begin((struct fault){ .index = 0 });
	if (ompd_process_initialize(debugger_context(), &space) == ompd_rc_ok)
		ompd_rel_address_space_handle(space);
	debugger_end();
	size_t count = page_count;

	every_fault = thorough;
	memcpy(holes, pages_read, count * sizeof(holes[0]));
	for (size_t i = 0; i < count; i++) {
		if (is_chosen(4))
			open_with_hole(holes[i]);
		if (debugger_blocks != blocks)
			complain("page %llx unreadable: %ld blocks are left behind",
				 (unsigned long long)holes[i], debugger_blocks - blocks);
		debugger_blocks = blocks;
	}
}

// ---- Scenes ----------------------------------------------------------------------------------

static void *module;

static scene_fn *find_play(void)
{
	scene_fn *play;

	*(void **)&play = dlsym(module, "scene_play");
	return play;
}

static void *find_truth(void)
{
	return dlsym(module, "scene_truth");
}

// Calls in the program's code: the first few that are known to go to the runtime, and another.
static void find_calls(ompd_address_space_handle_t *space, uint64_t code)
{
	enum { NEAR = 8192 };
	size_t count = 1;

	code_addresses[0] = code + 1;
	for (uint64_t at = code - NEAR; at < code + NEAR && count < CODE_ADDRESSES; at++) {
		ompd_ext_wait_site site;

		if (ompd_ext_classify_call(space, at, &site) == ompd_rc_ok)
			code_addresses[count++] = at;
	}
	if (count == 1)
		complain("no call into the runtime is found");
}

static void interview(void)
{
	ompd_address_space_handle_t *space = NULL, *second = NULL;
	ompd_rc_t rc = ompd_process_initialize(debugger_context(), &space);

	if (rc == ompd_rc_ok)
		rc = ompd_process_initialize(debugger_context(), &second);
	if (rc != ompd_rc_ok) {
		complain("cannot open the process: %d, %s", rc, ompd_ext_last_reason());
		return;
	}
	open_places(space);
	find_calls(space, (uint64_t)(uintptr_t)find_play());
	check_values(places, place_count);
	check_arguments(&places[0]);
	for (size_t i = 0; i < place_count; i++) {
		struct handles spare = handles_in(second, &places[i]);

		for_each_question(&places[i], i == 0, try_question, &spare);
		place_close(&spare);
	}
	if (scene == SCENE_WAITS)
		open_with_holes();
	close_places();
	ompd_rel_address_space_handle(second);
	ompd_rel_address_space_handle(space);
	if (debugger_blocks)
		complain("%ld blocks are left behind", debugger_blocks);
}

static int ready_pipe[2];

static void tell_and_stay(void)
{
	if (write(ready_pipe[1], "", 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

// Stops the process, and looks at what the program has noted.
static bool begin_looking(pid_t pid)
{
	if (!debugger_attach(pid))
		return false;
	debugger_copy((uint64_t)(uintptr_t)find_truth(), &truth, sizeof(truth));
	return true;
}

// Plays a scene in a child, and looks at it when it is at rest.
static void look_at_child(void)
{
	enum { PATIENCE = 300000 }; // milliseconds
	struct pollfd poll_for = { .events = POLLIN };
	pid_t child;
	char byte;

	if (pipe(ready_pipe) != 0 || (child = fork()) < 0) {
		perror("fork");
		exit(1);
	}
	if (child == 0) {
		alarm(1200);
		find_play()(scene, tell_and_stay);
		_exit(1);
	}
	close(ready_pipe[1]);
	poll_for.fd = ready_pipe[0];
	if (poll(&poll_for, 1, PATIENCE) != 1 || read(ready_pipe[0], &byte, 1) != 1)
		complain("the program does not come to rest");
	else if (begin_looking(child))
		interview();
	else
		complain("cannot stop the program");
	kill(child, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	close(ready_pipe[0]);
}

static void look_at_itself(void)
{
	begin_looking(0);
	interview();
}

int main(int argc, char **argv)
{
	static char errors[1 << 16];
	bool within = false;

	setvbuf(stderr, errors, _IOLBF, sizeof(errors)); // no memory of its own while it is asked
	while (argc > 2) {
		thorough |= strcmp(argv[1], "--all") == 0;
		within |= strcmp(argv[1], "--within") == 0;
		argv++;
		argc--;
	}
	module = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (!module || !find_play()) {
		fprintf(stderr, "usage: client [--all] [--within] MODULE (%s)\n",
			argc == 2 ? dlerror() : "no module");
		return 2;
	}
	if (ompd_initialize(202111, &debugger_callbacks) != ompd_rc_ok)
		return 1;
	if (within) {
		sparseness = 9;	     // reads are slow
		scene = SCENE_TASKS; // in which no thread that is asked about moves
		find_play()(scene, look_at_itself);
	}
	for (int i = 0; !within && i < SCENES; i++) {
		scene = (enum scene)i;
		look_at_child();
	}
	if (ompd_finalize() != ompd_rc_ok)
		complain("cannot finalize");
	fprintf(stderr, "%ld questions with a fault: %ld refused, %ld answered; %ld failures\n",
		asked, refused, agreed, failures);
	return failures != 0;
}
