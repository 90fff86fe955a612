// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what the services of libtarget say about a core file or process: threads, registers, frames
// with their places, and the symbols and functions there. See ../test_services.py.

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comment.h"
#include "services.h"

static const enum ompdbg_register kept[] = {
	OMPDBG_RBX, OMPDBG_RBP, OMPDBG_RSP, 12, 13, 14, 15,
};

static const struct ompdbg_services *services;
static bool with_variables;
static uint64_t wanted; // an address that is named in all frames; 0: none

/** Check for an answer; anything but an absent one or one that nobody has is printed. */
static bool is_answer(struct ompdbg_error *error)
{
	if (error && error->code != OMPDBG_ABSENT && error->code != OMPDBG_UNAVAILABLE)
		printf("error %d: %s\n", (int)error->code, error->message);
	ompdbg_error_destroy(error);
	return !error;
}

static const char *text(const char *told)
{
	return told ? told : "-";
}

static void print_function(const char *what, const struct ompdbg_function *function)
{
	printf("  %s %s | %s | %#" PRIx64 " | %s:%d\n", what, text(function->name),
	       text(function->symbol), function->start, text(function->file), function->line);
}

static void print_address(uint64_t address)
{
	struct ompdbg_function function;
	struct ompdbg_symbol symbol;
	uint64_t in_file;

	if (is_answer(services->file_address(services->context, address, &in_file)))
		printf("  in file %#" PRIx64 "\n", in_file);
	if (is_answer(services->symbol_at(services->context, address, &symbol)))
		printf("  symbol %s + %" PRIu64 " in %s\n", symbol.name, symbol.offset,
		       text(symbol.object));
	if (is_answer(services->function_at(services->context, address, &function)))
		print_function("function", &function);
}

static void print_frame(int thread, const struct ompdbg_frame *frame)
{
	struct ompdbg_function place;
	uint64_t value;

	printf(" frame %d %#" PRIx64 " %d%d%d%d %s\n", frame->level, frame->pc, frame->is_call,
	       frame->is_signal, frame->is_inlined, frame->is_tail_call, text(frame->object));
	if (is_answer(services->frame_place(services->context, thread, frame, &place)))
		print_function("place", &place);
	printf("  kept");
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		if (is_answer(services->frame_register(services->context, thread, frame, kept[i],
						       &value)))
			printf(" %#" PRIx64, value);
		else
			printf(" -");
	}
	printf("\n");
	print_address(frame->pc);
}

/** Print what a frame calls an address. */
static void print_frame_name(int thread, const struct ompdbg_frame *frame)
{
	const char *name;

	if (is_answer(services->frame_name(services->context, thread, frame, wanted,
					   OMPDBG_NAME_OF_HOLDER, &name)))
		printf("  name %s\n", name);
}

static void print_variables(int thread, const struct ompdbg_frame *frame, const char *what,
			    enum ompdbg_variables which)
{
	const struct ompdbg_variable *found;
	size_t count;

	if (!is_answer(
		    services->variables(services->context, thread, frame, which, &found, &count)))
		return;
	for (size_t i = 0; i < count; i++)
		printf("  %s %s = %s\n", what, found[i].name, found[i].value);
}

static void print_thread(const struct ompdbg_target_thread *thread, size_t most)
{
	const uint32_t all = (UINT32_C(1) << OMPDBG_NUM_REGISTERS) - 1;
	const struct ompdbg_frame *frames;
	struct ompdbg_registers registers;
	size_t count;

	printf("thread %d %s %s %" PRId64 " %d%d\n", thread->number, thread->label, thread->name,
	       thread->lwp, thread->running, thread->selected);
	if (is_answer(services->registers(services->context, thread->number, all, &registers))) {
		printf(" registers %#x", registers.known);
		for (int i = 0; i < OMPDBG_NUM_REGISTERS; i++)
			printf(" %#" PRIx64, registers.values[i]);
		printf("\n");
	}
	if (!is_answer(services->unwind(services->context, thread->number, most, &frames, &count)))
		return;
	for (size_t i = 0; i < count; i++) {
		print_frame(thread->number, &frames[i]);
		if (with_variables) {
			print_variables(thread->number, &frames[i], "argument", OMPDBG_ARGUMENTS);
			print_variables(thread->number, &frames[i], "local", OMPDBG_LOCALS);
		}
		if (wanted)
			print_frame_name(thread->number, &frames[i]);
	}
}

static struct target *open_target(const char *name, pid_t *pid)
{
	struct target_places places = { NULL, NULL };
	struct target_error error = { "" };
	struct target *target;
	char *end;

	*pid = (pid_t)strtol(name, &end, 10);
	if (*end) {
		*pid = 0;
		target = target_open_core(open(name, O_RDONLY | O_CLOEXEC), &places, &error);
	} else {
		target = target_attach(*pid, &places, &error);
	}
	if (!target)
		printf("%s\n", error.text);
	return target;
}

/** Print how a place in a variable is called, "NAME+OFFSET". */
static void print_variable(const char *place)
{
	const char *end = strrchr(place, '+'), *name;
	char *symbol = strndup(place, (size_t)(end - place));
	uint64_t address;

	if (is_answer(services->symbol_address(services->context, symbol, NULL, 0, &address))) {
		address += strtoull(end + 1, NULL, 10);
		for (int is_lock = 0; is_lock < 2; is_lock++) {
			if (is_answer(services->variable_at(services->context, address, is_lock, 0,
							    &name)))
				printf("%s %s\n", place, name);
		}
	}
	free(symbol);
}

/** Print the layout of "STRUCTURE:FIELD"; of the structure if there is no field. After an "@" follows
 *  the file in which to look. */
static void print_layout(const char *what)
{
	char *structure = strdup(what), *field = strchr(structure, ':'), *object;
	struct ompdbg_layout layout;

	*field++ = '\0';
	object = strchr(field, '@');
	if (object)
		*object++ = '\0';
	if (is_answer(services->layout(services->context, structure, *field ? field : NULL, object,
				       &layout)))
		printf("%s %" PRIu64 " %" PRIu64 " %u %u\n", what, layout.offset, layout.size,
		       layout.bit_offset, layout.bit_size);
	free(structure);
}

static void print_name(const char *name)
{
	struct ompdbg_function function;
	uint64_t address;
	int release;

	if (is_answer(services->symbol_address(services->context, name, NULL, 0, &address))) {
		printf("%s %#" PRIx64 "\n", name, address);
		print_address(address);
		if (is_answer(services->newest_gcc(services->context, address, &release)))
			printf("  GCC %d\n", release);
	} else if (is_answer(services->symbol_address(services->context, name, NULL, 1, &address)))
		printf("%s in thread 1 %#" PRIx64 "\n", name, address);
	if (is_answer(services->function_named(services->context, name, &function)))
		print_function(name, &function);
}

/** Print the memory that standard input asks for, by address and size, as the target has it. */
static int print_memory(struct target *target)
{
	uint64_t address;
	size_t size;

	puts(target_is_stopped(target) ? "stopped" : "running");
	fflush(stdout);
	while (scanf("%" SCNu64 " %zu", &address, &size) == 2) {
		unsigned char *bytes = malloc(size);
		size_t got = bytes ? target_read(target, address, bytes, size) : 0;

		for (size_t i = 0; i < got; i++)
			printf("%02x", bytes[i]);
		puts("");
		fflush(stdout);
		free(bytes);
	}
	target_close(target);
	return 0;
}

/** Arguments: a core file or the number of a process; --detailed; --variables; --address=ADDRESS, which is
 *  named in all frames; names of symbols, places in variables, fields. Or --memory alone. Or --newest-gcc
 *  and a file. */
int main(int argc, char **argv)
{
	const struct ompdbg_target_thread *threads;
	pid_t pid;
	size_t count, most = 2000;

	if (argc == 3 && strcmp(argv[1], "--newest-gcc") == 0) {
		printf("%d\n", comment_newest_gcc(argv[2]));
		return 0;
	}
	struct target *target = argc > 1 ? open_target(argv[1], &pid) : NULL;
	if (target && argc > 2 && strcmp(argv[2], "--memory") == 0)
		return print_memory(target);
	if (!target || !is_answer(target_services_create(target, pid, &services)))
		return 1;
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--detailed") == 0)
			target_services_set_detailed(services);
		else if (strcmp(argv[i], "--variables") == 0)
			with_variables = true;
		else if (strncmp(argv[i], "--address=", strlen("--address=")) == 0)
			wanted = strtoull(strchr(argv[i], '=') + 1, NULL, 0);
	}
	printf("program %s\n", services->program(services->context));
	if (is_answer(services->threads(services->context, &threads, &count))) {
		for (size_t i = 0; i < count; i++)
			print_thread(&threads[i], most);
	}
	for (int i = 2; i < argc; i++) {
		if (strncmp(argv[i], "--", 2) == 0)
			continue;
		if (strchr(argv[i], '+'))
			print_variable(argv[i]);
		else if (strchr(argv[i], ':'))
			print_layout(argv[i]);
		else
			print_name(argv[i]);
	}
	target_services_destroy(services);
	target_close(target);
	return 0;
}
