// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp_process.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../api/callbacks.h"
#include "../api/here.h"

enum { THREADS = 6, TASK_SIZE = 40, TIED = 1, DEPEND_INOUT = 3, DEPEND_IN = 1, BRIEFLY = 1000 };

struct location {
	int32_t reserved, flags, reserved_2, length;
	const char *source;
};

// kmp_depend_info
struct dependence {
	void *variable;
	size_t size;
	uint8_t flags;
};

typedef int32_t entry_fn(int32_t gtid, void *task);
typedef void outlined_fn(int32_t *gtid, int32_t *tid);

// The entry points that a compiler calls.
static struct {
	int32_t (*global_thread_num)(struct location *);
	void (*push_num_threads)(struct location *, int32_t gtid, int32_t count);
	void (*fork_call)(struct location *, int32_t count, outlined_fn *function, ...);
	void *(*task_alloc)(struct location *, int32_t gtid, int32_t flags, size_t size,
			    size_t shareds, entry_fn *entry);
	int32_t (*task)(struct location *, int32_t gtid, void *task);
	void (*begin_if0)(struct location *, int32_t gtid, void *task);
	void (*complete_if0)(struct location *, int32_t gtid, void *task);
	int32_t (*task_with_deps)(struct location *, int32_t gtid, void *task, int32_t count,
				  const struct dependence *list, int32_t others, const void *other);
	void (*taskwait)(struct location *, int32_t gtid);
	void (*init_lock)(void **lock);
	void (*init_nest_lock)(void **lock);
} runtime;

static struct location here = { .flags = 2, .source = ";kmp_process.c;region;1;1;;" };
static void *library;
static int arrived, over;
static void *locks[2];
static void (*look_at)(const struct target *target);
static struct target target;

bool callback_symbol(ompd_address_space_context_t *context, const char *name, const char *file_name,
		     uint64_t *address)
{
	(void)context;
	if (file_name && strcmp(file_name, "libomp.so.5") != 0)
		return false;
	*address = (uint64_t)(uintptr_t)dlsym(library, name);
	return *address != 0;
}

bool callback_read(ompd_address_space_context_t *context, uint64_t address, void *buffer,
		   size_t size)
{
	(void)context;
	return here_read(address, buffer, size);
}

void *callback_alloc(size_t size)
{
	return malloc(size);
}

void callback_free(void *memory)
{
	free(memory);
}

static int32_t nothing(int32_t gtid, void *task)
{
	(void)gtid;
	(void)task;
	return 0;
}

static void wait_for(const int *number, int value)
{
	while (__atomic_load_n(number, __ATOMIC_ACQUIRE) < value)
		usleep(BRIEFLY);
}

static int32_t run_long(int32_t gtid, void *task)
{
	(void)gtid;
	(void)task;
	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELEASE);
	wait_for(&over, 1);
	return 0;
}

// Make a task on which two others depend, and run it: it is the only one in the thread's queue.
static void run_awaited(int32_t gtid)
{
	static int variable;
	const struct dependence inout = { &variable, sizeof(variable), DEPEND_INOUT };
	const struct dependence in = { &variable, sizeof(variable), DEPEND_IN };

	for (int i = 0; i < 3; i++) {
		void *task = runtime.task_alloc(&here, gtid, TIED, TASK_SIZE, 0,
						i == 0 ? run_long : nothing);

		runtime.task_with_deps(&here, gtid, task, 1, i == 0 ? &inout : &in, 0, NULL);
	}
	runtime.taskwait(&here, gtid);
}

static void region(int32_t *gtid, int32_t *tid)
{
	bool in_task = *tid == 1 || *tid == 2;
	void *task = NULL;

	if (*tid == 3) {
		run_awaited(*gtid);
		return;
	}
	for (int i = 0; i < (in_task ? 1 : 3); i++) {
		task = runtime.task_alloc(&here, *gtid, TIED, TASK_SIZE, 0, nothing);
		if (in_task)
			runtime.begin_if0(&here, *gtid, task);
		else
			runtime.task(&here, *gtid, task);
	}
	__atomic_add_fetch(&arrived, 1, __ATOMIC_RELEASE);
	if (*tid == 0) {
		wait_for(&arrived, THREADS);
		look_at(&target);
		__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	}
	wait_for(&over, 1);
	if (in_task)
		runtime.complete_if0(&here, *gtid, task);
}

static bool resolve(const char *name, void *function)
{
	void *address = dlsym(library, name);

	memcpy(function, &address, sizeof(address));
	return address != NULL;
}

bool kmp_process_run(const char *path, void (*look)(const struct target *target))
{
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library || !resolve("__kmpc_global_thread_num", &runtime.global_thread_num) ||
	    !resolve("__kmpc_push_num_threads", &runtime.push_num_threads) ||
	    !resolve("__kmpc_fork_call", &runtime.fork_call) ||
	    !resolve("__kmpc_omp_task_alloc", &runtime.task_alloc) ||
	    !resolve("__kmpc_omp_task", &runtime.task) ||
	    !resolve("__kmpc_omp_task_begin_if0", &runtime.begin_if0) ||
	    !resolve("__kmpc_omp_task_complete_if0", &runtime.complete_if0) ||
	    !resolve("__kmpc_omp_task_with_deps", &runtime.task_with_deps) ||
	    !resolve("__kmpc_omp_taskwait", &runtime.taskwait) ||
	    !resolve("omp_init_lock", &runtime.init_lock) ||
	    !resolve("omp_init_nest_lock", &runtime.init_nest_lock) ||
	    target_init(&target, &plain_callbacks, NULL) != ompd_rc_ok)
		return false;
	look_at = look;
	runtime.push_num_threads(&here, runtime.global_thread_num(&here), THREADS);
	runtime.init_lock(&locks[0]);
	runtime.init_nest_lock(&locks[1]);
	runtime.fork_call(&here, 0, region);
	return true;
}
