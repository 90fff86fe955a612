// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime's table of locks shows (__kmp_allocate_indirect_lock): those of the program and of its
// critical constructs. A lock that is initialized points to itself: an entry that leads to such a one
// proves its own fields, and those on the way to it. As with other memory, nothing here refutes.

#include "layout/kmp_layout.h"

enum {
	FIRST_ROW = 1024, // locks in it
	LOOKED_AT = 64,	  // of them
};

#define TABLE(f) KMP_FIELD_kmp_indirect_lock_table_t__##f
#define ENTRY(f) KMP_FIELD_kmp_indirect_lock_t__##f

enum kmp_field kmp_lock_self(uint64_t type)
{
	switch (type) {
	case KMP_LOCK_TICKET:
	case KMP_LOCK_NESTED_TICKET:
		return KMP_FIELD_kmp_base_ticket_lock_t__self;
	case KMP_LOCK_DRDPA:
	case KMP_LOCK_NESTED_DRDPA:
		return KMP_FIELD_kmp_base_drdpa_lock_t__initialized;
	case KMP_LOCK_QUEUING:
	case KMP_LOCK_ADAPTIVE:
	case KMP_LOCK_RTM_QUEUING:
	case KMP_LOCK_NESTED_QUEUING:
		return KMP_FIELD_kmp_base_queuing_lock_t__initialized;
	default:
		return KMP_FIELD_COUNT;
	}
}

static bool read_field(const struct target *target, const struct kmp_layout *layout, uint64_t base,
		       enum kmp_field field, uint64_t *ret)
{
	const struct layout_field *place = &layout->field[field];

	return place->size && base % 8 == 0 &&
	       target_read_uint(target, base + place->offset, place->size, ret) == ompd_rc_ok;
}

// The field in which the lock points to itself to which an entry leads; KMP_FIELD_COUNT if it does not.
static enum kmp_field self_of(const struct target *target, const struct kmp_layout *layout,
			      uint64_t entry)
{
	uint64_t lock, type, self;

	if (!read_field(target, layout, entry, ENTRY(lock), &lock) || !lock ||
	    !read_field(target, layout, entry, ENTRY(type), &type))
		return KMP_FIELD_COUNT;
	const enum kmp_field field = kmp_lock_self(type);

	return field != KMP_FIELD_COUNT && read_field(target, layout, lock, field, &self) &&
			       self == lock ?
		       field :
		       KMP_FIELD_COUNT;
}

static void prove(struct kmp_layout *layout, enum kmp_field field)
{
	layout->standing[field] = LAYOUT_PROVEN;
}

void kmp_layout_confirm_locks(const struct target *target, struct kmp_layout *layout)
{
	const uint64_t size = layout->struct_size[KMP_STRUCT_kmp_indirect_lock_t];
	uint64_t table = layout->global[KMP_GLOBAL___kmp_i_lock_table];
	uint64_t rows, row, count, last, after;
	bool found = false;

	// A release that is known needs no proof of what the releases next to it have at the same place.
	if (layout->identified || !table ||
	    !read_field(target, layout, table, TABLE(table), &rows) || !rows || rows % 8 ||
	    target_read_pointer(target, rows, &row) != ompd_rc_ok || !row ||
	    !read_field(target, layout, table, TABLE(next), &count))
		return;
	for (uint64_t i = 0; i < count && i < LOOKED_AT; i++) {
		const enum kmp_field self = self_of(target, layout, row + i * size);

		if (self == KMP_FIELD_COUNT)
			continue;
		found = true;
		prove(layout, self);
		prove(layout, ENTRY(lock));
		prove(layout, ENTRY(type));
		prove(layout, TABLE(table));
		// That it is at its place proves how large those before it are.
		if (i)
			layout->struct_standing[KMP_STRUCT_kmp_indirect_lock_t] = LAYOUT_PROVEN;
	}
	// The rest of the row is empty: so many locks there are, or were.
	if (found && count < FIRST_ROW &&
	    read_field(target, layout, row + (count - 1) * size, ENTRY(lock), &last) && last &&
	    read_field(target, layout, row + count * size, ENTRY(lock), &after) && !after)
		prove(layout, TABLE(next));
}
