// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What OMPT answers in the process, for third parties (ompd/ompd_ext.h).

#include <limits.h>
#include <string.h>

#include "api/handles.h"

static ompd_rc_t no_tool_interface(void)
{
	return reason(ompd_rc_unsupported, "the runtime has no tool interface (OMPT)");
}

static ompd_rc_t tool_data(const struct api_space *space, const struct object *of, uint64_t *ret)
{
	return space->family->tool_data(space->runtime, of, ret);
}

ompd_rc_t ompd_ext_get_thread_data(ompd_thread_handle_t *thread, uint64_t *data)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(data, "data pointer is NULL");
	const struct object of = { .thread = self->thread };

	return tool_data(self->space, &of, data);
}

// ---- Levels ----------------------------------------------------------------------------------

/** A way from level to level. */
struct way {
	ompd_rc_t (*step)(const struct api_space *space, const void *from, void *to);
	uint64_t (*id)(const struct api_space *space, const void *record);
};

// The record at a level: @p ret and @p spare are two of its size, of which the first has level 0.
static ompd_rc_t at_level(const struct api_space *space, int level, const struct way *way,
			  void *ret, void *spare, size_t size)
{
	struct cycle cycle = { 0 };

	for (;; level--) {
		if (cycle_closed(&cycle, way->id(space, ret)))
			return reason(ompd_rc_error, "the levels have no end: memory is damaged");
		if (level == 0)
			return ompd_rc_ok;
		memcpy(spare, ret, size);
		ompd_rc_t rc = way->step(space, spare, ret);

		if (rc != ompd_rc_ok)
			return rc;
	}
}

// A task lies on top of the one that its thread left for it; an implicit task, wherever its thread
// is, on the one that encountered the region.
static ompd_rc_t task_below(const struct api_space *space, const void *from, void *to)
{
	const struct family *family = space->family;
	const struct object of = { .task = from };
	ompd_word_t implicit;
	ompd_rc_t rc = icv_value(family, space->runtime, ICV_implicit_task, &of, &implicit);

	if (rc != ompd_rc_ok)
		return rc;
	return (implicit ? family->generating_task : family->scheduling_task)(space->runtime, from,
									      to);
}

static uint64_t task_id(const struct api_space *space, const void *task)
{
	return space->family->task_id(task);
}

static ompd_rc_t region_around(const struct api_space *space, const void *from, void *to)
{
	return space->family->enclosing_region(space->runtime, from, to);
}

static uint64_t region_id(const struct api_space *space, const void *region)
{
	return space->family->region_id(region);
}

static const struct way tasks_below = { task_below, task_id };
static const struct way regions_around = { region_around, region_id };

// ---- Tasks -----------------------------------------------------------------------------------

static void describe_task(const struct api_thread *thread, const struct task *task,
			  ompd_ext_ompt_task_info *info)
{
	const struct api_space *space = thread->space;
	const struct family *family = space->family;
	const struct region *region = family->task_region(task);
	const struct object of_task = { .task = task }, of_region = { .region = region };
	int number;

	*info = (ompd_ext_ompt_task_info){ .known = 0 };
	if (tool_data(space, &of_task, &info->task_data) == ompd_rc_ok)
		info->known |= ompd_ext_ompt_task_data;
	if (tool_data(space, &of_region, &info->parallel_data) == ompd_rc_ok)
		info->known |= ompd_ext_ompt_parallel_data;
	if (family->task_frame(space->runtime, task, &info->exit_frame, &info->enter_frame) ==
	    ompd_rc_ok)
		info->known |= ompd_ext_ompt_frame;
	if (family->ompt_task_type(space->runtime, task, &info->type) == ompd_rc_ok)
		info->known |= ompd_ext_ompt_type;
	if (family->thread_num(space->runtime, thread->thread, region, &number) == ompd_rc_ok) {
		info->known |= ompd_ext_ompt_thread_num;
		info->thread_num = number;
	}
}

ompd_rc_t ompd_ext_get_ompt_task_info(ompd_thread_handle_t *thread, int level,
				      ompd_ext_ompt_task_info *info)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(info && level >= 0, "result pointer is NULL, or the level is negative");
	API_READ_THREAD(self, THREAD_TASK);
	const struct api_space *space = self->space;
	const size_t size = space->family->task_size;
	uint8_t *records = target_alloc(&space->target, 2 * size);

	if (!records)
		return ompd_rc_nomem;
	struct task *task = (struct task *)records;
	ompd_rc_t rc = space->family->current_task(space->runtime, self->thread, task);

	if (rc == ompd_rc_ok)
		rc = at_level(space, level, &tasks_below, task, records + size, size);
	if (rc == ompd_rc_ok) {
		describe_task(self, task, info);
		reason_clear();
	}
	target_free(&space->target, records);
	return rc;
}

ompd_rc_t ompd_ext_get_ompt_parallel_info(ompd_thread_handle_t *thread, int level,
					  ompd_ext_ompt_parallel_info *info)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(info && level >= 0, "result pointer is NULL, or the level is negative");
	API_READ_THREAD(self, THREAD_REGION);
	const struct api_space *space = self->space;
	const size_t size = space->family->region_size;
	uint8_t *records = target_alloc(&space->target, 2 * size);

	if (!records)
		return ompd_rc_nomem;
	struct region *region = (struct region *)records;
	const struct object of = { .region = region };
	ompd_word_t team_size;
	ompd_rc_t rc = space->family->current_region(space->runtime, self->thread, region);

	if (rc == ompd_rc_ok)
		rc = at_level(space, level, &regions_around, region, records + size, size);
	if (rc == ompd_rc_ok)
		rc = icv_value(space->family, space->runtime, ICV_team_size, &of, &team_size);
	if (rc == ompd_rc_ok) {
		*info = (ompd_ext_ompt_parallel_info){ .team_size = (int32_t)team_size };
		if (tool_data(space, &of, &info->parallel_data) == ompd_rc_ok)
			info->known |= ompd_ext_ompt_parallel_data;
		reason_clear();
	}
	target_free(&space->target, records);
	return rc;
}

ompd_rc_t ompd_ext_get_task_memory(ompd_thread_handle_t *thread, int block, uint64_t *address,
				   uint64_t *size)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(address && size && block >= 0,
		  "result pointer is NULL, or the number is negative");
	API_READ_THREAD(self, THREAD_TASK);
	const struct api_space *space = self->space;
	struct task *task = target_alloc(&space->target, space->family->task_size);

	if (!task)
		return ompd_rc_nomem;
	ompd_rc_t rc = space->family->current_task(space->runtime, self->thread, task);

	if (rc == ompd_rc_ok && block > 0)
		rc = reason(ompd_rc_unavailable, "a task has one block of memory");
	if (rc == ompd_rc_ok)
		rc = space->family->task_memory(space->runtime, task, address, size);
	target_free(&space->target, task);
	return rc;
}

// ---- Places ----------------------------------------------------------------------------------

ompd_rc_t ompd_ext_get_proc_id(ompd_thread_handle_t *thread, int *proc_id)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(proc_id, "number pointer is NULL");
	const struct api_space *space = self->space;
	uint64_t pthread;
	uint32_t processor;
	ompd_rc_t rc = space->family->pthread_of_thread(space->runtime, self->thread, &pthread);

	if (rc == ompd_rc_ok) {
		rc = nptl_processor(&space->target, pthread, &processor);
		if (rc == ompd_rc_unavailable)
			rc = reason(rc,
				    "this C library does not keep on which processor a thread is");
	}
	if (rc == ompd_rc_ok)
		*proc_id = (int)processor;
	return rc;
}

ompd_rc_t ompd_ext_get_place_num(ompd_thread_handle_t *thread, int *place_num)
{
	ompd_word_t value;

	API_ENTER(self, THREAD, thread);
	API_CHECK(place_num, "number pointer is NULL");
	API_READ_THREAD(self, THREAD_PLACE);
	const struct object of = { .thread = self->thread };
	ompd_rc_t rc = icv_value(self->space->family, self->space->runtime, ICV_place_assignment,
				 &of, &value);

	if (rc == ompd_rc_ok)
		*place_num = (int)value;
	return rc;
}

// The number that @p text begins with; -1 if there is none.
static long leading_number(const char *text)
{
	long number = -1;

	for (; *text >= '0' && *text <= '9' && number < INT_MAX; text++)
		number = 10 * (number < 0 ? 0 : number) + (*text - '0');
	return number;
}

ompd_rc_t ompd_ext_get_partition_place_nums(ompd_thread_handle_t *thread, int *place_nums,
					    size_t max, size_t *count)
{
	char text[ICV_TEXT_MAX] = "";

	API_ENTER(self, THREAD, thread);
	API_CHECK(count && (!max || place_nums), "numbers pointer is NULL");
	API_READ_THREAD(self, THREAD_PLACE);
	const struct object of = { .thread = self->thread };
	ompd_rc_t rc =
		icv_text(self->space->family, self->space->runtime, ICV_place_partition, &of, text);

	if (rc != ompd_rc_ok)
		return rc;
	// "first-last", or the only one.
	const char *dash = strchr(text, '-');
	long first = leading_number(text), last = dash ? leading_number(dash + 1) : first;

	if (first < 0 || first > last || last > INT_MAX)
		return reason(ompd_rc_error, "place-partition-var is damaged");
	*count = (size_t)(last - first) + 1;
	for (size_t i = 0; i < max && i < *count; i++)
		place_nums[i] = (int)(first + (long)i);
	reason_clear();
	return ompd_rc_ok;
}

// ---- Devices and mutexes ---------------------------------------------------------------------

ompd_rc_t ompd_ext_get_target_info(ompd_thread_handle_t *thread, uint64_t *device_num,
				   uint64_t *target_id, uint64_t *host_op_id)
{
	API_ENTER(self, THREAD, thread);
	API_CHECK(device_num && target_id && host_op_id, "result pointer is NULL");
	if (!self->space->family->ompt)
		return no_tool_interface();
	return reason(ompd_rc_unavailable, "the runtime records no target regions");
}

ompd_rc_t ompd_ext_get_num_devices(ompd_address_space_handle_t *handle, int *num_devices)
{
	API_ENTER(space, ADDRESS_SPACE, handle);
	API_CHECK(num_devices, "number pointer is NULL");
	if (!space->family->ompt)
		return no_tool_interface();
	*num_devices = space->family->ompt->num_devices;
	return ompd_rc_ok;
}

ompd_rc_t ompd_ext_enumerate_mutex_impls(ompd_address_space_handle_t *handle, int current,
					 int *next, const char **name, int *more)
{
	int count = 0;

	API_ENTER(space, ADDRESS_SPACE, handle);
	API_CHECK(next && name && more, "result pointer is NULL");
	if (!space->family->ompt)
		return no_tool_interface();
	const char *const *names = space->family->ompt->mutex_impls;

	while (names[count])
		count++;
	if (current < 0 || current + 1 >= count)
		return reason(ompd_rc_bad_input, "unknown mutex implementation %d", current);
	*next = current + 1;
	*name = names[*next];
	*more = *next + 1 < count;
	return ompd_rc_ok;
}
