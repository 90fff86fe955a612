// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/gomp.h"

#define LAYOUT_FIELD(s, f) GOMP_STRUCT_##s,
static const uint8_t struct_of_field[GOMP_FIELD_COUNT] = {
#include "layout/gomp_fields.def"
};

// The part of a structure that is read with a field of it: all, but for the work shares in the middle
// of a team.
struct part {
	uint32_t first, end;
};

static struct part part_with(const struct runtime *runtime, enum gomp_field field)
{
	const struct layout_field *shares = &runtime->layout.field[TEAM(work_shares)];
	const enum gomp_struct type = (enum gomp_struct)struct_of_field[field];
	const uint32_t offset = runtime->layout.field[field].offset;
	struct part part = { .end = runtime->layout.struct_size[type] };

	if (type != GOMP_STRUCT_gomp_team || !shares->size || field == TEAM(work_shares))
		return part;
	if (offset < shares->offset)
		part.end = shares->offset;
	else
		part.first = shares->offset + shares->size;
	return part;
}

ompd_rc_t gomp_read(const struct runtime *runtime, uint64_t base, enum gomp_field field,
		    uint64_t *ret)
{
	const struct layout_field *where = &runtime->layout.field[field];

	if (where->size == 0)
		return reason(ompd_rc_unsupported, "this release of libgomp does not keep it");
	const struct part part = part_with(runtime, field);

	return target_read_member(&runtime->target, base + part.first, part.end - part.first,
				  base + where->offset, where->size, ret);
}

ompd_rc_t gomp_read_global(const struct runtime *runtime, enum gomp_global global,
			   unsigned int size, uint64_t *ret)
{
	uint64_t address = runtime->layout.global[global];

	if (address == 0)
		return reason(ompd_rc_unsupported,
			      "no symbol and no code of this libgomp tells where it is kept");
	return target_read_uint(&runtime->target, address, size, ret);
}

ompd_rc_t gomp_read_record(const struct runtime *runtime, uint64_t address, enum gomp_struct type,
			   struct gomp_record *ret)
{
	uint32_t size = runtime->layout.struct_size[type];

	if (address % 8 != 0)
		return reason(ompd_rc_error, "a pointer of the runtime is damaged (0x%llx)",
			      (unsigned long long)address);
	if (size > sizeof(ret->bytes))
		return ompd_rc_incompatible;
	ret->address = address;
	target_view(&runtime->target, address, size);
	ompd_rc_t rc = target_read(&runtime->target, address, ret->bytes, size);

	if (rc != ompd_rc_ok)
		return reason(rc, "memory of the runtime at 0x%llx cannot be read",
			      (unsigned long long)address);
	return ompd_rc_ok;
}

uint64_t gomp_get(const struct runtime *runtime, const struct gomp_record *record, uint32_t base,
		  enum gomp_field field)
{
	const struct layout_field *where = &runtime->layout.field[field];

	if (where->size == 0 || base + where->offset + where->size > sizeof(record->bytes))
		return 0;
	return target_uint(record->bytes + base + where->offset, where->size);
}
