// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparing texts, and taking names apart.

#ifndef OMPDBG_TEXT_H
#define OMPDBG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** A part of a text. */
struct part {
	const char *begin, *end;
};

static inline bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/** Compare two texts; NULL is like itself alone. */
static inline bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/** If the part begins with @p prefix, take that off. */
static inline bool take(struct part *part, const char *prefix)
{
	size_t length = strlen(prefix);

	if ((size_t)(part->end - part->begin) < length || memcmp(part->begin, prefix, length) != 0)
		return false;
	part->begin += length;
	return true;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/** Check for a character of an identifier; bytes beyond ASCII are taken for letters. */
static inline bool is_word_character(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

/** Take digits off the beginning. @return whether there was one. */
static inline bool take_digits(struct part *part)
{
	const char *begin = part->begin;

	while (part->begin < part->end && is_digit(*part->begin))
		part->begin++;
	return part->begin > begin;
}

static inline bool is_empty(struct part part)
{
	return part.begin == part.end;
}

#endif
