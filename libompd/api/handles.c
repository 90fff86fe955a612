// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/handles.h"

#include <string.h>

enum {
	SLOT_BITS = 24, // of a handle; the serial number is above them
	SLOTS_MAX = 1 << SLOT_BITS,
	SLOTS_MIN = 64,
	NO_SLOT = SLOTS_MAX,
};

// The highest bit is set in every handle: no program has memory there.
#define HANDLE_BIT (UINT64_C(1) << 63)
#define SERIAL_END (HANDLE_BIT >> SLOT_BITS)

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a handle has 64 bits");

/** One place of the table. */
struct slot {
	uint64_t handle; // 0: the place is free
	void *record;
	enum handle_kind kind;
	// The handles of an address space are a ring with its own; free places are a list.
	uint32_t next, previous;
};

static struct {
	struct slot *slots; // memory of the debugger's allocator; NULL while no handle lives
	uint32_t capacity, live, first_free;
	uint64_t last_serial; // counts on for as long as the library is loaded
} handles;

static struct slot *find(const void *handle)
{
	const uint64_t value = (uint64_t)(uintptr_t)handle;
	const uint32_t at = (uint32_t)(value & (SLOTS_MAX - 1));

	return value && at < handles.capacity && handles.slots[at].handle == value ?
		       &handles.slots[at] :
		       NULL;
}

static bool grow(void)
{
	const struct target target = { .callbacks = library_callbacks() };
	const uint32_t wanted = handles.capacity ? 2 * handles.capacity : SLOTS_MIN;
	struct slot *grown = wanted <= SLOTS_MAX ? target_alloc(&target, wanted * sizeof(*grown)) :
						   NULL;

	if (!grown)
		return false;
	if (handles.capacity)
		memcpy(grown, handles.slots, handles.capacity * sizeof(*grown));
	target_free(&target, handles.slots);
	for (uint32_t at = handles.capacity; at < wanted; at++)
		grown[at].next = at + 1 < wanted ? at + 1 : NO_SLOT;
	handles.first_free = handles.capacity;
	handles.slots = grown;
	handles.capacity = wanted;
	return true;
}

void *handle_open(enum handle_kind kind, void *record, const struct api_space *space)
{
	if (handles.last_serial + 1 == SERIAL_END)
		return NULL;
	if ((!handles.capacity || handles.first_free == NO_SLOT) && !grow())
		return NULL;
	const uint32_t at = handles.first_free;
	const struct slot *owner = kind == HANDLE_ADDRESS_SPACE ? NULL : find(space->handle);
	const uint32_t before = owner ? (uint32_t)(owner - handles.slots) : at;
	struct slot *slot = &handles.slots[at];

	handles.first_free = slot->next;
	handles.live++;
	*slot = (struct slot){
		.handle = HANDLE_BIT | ++handles.last_serial << SLOT_BITS | at,
		.record = record,
		.kind = kind,
		.next = owner ? owner->next : at,
		.previous = before,
	};
	handles.slots[slot->next].previous = at;
	handles.slots[before].next = at;
	return (void *)(uintptr_t)slot->handle;
}

static ompd_rc_t free_record(enum handle_kind kind, void *record)
{
	switch (kind) {
	case HANDLE_ADDRESS_SPACE:
		return space_free(record);
	case HANDLE_TASK_ITERATOR:
		return task_iterator_free(record);
	default:
		return library_callbacks()->free_memory(record);
	}
}

// The record is freed when the table no longer has it.
static ompd_rc_t close_slot(struct slot *slot)
{
	const struct slot closed = *slot;
	const uint32_t at = (uint32_t)(slot - handles.slots);

	handles.slots[closed.previous].next = closed.next;
	handles.slots[closed.next].previous = closed.previous;
	*slot = (struct slot){ .next = handles.first_free };
	handles.first_free = at;
	if (--handles.live == 0) {
		const struct target target = { .callbacks = library_callbacks() };

		target_free(&target, handles.slots);
		handles.slots = NULL;
		handles.capacity = 0;
	}
	return free_record(closed.kind, closed.record);
}

static ompd_rc_t close_space(struct slot *space)
{
	const uint32_t at = (uint32_t)(space - handles.slots);

	while (handles.slots[at].next != at)
		close_slot(&handles.slots[handles.slots[at].next]);
	return close_slot(&handles.slots[at]);
}

void handle_close_all(void)
{
	for (uint32_t at = 0; at < handles.capacity; at++) {
		if (handles.slots[at].handle && handles.slots[at].kind == HANDLE_ADDRESS_SPACE)
			close_space(&handles.slots[at]);
	}
}

ompd_rc_t api_enter(void)
{
	reason_clear();
	target_begin_call();
	if (!library_callbacks())
		return reason(ompd_rc_error, "the library is not initialized");
	return ompd_rc_ok;
}

static ompd_rc_t find_handle(const void *handle, enum handle_kind kind, struct slot **ret)
{
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	*ret = find(handle);
	if (!*ret)
		return reason(ompd_rc_stale_handle, handle ?
							    "the handle is not valid: released, or "
							    "never given out" :
							    "the handle is NULL");
	// bad_input is for arguments other than handles (5.2, 20.3.12; 6.0, 39.9).
	if ((*ret)->kind != kind)
		return reason(library_rc(ompd_rc_stale_handle, ompd_rc_incompatible_handle),
			      "wrong kind of handle");
	return ompd_rc_ok;
}

ompd_rc_t api_enter_handle(const void *handle, enum handle_kind kind, void **record)
{
	struct slot *slot;
	ompd_rc_t rc = find_handle(handle, kind, &slot);

	if (rc == ompd_rc_ok)
		*record = slot->record;
	return rc;
}

ompd_rc_t api_enter_scope(const void *handle, ompd_scope_t scope, enum handle_kind *kind,
			  void **record)
{
	static const enum handle_kind kinds[] = {
		[ompd_scope_global] = HANDLE_ADDRESS_SPACE,
		[ompd_scope_address_space] = HANDLE_ADDRESS_SPACE,
		[ompd_scope_thread] = HANDLE_THREAD,
		[ompd_scope_parallel] = HANDLE_PARALLEL,
		[ompd_scope_implicit_task] = HANDLE_TASK,
		[ompd_scope_task] = HANDLE_TASK,
		[ompd_scope_teams] = HANDLE_PARALLEL,
		[ompd_scope_target] = HANDLE_PARALLEL,
	};
	const ompd_scope_t last = library_is_6_0() ? ompd_scope_target : ompd_scope_task;

	if (scope >= ompd_scope_global && scope <= last) {
		*kind = kinds[scope];
		return api_enter_handle(handle, *kind, record);
	}
	ompd_rc_t rc = api_enter();

	return rc == ompd_rc_ok ? reason(ompd_rc_bad_input, "invalid scope") : rc;
}

ompd_rc_t handle_release(const void *handle, enum handle_kind kind)
{
	struct slot *slot;
	ompd_rc_t rc = find_handle(handle, kind, &slot);

	if (rc != ompd_rc_ok)
		return rc;
	return kind == HANDLE_ADDRESS_SPACE ? close_space(slot) : close_slot(slot);
}

ompd_rc_t handle_open_filled(ompd_rc_t rc, enum handle_kind kind, void *record,
			     const struct api_space *space, void **handle)
{
	if (rc == ompd_rc_ok) {
		*handle = handle_open(kind, record, space);
		rc = *handle ? ompd_rc_ok : ompd_rc_nomem;
	}
	if (rc != ompd_rc_ok)
		free_record(kind, record);
	return rc;
}

struct api_thread *handle_new_thread(struct api_space *space)
{
	struct api_thread *thread =
		target_alloc(&space->target, sizeof(*thread) + space->family->thread_size);

	if (thread)
		*thread = (struct api_thread){
			.space = space,
			.thread = (struct thread *)(thread + 1),
		};
	return thread;
}

struct api_parallel *handle_new_parallel(struct api_space *space)
{
	struct api_parallel *parallel =
		target_alloc(&space->target, sizeof(*parallel) + space->family->region_size);

	if (parallel)
		*parallel = (struct api_parallel){
			.space = space,
			.region = (struct region *)(parallel + 1),
		};
	return parallel;
}

struct api_task *handle_new_task(struct api_space *space)
{
	struct api_task *task =
		target_alloc(&space->target, sizeof(*task) + space->family->task_size);

	if (task)
		*task = (struct api_task){
			.space = space,
			.task = (struct task *)(task + 1),
		};
	return task;
}

ompd_rc_t thread_read(const struct api_thread *thread, enum thread_question next)
{
	return thread->space->family->thread_again(thread->space->runtime, thread->thread, next);
}

ompd_rc_t handle_compare(uint64_t a, uint64_t b, int *cmp_value)
{
	API_CHECK(cmp_value, "result pointer is NULL");
	*cmp_value = (a > b) - (a < b);
	return ompd_rc_ok;
}
