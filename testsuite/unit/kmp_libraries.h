// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libraries that tests of LLVM's runtime go through: their paths, with colons between, are in
// OMPDBG_KMP_LIBRARIES.

#ifndef OMPDBG_TEST_KMP_LIBRARIES_H
#define OMPDBG_TEST_KMP_LIBRARIES_H

#include "elf_target.h"
#include "layout/kmp_library.h"
#include "target/reason.h"

/** The file name that each of them has in its target. */
extern const char kmp_object[];

/** Calls a test with each library, laid out in memory afresh; skips the test if there is none. */
void for_each_library(void (*test)(struct elf_target *target));

/** Fails the test, with the reason, if the library's layout can't be told. */
void open_ok(struct elf_target *target, struct kmp_layout *layout);

/** Fails the test if the library is not refused with that code, in those words. */
void expect_refusal(struct elf_target *target, ompd_rc_t expected, const char *words);

#endif
