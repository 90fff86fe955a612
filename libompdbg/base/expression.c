// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/expression.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/** Return the end of a literal that begins here, if no language could take a part of it for something
 *  else: without escapes, and without quotes of the other kind; else NULL. */
static const char *end_of_literal(const char *at)
{
	size_t length;

	if (*at != '"' && *at != '\'')
		return NULL;
	length = strcspn(at + 1, "\"'\\");
	return at[length + 1] == *at ? at + length + 2 : NULL;
}

/** Check for the "=" of a comparison: "==", "!=", "<=" or ">=", but not of "<<=" or ">>=". */
static bool is_comparison(const char *text, const char *at)
{
	char before = at > text ? at[-1] : 0, first = at > text + 1 ? at[-2] : 0;

	return before == '!' || ((before == '<' || before == '>') && first != before);
}

const char *expression_effect(const char *text)
{
	for (const char *at = text, *end; *at; at = end) {
		end = end_of_literal(at);
		if (end)
			continue;
		end = at + 1;
		if (*at == '=' && at[1] == '=')
			end = at + 2;
		else if (*at == '=' && !is_comparison(text, at))
			return "an assignment";
		else if ((*at == '+' || *at == '-') && at[1] == *at)
			return *at == '+' ? "\"++\"" : "\"--\"";
	}
	return NULL;
}

const char *expression_option(struct arena *arena, const char *text)
{
	static const char *const names[] = { "all", "json", "level", "num", "state", "team" };

	for (const char *at = strstr(text, " -"); at; at = strstr(at + 1, " -")) {
		const char *word = at + 1 + strspn(at + 1, "-");
		size_t length = strcspn(word, " =");

		for (size_t i = 0; word - at <= 3 && i < sizeof(names) / sizeof(*names); i++) {
			if (length == strlen(names[i]) && starts_with(word, names[i]))
				return arena_strndup(arena, at + 1,
						     (size_t)(word - at) - 1 + length);
		}
	}
	return NULL;
}

// ---- Sections of arrays ------------------------------------------------------------------------

/** Find where an operand begins to which brackets belong: a name with its members, calls, elements. */
static const char *begin_of_operand(const char *text, const char *bracket)
{
	const char *at = bracket;
	int depth = 0;

	while (at > text) {
		char c = at[-1];

		if ((c == '[' || c == '(') && !depth)
			break;
		depth += (c == ']' || c == ')') - (c == '[' || c == '(');
		if (depth || c == '[' || c == '(' || is_word_character(c) || c == '.' || c == '$')
			; // a part of it
		else if (at - 1 > text &&
			 ((c == ':' && at[-2] == ':') || (c == '>' && at[-2] == '-')))
			at--;
		else
			break;
		at--;
	}
	return at;
}

/** Find the end of brackets, and the colon between the first element and the number of elements. */
static const char *end_of_brackets(const char *bracket, const char **colon)
{
	int depth = 0;

	*colon = NULL;
	for (const char *at = bracket + 1; *at; at++) {
		if (*at == '?')
			return NULL; // its colon is another one
		if (*at == ']' && !depth)
			return at;
		if (*at == ':' && at[1] == ':')
			at++;
		else if (*at == ':' && !depth && !*colon)
			*colon = at;
		depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
	}
	return NULL;
}

const char *expression_with_sections(struct arena *arena, const char *text)
{
	const char *bracket = strchr(text, '['), *colon;

	for (; bracket; bracket = strchr(bracket + 1, '[')) {
		const char *end = end_of_brackets(bracket, &colon), *begin;

		if (!end || !colon)
			continue;
		begin = begin_of_operand(text, bracket);
		const char *first =
			arena_strndup(arena, bracket + 1, (size_t)(colon - bracket) - 1);
		const char *head = arena_printf(arena, "%.*s(%.*s[%s]@(%.*s))", (int)(begin - text),
						text, (int)(bracket - begin), begin,
						*first ? first : "0", (int)(end - colon) - 1,
						colon + 1);
		text = arena_printf(arena, "%s%s", head, end + 1);
		bracket = text + strlen(head) - 1;
	}
	return text;
}
