// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "debugger.h"

void say(struct answer *answer, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	answer->used += (size_t)vsnprintf(answer->text + answer->used,
					  sizeof(answer->text) - answer->used, format, arguments);
	va_end(arguments);
	if (answer->used >= sizeof(answer->text))
		answer->used = sizeof(answer->text) - 1;
}

void say_number(struct answer *answer, const char *name, bool known, long long value)
{
	if (known)
		say(answer, " %s=%lld", name, value);
	else
		say(answer, " %s=unknown", name);
}

void say_address(struct answer *answer, const char *name, uint64_t value)
{
	say(answer, " %s=%llx", name, (unsigned long long)value);
}

void say_if_told(struct answer *answer, const char *name, uint64_t value)
{
	if (value)
		say_address(answer, name, value);
	else
		say(answer, " %s=unknown", name);
}

void free_block(const void *block)
{
	debugger_callbacks.free_memory((void *)block);
}

// A text that the caller owns.
ompd_rc_t say_text(ompd_rc_t rc, const char *const *text, struct answer *answer)
{
	if (rc == ompd_rc_ok) {
		say(answer, "%s ", *text);
		free_block(*text);
	}
	return rc;
}

ompd_rc_t say_thread(ompd_rc_t rc, ompd_thread_handle_t *const *handle, struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(*handle, ompd_scope_thread, &id);
		say_address(answer, "thread", id);
		ompd_rel_thread_handle(*handle);
	}
	return rc;
}

ompd_rc_t say_parallel(ompd_rc_t rc, ompd_parallel_handle_t *const *handle, struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(*handle, ompd_scope_parallel, &id);
		say_address(answer, "parallel", id);
		ompd_rel_parallel_handle(*handle);
	}
	return rc;
}

ompd_rc_t say_task(ompd_rc_t rc, ompd_task_handle_t *const *handle, struct answer *answer)
{
	uint64_t id = 0;

	if (rc == ompd_rc_ok) {
		ompd_ext_get_handle_id(*handle, ompd_scope_task, &id);
		say_address(answer, "task", id);
		ompd_rel_task_handle(*handle);
	}
	return rc;
}

// Word by word; one of the form NAME=VALUE may be NAME=unknown instead.
static bool line_agrees(const char *got, const char *expected)
{
	static const char unknown[] = "=unknown";

	while (*got && *got != '\n') {
		size_t i = strcspn(got, " \n"), j = strcspn(expected, " \n");
		size_t name = strcspn(expected, "= \n");
		bool same = i == j && memcmp(got, expected, i) == 0;

		if (!same && !(i == name + strlen(unknown) && memcmp(got, expected, name) == 0 &&
			       memcmp(got + name, unknown, strlen(unknown)) == 0))
			return false;
		if (!same && got[i] != ' ')
			return true; // a value may hold blanks
		got += i + (got[i] == ' ');
		expected += j + (expected[j] == ' ');
	}
	return *got == *expected;
}

bool answers_agree(const struct question *question, const struct answer *got,
		   const struct answer *expected)
{
	const char *x = got->text, *y = expected->text;

	if (question->is_list && got->rc == ompd_rc_incomplete)
		return true;
	if (got->rc != expected->rc)
		return false;
	while (*x || *y) {
		size_t i = strcspn(x, "\n"), j = strcspn(y, "\n");

		if (!line_agrees(x, y)) {
			fprintf(stderr, "\"%.*s\", not \"%.*s\"\n", (int)i, x, (int)j, y);
			return false;
		}
		x += i + (x[i] != '\0');
		y += j + (y[j] != '\0');
	}
	return true;
}
