// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what libompdbg says of each recorded target in a file of ../../fuzz/recorded_targets.py: its
// name, then one JSON document a line, in the order of `views`.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompdbg/ompdbg.h"
#include "recorded_services.h"

static const enum ompdbg_view views[] = { OMPDBG_VIEW_THREADS, OMPDBG_VIEW_STACKS,
					  OMPDBG_VIEW_TASKS };

/** Write a piece of a document without its newlines, which are between its elements only. */
static struct ompdbg_error *write_piece(void *context, const char *text, size_t size)
{
	(void)context;
	for (size_t i = 0; i < size; i++)
		putchar(text[i] == '\n' ? ' ' : text[i]);
	return NULL;
}

static struct ompdbg_error *print(struct recorded_target *target, const char *library)
{
	const struct ompdbg_services services = recorded_services(target);
	const struct ompdbg_form form = { .is_json = 1 };
	struct ompdbg_program *program;
	struct ompdbg_error *error = ompdbg_program_open(&services, library, &program);

	if (error)
		return error;
	puts(target->name);
	for (size_t i = 0; i < sizeof(views) / sizeof(*views) && !error; i++) {
		error = ompdbg_print(program, views[i], &form, write_piece, NULL);
		puts("");
	}
	ompdbg_program_close(program);
	return error;
}

/** Arguments: libompd.so, the file. */
int main(int argc, char **argv)
{
	struct recorded_target *targets;

	if (argc != 3)
		return 2;
	uint32_t count = recorded_open(argv[2], &targets);
	for (uint32_t i = 0; i < count; i++) {
		struct ompdbg_error *error = print(&targets[i], argv[1]);

		if (error) {
			fprintf(stderr, "%s: %s\n", targets[i].name, error->message);
			return 1;
		}
	}
	return 0;
}
