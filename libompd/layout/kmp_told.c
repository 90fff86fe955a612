// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What variables named ompd_access__STRUCTURE__FIELD, ompd_bitfield__STRUCTURE__FIELD and
// ompd_sizeof__STRUCTURE tell, each an integer of eight bytes. The runtime has some of them if it
// was built with OMPD, and fills them if it was started with OMP_DEBUG=enabled; a debugger that has
// debug information answers the same names, and ompd_layout_from_debug_info besides.

#include <stdio.h>

#include "layout/kmp_library.h"

#define LAYOUT_STRUCT(s) "ompd_sizeof__" #s,
#define LAYOUT_FIELD(s, f)
#define LAYOUT_BITS(s, f)
static const char *const sizes[KMP_STRUCT_COUNT] = {
#include "layout/kmp_fields.def"
};
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD
#undef LAYOUT_BITS

struct told {
	const char *symbol, *size_symbol;
	bool is_mask;
};

#define LAYOUT_STRUCT(s)
#define LAYOUT_FIELD(s, f) { "ompd_access__" #s "__" #f, "ompd_fieldsize__" #s "__" #f, false },
#define LAYOUT_BITS(s, f) { "ompd_bitfield__" #s "__" #f, NULL, true },
static const struct told fields[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD
#undef LAYOUT_BITS

enum { FAR = 1 << 20 }; // no structure of the runtime is as large as this

static ompd_rc_t read_number(const struct kmp_library *library, const char *symbol, uint64_t *ret)
{
	uint64_t address;
	ompd_rc_t rc = target_symbol(library->target, symbol, NULL, &address);

	return rc == ompd_rc_ok ? target_read_uint(library->target, address, 8, ret) : rc;
}

// A field that nobody tells of is where the table of the release has it, if there is one.
static ompd_rc_t read_field(const struct kmp_library *library, enum kmp_field field,
			    struct layout_field *ret)
{
	const struct kmp_table *newest = &kmp_tables[kmp_table_count - 1];
	uint64_t value, size = 0;
	ompd_rc_t rc = read_number(library, fields[field].symbol, &value);

	if (rc == ompd_rc_unavailable)
		return ompd_rc_ok;
	if (rc != ompd_rc_ok)
		return rc;
	if (fields[field].is_mask) {
		if (value == 0 || value > UINT32_MAX)
			return ompd_rc_incompatible;
		ret->offset = (uint32_t)__builtin_ctzll(value);
		ret->size = (uint32_t)__builtin_popcountll(value);
		return ompd_rc_ok;
	}
	rc = read_number(library, fields[field].size_symbol, &size);
	if (rc == ompd_rc_unavailable)
		size = ret->size ? ret->size : newest->field[field].size;
	else if (rc != ompd_rc_ok)
		return rc;
	if (value >= FAR || size >= FAR)
		return ompd_rc_incompatible;
	*ret = (struct layout_field){ (uint32_t)value, (uint32_t)(size ? size : 1) };
	return ompd_rc_ok;
}

ompd_rc_t kmp_told_layout(const struct kmp_library *library, struct kmp_layout *layout,
			  const struct kmp_reason *reason)
{
	const char *symbol = fields[KMP_FIELD_kmp_base_info_t__th_current_task].symbol;
	uint64_t value;
	ompd_rc_t rc = read_number(library, symbol, &value);

	if (rc == ompd_rc_ok && value == 0)
		return ompd_rc_unavailable; // not filled
	if (rc != ompd_rc_ok)
		return rc;
	for (unsigned int i = 0; i < KMP_STRUCT_COUNT && rc == ompd_rc_ok; i++) {
		symbol = sizes[i];
		rc = read_number(library, symbol, &value);
		if (rc == ompd_rc_ok && value < FAR)
			layout->struct_size[i] = (uint32_t)value;
		else if (rc == ompd_rc_ok)
			rc = ompd_rc_incompatible;
		else if (rc == ompd_rc_unavailable)
			rc = ompd_rc_ok;
	}
	for (unsigned int i = 0; i < KMP_FIELD_COUNT && rc == ompd_rc_ok; i++) {
		symbol = fields[i].symbol;
		rc = read_field(library, (enum kmp_field)i, &layout->field[i]);
	}
	if (rc != ompd_rc_ok) {
		snprintf(reason->text, reason->size, "%s can't be read or makes no sense", symbol);
		return rc;
	}
	rc = target_symbol(library->target, "ompd_layout_from_debug_info", NULL, &value);
	layout->source = rc == ompd_rc_ok ? LAYOUT_DEBUG_INFO : LAYOUT_RUNTIME;
	layout->releases = rc == ompd_rc_ok ? "told by debug information" : "told by the runtime";
	return ompd_rc_ok;
}
