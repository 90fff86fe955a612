// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/environ.h"

#include <string.h>

enum {
	MAX_BLOCK = 1 << 20, // of arguments and environment; more is taken for damage
	CHUNK = 256,
	PAGE = 4096,
	STACK_END = 8, // zero bytes that the kernel leaves at the very end of the stack
};

/** The strings of the initial stack: the kernel puts the arguments and then the environment behind
 * one another, each ended by a zero byte. A later setenv() changes pointers, not these. */
struct strings {
	const struct target *target;
	uint64_t next; // address after the chunk
	char chunk[CHUNK];
	size_t at, count; // in the chunk
	size_t total;
};

// The next byte; false at the end of what can be read.
static bool next_byte(struct strings *strings, char *ret)
{
	if (strings->at == strings->count) {
		size_t size = CHUNK - strings->next % CHUNK;

		if (strings->total > MAX_BLOCK ||
		    target_read(strings->target, strings->next, strings->chunk, size) != ompd_rc_ok)
			return false;
		strings->next += size;
		strings->total += size;
		strings->at = 0;
		strings->count = size;
	}
	*ret = strings->chunk[strings->at++];
	return true;
}

// Whether the strings ended where the stack does, and not where it could not be read.
static bool at_end_of_stack(const struct strings *strings)
{
	static const char zeroes[STACK_END];

	return strings->next % PAGE == 0 && strings->count >= STACK_END &&
	       memcmp(strings->chunk + strings->count - STACK_END, zeroes, STACK_END) == 0;
}

// Opens the strings at the first argument, and tells how many arguments there are. ld.so (in a
// static program the program) keeps the address of the pointers to them.
static ompd_rc_t open_strings(const struct target *target, struct strings *strings, size_t *count)
{
	uint64_t symbol, pointers, argument;
	ompd_rc_t rc = target_symbol(target, "_dl_argv", NULL, &symbol);

	*strings = (struct strings){ .target = target };
	*count = 0;
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, symbol, &pointers);
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, pointers, &strings->next);
	if (rc != ompd_rc_ok || strings->next <= pointers)
		return ompd_rc_error;
	do {
		if (target_read_pointer(target, pointers + 8 * ++*count, &argument) != ompd_rc_ok ||
		    *count > MAX_BLOCK)
			return ompd_rc_error;
	} while (argument);
	return ompd_rc_ok;
}

ompd_rc_t environ_get(const struct target *target, const char *name, char *value, size_t size)
{
	struct strings strings;
	size_t arguments, string = 0, length = strlen(name), position = 0;
	bool same = true;
	char byte;
	ompd_rc_t rc = open_strings(target, &strings, &arguments);

	if (rc != ompd_rc_ok)
		return rc;
	while (next_byte(&strings, &byte)) {
		if (same && position > length && string >= arguments) {
			size_t used = position - length - 1;

			if (used < size)
				value[used] = used + 1 < size ? byte : '\0';
			if (byte == '\0')
				return ompd_rc_ok;
		} else if (same) {
			same = byte == (position < length ? name[position] : '=');
		}
		position++;
		if (byte == '\0') {
			string++;
			position = 0;
			same = true;
		}
	}
	return at_end_of_stack(&strings) ? ompd_rc_unavailable : ompd_rc_error;
}

static bool is_word(const char *text, const char *word)
{
	while (*text == ' ' || *text == '\t')
		text++;
	for (; *word; text++, word++) {
		if ((*text | 0x20) != *word)
			return false;
	}
	while (*text == ' ' || *text == '\t')
		text++;
	return *text == '\0';
}

ompd_rc_t environ_word(const struct target *target, const char *name,
		       const struct environ_word *words, size_t count, ompd_word_t otherwise,
		       ompd_word_t *ret)
{
	char text[64] = "";
	ompd_rc_t rc = environ_get(target, name, text, sizeof(text));

	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	*ret = otherwise;
	for (size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		if (is_word(text, words[i].text))
			*ret = words[i].value;
	}
	return ompd_rc_ok;
}
