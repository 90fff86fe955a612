// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files with the API's operations on libgomp share.

#ifndef OMPDBG_GOMP_FAMILY_H
#define OMPDBG_GOMP_FAMILY_H

#include "gomp/gomp.h"
#include "runtime/family.h"

// The API's names for what is here under its own.

static inline const struct gomp_runtime *of_runtime(const struct family_runtime *runtime)
{
	return (const struct gomp_runtime *)runtime;
}

static inline const struct gomp_region *of_region(const struct family_region *region)
{
	return (const struct gomp_region *)region;
}

static inline const struct gomp_task *of_task(const struct family_task *task)
{
	return (const struct gomp_task *)task;
}

static inline struct gomp_region *to_region(struct family_region *region)
{
	return (struct gomp_region *)region;
}

static inline struct gomp_task *to_task(struct family_task *task)
{
	return (struct gomp_task *)task;
}

// A thread of the system has one struct gomp_thread, at the same place for as long as it lives.
static inline struct family_thread to_thread(const struct family_runtime *runtime, uint64_t address)
{
	return (struct family_thread){
		.address = address,
		.pthread = gomp_pthread_of_thread(of_runtime(runtime), address),
	};
}

static inline ompd_rc_t read_thread(const struct family_runtime *runtime,
				    const struct family_thread *thread, struct gomp_thread *ret)
{
	ompd_rc_t rc = gomp_read_thread(of_runtime(runtime), thread->address, ret);

	return rc == ompd_rc_ok ? gomp_check_openmp_thread(of_runtime(runtime), ret) : rc;
}

extern const struct family_tasks gomp_family_tasks;
extern const struct family_waits gomp_family_waits;

#endif
