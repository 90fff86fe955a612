// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer over libtarget's readers of ELF, core files and DWARF: inputs are damage to the core file of
// the program FUZZ_VICTIM, and to that program.

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "damaged_files.h"
#include "input_time.h"

enum { KEPT_MEMORY = 32 << 20 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char program[] = FUZZ_VICTIM;
	char *victim[] = { program, NULL };

	(void)argc, (void)argv;
	// Memory that an input gives back is kept for the next one.
	mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
	mallopt(M_MMAP_THRESHOLD, KEPT_MEMORY);
	if (!files_open(victim)) {
		fputs("skipped: the kernel writes no core file into the working folder\n", stderr);
		exit(EXIT_SUCCESS);
	}
	atexit(files_remove);
	files_ask(NULL, 0); // undamaged: what is read once for all is no leak
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double begun = processor_time();

	files_ask(data, size);
	check_input_time(begun, 1);
	return 0;
}
