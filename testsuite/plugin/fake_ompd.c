// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OMPD library without a runtime: canned answers, counted handles, failures on demand, and
// calls of the callbacks as a test has asked for. The fake_* functions are for the test.
//
// FAKE_PLAIN leaves the extensions out, FAKE_SPARSE some standard functions too.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fake_ompd.h"

struct fake fake;

static const ompd_callbacks_t *cb;

// ---- For the test ----------------------------------------------------------------------------

void fake_reset(void)
{
	memset(fake.failing, 0, sizeof(fake.failing));
	fake.reason[0] = '\0';
	fake.num_reads = 0;
	fake.num_tasks = fake.damaged_at = fake.heap = fake.heap_step = 0;
}

/** Lets @p function return @p rc from now on. */
void fake_fail(const char *function, int rc)
{
	snprintf(fake.failing, sizeof(fake.failing), "%s", function);
	fake.rc = rc;
}

void fake_set_reason(const char *reason)
{
	snprintf(fake.reason, sizeof(fake.reason), "%s", reason);
}

void fake_add_read(uint64_t address, uint64_t size)
{
	if (fake.num_reads < FAKE_READS)
		fake.reads[fake.num_reads++] = (struct fake_read){ address, size };
}

void fake_set_tasks(uint64_t count, uint64_t damaged_at, uint64_t heap, int64_t step)
{
	fake.num_tasks = count;
	fake.damaged_at = damaged_at;
	fake.heap = heap;
	fake.heap_step = step;
}

int fake_live(void)
{
	return fake.live;
}

int fake_initialized(void)
{
	return fake.initialized;
}

bool fake_failing(const char *function)
{
	return strcmp(function, fake.failing) == 0;
}

// ---- Handles ---------------------------------------------------------------------------------

/** What every handle of this library is. */
static ompd_rc_t make(const struct handle *parent, enum handle_kind kind, uint64_t value,
		      void *result)
{
	struct handle *handle;
	void *memory;

	if (cb->alloc_memory(sizeof(*handle), &memory) != ompd_rc_ok)
		return ompd_rc_nomem;
	handle = memory;
	*handle = (struct handle){
		.magic = FAKE_MAGIC,
		.kind = kind,
		.value = value,
		.context = parent->context,
	};
	memcpy(result, &handle, sizeof(handle));
	fake.live++;
	return ompd_rc_ok;
}

static ompd_rc_t drop(void *memory, enum handle_kind kind)
{
	struct handle *handle = memory;

	if (!is_handle(handle, kind))
		return ompd_rc_stale_handle;
	handle->magic = 0;
	fake.live--;
	return cb->free_memory(handle);
}

bool is_handle(const void *memory, enum handle_kind kind)
{
	const struct handle *handle = memory;

	return handle && handle->magic == FAKE_MAGIC && handle->kind == kind;
}

static ompd_rc_t compare(const void *a, const void *b, enum handle_kind kind, int *order)
{
	const struct handle *one = a, *other = b;

	if (!is_handle(a, kind) || !is_handle(b, kind))
		return ompd_rc_stale_handle;
	*order = (one->value > other->value) - (one->value < other->value);
	return ompd_rc_ok;
}

// ---- Library and address space ---------------------------------------------------------------

ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *callbacks)
{
	FAIL_ON_DEMAND("ompd_initialize");
	if (fake.initialized || api_version != FAKE_API_VERSION)
		return ompd_rc_bad_input;
	fake.initialized = 1;
	cb = fake.callbacks = callbacks;
	return ompd_rc_ok;
}

ompd_rc_t ompd_finalize(void)
{
	fake.initialized--;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_api_version(ompd_word_t *version)
{
	*version = FAKE_API_VERSION;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_version_string(const char **string)
{
	*string = "fake 1.0";
	return ompd_rc_ok;
}

ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
				  ompd_address_space_handle_t **handle)
{
	struct handle parent = { .context = context };

	FAIL_ON_DEMAND("ompd_process_initialize");
	return make(&parent, SPACE, 0, handle);
}

ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle)
{
	return drop(handle, SPACE);
}

ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *handle, ompd_word_t *version)
{
	FAIL_ON_DEMAND("ompd_get_omp_version");
	*version = 201511;
	return is_handle(handle, SPACE) ? ompd_rc_ok : ompd_rc_stale_handle;
}

/** Static, as an existing library has it: the debugger must not free it. */
ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *handle, const char **string)
{
	*string = "OpenMP 4.5";
	return is_handle(handle, SPACE) ? ompd_rc_ok : ompd_rc_stale_handle;
}

// ---- Threads, regions, tasks -----------------------------------------------------------------

ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				 ompd_size_t size, const void *id, ompd_thread_handle_t **thread)
{
	uint64_t ident = 0;
	size_t expected = kind == ompd_thread_id_lwp ? 4 : 8;

	FAIL_ON_DEMAND("ompd_get_thread_handle");
	if (kind != ompd_thread_id_lwp && kind != ompd_thread_id_pthread)
		return ompd_rc_unsupported;
	if (size != expected)
		return ompd_rc_bad_input;
	memcpy(&ident, id, size);
	if (kind == ompd_thread_id_pthread)
		ident -= FAKE_PTHREAD;
	if (ident < FAKE_LWP || ident >= FAKE_LWP + FAKE_THREADS)
		return ompd_rc_unavailable;
	return make((struct handle *)handle, THREAD, ident - FAKE_LWP, thread);
}

ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel, int num,
				      ompd_thread_handle_t **thread)
{
	if (num < 0 || num >= FAKE_THREADS)
		return ompd_rc_bad_input;
	return make((struct handle *)parallel, THREAD, (uint64_t)num, thread);
}

ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread, ompd_thread_id_t kind, ompd_size_t size,
			     void *id)
{
	uint64_t ident = ((struct handle *)thread)->value + FAKE_LWP;

	if (size != (kind == ompd_thread_id_lwp ? 4 : 8))
		return ompd_rc_bad_input;
	if (kind == ompd_thread_id_pthread)
		ident += FAKE_PTHREAD;
	memcpy(id, &ident, size);
	return ompd_rc_ok;
}

ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread)
{
	return drop(thread, THREAD);
}

ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b, int *order)
{
	return compare(a, b, THREAD, order);
}

ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread,
					ompd_parallel_handle_t **parallel)
{
	FAIL_ON_DEMAND("ompd_get_curr_parallel_handle");
	return make((struct handle *)thread, PARALLEL, 1, parallel);
}

ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel,
					     ompd_parallel_handle_t **enclosing)
{
	struct handle *handle = (struct handle *)parallel;

	if (!handle->value)
		return ompd_rc_unavailable;
	return make(handle, PARALLEL, handle->value - 1, enclosing);
}

ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task, ompd_parallel_handle_t **parallel)
{
	return make((struct handle *)task, PARALLEL, 1, parallel);
}

ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel)
{
	return drop(parallel, PARALLEL);
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b,
				       int *order)
{
	return compare(a, b, PARALLEL, order);
}

ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread, ompd_task_handle_t **task)
{
	return make((struct handle *)thread, TASK, ((struct handle *)thread)->value + 10, task);
}

ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task, ompd_task_handle_t **other)
{
	return make((struct handle *)task, TASK, 7, other);
}

ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel, int num,
				    ompd_task_handle_t **task)
{
	if (num < 0 || num >= FAKE_THREADS)
		return ompd_rc_bad_input;
	return make((struct handle *)parallel, TASK, (uint64_t)num + 10, task);
}

ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task)
{
	return drop(task, TASK);
}

ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *a, ompd_task_handle_t *b, int *order)
{
	return compare(a, b, TASK, order);
}

#ifndef FAKE_SPARSE
ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task, ompd_task_handle_t **other)
{
	(void)task;
	*other = NULL;
	return ompd_rc_ok; // which no library should do
}

ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task, ompd_address_t *entry)
{
	FAIL_ON_DEMAND("ompd_get_task_function");
	*entry = (ompd_address_t){ 0, 0x401000 + ((struct handle *)task)->value };
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task, ompd_frame_info_t *exit_frame,
			      ompd_frame_info_t *enter_frame)
{
	(void)task;
	*exit_frame = (ompd_frame_info_t){ { 0, 0x7ffffffff000 }, 0x20 };
	*enter_frame = (ompd_frame_info_t){ { 0, UINT64_C(0xffff800000000000) }, 0x11 };
	return ompd_rc_ok;
}
#endif
