// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer over libompdbg. RECORDED_TARGETS is where the targets are, LIBOMPD the OMPD library.

#include "damaged_model.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	model_targets(RECORDED_TARGETS, LIBOMPD);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	model_ask(data, size);
	return 0;
}
