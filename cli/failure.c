// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

bool fail_with(struct failure *failure, enum status status, const char *format, ...)
{
	va_list arguments;
	char *text;

	if (failure->status)
		return false;
	failure->status = (int)status;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		out_of_memory();
	va_end(arguments);
	buffer_put(&failure->reason, text);
	free(text);
	return false;
}

void fail_also(struct failure *failure, const char *text)
{
	buffer_printf(&failure->reason, "; %s", text);
}

void failure_deinit(struct failure *failure)
{
	buffer_deinit(&failure->reason);
}
