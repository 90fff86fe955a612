// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where functions without symbols begin: the tables that code is unwound by are never stripped.
//
// The section .eh_frame_hdr has a sorted table of the places where functions begin, each with its
// entry of .eh_frame, which has the size (Linux Standard Base, 10.6). It is read from memory.

#include "services/internal.h"

#include <string.h>

// Encodings that linkers use on this machine; tables with others are passed over.
static const uint8_t head[] = { 1, 0x1b, 0x03, 0x3b };
enum { COUNT = 4 + 4, TABLE = COUNT + 4, ROW = 8, BEGIN = 8, SIZE = 12 };
enum { MAX_ROWS = INT32_MAX };

/** Read the two words of a row, which count from where the section begins. */
static bool read_row(struct target_services *services, uint64_t section, uint32_t row,
		     uint64_t *start, uint64_t *entry)
{
	int32_t words[2];

	if (!read_all(services, section + TABLE + (uint64_t)row * ROW, words, sizeof(words)))
		return false;
	*start = section + (uint64_t)(int64_t)words[0];
	*entry = section + (uint64_t)(int64_t)words[1];
	return true;
}

static bool find_start(struct target_services *services, uint64_t section, uint64_t address,
		       uint64_t *ret)
{
	uint64_t start = 0, entry = 0;
	uint8_t found[sizeof(head)];
	uint32_t low = 0, high, size;
	int32_t begin;

	if (!read_all(services, section, found, sizeof(found)) ||
	    memcmp(found, head, sizeof(head)) != 0 ||
	    !read_all(services, section + COUNT, &high, sizeof(high)))
		return false;
	high &= MAX_ROWS;
	if (!high)
		return false;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (!read_row(services, section, middle, &start, &entry))
			return false;
		if (start <= address)
			low = middle;
		else
			high = middle;
	}
	if (!read_row(services, section, low, &start, &entry) ||
	    !read_all(services, entry + BEGIN, &begin, sizeof(begin)) ||
	    !read_all(services, entry + SIZE, &size, sizeof(size)))
		return false;
	*ret = start;
	return entry + BEGIN + (uint64_t)(int64_t)begin == start && address - start < size;
}

uint64_t unwind_table_start(struct target_services *services, uint64_t address)
{
	const struct objects *objects = &services->objects;
	uint64_t start;

	for (size_t i = 0; i < objects->num_unwind_tables; i++) {
		if (find_start(services, objects->unwind_tables[i], address, &start))
			return start;
	}
	return 0;
}
