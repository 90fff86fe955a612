// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMPDBG_RECORD: settings as NAME=SIZE, separated by commas; a size is a number of bytes, or of K, M
// or G.
//
//	ring=256K	events of a thread: a power of two, from 4K to 1G
//	budget=256M	memory in all

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

#define KIB UINT64_C(1024)
#define DEFAULT_RING (256 * KIB)
#define DEFAULT_BUDGET (256 * KIB * KIB)
#define MIN_RING (4 * KIB)
#define MAX_RING (KIB * KIB * KIB)
#define LINE 81

/** Read a size that takes up all of a text. */
static bool read_size(const char *text, size_t length, uint64_t *size)
{
	static const char units[] = "KMG";
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
		if (value > UINT64_MAX / 16)
			return false;
		value = 10 * value + (uint64_t)(text[i] - '0');
	}
	if (i == 0)
		return false;
	if (i < length) {
		const char *unit = memchr(units, text[i], sizeof(units) - 1);
		int shift = unit ? 10 * (int)(unit - units + 1) : 0;

		if (!unit || i + 1 < length || value > UINT64_MAX >> shift)
			return false;
		value <<= shift;
	}
	*size = value;
	return true;
}

/** Report a setting that is not valid, in one line. */
static void complain(const char *text, size_t length)
{
	char line[LINE];
	int shown = (int)(length < 16 ? length : 16);
	int size = snprintf(line, sizeof(line),
			    "ompdbg: invalid OMPDBG_RECORD setting \"%.*s\" (try ring=256K)\n",
			    shown, text);

	for (int i = 0; i + 1 < size; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	if (write(STDERR_FILENO, line, (size_t)size) < 0)
		return; // there is nobody else to tell
}

/** Take one setting. */
static bool take_setting(const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	size_t name = equals ? (size_t)(equals - text) : 0;
	uint64_t size;

	if (!equals || !read_size(equals + 1, length - name - 1, &size))
		return false;
	if (name == strlen("ring") && !memcmp(text, "ring", name)) {
		if (size < MIN_RING || size > MAX_RING || (size & (size - 1)))
			return false;
		recorder.ring_bytes = size;
		return true;
	}
	if (name == strlen("budget") && !memcmp(text, "budget", name)) {
		recorder.budget = size;
		return true;
	}
	return false;
}

/** Take the settings of OMPDBG_RECORD, or null. */
void read_options(const char *text)
{
	recorder.ring_bytes = DEFAULT_RING;
	recorder.budget = DEFAULT_BUDGET;
	while (text && *text) {
		size_t length = strcspn(text, ",");

		if (length > 0 && !take_setting(text, length))
			complain(text, length);
		text += length + (text[length] == ',');
	}
}
