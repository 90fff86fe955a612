// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout as told by variables named ompd_access__STRUCTURE__FIELD and ompd_sizeof__STRUCTURE,
// each an integer of eight bytes: LLVM's convention for its own runtime. A debugger that has
// debug information answers the same names, and ompd_layout_from_debug_info besides. Both may
// tell a field's size as ompd_sizeof__STRUCTURE__FIELD.

#include "layout/gomp_library.h"
#include "target/reason.h"

#include <stdio.h>
#include <string.h>

struct access_field {
	const char *access_symbol, *size_symbol;
};

#define LAYOUT_STRUCT(s) "ompd_sizeof__" #s,
static const char *const sizes[GOMP_STRUCT_COUNT] = {
#include "layout/gomp_fields.def"
};

#define LAYOUT_FIELD(s, f) { "ompd_access__" #s "__" #f, "ompd_sizeof__" #s "__" #f },
static const struct access_field fields[GOMP_FIELD_COUNT] = {
#include "layout/gomp_fields.def"
};

enum { FAR = 1 << 20 }; // no structure of libgomp is as large as this

static ompd_rc_t read_number(const struct gomp_library *library, const char *symbol, uint32_t *ret)
{
	uint64_t address, value;
	ompd_rc_t rc = target_symbol(library->target, symbol, NULL, &address);

	if (rc == ompd_rc_ok)
		rc = target_read_uint(library->target, address, 8, &value);
	if (rc != ompd_rc_ok)
		return rc;
	if (value >= FAR)
		return ompd_rc_incompatible;
	*ret = (uint32_t)value;
	return ompd_rc_ok;
}

static ompd_rc_t read_field(const struct gomp_library *library, enum gomp_field field,
			    struct layout_field *ret)
{
	ompd_rc_t rc = read_number(library, fields[field].access_symbol, &ret->offset);

	ret->size = 0;
	if (rc == ompd_rc_unavailable)
		return ompd_rc_ok; // this release has no such field
	if (rc != ompd_rc_ok)
		return rc;
	rc = read_number(library, fields[field].size_symbol, &ret->size);
	if (rc == ompd_rc_unavailable) {
		ret->size = layout_newest_size(&gomp_history, field);
		rc = ompd_rc_ok;
	}
	if (!ret->size)
		ret->size = 1; // an array of open length
	return rc;
}

ompd_rc_t gomp_access_layout(const struct gomp_library *library, struct gomp_layout *layout)
{
	const char *symbol = fields[GOMP_FIELD_gomp_thread__ts].access_symbol;
	uint64_t address;
	ompd_rc_t rc = target_symbol(library->target, symbol, NULL, &address);

	if (rc != ompd_rc_ok)
		return rc;
	for (unsigned int i = 0; i < GOMP_STRUCT_COUNT && rc == ompd_rc_ok; i++) {
		symbol = sizes[i];
		rc = read_number(library, symbol, &layout->struct_size[i]);
		if (rc == ompd_rc_unavailable)
			rc = ompd_rc_ok;
	}
	for (unsigned int i = 0; i < GOMP_FIELD_COUNT && rc == ompd_rc_ok; i++) {
		symbol = fields[i].access_symbol;
		rc = read_field(library, (enum gomp_field)i, &layout->field[i]);
	}
	if (rc != ompd_rc_ok) {
		return reason(rc, "%s can't be read or makes no sense", symbol);
	}
	rc = target_symbol(library->target, "ompd_layout_from_debug_info", NULL, &address);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	if (rc == ompd_rc_ok) {
		layout->source = LAYOUT_DEBUG_INFO;
		layout->releases = "told by debug information";
	} else {
		layout->source = LAYOUT_RUNTIME;
		layout->releases = "told by the runtime";
	}
	layout->first_release = library->release;
	layout->last_release = library->release;
	return ompd_rc_ok;
}
