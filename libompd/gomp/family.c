// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations on libgomp, and those that its records say nothing about.

#include "gomp/icv.h"

// Operations that have nothing to look at use none of their parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

ompd_rc_t gomp_tool_active(const struct runtime *runtime)
{
	return reason(ompd_rc_unsupported, "libgomp has no tool interface (OMPT)");
}

ompd_rc_t gomp_task_frame(const struct runtime *runtime, const struct task *task,
			  ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame)
{
	return reason(ompd_rc_unavailable, "libgomp does not record the frames of tasks");
}

ompd_rc_t gomp_task_counts(const struct runtime *runtime, const struct task *task,
			   ompd_ext_task_counts *ret)
{
	return reason(ompd_rc_unavailable, "the runtime lists tasks and does not count them");
}

ompd_rc_t gomp_task_memory(const struct runtime *runtime, const struct task *task,
			   uint64_t *address, uint64_t *size)
{
	return reason(ompd_rc_unavailable,
		      "libgomp does not keep how much memory it took for a task");
}

ompd_rc_t gomp_confirm_lock(const struct runtime *runtime, struct thread *thread, uint32_t kind,
			    uint64_t variable, const uint64_t *in_use, size_t in_use_count)
{
	return reason(ompd_rc_unavailable, "threads of libgomp sleep on what they wait for");
}

static const struct icv_access icvs[ICV_COUNT] = {
#define ICV_ROW(id, name, scope, form, kind, reader) [ICV_##id] = { .kind = gomp_icv_##reader },
#include "runtime/icvs.def"
};

// The task without a record: its values are those of the process.
static const struct task initial_task = { .region = { .nthreads = 1 } };
static const struct object initial = { .task = &initial_task };

static const char *const control_vars[] = {
	"GOMP_CPU_AFFINITY", "GOMP_DEBUG", "GOMP_STACKSIZE", "GOMP_SPINCOUNT", NULL,
};

static const char *const names[] = { "libgomp", NULL };

const struct family gomp_family = {
	.names = names,
	.runtime_size = sizeof(struct runtime),
	.thread_size = sizeof(struct thread),
	.region_size = sizeof(struct region),
	.task_size = sizeof(struct task),
	.icvs = icvs,
	.initial = &initial,
	.control_vars = control_vars,
#define OPERATION(type, name, parameters) .name = gomp_##name,
#include "runtime/operations.def"
};
