// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libraries that tests of libgomp go through: their paths, with colons between, are in
// OMPDBG_GOMP_LIBRARIES.

#ifndef OMPDBG_TEST_GOMP_LIBRARIES_H
#define OMPDBG_TEST_GOMP_LIBRARIES_H

#include "elf_target.h"
#include "layout/gomp_library.h"
#include "target/reason.h"

/** "structure.field" */
extern const char *const gomp_field_names[GOMP_FIELD_COUNT];

/** Calls a test with each file that a variable of the environment names; returns their number. */
unsigned int for_each_path(const char *variable, const char *object,
			   void (*test)(struct elf_target *target, const char *path));

/** Calls a test with each library; skips the test if there is none. */
void for_each_library(void (*test)(struct elf_target *target, const char *path));

/** Fails the test, with the reason, if the library's layout can't be told. */
void open_ok(struct elf_target *target, const char *path, struct gomp_layout *layout);

/** Fails the test if the library is not refused with that code, in those words. */
void expect_refusal(struct elf_target *target, ompd_rc_t rc, const char *words);

#endif
