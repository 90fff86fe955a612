// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code in the memory of a process, read in aligned lines: memory is mapped in multiples of these.

#include "code.h"

#include <string.h>

enum { LONGEST = 16, WORD = 8, SMALLER = 4, AHEAD = 4, PAGE = 4096 };

void code_reader_init(struct code_reader *reader, const struct code_architecture *architecture,
		      struct code_memory memory)
{
	reader->architecture = architecture;
	reader->memory = memory;
	reader->word_address = 0;
	for (size_t i = 0; i < CODE_LINES; i++)
		reader->lines[i].address = reader->lines[i].size = 0; // not its bytes
}

static struct code_line *line_of(struct code_reader *reader, uint64_t address)
{
	return &reader->lines[address / CODE_LINE % CODE_LINES];
}

static bool has(const struct code_line *line, uint64_t address)
{
	return address - line->address < line->size;
}

// Read several lines at once where the one before was read, up to the end of the page.
static bool read_ahead(struct code_reader *reader, uint64_t address)
{
	const uint64_t begin = address & ~(uint64_t)(CODE_LINE - 1);
	const uint64_t page_end = (begin | (PAGE - 1)) + 1;
	uint8_t bytes[AHEAD * CODE_LINE];
	size_t size = sizeof(bytes);

	if (page_end - begin < size)
		size = (size_t)(page_end - begin);
	if (size == CODE_LINE || !has(line_of(reader, begin - 1), begin - 1) ||
	    !reader->memory.read(reader->memory.context, begin, bytes, size))
		return false;
	for (size_t at = 0; at < size; at += CODE_LINE) {
		struct code_line *line = line_of(reader, begin + at);

		line->address = begin + at;
		line->size = CODE_LINE;
		memcpy(line->bytes, bytes + at, CODE_LINE);
	}
	return true;
}

// Debuggers know parts of a line only where a section of a file ends in it: less is tried then.
static const struct code_line *read_line(struct code_reader *reader, uint64_t address)
{
	struct code_line *line = line_of(reader, address);
	uint64_t size = CODE_LINE;

	if (has(line, address) || read_ahead(reader, address))
		return line;
	while (true) {
		line->address = address & ~(size - 1);
		line->size = 0;
		if (reader->memory.read(reader->memory.context, line->address, line->bytes, size)) {
			line->size = (uint32_t)size;
			return line;
		}
		if (size == 1)
			return NULL;
		size /= SMALLER;
	}
}

size_t code_read(struct code_reader *reader, uint64_t address, void *buffer, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const struct code_line *line = read_line(reader, address + done);

		if (!line)
			break;
		const size_t from = (size_t)(address + done - line->address);
		const size_t there = line->size - from;
		const size_t part = there < size - done ? there : size - done;

		memcpy((uint8_t *)buffer + done, line->bytes + from, part);
		done += part;
	}
	return done;
}

enum code_status code_read_word(struct code_reader *reader, uint64_t address, uint64_t *ret)
{
	if (!address || address != reader->word_address) {
		uint8_t bytes[WORD];

		reader->word_address = 0;
		if (!reader->memory.read(reader->memory.context, address, bytes, WORD))
			return CODE_UNREADABLE;
		reader->word = 0;
		for (unsigned int i = 0; i < WORD; i++)
			reader->word |= (uint64_t)bytes[i] << (8 * i);
		reader->word_address = address;
	}
	*ret = reader->word;
	return CODE_OK;
}

enum code_status code_decode(struct code_reader *reader, uint64_t address,
			     struct code_instruction *ret)
{
	const struct code_architecture *architecture = reader->architecture;
	const struct code_line *line = read_line(reader, address);
	uint8_t bytes[LONGEST];

	if (!line)
		return CODE_UNREADABLE;
	const size_t from = (size_t)(address - line->address);
	const size_t there = line->size - from;

	// It may go on in the next line.
	if (architecture->decode(address, line->bytes + from, there, ret) == CODE_OK)
		return CODE_OK;
	if (there >= architecture->longest)
		return CODE_UNDEFINED;
	return architecture->decode(address, bytes,
				    code_read(reader, address, bytes, architecture->longest), ret);
}
