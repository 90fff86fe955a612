// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/reason.h"

#include <stdio.h>

static char text[REASON_MAX];

void reason_clear(void)
{
	text[0] = '\0';
}

const char *reason_text(void)
{
	return text;
}

void reason_set(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
}
