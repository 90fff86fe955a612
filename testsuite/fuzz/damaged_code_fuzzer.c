// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of libFuzzer.

#include "damaged_code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	damaged_code(data, size);
	return 0;
}
