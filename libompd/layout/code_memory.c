// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "layout/code_memory.h"

static bool read_target(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct target *target = context;

	return target_read(target, address, buffer, size) == ompd_rc_ok;
}

void code_memory_init(struct code_reader *reader, const struct target *target)
{
	const struct code_memory memory = { .read = read_target,
					    .context = (void *)(uintptr_t)target };

	code_reader_init(reader, &code_x86_64, memory);
}
