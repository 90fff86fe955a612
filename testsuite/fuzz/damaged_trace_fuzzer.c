// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer over the reader of traces: inputs are traces. Their checksums are made right, so that damage
// gets past them.

#include <stdlib.h>
#include <string.h>

#include "damaged_trace.h"
#include "input_time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double begun = processor_time();
	unsigned char *bytes = malloc(size + 1);

	if (!bytes)
		abort();
	if (size)
		memcpy(bytes, data, size);
	fix_checksums(bytes, size);
	if (read_trace(bytes, size, false).is_wrong)
		abort();
	check_input_time(begun, 1);
	free(bytes);
	return 0;
}
