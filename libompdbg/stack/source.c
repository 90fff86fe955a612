// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts that Clang's and flang's code passes to the runtime: ";file;function;line;column;;".
// Programs whose debug information was stripped keep them.

#include <limits.h>
#include <stdlib.h>

#include "base/text.h"
#include "stack/room.h"

enum {
	PIECE = 64, // bytes that are read at once; no piece crosses the end of a page
	MAX_TEXT = 4096,
	NUM_FIELDS = 4, // before the line's, which is followed by another
};

/** Read a text. @return false: it has no end, or cannot be read. */
static bool read_text(struct runtime *runtime, uint64_t address, char *text)
{
	for (size_t size = 0; size < MAX_TEXT;) {
		size_t piece = PIECE - (address + size) % PIECE;

		if (piece > MAX_TEXT - size)
			piece = MAX_TEXT - size;
		if (!process_read(runtime->process, address + size, text + size, piece))
			return false;
		if (memchr(text + size, 0, piece))
			return true;
		size += piece;
	}
	return false;
}

const struct construct_source *parse_construct_source(struct arena *arena, const char *text)
{
	static const char unknown[] = "unknown";  // the program was compiled without -g
	static const char flangs[] = "FIRModule"; // no file
	const char *fields[NUM_FIELDS];
	size_t lengths[NUM_FIELDS];

	for (size_t i = 0; i < NUM_FIELDS; i++) {
		fields[i] = text;
		lengths[i] = strcspn(text, ";");
		text += lengths[i];
		if (*text++ != ';')
			return NULL;
	}
	if (!lengths[3] || strspn(fields[3], "0123456789") != lengths[3])
		return NULL;
	unsigned long line = strtoul(fields[3], NULL, 10);
	if (!line || line > INT_MAX)
		return NULL;
	const char *file = arena_strndup(arena, fields[1], lengths[1]);
	const char *function = arena_strndup(arena, fields[2], lengths[2]);
	if (!*file || !*function || strcmp(file, unknown) == 0 || strcmp(function, unknown) == 0)
		return NULL;
	struct construct_source *source = ARENA_NEW(arena, struct construct_source);
	source->function = function;
	source->file = strcmp(file, flangs) == 0 ? NULL : file;
	source->line = (int)line;
	return source;
}

const struct construct_source *construct_source_at(struct runtime *runtime, uint64_t address)
{
	char text[MAX_TEXT];

	if (!address || !read_text(runtime, address, text))
		return NULL;
	return parse_construct_source(&runtime->process->arena, text);
}

const struct construct_source *team_source(struct team *team)
{
	if (!team->has_source) {
		team->has_source = true;
		team->source = construct_source_at(team->runtime, team_info(team)->source);
	}
	return team->source;
}
