// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/gomp.h"

#define LAYOUT_STRUCT(s)
#define LAYOUT_FIELD(s, f) GOMP_STRUCT_##s,
static const uint8_t struct_of_field[GOMP_FIELD_COUNT] = {
#include "layout/gomp_fields.def"
};
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD

ompd_rc_t gomp_read(const struct gomp_runtime *runtime, uint64_t base, enum gomp_field field,
		    uint64_t *ret)
{
	const struct layout_field *where = &runtime->layout.field[field];

	if (where->size == 0)
		return reason(ompd_rc_unsupported, "this release of libgomp does not keep it");
	target_view(&runtime->target, base, runtime->layout.struct_size[struct_of_field[field]]);
	return target_read_uint(&runtime->target, base + where->offset, where->size, ret);
}

ompd_rc_t gomp_read_global(const struct gomp_runtime *runtime, enum gomp_global global,
			   unsigned int size, uint64_t *ret)
{
	uint64_t address = runtime->layout.global[global];

	if (address == 0)
		return reason(ompd_rc_unsupported,
			      "no symbol and no code of this libgomp tells where it is kept");
	return target_read_uint(&runtime->target, address, size, ret);
}

ompd_rc_t gomp_read_record(const struct gomp_runtime *runtime, uint64_t address,
			   enum gomp_struct type, struct gomp_record *ret)
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

uint64_t gomp_get(const struct gomp_runtime *runtime, const struct gomp_record *record,
		  uint32_t base, enum gomp_field field)
{
	const struct layout_field *where = &runtime->layout.field[field];

	if (where->size == 0 || base + where->offset + where->size > sizeof(record->bytes))
		return 0;
	return target_uint(record->bytes + base + where->offset, where->size);
}
