// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files with the API's operations on LLVM's runtime share.

#ifndef OMPDBG_KMP_FAMILY_H
#define OMPDBG_KMP_FAMILY_H

#include "kmp/kmp.h"
#include "runtime/family.h"

// The API's names for what is here under its own.

static inline const struct kmp_runtime *of_runtime(const struct family_runtime *runtime)
{
	return (const struct kmp_runtime *)runtime;
}

static inline const struct kmp_region *of_region(const struct family_region *region)
{
	return (const struct kmp_region *)region;
}

static inline const struct kmp_task *of_task(const struct family_task *task)
{
	return (const struct kmp_task *)task;
}

static inline struct kmp_region *to_region(struct family_region *region)
{
	return (struct kmp_region *)region;
}

static inline struct kmp_task *to_task(struct family_task *task)
{
	return (struct kmp_task *)task;
}

static inline ompd_rc_t read_thread(const struct family_runtime *runtime,
				    const struct family_thread *thread, struct kmp_thread *ret)
{
	return kmp_find_thread_again(of_runtime(runtime), thread, KMP_PART_PLACE, ret);
}

extern const struct family_tasks kmp_family_tasks;
extern const struct family_waits kmp_family_waits;

#endif
