// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp_tasks.h"

#include <omp.h>

// Clang's, which no header of the runtime declares.
struct ident {
	int32_t reserved_1, flags, reserved_2, reserved_3;
	const char *source;
};

struct task {
	void *shareds;
	kmp_task_entry entry;
	int32_t part;
	void *destructors;
	int32_t priority;
};

int __kmpc_global_thread_num(struct ident *place);
struct task *__kmpc_omp_task_alloc(struct ident *place, int gtid, int flags, size_t size,
				   size_t shareds, kmp_task_entry entry);
int __kmpc_omp_task(struct ident *place, int gtid, struct task *task);
int __kmpc_omp_task_with_deps(struct ident *place, int gtid, struct task *task, int count,
			      struct kmp_depend *depends, int no_alias_count,
			      struct kmp_depend *no_alias);
void __kmpc_omp_task_begin_if0(struct ident *place, int gtid, struct task *task);
void __kmpc_omp_task_complete_if0(struct ident *place, int gtid, struct task *task);
void *__kmpc_task_allow_completion_event(struct ident *place, int gtid, struct task *task);
void __kmpc_proxy_task_completed_ooo(struct task *task);

const char kmp_task_source[] = ";kmp_tasks.c;somewhere;17;4;;";
static struct ident place = { .flags = 2, .source = kmp_task_source };
static uint64_t distance; // from a task to its record, which lies before it

void *kmp_task_make(kmp_task_entry entry, int flags, int priority)
{
	struct task *task = __kmpc_omp_task_alloc(&place, __kmpc_global_thread_num(&place), flags,
						  sizeof(*task), 0, entry);

	task->priority = priority;
	return task;
}

void kmp_task_queue(void *task)
{
	__kmpc_omp_task(&place, __kmpc_global_thread_num(&place), task);
}

void kmp_task_queue_with(void *task, struct kmp_depend *depends, int count)
{
	__kmpc_omp_task_with_deps(&place, __kmpc_global_thread_num(&place), task, count, depends, 0,
				  NULL);
}

void kmp_task_run(void *task, kmp_task_entry entry)
{
	int gtid = __kmpc_global_thread_num(&place);

	__kmpc_omp_task_begin_if0(&place, gtid, task);
	entry(gtid, task);
	__kmpc_omp_task_complete_if0(&place, gtid, task);
}

void *kmp_task_event(void *task)
{
	return __kmpc_task_allow_completion_event(&place, __kmpc_global_thread_num(&place), task);
}

void kmp_task_complete(void *task)
{
	__kmpc_proxy_task_completed_ooo(task);
}

uint64_t kmp_task_identity(const void *task)
{
	return (uint64_t)(uintptr_t)task - distance;
}

void kmp_task_learn(const void *task, uint64_t identity)
{
	distance = (uint64_t)(uintptr_t)task - identity;
}
