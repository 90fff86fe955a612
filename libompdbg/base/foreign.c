// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/foreign.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/arena.h"

enum {
	LONGEST_ESCAPE = 10, // \U0001f600
	LONGEST_CHARACTER = LONGEST_ESCAPE > MB_LEN_MAX ? LONGEST_ESCAPE : MB_LEN_MAX,
};

// ---- UTF-8 -----------------------------------------------------------------------------------

uint32_t foreign_next(const char **text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *bytes = (const unsigned char *)*text;
	uint32_t first = bytes[0];
	uint32_t length = first < 0x80 ? 1 :
			  first < 0xc0 ? 0 :
			  first < 0xe0 ? 2 :
			  first < 0xf0 ? 3 :
					 4;

	if (!first)
		return 0;
	uint32_t code = length == 1 ? first : first & (0xffu >> (length + 1));
	bool valid = length && first < 0xf8;
	for (uint32_t i = 1; valid && i < length; i++) {
		valid = (bytes[i] & 0xc0) == 0x80; // also ends at the zero byte
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (valid && (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
		valid = false;
	*text += valid ? length : 1;
	return valid ? code : FOREIGN_BYTE | first;
}

// ---- On a terminal ---------------------------------------------------------------------------

/** Check for a control character, or one that turns the direction of text around, ends a line, or
 *  cannot be seen. */
static bool is_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0, 0x1f },
		{ 0x7f, 0x9f },
		// Unicode's Cf and Default_Ignorable_Code_Point, lines and paragraphs.
		{ 0xad, 0xad },
		{ 0x34f, 0x34f },
		{ 0x600, 0x605 },
		{ 0x61c, 0x61c },
		{ 0x6dd, 0x6dd },
		{ 0x70f, 0x70f },
		{ 0x890, 0x891 },
		{ 0x8e2, 0x8e2 },
		{ 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 },
		{ 0x180b, 0x180f },
		{ 0x200b, 0x200f },
		{ 0x2028, 0x202e },
		{ 0x2060, 0x206f },
		{ 0x3164, 0x3164 },
		{ 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb },
		{ 0xfffe, 0xffff },
		{ 0x110bd, 0x110bd },
		{ 0x110cd, 0x110cd },
		{ 0x13430, 0x1343f },
		{ 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	}
	return false;
}

static size_t write_escape(char *to, uint32_t code)
{
	static const char names[] = { ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't' };
	const char *format = "\\u%04x";

	if (code < sizeof(names) && names[code]) {
		to[0] = '\\';
		to[1] = names[code];
		return 2;
	}
	if (code & FOREIGN_BYTE || code < 0x80)
		format = "\\x%02x";
	else if (code > 0xffff)
		format = "\\U%08x";
	char escape[LONGEST_ESCAPE + 1];
	int length = snprintf(escape, sizeof(escape), format, (unsigned int)(code & ~FOREIGN_BYTE));
	memcpy(to, escape, (size_t)length);
	return (size_t)length;
}

static bool is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] < 0x20 || text[i] > 0x7e)
			return false;
	}
	return true;
}

const char *foreign_visible(struct arena *arena, const char *text)
{
	size_t length_of_text = strlen(text);

	if (is_plain(text, length_of_text))
		return text;
	char *visible = arena_alloc_array(arena, length_of_text + 1, LONGEST_CHARACTER);
	char *to = visible;
	mbstate_t state = { 0 };
	uint32_t code;

	while ((code = foreign_next(&text))) {
		size_t length = (size_t)-1;

		if (!(code & FOREIGN_BYTE) && !is_hidden(code))
			length = wcrtomb(to, (wchar_t)code, &state);
		if (length == (size_t)-1) {
			state = (mbstate_t){ 0 };
			length = write_escape(to, code);
		}
		to += length;
	}
	return visible;
}

/** Return the bytes of a visible text's first character, and its columns. */
static size_t next_visible(const char *visible, size_t left, mbstate_t *state, size_t *columns)
{
	wchar_t character;
	size_t length = mbrtowc(&character, visible, left, state);

	if (length == 0 || length > left) { // no text of foreign_visible()
		*state = (mbstate_t){ 0 };
		*columns = 1;
		return 1;
	}
	int width = wcwidth(character);
	*columns = width < 0 ? 1 : (size_t)width;
	return length;
}

size_t foreign_width_of(const char *visible, size_t length)
{
	mbstate_t state = { 0 };
	size_t width = 0;

	if (is_plain(visible, length))
		return length;
	while (length) {
		size_t columns;
		size_t taken = next_visible(visible, length, &state, &columns);

		visible += taken;
		length -= taken;
		width += columns;
	}
	return width;
}

size_t foreign_width(const char *visible)
{
	return foreign_width_of(visible, strlen(visible));
}

const char *foreign_cut(struct arena *arena, const char *visible, size_t width)
{
	static const char mark[] = "...";
	const size_t mark_width = sizeof(mark) - 1;

	if (foreign_width(visible) <= width)
		return visible;
	size_t room = width > mark_width ? width - mark_width : 0;
	size_t left = strlen(visible), taken = 0, columns;
	mbstate_t state = { 0 };
	for (;;) {
		size_t length = next_visible(visible + taken, left, &state, &columns);

		if (columns > room)
			break;
		room -= columns;
		taken += length;
		left -= length;
	}
	return arena_printf(arena, "%.*s%.*s", (int)taken, visible,
			    (int)(width < mark_width ? width : mark_width), mark);
}
