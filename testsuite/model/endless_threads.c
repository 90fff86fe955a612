// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a core file that claims to have millions of threads, as a damaged one may:
// endless_threads LIBOMPD CORE
//
// The call must fail with the one error for too much memory, and give back what it took: the core file is
// opened with its own threads after that. The system's limit makes "too much" little.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "ompdbg/ompdbg.h"
#include "ompdbg/target.h"

enum {
	LIMIT = 768 << 20, // of the address space, of which half may hold what is told of a program
	MANY = 4 << 20,	   // threads, of which each takes more than 96 bytes
};

static const struct ompdbg_services *whole;

static struct ompdbg_error *many_threads(void *context, const struct ompdbg_target_thread **ret,
					 size_t *count)
{
	static struct ompdbg_target_thread *many;
	const struct ompdbg_target_thread *few;
	size_t num_few;
	struct ompdbg_error *error = whole->threads(context, &few, &num_few);

	if (error)
		return error;
	if (!many && !(many = calloc(MANY, sizeof(*many))))
		return &ompdbg_error_no_memory;
	for (int i = 0; i < MANY; i++) {
		many[i] = few[(size_t)i % num_few];
		many[i].number = i + 1;
		many[i].running = true; // nothing else can be asked of it
	}
	*ret = many;
	*count = MANY;
	return NULL;
}

/** Open and close the program. @return how that ended. */
static int outcome(const struct ompdbg_services *services, const char *library)
{
	struct ompdbg_program *program = NULL;
	struct ompdbg_error *error = ompdbg_program_open(services, library, &program);
	int code = error ? (int)error->code : 0;

	printf("%d: %s\n", code, error ? error->message : "opened");
	ompdbg_error_destroy(error);
	ompdbg_program_close(program);
	return code;
}

int main(int argc, char **argv)
{
	const struct rlimit limit = { LIMIT, LIMIT };
	struct ompdbg_target *target = NULL;

	if (argc != 3 || setrlimit(RLIMIT_AS, &limit) != 0)
		return 2;
	struct ompdbg_error *error = ompdbg_target_open_core(argv[2], NULL, NULL, &target);
	if (error) {
		printf("%s\n", error->message);
		return 2;
	}
	whole = ompdbg_target_services(target);
	struct ompdbg_services services = *whole;
	services.threads = many_threads;
	bool is_right = outcome(&services, argv[1]) == OMPDBG_NO_MEMORY &&
			outcome(whole, argv[1]) == 0;
	ompdbg_target_close(target);
	return is_right ? 0 : 1;
}
