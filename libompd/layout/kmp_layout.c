// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the sources of a layout, in the order of trust, and has it proven.

#include "layout/kmp_layout.h"

#include <stdio.h>
#include <string.h>

#include "layout/exports.h"
#include "layout/kmp_library.h"
#include "target/reason.h"

static ompd_rc_t take_table(const struct kmp_library *library, struct kmp_layout *layout)
{
	const struct layout_group *group = layout_group_of(&kmp_history, library->release);

	if (!group)
		return ompd_rc_incompatible;
	layout->source = LAYOUT_TABLE;
	layout->releases = group->releases;
	layout_fill(&kmp_history, group, layout->field, layout->struct_size);
	return ompd_rc_ok;
}

// Check whether the library exports exactly what its release does.
static ompd_rc_t identify(const struct kmp_library *library, bool *ret)
{
	enum exports_verdict verdict = EXPORTS_NONE;
	ompd_rc_t rc = exports_identify(library->target, library->fork_call, library->release,
					kmp_releases, kmp_release_count, &verdict);

	*ret = verdict == EXPORTS_SAME;
	return rc;
}

// What the runtime or the debugger tells counts more than a table.
static ompd_rc_t fill(const struct kmp_library *library, struct kmp_layout *layout, bool *confirmed)
{
	bool has_table = take_table(library, layout) == ompd_rc_ok;
	ompd_rc_t rc = kmp_access_layout(library, layout, confirmed);

	*confirmed &= has_table;
	if (rc != ompd_rc_unavailable)
		return rc;
	if (has_table)
		return ompd_rc_ok;
	return reason(ompd_rc_incompatible, "no layout of %s of LLVM %u is known", library->name,
		      library->release);
}

// Prove the layout by what the code of the library does.
static ompd_rc_t prove(const struct kmp_library *library, struct kmp_layout *layout)
{
	ompd_rc_t rc = identify(library, &layout->identified);

	if (rc == ompd_rc_ok)
		rc = kmp_prove(library, layout);
	return rc == ompd_rc_ok ? kmp_settings_globals(library, layout) : rc;
}

static ompd_rc_t find(const struct target *target, const char *name, struct kmp_layout *layout,
		      struct kmp_library *library)
{
	memset(layout, 0, sizeof(*layout));
	reason_clear();
	ompd_rc_t rc = kmp_library_find(target, name, library);

	layout->file_name = library->file_name;
	layout->first_release = library->release;
	layout->last_release = library->last_release;
	return rc;
}

static ompd_rc_t explain(ompd_rc_t rc, const char *name)
{
	return rc != ompd_rc_ok && !reason_text()[0] ?
		       reason(rc, "the debugger could not look %s up", name) :
		       rc;
}

ompd_rc_t kmp_layout_find(const struct target *target, const char *name, struct kmp_layout *layout,
			  bool *tells)
{
	struct kmp_library library;
	ompd_rc_t rc = find(target, name, layout, &library);

	if (rc == ompd_rc_ok)
		rc = kmp_tells_layout(&library, tells);
	layout->source = rc == ompd_rc_ok && *tells ? LAYOUT_RUNTIME : LAYOUT_NONE;
	return explain(rc, name);
}

ompd_rc_t kmp_layout_open(const struct target *target, const char *name, struct kmp_layout *layout)
{
	struct kmp_library library;
	bool confirmed = false;
	ompd_rc_t rc = find(target, name, layout, &library);

	if (rc == ompd_rc_ok)
		rc = fill(&library, layout, &confirmed);
	if (rc == ompd_rc_ok && confirmed) {
		rc = kmp_named_globals(&library, layout);
		confirmed = rc == ompd_rc_ok;
		rc = rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
	}
	if (rc == ompd_rc_ok && !confirmed)
		rc = prove(&library, layout);
	return explain(rc, name);
}

// Fields that no release can change: compilers or OMPT's chapter of the standard lay them
// out.
static const bool is_interface[KMP_FIELD_COUNT] = {
	[KMP_FIELD_ident_t__psource] = true,
	[KMP_FIELD_ident_t__flags] = true,
	[KMP_FIELD_kmp_task_t__shareds] = true,
	[KMP_FIELD_kmp_task_t__routine] = true,
	[KMP_FIELD_kmp_task_t__part_id] = true,
	[KMP_FIELD_kmp_task_t__data1] = true,
	[KMP_FIELD_kmp_task_t__data2] = true,
	[KMP_FIELD_ompt_frame_t__exit_frame] = true,
	[KMP_FIELD_ompt_frame_t__enter_frame] = true,
	[KMP_FIELD_ompt_frame_t__exit_frame_flags] = true,
	[KMP_FIELD_ompt_frame_t__enter_frame_flags] = true,
	[KMP_FIELD_kmp_tasking_flags_t__tiedness] = true,
	[KMP_FIELD_kmp_tasking_flags_t__final] = true,
	[KMP_FIELD_kmp_tasking_flags_t__priority_specified] = true,
	[KMP_FIELD_kmp_tasking_flags_t__destructors_thunk] = true,
	[KMP_FIELD_kmp_tasking_flags_t__detachable] = true,
};

// Find the layout after that of the release, where that release can't be told from the next one.
static bool has_rival(const struct kmp_layout *layout, struct layout_field *fields)
{
	if (layout_group_of(&kmp_history, layout->last_release))
		return false; // both have the same
	for (size_t i = 0; i < kmp_history.num_groups; i++) {
		if (kmp_history.groups[i].first_release <= layout->last_release)
			continue;
		layout_fill(&kmp_history, &kmp_history.groups[i], fields, NULL);
		return true;
	}
	return false;
}

static void doubt(struct kmp_layout *layout, unsigned int field)
{
	if (!layout->field[field].size)
		return;
	layout->standing[field] = LAYOUT_DOUBTED;
	layout->field[field].size = 0;
}

// Arrays of structures whose size is not proven lead to their first element only.
static void doubt_arrays(struct kmp_layout *layout)
{
	static const struct {
		enum kmp_struct element;
		enum kmp_field array;
	} arrays[] = {
		{ KMP_STRUCT_kmp_taskdata_t, KMP_FIELD_kmp_base_team_t__t_implicit_task_taskdata },
		{ KMP_STRUCT_kmp_thread_data_t, KMP_FIELD_kmp_base_task_team_t__tt_threads_data },
		{ KMP_STRUCT_kmp_balign_t, KMP_FIELD_kmp_base_info_t__th_bar },
		{ KMP_STRUCT_kmp_balign_team_t, KMP_FIELD_kmp_base_team_t__t_bar },
		{ KMP_STRUCT_kmp_indirect_lock_t, KMP_FIELD_kmp_indirect_lock_table_t__table },
	};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		if (layout->struct_standing[arrays[i].element] == LAYOUT_PROVEN)
			continue;
		layout->struct_standing[arrays[i].element] = LAYOUT_DOUBTED;
		doubt(layout, arrays[i].array);
	}
}

void kmp_layout_settle(struct kmp_layout *layout)
{
	struct layout_field other[KMP_FIELD_COUNT] = { 0 };

	if (layout->source != LAYOUT_TABLE)
		return;
	const bool is_sure = !has_rival(layout, other);
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		const struct layout_field *field = &layout->field[i];
		bool same_size = is_sure || other[i].size == field->size;
		bool same = same_size && (is_sure || other[i].offset == field->offset);
		bool believed = layout->standing[i] == LAYOUT_PROVEN || is_interface[i];

		// Code shows where one that is begun begins.
		if (layout->identified && (layout->standing[i] == LAYOUT_BEGUN ? same_size : same))
			believed = true;
		if (!believed)
			doubt(layout, i);
	}
	if (!layout->identified)
		doubt_arrays(layout);
}
