// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout as variables tell it, each an integer of eight bytes. The runtime has some named
// ompd_access__STRUCTURE__FIELD, ompd_sizeof__STRUCTURE__FIELD, ompd_sizeof__STRUCTURE, and
// ompd_bitfield__STRUCTURE__FIELD, if it was built with OMPD and not stripped, and fills them when
// it is initialized. A debugger that has debug information answers for others, whose names begin
// with ompd_debug_info__ and go on alike.

#include <stdio.h>

#include "layout/kmp_library.h"
#include "target/reason.h"

// Parts of names; each is preceded by what tells who is asked.
#define LAYOUT_STRUCT(s) "sizeof__" #s,
static const char *const sizes[KMP_STRUCT_COUNT] = {
#include "layout/kmp_fields.def"
};

struct access_names {
	const char *place;
	const char *size; // NULL: the place is a mask
};

#define LAYOUT_FIELD(s, f) { "access__" #s "__" #f, "sizeof__" #s "__" #f },
#define LAYOUT_BITS(s, f) { "bitfield__" #s "__" #f, NULL },
static const struct access_names fields[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};

// No other names are asked of LLVM's runtime.
#define LAYOUT_TOLD_FIELD(s, f) [KMP_FIELD_##s##__##f] = true,
#define LAYOUT_TOLD_BITS LAYOUT_TOLD_FIELD
static const bool runtime_tells[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};

#define LAYOUT_TOLD_STRUCT(s) [KMP_STRUCT_##s] = true,
static const bool runtime_tells_size[KMP_STRUCT_COUNT] = {
#include "layout/kmp_fields.def"
};

enum {
	FAR = 1 << 20, // no structure of the runtime is as large as this
	NAME_SIZE = 128,
};

struct teller {
	const struct kmp_library *library;
	bool runtime, debug_info; // who knows something
	bool confirmed;		  // all that was told is as it was known before
	const char *asked;	  // last, for messages
};

static ompd_rc_t ask(struct teller *teller, const char *prefix, const char *name, uint64_t *ret)
{
	const struct kmp_library *library = teller->library;
	char symbol[NAME_SIZE];
	uint64_t address;

	teller->asked = name;
	snprintf(symbol, sizeof(symbol), "%s%s", prefix, name);
	ompd_rc_t rc = kmp_library_symbol(library, symbol, &address);

	return rc == ompd_rc_ok ? target_read_uint(library->target, address, 8, ret) : rc;
}

static ompd_rc_t ask_runtime(struct teller *teller, const char *name, uint64_t *ret)
{
	return teller->runtime ? ask(teller, "ompd_", name, ret) : ompd_rc_unavailable;
}

static ompd_rc_t ask_debug_info(struct teller *teller, const char *name, uint64_t *ret)
{
	return teller->debug_info ? ask(teller, "ompd_debug_info__", name, ret) :
				    ompd_rc_unavailable;
}

// Ask the runtime, if it @p tells that, then the debugger.
static ompd_rc_t ask_any(struct teller *teller, bool tells, const char *name, uint64_t *ret)
{
	ompd_rc_t rc = tells ? ask_runtime(teller, name, ret) : ompd_rc_unavailable;

	return rc == ompd_rc_unavailable ? ask_debug_info(teller, name, ret) : rc;
}

// Check whether one that is asked for a field that is never the first of its structure knows it.
static ompd_rc_t knows(ompd_rc_t (*ask_one)(struct teller *, const char *, uint64_t *),
		       struct teller *teller, bool *ret)
{
	uint64_t value;
	ompd_rc_t rc =
		ask_one(teller, fields[KMP_FIELD_kmp_base_info_t__th_current_task].place, &value);

	*ret = rc == ompd_rc_ok && value != 0;
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}

// A size that nobody tells is that of the table of the release, or of the newest.
static ompd_rc_t tell_field(struct teller *teller, enum kmp_field field,
			    const struct layout_field *known, struct layout_field *ret)
{
	uint64_t value, size;
	const bool tells = runtime_tells[field];
	ompd_rc_t rc = ask_any(teller, tells, fields[field].place, &value);

	if (rc != ompd_rc_ok)
		return rc;
	if (!fields[field].size) {
		if (value == 0 || value > UINT32_MAX)
			return ompd_rc_incompatible;
		ret->offset = (uint32_t)__builtin_ctzll(value);
		ret->size = (uint32_t)__builtin_popcountll(value);
		return ompd_rc_ok;
	}
	if (value >= FAR)
		return ompd_rc_incompatible;
	rc = ask_any(teller, tells, fields[field].size, &size);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	if (rc == ompd_rc_unavailable || size == 0)
		size = known->size ? known->size : layout_newest_size(&kmp_history, field);
	if (size >= FAR)
		return ompd_rc_incompatible;
	*ret = (struct layout_field){ (uint32_t)value, size ? (uint32_t)size : 1 };
	return ompd_rc_ok;
}

// Debug information knows all fields of a structure. What the runtime does not tell is where the
// table has it, provided that they agree in everything else.
static ompd_rc_t tell_fields(struct teller *teller, struct kmp_layout *layout)
{
	bool untold[KMP_FIELD_COUNT] = { false }, differs = teller->debug_info;

	teller->confirmed &= teller->runtime && !differs;
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		struct layout_field *known = &layout->field[i], told;
		ompd_rc_t rc = tell_field(teller, (enum kmp_field)i, known, &told);

		if (rc == ompd_rc_unavailable) {
			untold[i] = true;
			teller->confirmed &= !runtime_tells[i];
			continue;
		}
		if (rc != ompd_rc_ok)
			return rc;
		differs |= told.offset != known->offset;
		teller->confirmed &= told.offset == known->offset && told.size == known->size;
		*known = told;
	}
	for (unsigned int i = 0; differs && i < KMP_FIELD_COUNT; i++) {
		if (untold[i])
			layout->field[i] = (struct layout_field){ 0, 0 };
	}
	return ompd_rc_ok;
}

static ompd_rc_t tell_sizes(struct teller *teller, struct kmp_layout *layout)
{
	for (unsigned int i = 0; i < KMP_STRUCT_COUNT; i++) {
		uint64_t size;
		ompd_rc_t rc = ask_any(teller, runtime_tells_size[i], sizes[i], &size);

		if (rc == ompd_rc_ok && size >= FAR)
			rc = ompd_rc_incompatible;
		teller->confirmed &= !runtime_tells_size[i] ||
				     (rc == ompd_rc_ok && size == layout->struct_size[i]);
		if (rc == ompd_rc_ok && size)
			layout->struct_size[i] = (uint32_t)size;
		else if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
			return rc;
	}
	return ompd_rc_ok;
}

ompd_rc_t kmp_tells_layout(const struct kmp_library *library, bool *ret)
{
	uint64_t address;
	ompd_rc_t rc = kmp_library_symbol(library, "ompd_access__kmp_base_info_t__th_current_task",
					  &address);

	*ret = rc == ompd_rc_ok;
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}

ompd_rc_t kmp_access_layout(const struct kmp_library *library, struct kmp_layout *layout,
			    bool *confirmed)
{
	struct teller teller = {
		.library = library, .runtime = true, .debug_info = true, .confirmed = true
	};
	ompd_rc_t rc = knows(ask_runtime, &teller, &teller.runtime);

	if (rc == ompd_rc_ok)
		rc = knows(ask_debug_info, &teller, &teller.debug_info);
	// The same names, asked of all objects, may be answered from debug information.
	if (!library->file_name && teller.debug_info)
		teller.runtime = false;
	if (rc == ompd_rc_ok && !teller.runtime && !teller.debug_info)
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = tell_sizes(&teller, layout);
	if (rc == ompd_rc_ok)
		rc = tell_fields(&teller, layout);
	if (rc != ompd_rc_ok) {
		return reason(rc, "ompd_%s can't be read or makes no sense", teller.asked);
	}
	*confirmed = teller.confirmed;
	layout->source = teller.runtime ? LAYOUT_RUNTIME : LAYOUT_DEBUG_INFO;
	layout->releases = teller.runtime ? "told by the runtime" : "told by debug information";
	return ompd_rc_ok;
}
