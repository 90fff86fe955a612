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
#define LAYOUT_FIELD(s, f)
#define LAYOUT_BITS(s, f)
static const char *const sizes[KMP_STRUCT_COUNT] = {
#include "layout/kmp_fields.def"
};
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD
#undef LAYOUT_BITS

struct access_names {
	const char *place;
	const char *size; // NULL: the place is a mask
};

#define LAYOUT_STRUCT(s)
#define LAYOUT_FIELD(s, f) { "access__" #s "__" #f, "sizeof__" #s "__" #f },
#define LAYOUT_BITS(s, f) { "bitfield__" #s "__" #f, NULL },
static const struct access_names fields[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD
#undef LAYOUT_BITS

// What LLVM's runtime tells (ompd-specific.h), the same in all releases that were looked at. No
// other name is asked of it.
#define F(s, f) [KMP_FIELD_##s##__##f] = true
static const bool runtime_tells[KMP_FIELD_COUNT] = {
	F(kmp_base_info_t, th_info),
	F(kmp_base_info_t, th_team),
	F(kmp_base_info_t, th_current_task),
	F(kmp_base_info_t, ompt_thread_info),
	F(kmp_desc_base_t, ds_thread),
	F(kmp_desc_base_t, ds_tid),
	F(kmp_base_team_t, ompt_serialized_team_info),
	F(kmp_base_team_t, ompt_team_info),
	F(kmp_base_team_t, t_active_level),
	F(kmp_base_team_t, t_implicit_task_taskdata),
	F(kmp_base_team_t, t_level),
	F(kmp_base_team_t, t_master_tid),
	F(kmp_base_team_t, t_nproc),
	F(kmp_base_team_t, t_parent),
	F(kmp_base_team_t, t_pkfn),
	F(kmp_base_team_t, t_threads),
	F(kmp_taskdata_t, td_flags),
	F(kmp_taskdata_t, td_team),
	F(kmp_taskdata_t, td_parent),
	F(kmp_taskdata_t, td_icvs),
	F(kmp_taskdata_t, ompt_task_info),
	F(kmp_tasking_flags_t, complete),
	F(kmp_tasking_flags_t, executing),
	F(kmp_tasking_flags_t, final),
	F(kmp_tasking_flags_t, freed),
	F(kmp_tasking_flags_t, native),
	F(kmp_tasking_flags_t, started),
	F(kmp_tasking_flags_t, task_serial),
	F(kmp_tasking_flags_t, tasking_ser),
	F(kmp_tasking_flags_t, tasktype),
	F(kmp_tasking_flags_t, team_serial),
	F(kmp_tasking_flags_t, tiedness),
	F(kmp_task_t, routine),
	F(kmp_internal_control_t, default_device),
	F(kmp_internal_control_t, dynamic),
	F(kmp_internal_control_t, max_active_levels),
	F(kmp_internal_control_t, nproc),
	F(kmp_internal_control_t, proc_bind),
	F(kmp_internal_control_t, sched),
	F(kmp_internal_control_t, thread_limit),
	F(kmp_r_sched_t, chunk),
	F(kmp_r_sched_t, r_sched_type),
	F(kmp_nested_nthreads_t, nth),
	F(kmp_nested_nthreads_t, used),
	F(kmp_base_root_t, r_in_parallel),
	F(ompt_frame_t, enter_frame),
	F(ompt_frame_t, exit_frame),
	F(ompt_lw_taskteam_t, ompt_task_info),
	F(ompt_lw_taskteam_t, ompt_team_info),
	F(ompt_lw_taskteam_t, parent),
	F(ompt_task_info_t, frame),
	F(ompt_task_info_t, scheduling_parent),
	F(ompt_task_info_t, task_data),
	F(ompt_team_info_t, parallel_data),
	F(ompt_thread_info_t, state),
	F(ompt_thread_info_t, thread_data),
	F(ompt_thread_info_t, wait_id),
};
#undef F

static const bool runtime_tells_size[KMP_STRUCT_COUNT] = {
	[KMP_STRUCT_kmp_taskdata_t] = true,
	[KMP_STRUCT_kmp_tasking_flags_t] = true,
	[KMP_STRUCT_kmp_task_t] = true,
	[KMP_STRUCT_kmp_nested_nthreads_t] = true,
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
		size = known->size ? known->size :
				     kmp_tables[kmp_table_count - 1].field[field].size;
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
