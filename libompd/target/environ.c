// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/environ.h"

#include <string.h>

enum {
	MAX_BLOCK = 1 << 20, // of arguments and environment; more is taken for damage
	PAGE = 4096,
	STACK_END = 8, // zero bytes that the kernel leaves at the very end of the stack
};

/**
 * The strings of the initial stack: the kernel puts the arguments, then the environment behind one
 * another, each ended by a zero byte. A later setenv() changes pointers, not these. They are read
 * page by page, up to the end of the stack.
 */
struct strings {
	const struct target *target;
	uint64_t next;	    // address after the chunk
	uint64_t arguments; // strings that come first
	char chunk[PAGE];
	size_t at, count; // in the chunk
	size_t total;
};

// Read what is left of the page of @p address, which is readable if anything of it is.
static ompd_rc_t read_page(const struct target *target, uint64_t address, void *bytes, size_t *size)
{
	*size = PAGE - address % PAGE;
	target_view(target, address, *size);
	return target_read(target, address, bytes, *size);
}

// Check whether the stack ends after the chunk. Before these zeroes lies the file name of the
// program.
static bool at_end_of_stack(const struct strings *strings)
{
	static const char zeroes[STACK_END];

	return strings->next % PAGE == 0 && strings->count >= STACK_END &&
	       memcmp(strings->chunk + strings->count - STACK_END, zeroes, STACK_END) == 0;
}

// Read the next byte; unavailable at the end.
static ompd_rc_t next_byte(struct strings *strings, char *ret)
{
	if (strings->at == strings->count) {
		if (at_end_of_stack(strings))
			return ompd_rc_unavailable;
		if (strings->total > MAX_BLOCK ||
		    read_page(strings->target, strings->next, strings->chunk, &strings->count) !=
			    ompd_rc_ok)
			return ompd_rc_error;
		strings->next += strings->count;
		strings->total += strings->count;
		strings->at = 0;
	}
	*ret = strings->chunk[strings->at++];
	return ompd_rc_ok;
}

// Find the strings, and how many arguments there are. ld.so (in a static program the program)
// keeps the address of the pointers to them.
static ompd_rc_t find_strings(const struct target *target, struct strings *strings)
{
	uint64_t symbol, pointers, argument = 1;
	ompd_rc_t rc = target_symbol(target, "_dl_argv", NULL, &symbol);

	*strings = (struct strings){ .target = target };
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, symbol, &pointers);
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, pointers, &strings->next);
	if (rc != ompd_rc_ok || strings->next <= pointers)
		return ompd_rc_error;
	while (argument) {
		uint64_t at = pointers + 8 * ++strings->arguments;

		target_view(target, at, PAGE - at % PAGE);
		if (strings->arguments > MAX_BLOCK ||
		    target_read_pointer(target, at, &argument) != ompd_rc_ok)
			return ompd_rc_error;
	}
	return ompd_rc_ok;
}

// Do so once in a call of the API, which may ask for many variables.
static ompd_rc_t open_strings(const struct target *target, struct strings *ret)
{
	static struct {
		struct strings strings;
		const ompd_address_space_context_t *context;
		uint64_t call;
	} environment;
	ompd_rc_t rc = ompd_rc_ok;

	if (environment.call != target_call() || environment.context != target->context)
		rc = find_strings(target, &environment.strings);
	environment.call = rc == ompd_rc_ok ? target_call() : 0;
	environment.context = target->context;
	*ret = environment.strings;
	ret->target = target;
	return rc;
}

ompd_rc_t environ_get(const struct target *target, const char *name, char *value, size_t size)
{
	struct strings strings;
	size_t string = 0, length = strlen(name), position = 0;
	bool same = true;
	char byte;
	ompd_rc_t rc = open_strings(target, &strings);

	if (rc != ompd_rc_ok)
		return rc;
	while ((rc = next_byte(&strings, &byte)) == ompd_rc_ok) {
		if (same && position > length && string >= strings.arguments) {
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
	return rc;
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
