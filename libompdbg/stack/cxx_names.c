// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stack/cxx_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"

static const size_t NONE = SIZE_MAX;

/** Return 1 for a bracket that opens, -1 for one that closes, 0 for any other character. */
static int nesting_of(char c)
{
	switch (c) {
	case '<':
	case '(':
	case '[':
	case '{':
		return 1;
	case '>':
	case ')':
	case ']':
	case '}':
		return -1;
	default:
		return 0;
	}
}

/** Return the length of an operator's name at an index, whose brackets are none; 0 if there is none. */
static size_t operator_at(const char *name, size_t index)
{
	static const char keyword[] = "operator";
	static const char *const tokens[] = { "<=>", "<<=", ">>=", "->*", "<<", ">>", "->",
					      "<=",  ">=",  "<",   ">",	  "()", "[]" };
	size_t length = sizeof(keyword) - 1;

	if (!starts_with(name + index, keyword))
		return 0;
	if (index && is_word_character(name[index - 1]))
		return 0;
	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		if (starts_with(name + index + length, tokens[i]))
			return length + strlen(tokens[i]);
	}
	return 0;
}

/** Check that all that is left of a name is what may follow the parameters of a function. */
static bool has_only_qualifiers(const char *rest)
{
	static const char *const words[] = { " const", " volatile", " noexcept", " &&", " &" };

	while (*rest) {
		size_t length = 0;

		for (size_t i = 0; !length && i < sizeof(words) / sizeof(words[0]); i++) {
			if (starts_with(rest, words[i]))
				length = strlen(words[i]);
		}
		if (!length && (starts_with(rest, " [") || starts_with(rest, "[abi:"))) {
			length = strcspn(rest, "]");
			length += rest[length] == ']' ? 1 : 0;
			if (rest[length - 1] != ']')
				return false;
		}
		if (!length)
			return false;
		rest += length;
	}
	return true;
}

/** Find where the parameters of a function begin: the brackets with which its name ends, but for
 *  those of "(anonymous namespace)". */
static size_t find_parameters(const char *name)
{
	size_t begin = NONE, end = 0, length;
	int depth = 0;

	for (size_t i = 0; name[i]; i += length) {
		length = operator_at(name, i);
		if (length)
			continue;
		length = 1;
		if (name[i] == '(' && !depth && i)
			begin = i;
		depth += nesting_of(name[i]);
		if (name[i] == ')' && !depth)
			end = i + 1;
	}
	return begin != NONE && has_only_qualifiers(name + end) ? begin : NONE;
}

/** Check for a member of a lambda expression's type; one that only has the type as an argument is
 *  none. */
static bool is_in_lambda(const char *name, size_t end)
{
	size_t length;
	int depth = 0;

	for (size_t i = 0; i < end; i += length) {
		length = operator_at(name, i);
		if (length)
			continue;
		length = 1;
		if (name[i] == '{' && !depth)
			return true;
		depth += nesting_of(name[i]);
	}
	return false;
}

size_t cxx_length_without_parameters(const char *name)
{
	size_t parameters = find_parameters(name);

	if (parameters == NONE || is_in_lambda(name, parameters))
		return strlen(name);
	return parameters;
}

/** Check for the name of an operator, which may have blanks; one in brackets is another's. */
static bool is_of_operator(const char *name)
{
	int depth = 0;

	for (size_t i = 0; name[i]; i++) {
		if (!depth && starts_with(name + i, "operator"))
			return true;
		depth += nesting_of(name[i]);
	}
	return false;
}

const char *cxx_without_return_type(const char *name)
{
	size_t parameters = find_parameters(name);
	int depth = 0;

	if (parameters == NONE || name[parameters - 1] != '>' || is_of_operator(name))
		return name;
	for (size_t i = parameters; i-- > 0;) {
		depth -= nesting_of(name[i]);
		if (name[i] == ' ' && !depth)
			return name + i + 1;
	}
	return name;
}

const char *cxx_abbreviated(struct arena *arena, const char *name, size_t width)
{
	static const char unnamed[] = "(anonymous namespace)", lambda[] = "<lambda";
	struct buffer text = { 0 };
	const char *found = name;
	size_t begin = 0, length; // of what is copied next
	int depth = 0;

	if (strlen(name) <= width)
		return name;
	for (size_t i = 0; name[i]; i += length) {
		char c = name[i];
		length = depth ? 0 : operator_at(name, i);
		if (!length && !depth && starts_with(name + i, unnamed))
			length = sizeof(unnamed) - 1;
		if (!length && !depth && starts_with(name + i, lambda))
			length = sizeof(lambda) - 1;
		if (length)
			continue;
		length = 1;
		if (c == '(' || c == '<') {
			if (!depth++)
				buffer_put_bytes(&text, name + begin, i + 1 - begin);
		} else if ((c == ')' || c == '>') && depth && !--depth) {
			buffer_put(&text, strchr("(<", name[i - 1]) ? "" : "...");
			begin = i;
		}
	}
	if (!depth) {
		buffer_put(&text, name + begin);
		found = arena_strdup(arena, text.data);
	}
	buffer_deinit(&text);
	return found;
}

const char *cxx_bounded(struct arena *arena, const char *name)
{
	static const char mark[] = "...";
	size_t length = CXX_BOUND - (sizeof(mark) - 1);

	name = cxx_abbreviated(arena, name, CXX_BOUND);
	if (strnlen(name, CXX_BOUND + 1) <= CXX_BOUND)
		return name;
	while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--; // not within a character of UTF-8
	return arena_printf(arena, "%.*s%s", (int)length, name, mark);
}

const char *cxx_shown(struct arena *arena, const char *name)
{
	return cxx_bounded(arena, cxx_abbreviated(arena, name, CXX_SHOWN));
}
