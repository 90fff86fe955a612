// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilers call the procedures and variables of Fortran programs.
//
//   gfortran   __heat_MOD_solve
//   flang      _QMheatFsolvePsmooth is `smooth` within `solve` of the module `heat`; capital letters
//              tell what each name is: those of the source are in lower case. What belongs to the
//              main program has it as a host without a name: _QFPsolve.

#include <strings.h>

#include "base/text.h"
#include "stack/names.h"
#include "stack/stack.h"

const char FLANGS_MAIN[] = "_QQmain";

static bool is_name_character(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '$';
}

static const char *name_end(const char *text)
{
	while (is_name_character(*text))
		text++;
	return text;
}

/** Write a name of flang's, or check that it is one if @p to is NULL. */
static bool write_flangs(const char *symbol, char *to)
{
	const char *at = symbol;

	if (at[0] != '_' || at[1] != 'Q')
		return false;
	for (at += 2;;) {
		char kind = *at++;

		if (!kind || !strchr("MSFBPE", kind))
			return false;
		const char *end = name_end(at);
		size_t length = (size_t)(end - at);
		if (!length && kind != 'F')
			return false;
		if (kind == 'B' && strspn(at, "0123456789") != length)
			return false;
		if (to && length && kind != 'B') {
			memcpy(to, at, length);
			to += length;
		}
		at = end;
		if (kind == 'P' || kind == 'E') {
			if (to)
				*to = 0;
			return !*at;
		}
		if (to && length && kind != 'B')
			to = stpcpy(to, "::");
	}
}

static const char *flangs_name(struct arena *arena, const char *symbol)
{
	size_t length = strlen(FLANGS_MAIN);

	if (starts_with(symbol, FLANGS_MAIN) && starts_with(symbol + length, "::"))
		return symbol + length + 2;
	if (!write_flangs(symbol, NULL))
		return NULL;
	char *name = arena_alloc(arena, 2 * strlen(symbol));
	write_flangs(symbol, name);
	return name;
}

const char *fortran_name(struct arena *arena, const char *symbol)
{
	static const char mark[] = "_MOD_";
	size_t length = sizeof(mark) - 1;

	if (!starts_with(symbol, "__"))
		return flangs_name(arena, symbol);
	for (const char *c = symbol; *c; c++) {
		if (!is_word_character(*c))
			return NULL;
	}
	const char *module = symbol + 2;
	const char *found = *module ? strstr(module + 1, mark) : NULL;
	if (!found || !found[length])
		return NULL;
	return arena_printf(arena, "%.*s::%s", (int)(found - module), module, found + length);
}

bool is_fortran_file(const char *file)
{
	static const char *const suffixes[] = { "f",   "for", "ftn", "f77", "f90",
						"f95", "f03", "f08", "f18", "fpp" };
	const char *dot = file ? strrchr(file, '.') : NULL;

	if (!dot)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (strcasecmp(dot + 1, suffixes[i]) == 0)
			return true;
	}
	return false;
}
