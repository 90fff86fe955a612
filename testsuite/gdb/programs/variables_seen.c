// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "variables.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char seen[SEEN_MAX][SEEN_SIZE];

static int count;

static char *row(const char *construct, const char *name, const char *type)
{
	char *text = seen[count++ % SEEN_MAX];

	snprintf(text, SEEN_SIZE, "%s|%s|%s|", construct, name, type);
	return text;
}

static void append(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, SEEN_SIZE - used, format, arguments);
	va_end(arguments);
}

void saw_integer(const char *construct, const char *name, const char *type, long value)
{
	append(row(construct, name, type), "%ld", value);
}

void saw_real(const char *construct, const char *name, const char *type, double value)
{
	append(row(construct, name, type), "%g", value);
}

void saw_pointer(const char *construct, const char *name, const char *type, const void *value)
{
	append(row(construct, name, type), "%p", value);
}

void saw_pair(const char *construct, const char *name, const char *type, double x, double y)
{
	append(row(construct, name, type), "{x = %g, y = %g}", x, y);
}

static void integers(char *text, const int *values, int number)
{
	for (int i = 0; i < number; i++)
		append(text, "%s%d", i ? ", " : "{", values[i]);
	append(text, "}");
}

void saw_integers(const char *construct, const char *name, const char *type, const int *values,
		  int number)
{
	integers(row(construct, name, type), values, number);
}

void saw_reals(const char *construct, const char *name, const char *type, const double *values,
	       int number)
{
	char *text = row(construct, name, type);

	for (int i = 0; i < number; i++)
		append(text, "%s%g", i ? ", " : "{", values[i]);
	append(text, "}");
}

void saw_table(const char *construct, const char *name, const char *type, const int *values,
	       int rows, int columns)
{
	char *text = row(construct, name, type);

	for (int i = 0; i < rows; i++) {
		append(text, i ? ", " : "{");
		integers(text, values + i * columns, columns);
	}
	append(text, "}");
}

void __attribute__((noinline)) use(const void *value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

void __attribute__((noinline)) inspect(void)
{
	__asm__ volatile("" : : : "memory");
}
