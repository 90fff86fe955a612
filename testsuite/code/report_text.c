// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report_text.h"

#include <inttypes.h>
#include <stdio.h>

static void put(char *text, size_t size, size_t *length, const char *format, const char *word,
		int64_t number)
{
	int written;

	if (*length >= size)
		return;
	written = snprintf(text + *length, size - *length, format, word, number < 0 ? "-" : "",
			   (uint64_t)(number < 0 ? -number : number));
	*length += (size_t)written;
}

void report_text(const struct code_report *report, char *text, size_t size)
{
	static const char *const bases[] = { "?", "absolute", "thread", "stack", "argument" };
	size_t length = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < report->count; i++) {
		const struct code_access *access = &report->access[i];

		if (access->thread_slot)
			continue;
		if (length < size)
			length += (size_t)snprintf(text + length, size - length, "%s%c%u ",
						   length ? ", " : "", "RWUP"[access->kind],
						   access -> width);
		put(text, size, &length, "%s+%s0x%" PRIx64, bases[access->address.base],
		    access->address.offset[0]);
		for (unsigned int k = 1; k <= access->address.depth; k++)
			put(text, size, &length, "%s%s0x%" PRIx64, "->", access->address.offset[k]);
	}
}
