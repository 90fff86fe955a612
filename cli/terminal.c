// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "terminal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/foreign.h"

enum { MOST_DIGITS = 18 };

void say(const char *format, ...)
{
	struct arena arena = { 0 };
	va_list arguments;
	char *text;

	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	fprintf(stderr, "%s\n", foreign_visible(&arena, text));
	fflush(stderr);
	free(text);
	arena_deinit(&arena);
}

int64_t number_in(const char *text)
{
	size_t length = strlen(text);

	if (!length || length > MOST_DIGITS || strspn(text, "0123456789") != length)
		return -1;
	return strtoll(text, NULL, 10);
}

size_t terminal_width(int descriptor)
{
	const char *columns = getenv("COLUMNS");
	int64_t told = columns ? number_in(columns) : -1;
	struct winsize size;

	if (told > 0)
		return (size_t)told;
	return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct form terminal_form(bool json, enum color color)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct form form = { .json = json, .color = color == COLOR_ALWAYS, .addresses = true };

	if (isatty(STDOUT_FILENO)) {
		form.width = terminal_width(STDOUT_FILENO);
		if (color == COLOR_AUTO)
			form.color = !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
	}
	return form;
}

void open_standard_streams(void)
{
	// Writing to standard output fails then, and the exit status says so.
	static const int modes[] = { O_RDONLY, O_RDONLY, O_WRONLY };

	for (int i = 0; i < 3; i++) {
		if (fcntl(i, F_GETFD) < 0)
			(void)!open("/dev/null", modes[i]);
	}
}
