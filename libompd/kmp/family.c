// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations on LLVM's runtime, and what its records say nothing about.

#include "kmp/kmp.h"

ompd_rc_t kmp_barrier_info(const struct runtime *runtime, const struct region *region,
			   ompd_ext_barrier_info *ret)
{
	(void)runtime;
	(void)region;
	(void)ret;
	return reason(ompd_rc_unavailable,
		      "threads that gather others at a barrier are not counted "
		      "before these have come");
}

static const char *const mutex_impls[] = {
	"kmp_mutex_impl_none",
	"kmp_mutex_impl_spin",
	"kmp_mutex_impl_queuing",
	"kmp_mutex_impl_speculative",
	NULL,
};
// Devices are not its own affair: it always answers with the host alone (ompt_get_num_devices).
static const struct family_ompt ompt = { .mutex_impls = mutex_impls, .num_devices = 1 };

static const struct object initial = { 0 };

static const char *const names[] = { "libomp", "libiomp5", NULL };

const struct family kmp_family = {
	.names = names,
	.runtime_size = sizeof(struct runtime),
	.thread_size = sizeof(struct thread),
	.region_size = sizeof(struct region),
	.task_size = sizeof(struct task),
	.icvs = kmp_icvs,
	.initial = &initial,
	.control_vars = kmp_control_vars,
	.ompt = &ompt,
#define OPERATION(type, name, parameters) .name = kmp_##name,
#include "runtime/operations.def"
};
