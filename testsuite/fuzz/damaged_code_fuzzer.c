// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of libFuzzer.

#include "damaged_code.h"
#include "input_time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double begun = processor_time();

	damaged_code(data, size);
	check_input_time(begun, 1);
	return 0;
}
