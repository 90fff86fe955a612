// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kmp_libraries.h"

const char kmp_object[] = "libomp.so.5";

void for_each_library(void (*test)(struct elf_target *target))
{
	const char *paths = getenv("OMPDBG_KMP_LIBRARIES");
	char *list = strdup(paths ? paths : ""), *rest = list, *path;
	struct elf_target target;
	int count = 0;

	while ((path = strsep(&rest, ":"))) {
		if (!*path || !elf_target_open(&target, path, kmp_object))
			continue;
		print_message("%s\n", path);
		test(&target);
		elf_target_close(&target);
		count++;
	}
	free(list);
	if (!count)
		skip();
}

void open_ok(struct elf_target *target, struct kmp_layout *layout)
{
	target_begin_call();
	ompd_rc_t rc = kmp_layout_open(&target->target, "libomp", layout);

	if (rc != ompd_rc_ok)
		fail_msg("%d: %s", rc, reason_text());
}

void expect_refusal(struct elf_target *target, ompd_rc_t expected, const char *words)
{
	struct kmp_layout layout;
	target_begin_call();
	ompd_rc_t rc = kmp_layout_open(&target->target, "libomp", &layout);

	assert_int_equal(rc, expected);
	if (!strstr(reason_text(), words))
		fail_msg("\"%s\" does not say \"%s\"", reason_text(), words);
}
