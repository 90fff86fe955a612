// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/environ.h"

#include <string.h>

enum {
	MAX_POINTERS = 1 << 16,
	LONGEST_NAME = 64,
};

// The kernel puts the arguments, a null pointer, the environment and a null pointer behind one
// another; ld.so (in a static program the program) keeps the address of the arguments.
static ompd_rc_t first_variable(const struct target *target, uint64_t *ret)
{
	uint64_t symbol, at, value;
	ompd_rc_t rc = target_symbol(target, "_dl_argv", NULL, &symbol);

	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, symbol, &at);
	if (rc != ompd_rc_ok)
		return ompd_rc_error;
	for (unsigned int i = 0; i < MAX_POINTERS; i++, at += 8) {
		if (target_read_pointer(target, at, &value) != ompd_rc_ok)
			return ompd_rc_error;
		if (value == 0) {
			*ret = at + 8;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_error;
}

ompd_rc_t environ_get(const struct target *target, const char *name, char *value, size_t size)
{
	size_t length = strlen(name);
	uint64_t at, string;
	ompd_rc_t rc = first_variable(target, &at);

	if (rc != ompd_rc_ok || length >= LONGEST_NAME)
		return ompd_rc_error;
	for (unsigned int i = 0; i < MAX_POINTERS; i++, at += 8) {
		char start[LONGEST_NAME + 1] = "";

		if (target_read_pointer(target, at, &string) != ompd_rc_ok)
			return ompd_rc_error;
		if (string == 0)
			return ompd_rc_unavailable;
		if (target_read_string(target, string, start, sizeof(start)) != ompd_rc_ok ||
		    strncmp(start, name, length) != 0 || start[length] != '=')
			continue;
		return target_read_string(target, string + length + 1, value, size);
	}
	return ompd_rc_error;
}
