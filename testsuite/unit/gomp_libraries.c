// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gomp_libraries.h"

#define LAYOUT_FIELD(s, f) #s "." #f,
const char *const gomp_field_names[GOMP_FIELD_COUNT] = {
#include "layout/gomp_fields.def"
};

unsigned int for_each_path(const char *variable, const char *object,
			   void (*test)(struct elf_target *target, const char *path))
{
	const char *value = getenv(variable);
	char *list = strdup(value ? value : ""), *rest = list, *path;
	unsigned int count = 0;

	while ((path = strsep(&rest, ":"))) {
		struct elf_target target;

		if (!*path || !elf_target_open(&target, path, object))
			continue;
		test(&target, path);
		elf_target_close(&target);
		count++;
	}
	free(list);
	return count;
}

void for_each_library(void (*test)(struct elf_target *target, const char *path))
{
	if (!for_each_path("OMPDBG_GOMP_LIBRARIES", "libgomp.so.1", test))
		skip(); // no libgomp.so.1 is named by the environment
}

void open_ok(struct elf_target *target, const char *path, struct gomp_layout *layout)
{
	target_begin_call();
	if (gomp_layout_open(&target->target, layout) != ompd_rc_ok)
		fail_msg("%s: %s", path, reason_text());
	assert_string_equal(reason_text(), "");
}

void expect_refusal(struct elf_target *target, ompd_rc_t rc, const char *words)
{
	static struct gomp_layout layout;

	target_begin_call();
	assert_int_equal(gomp_layout_open(&target->target, &layout), rc);
	if (!strstr(reason_text(), words))
		fail_msg("'%s' is not in '%s'", words, reason_text());
}
