// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception  Which handles live, of which kind, and
// of which address space: the core tells whether one is stale (section 15.5), not what it is.

#include "front.h"

/** A place of the table; handle NULL: free. */
struct entry {
	const void *handle;
	core_address_space_handle_t *space; // NULL: it was released before the handle
	enum handle_kind kind;
};

// Open addressing, linear probing; the capacity is a power of two, or 0.
static struct entry *table;
static size_t count, capacity;

static size_t home_of(const void *handle)
{
	uint64_t hash = (uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> 32) & (capacity - 1);
}

// The place of a handle, or the free one where it would be.
static struct entry *place_of(const void *handle)
{
	size_t at = home_of(handle);

	while (table[at].handle && table[at].handle != handle)
		at = (at + 1) & (capacity - 1);
	return &table[at];
}

static struct entry *find(const void *handle)
{
	struct entry *entry = capacity ? place_of(handle) : NULL;

	return entry && entry->handle ? entry : NULL;
}

static bool grow(void)
{
	const size_t old_capacity = capacity, wanted = capacity ? 2 * capacity : 64;
	struct entry *old = table, *grown = front_alloc(wanted * sizeof(*grown));

	if (!grown)
		return false;
	table = grown;
	capacity = wanted;
	for (size_t i = 0; i < old_capacity; i++) {
		if (old[i].handle)
			*place_of(old[i].handle) = old[i];
	}
	front_free(old);
	return true;
}

// Remove an entry. Those after it that had to make way for it are entered anew.
static void forget(struct entry *entry)
{
	size_t at = (size_t)(entry - table);

	entry->handle = NULL;
	count--;
	for (at = (at + 1) & (capacity - 1); table[at].handle; at = (at + 1) & (capacity - 1)) {
		const struct entry moved = table[at];

		table[at].handle = NULL;
		*place_of(moved.handle) = moved;
	}
}

// The core has released the handles of a released address space; vectors of variables are none of
// its handles.
static core_rc_t release_in_core(const struct entry *entry)
{
	void *handle = (void *)entry->handle;

	if (!entry->space && entry->kind != HANDLE_VARIABLES)
		return core_rc_ok;
	switch (entry->kind) {
	case HANDLE_ADDRESS_SPACE:
		return core_rel_address_space_handle(handle);
	case HANDLE_THREAD:
		return core_rel_thread_handle(handle);
	case HANDLE_PARALLEL:
		return core_rel_parallel_handle(handle);
	case HANDLE_VARIABLES: {
		const char *const *variables = handle;

		return core_rel_display_control_vars(&variables);
	}
	default:
		return core_rel_task_handle(handle);
	}
}

// Address spaces last: the others are of one.
void handles_close(void)
{
	for (int spaces = 0; spaces <= 1; spaces++) {
		for (size_t i = 0; i < capacity; i++) {
			if (table[i].handle && (table[i].kind == HANDLE_ADDRESS_SPACE) == spaces)
				release_in_core(&table[i]);
		}
	}
	front_free(table);
	table = NULL;
	count = capacity = 0;
}

ompd_rc_t handle_check(const void *handle, unsigned int kinds)
{
	if (!callbacks_theirs())
		return ompd_rc_error;
	const struct entry *entry = handle ? find(handle) : NULL;

	if (!entry || !entry->space)
		return ompd_rc_stale_handle;
	return entry->kind & kinds ? ompd_rc_ok : ompd_rc_bad_input;
}

enum handle_kind handle_kind_of(const void *handle)
{
	return find(handle)->kind;
}

core_address_space_handle_t *handle_space(const void *handle)
{
	return find(handle)->space;
}

ompd_rc_t handle_add(void *handle, enum handle_kind kind, core_address_space_handle_t *space)
{
	const struct entry added = { .handle = handle, .space = space, .kind = kind };

	if (2 * (count + 1) > capacity && !grow()) {
		release_in_core(&added);
		return ompd_rc_nomem;
	}
	*place_of(handle) = added;
	count++;
	return ompd_rc_ok;
}

ompd_rc_t handle_adopt(core_rc_t rc, void *handle, enum handle_kind kind,
		       core_address_space_handle_t *space)
{
	return rc == core_rc_ok ? handle_add(handle, kind, space) : front_rc(rc);
}

ompd_rc_t handle_release(void *handle, enum handle_kind kind)
{
	if (!callbacks_theirs())
		return ompd_rc_error;
	// What outlives its address space is of no more use, but is released all the same.
	struct entry *entry = handle ? find(handle) : NULL;

	if (!entry)
		return ompd_rc_stale_handle;
	if (entry->kind != kind)
		return ompd_rc_bad_input;
	const struct entry released = *entry;

	forget(entry);
	for (size_t i = 0; kind == HANDLE_ADDRESS_SPACE && i < capacity; i++) {
		if (table[i].handle && (void *)table[i].space == handle)
			table[i].space = NULL;
	}
	return front_rc(release_in_core(&released));
}
