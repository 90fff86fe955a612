// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer over libompdbg. RECORDED_TARGETS is where the targets are, LIBOMPD the OMPD library.

#include <stdlib.h>

#include "damaged_model.h"
#include "input_time.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	model_targets(RECORDED_TARGETS, LIBOMPD);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double begun = processor_time();

	model_ask(data, size);
	check_input_time(begun, 3); // the process is read again, and printed as text and as JSON
	return 0;
}

// Inputs that open a program take ten times as long as others.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	enum { ONE_OF = 128 };

	size = LLVMFuzzerMutate(data, size, max_size);
	if (size > MODEL_AFTER)
		data[MODEL_AFTER] = rand_r(&seed) % ONE_OF != 0;
	return size;
}
