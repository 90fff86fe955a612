// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the teams of a core file:
//
//     cc teams.c $(pkg-config --cflags --libs ompdbg) -o teams
//     ./teams CORE $(pkg-config --variable=libompd ompdbg)

#include <ompdbg/ompdbg.h>
#include <ompdbg/target.h>

#include <stdio.h>

static struct ompdbg_error *print_team(void *context, const struct ompdbg_team *team)
{
	(void)context;
	printf("team %s: %d threads, level %d", team->label, team->size, team->level);
	if (team->opened.function)
		printf(", opened in %s", team->opened.function);
	if (team->opened.file)
		printf(" at %s:%d", team->opened.file, team->opened.line);
	printf("; in GDB:");
	for (size_t i = 0; i < team->num_threads; i++)
		printf(" %d", team->threads[i]);
	printf("\n");
	return NULL;
}

int main(int argc, char **argv)
{
	struct ompdbg_target *target = NULL;
	struct ompdbg_program *program = NULL;

	if (argc != 3) {
		fprintf(stderr, "usage: %s CORE LIBOMPD\n", argv[0]);
		return 2;
	}
	struct ompdbg_error *error = ompdbg_target_open_core(argv[1], NULL, NULL, &target);
	if (!error)
		error = ompdbg_program_open(ompdbg_target_services(target), argv[2], &program);
	if (!error)
		error = ompdbg_visit_teams(program, print_team, NULL);
	if (error)
		fprintf(stderr, "%s: %s\n", argv[0], error->message);
	int status = error ? 1 : 0;
	ompdbg_error_destroy(error);
	ompdbg_program_close(program);
	ompdbg_target_close(target);
	return status;
}
