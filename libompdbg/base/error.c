// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct ompdbg_error ompdbg_error_absent = { OMPDBG_ABSENT, "not found", 0 };
struct ompdbg_error ompdbg_error_no_memory = { OMPDBG_NO_MEMORY, "out of memory", 0 };
struct ompdbg_error ompdbg_error_interrupted = { OMPDBG_INTERRUPTED, "interrupted", 0 };
struct ompdbg_error error_over_budget = {
	OMPDBG_NO_MEMORY,
	"the program's structures take more memory than a command may (are they damaged?)",
	0,
};

/** An error and its message in one block. */
struct owned_error {
	struct ompdbg_error error;
	char message[];
};

struct ompdbg_error *ompdbg_error_create(enum ompdbg_code code, const char *format, ...)
{
	va_list arguments, again;

	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	struct owned_error *owned = length < 0 ? NULL : malloc(sizeof(*owned) + (size_t)length + 1);
	if (owned) {
		vsnprintf(owned->message, (size_t)length + 1, format, again);
		owned->error = (struct ompdbg_error){ code, owned->message, 0 };
	}
	va_end(again);
	return owned ? &owned->error : &ompdbg_error_no_memory;
}

struct ompdbg_error *ompdbg_error_unreadable(uint64_t address)
{
	struct ompdbg_error *error = ompdbg_error_create(
		OMPDBG_UNREADABLE, "memory at 0x%llx cannot be read", (unsigned long long)address);

	if (error != &ompdbg_error_no_memory)
		error->address = address;
	return error;
}

void ompdbg_error_destroy(struct ompdbg_error *error)
{
	if (error != &ompdbg_error_absent && error != &ompdbg_error_no_memory &&
	    error != &ompdbg_error_interrupted && error != &error_over_budget)
		free(error); // the error is the first member of its block
}
