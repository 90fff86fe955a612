// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations on LLVM's runtime, and what its records say nothing about.

#include "kmp/icv.h"

// Operations that have nothing to look at use none of their parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

ompd_rc_t kmp_barrier_info(const struct runtime *runtime, const struct region *region,
			   ompd_ext_barrier_info *ret)
{
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

static const struct icv_access icvs[ICV_COUNT] = {
#define ICV_ROW(id, name, scope, form, kind, reader) [ICV_##id] = { .kind = kmp_icv_##reader },
#include "runtime/icvs.def"
};

static const char *const control_vars[] = {
	"KMP_ABORT_DELAY",
	"KMP_ADAPTIVE_LOCK_PROPS",
	"KMP_AFFINITY",
	"KMP_ALIGN_ALLOC",
	"KMP_ALL_THREADS",
	"KMP_BLOCKTIME",
	"KMP_CONSISTENCY_CHECK",
	"KMP_CPUINFO_FILE",
	"KMP_DETERMINISTIC_REDUCTION",
	"KMP_DEVICE_THREAD_LIMIT",
	"KMP_DISP_NUM_BUFFERS",
	"KMP_DUPLICATE_LIB_OK",
	"KMP_DYNAMIC_MODE",
	"KMP_ENABLE_TASK_THROTTLING",
	"KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE",
	"KMP_FORCE_REDUCTION",
	"KMP_FOREIGN_THREADS_THREADPRIVATE",
	"KMP_FORKJOIN_BARRIER",
	"KMP_FORKJOIN_BARRIER_PATTERN",
	"KMP_GTID_MODE",
	"KMP_HANDLE_SIGNALS",
	"KMP_HIDDEN_HELPER_AFFINITY",
	"KMP_HOT_TEAMS_MAX_LEVEL",
	"KMP_HOT_TEAMS_MODE",
	"KMP_HW_SUBSET",
	"KMP_INHERIT_FP_CONTROL",
	"KMP_INIT_AT_FORK",
	"KMP_INIT_WAIT",
	"KMP_ITT_PREPARE_DELAY",
	"KMP_LIBRARY",
	"KMP_LOCK_KIND",
	"KMP_MALLOC_POOL_INCR",
	"KMP_MAX_THREADS",
	"KMP_MONITOR_STACKSIZE",
	"KMP_NESTING_MODE",
	"KMP_NEXT_WAIT",
	"KMP_NUM_LOCKS_IN_BLOCK",
	"KMP_PLACE_THREADS",
	"KMP_PLAIN_BARRIER",
	"KMP_PLAIN_BARRIER_PATTERN",
	"KMP_REDUCTION_BARRIER",
	"KMP_REDUCTION_BARRIER_PATTERN",
	"KMP_SCHEDULE",
	"KMP_SETTINGS",
	"KMP_SPIN_BACKOFF_PARAMS",
	"KMP_STACKOFFSET",
	"KMP_STACKPAD",
	"KMP_STACKSIZE",
	"KMP_STORAGE_MAP",
	"KMP_TASKING",
	"KMP_TASKLOOP_MIN_TASKS",
	"KMP_TASK_STEALING_CONSTRAINT",
	"KMP_TEAMS_PROC_BIND",
	"KMP_TEAMS_THREAD_LIMIT",
	"KMP_TOPOLOGY_METHOD",
	"KMP_TPAUSE",
	"KMP_USER_LEVEL_MWAIT",
	"KMP_USE_YIELD",
	"KMP_VERSION",
	"KMP_WARNINGS",
	"LIBOMP_NUM_HIDDEN_HELPER_THREADS",
	"LIBOMP_USE_HIDDEN_HELPER_TASK",
	NULL,
};

static const struct object initial = { 0 };

static const char *const names[] = { "libomp", "libiomp5", NULL };

const struct family kmp_family = {
	.names = names,
	.runtime_size = sizeof(struct runtime),
	.thread_size = sizeof(struct thread),
	.region_size = sizeof(struct region),
	.task_size = sizeof(struct task),
	.icvs = icvs,
	.initial = &initial,
	.control_vars = control_vars,
	.ompt = &ompt,
#define OPERATION(type, name, parameters) .name = kmp_##name,
#include "runtime/operations.def"
};
