// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words in the styles of a debugger.

#include "output/text/palette.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

const char *paint(const struct paper *paper, enum style style, const char *text)
{
	// The styles that GDB has by default.
	static const char *const usual[NUM_STYLES] = {
		[STYLE_TITLE] = "\x1b[1m",    [STYLE_FUNCTION] = "\x1b[33m",
		[STYLE_FILE] = "\x1b[32m",    [STYLE_VARIABLE] = "\x1b[36m",
		[STYLE_ADDRESS] = "\x1b[34m", [STYLE_METADATA] = "\x1b[2m",
		[STYLE_ERROR] = "\x1b[1;31m", [STYLE_STUCK] = "\x1b[31m",
	};
	if (!paper->color || !*text || style == STYLE_NONE)
		return text;
	const char *begin = (paper->palette ? paper->palette : usual)[style];
	return *begin ? arena_printf(paper->arena, "%s%s\x1b[m", begin, text) : text;
}

static const char *part(const struct paper *paper, const char *begin, const char *end)
{
	return arena_strndup(paper->arena, begin, (size_t)(end - begin));
}

/** Paint the address at the begin of a text. @return NULL: there is none. */
static const char *paint_address(const struct paper *paper, const char *text)
{
	size_t digits;

	if (!starts_with(text, "0x"))
		return NULL;
	digits = strspn(text + 2, "0123456789abcdef");
	if (!digits)
		return NULL;
	return arena_printf(paper->arena, "%s%s",
			    paint(paper, STYLE_ADDRESS, part(paper, text, text + 2 + digits)),
			    text + 2 + digits);
}

/** Paint "function at file:line" up to @p end. @return NULL: it is none. */
static const char *paint_at(const struct paper *paper, const char *text, const char *end)
{
	const char *whole = part(paper, text, end), *at = NULL, *colon;

	for (const char *next = strstr(whole, " at "); next; next = strstr(next + 1, " at "))
		at = next;
	if (!at || at == whole)
		return NULL;
	colon = strchr(at + 4, ':');
	if (!colon || colon == at + 4 || strcspn(at + 4, " \t") != strlen(at + 4) || !colon[1] ||
	    colon[1 + strspn(colon + 1, "0123456789")])
		return NULL;
	return arena_printf(paper->arena, "%s at %s%s",
			    paint(paper, STYLE_FUNCTION, part(paper, whole, at)),
			    paint(paper, STYLE_FILE, part(paper, at + 4, colon)), colon);
}

const char *paint_place(const struct paper *paper, const char *text)
{
	const char *found;

	if (!paper->color)
		return text;
	found = paint_at(paper, text, text + strlen(text));
	if (!found)
		found = paint_address(paper, text);
	return found ? found : paint(paper, STYLE_FUNCTION, text);
}

const char *paint_wait(const struct paper *paper, const char *text)
{
	static const char *const kinds[] = { "lock or critical ", "nest lock ", "lock ",
					     "critical " };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && paper->color; i++) {
		const char *name = text + strlen(kinds[i]);
		if (!starts_with(text, kinds[i]) || !*name)
			continue;
		const char *painted = paint_address(paper, name);
		return arena_printf(paper->arena, "%s%s", kinds[i],
				    painted ? painted : paint(paper, STYLE_VARIABLE, name));
	}
	return text;
}

/** Return where the function of a task begins: "#3 task of fib at fib.c:9", "#3 fib at fib.c:9", "... and 2
 *  more: fib at fib.c:9"; NULL. */
static const char *function_of_task(const char *text)
{
	static const char of[] = "task of ", more[] = " more: ";
	const char *begin = strstr(text, of);

	if (begin)
		return begin + strlen(of);
	begin = strstr(text, more);
	if (begin)
		return begin + strlen(more);
	begin = strchr(text, '#');
	return begin ? strchr(begin, ' ') : NULL;
}

const char *paint_task(const struct paper *paper, const char *text)
{
	const char *begin = paper->color ? function_of_task(text) : NULL;

	if (!begin)
		return text;
	begin += *begin == ' ';
	for (const char *end = begin; *end; end++) {
		if (end[1] && end[1] != ',')
			continue;
		const char *painted = paint_at(paper, begin, end + 1);
		if (painted)
			return arena_printf(paper->arena, "%s%s%s", part(paper, text, begin),
					    painted, end + 1);
	}
	return text;
}
