// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake OMPD library's extensions.

#include <string.h>

#include "fake_ompd.h"

struct ompd_ext_task_iterator {
	struct handle handle;
	uint64_t next;
	bool damaged;
};

ompd_rc_t ompd_ext_get_layout_info(ompd_address_space_handle_t *handle, ompd_ext_layout_info *info)
{
	(void)handle;
	FAIL_ON_DEMAND("ompd_ext_get_layout_info");
	*info = (ompd_ext_layout_info){
		.size = info->size,
		.runtime = "fake",
		.release = NULL,
		.source = ompd_ext_layout_table,
		.probes_agreed = 5,
		.probes_silent = 1,
		.doubted = 2,
	};
	return info->size == sizeof(*info) ? ompd_rc_ok : ompd_rc_bad_input;
}

const char *ompd_ext_last_reason(void)
{
	return fake.reason;
}

ompd_rc_t ompd_ext_get_handle_id(void *handle, ompd_scope_t scope, uint64_t *id)
{
	static const ompd_scope_t scopes[] = {
		[SPACE] = ompd_scope_address_space,
		[THREAD] = ompd_scope_thread,
		[PARALLEL] = ompd_scope_parallel,
		[TASK] = ompd_scope_task,
	};
	struct handle *object = handle;

	FAIL_ON_DEMAND("ompd_ext_get_handle_id");
	if (scope != scopes[object->kind])
		return ompd_rc_bad_input;
	*id = 0x700000000000 + object->value;
	return ompd_rc_ok;
}

// ---- Tasks -----------------------------------------------------------------------------------

static ompd_rc_t open_iterator(const void *memory, ompd_ext_task_iterator **ret)
{
	const struct handle *handle = memory;
	void *iterator;

	if (fake.callbacks->alloc_memory(sizeof(**ret), &iterator) != ompd_rc_ok)
		return ompd_rc_nomem;
	*ret = iterator;
	**ret = (ompd_ext_task_iterator){ .handle = *handle };
	fake.live++;
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_tasks_open(ompd_parallel_handle_t *parallel, ompd_ext_task_iterator **iterator)
{
	FAIL_ON_DEMAND("ompd_ext_tasks_open");
	return open_iterator(parallel, iterator);
}

ompd_rc_t ompd_ext_tasks_open_all(ompd_address_space_handle_t *handle,
				  ompd_ext_task_iterator **iterator)
{
	return open_iterator(handle, iterator);
}

static ompd_rc_t read_part(const struct handle *handle, uint64_t address, uint64_t size,
			   void *buffer)
{
	ompd_address_t at = { 0, address };

	return fake.callbacks->read_memory(handle->context, NULL, &at, size, buffer);
}

/** Three reads of one task as a runtime might need them. */
static ompd_rc_t read_task(const struct handle *handle, uint64_t index)
{
	uint64_t address = fake.heap + index * (uint64_t)fake.heap_step;
	uint8_t task[200], vector[24], data[64];

	if (read_part(handle, address, sizeof(task), task) != ompd_rc_ok ||
	    read_part(handle, address + 200, sizeof(vector), vector) != ompd_rc_ok)
		return ompd_rc_error;
	return read_part(handle, address + 224, sizeof(data), data);
}

ompd_rc_t ompd_ext_tasks_next(ompd_ext_task_iterator *iterator, ompd_ext_task_info *records,
			      size_t max, size_t *count)
{
	*count = 0;
	FAIL_ON_DEMAND("ompd_ext_tasks_next");
	while (*count < max && iterator->next < fake.num_tasks) {
		uint64_t index = iterator->next;

		if (fake.damaged_at && index == fake.damaged_at && !iterator->damaged) {
			iterator->damaged = true;
			return ompd_rc_incomplete;
		}
		if (fake.heap_step) {
			ompd_rc_t rc = read_task(&iterator->handle, index);

			if (rc != ompd_rc_ok)
				return rc;
		}
		records[(*count)++] = (ompd_ext_task_info){
			.id = index + 1,
			.parent_id = index,
			.parallel_id = UINT64_MAX,
			.function = 0x401000 + index % 7,
			.taskgroup = 3,
			.kind = ompd_ext_task_explicit,
			.status = (uint32_t)(index % 2),
			.flags = 0x80000001,
			.flags_known = 0xff,
			.priority = -5,
			.thread_num = -1,
			.num_depends = 2,
			.num_predecessors = 1,
			.source = 0x402000,
		};
		iterator->next++;
	}
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_tasks_unreached(ompd_ext_task_iterator *iterator, uint32_t *count)
{
	FAIL_ON_DEMAND("ompd_ext_tasks_unreached");
	*count = 9;
	return iterator->next == fake.num_tasks ? ompd_rc_ok : ompd_rc_bad_input;
}

ompd_rc_t ompd_ext_tasks_close(ompd_ext_task_iterator *iterator)
{
	fake.live--;
	return fake.callbacks->free_memory(iterator);
}

ompd_rc_t ompd_ext_get_task_info(ompd_task_handle_t *task, ompd_ext_task_info *info)
{
	*info = (ompd_ext_task_info){ .id = ((struct handle *)task)->value };
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_parallel_info(ompd_parallel_handle_t *parallel, ompd_ext_parallel_info *info)
{
	(void)parallel;
	*info = (ompd_ext_parallel_info){ ompd_ext_parallel_league, 1, 0x401000,
					  0xffff000000402000 };
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_thread_info(ompd_thread_handle_t *thread, ompd_ext_thread_info *info)
{
	(void)thread;
	*info = (ompd_ext_thread_info){ ompd_ext_thread_helper, -1 };
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_task_by_id(ompd_parallel_handle_t *parallel, uint64_t id,
				  ompd_task_handle_t **task)
{
	if (!id)
		return ompd_rc_bad_input;
	return ompd_get_task_in_parallel(parallel, (int)id, task);
}

ompd_rc_t ompd_ext_get_task_depends(ompd_task_handle_t *task, ompd_ext_depend *depends, size_t max,
				    size_t *count)
{
	*count = 100;
	for (uint32_t i = 0; i < 100 && i < max; i++)
		depends[i] = (ompd_ext_depend){ 0xffff000000000000 + i, i % 4, 0 };
	return ((struct handle *)task)->value == 13 ? ompd_rc_incomplete : ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_task_dependers(ompd_task_handle_t *task, uint64_t *ids, size_t max,
				      size_t *count)
{
	(void)task;
	(void)max;
	*count = fake_failing("dependers") ? (size_t)1 << 40 : 2;
	ids[0] = 11;
	ids[1] = UINT64_MAX;
	return ompd_rc_ok;
}

// ---- Threads and wait sites ------------------------------------------------------------------

ompd_rc_t ompd_ext_get_thread_num(ompd_thread_handle_t *thread, ompd_parallel_handle_t *parallel,
				  int *thread_num)
{
	if (!((struct handle *)parallel)->value)
		return ompd_rc_unavailable;
	*thread_num = (int)((struct handle *)thread)->value;
	return ompd_rc_ok;
}

static ompd_rc_t classify(uint64_t address, const char *name, ompd_ext_wait_site *site)
{
	if (!address)
		return ompd_rc_unavailable;
	if (address == 1)
		return ompd_rc_error;
	*site = (ompd_ext_wait_site){ ompd_ext_wait_barrier, ompt_state_wait_barrier, address,
				      name };
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_classify_call(ompd_address_space_handle_t *handle, uint64_t return_address,
				 ompd_ext_wait_site *site)
{
	(void)handle;
	return classify(return_address, "GOMP_barrier", site);
}

ompd_rc_t ompd_ext_get_call_target(ompd_address_space_handle_t *handle, uint64_t return_address,
				   uint64_t *entry)
{
	ompd_ext_wait_site site;
	ompd_rc_t rc = ompd_ext_classify_call(handle, return_address, &site);

	*entry = rc == ompd_rc_ok ? return_address - 5 : 0;
	return rc;
}

ompd_rc_t ompd_ext_classify_entry(ompd_address_space_handle_t *handle, uint64_t entry,
				  ompd_ext_wait_site *site)
{
	(void)handle;
	return classify(entry, "omp_set_lock", site);
}

ompd_rc_t ompd_ext_get_lock_argument(ompd_address_space_handle_t *handle, uint64_t return_address,
				     ompd_ext_argument *argument)
{
	(void)handle;
	if (return_address == 0)
		return ompd_rc_unavailable;
	if (return_address == 1)
		return ompd_rc_error;
	*argument = (ompd_ext_argument){
		.register_name = return_address == 2 ? NULL : "rbx",
		.value = return_address + 5,
		.scale = 24,
		.offset = -4,
		.in_memory = return_address != 2,
		.width = -4,
	};
	return ompd_rc_ok;
}

// The thread waits for the lock if its variable is among the values.
ompd_rc_t ompd_ext_confirm_lock(ompd_thread_handle_t *thread, uint32_t kind, uint64_t variable,
				const uint64_t *in_use, size_t in_use_count)
{
	(void)thread;
	if (kind > ompd_ext_lock_critical)
		return ompd_rc_bad_input;
	for (size_t i = 0; i < in_use_count; i++) {
		if (in_use[i] == variable)
			return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

ompd_rc_t ompd_ext_classify_futex(ompd_thread_handle_t *thread, uint64_t futex,
				  ompd_ext_wait_site *site)
{
	(void)thread;
	return classify(futex, NULL, site);
}

// ---- Progress --------------------------------------------------------------------------------

ompd_rc_t ompd_ext_get_barrier_info(ompd_parallel_handle_t *parallel, ompd_ext_barrier_info *info)
{
	(void)parallel;
	FAIL_ON_DEMAND("ompd_ext_get_barrier_info");
	*info = (ompd_ext_barrier_info){ 8, 5, 1, ompd_ext_barrier_tasks };
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_loop_info(ompd_thread_handle_t *thread, ompd_ext_loop_info *info)
{
	(void)thread;
	FAIL_ON_DEMAND("ompd_ext_get_loop_info");
	*info = (ompd_ext_loop_info){ 0x600, 100, 40, 3, 2, ompd_ext_loop_total };
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_task_counts(ompd_task_handle_t *task, ompd_ext_task_counts *counts)
{
	(void)task;
	FAIL_ON_DEMAND("ompd_ext_get_task_counts");
	*counts = (ompd_ext_task_counts){ 7, 9, 1 };
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_ordered_turn(ompd_thread_handle_t *thread, int *thread_num)
{
	(void)thread;
	FAIL_ON_DEMAND("ompd_ext_get_ordered_turn");
	*thread_num = 3;
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_get_environment(ompd_address_space_handle_t *handle, const char *name,
				   const char **value)
{
	void *text;

	(void)handle;
	FAIL_ON_DEMAND("ompd_ext_get_environment");
	if (strcmp(name, "OMP_NUM_THREADS") != 0)
		return ompd_rc_unavailable;
	if (fake.callbacks->alloc_memory(2, &text) != ompd_rc_ok)
		return ompd_rc_nomem;
	memcpy(text, "4", 2);
	*value = text;
	return ompd_rc_ok;
}
