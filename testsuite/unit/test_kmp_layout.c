// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of LLVM's runtime, proven on real libraries laid out in memory.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "kmp_libraries.h"

// Where the layout has these elsewhere than the code, it is refused, or the field is not there.
#define INFO(f) KMP_FIELD_kmp_base_info_t__##f
#define TEAM(f) KMP_FIELD_kmp_base_team_t__##f
#define TASK(f) KMP_FIELD_kmp_taskdata_t__##f
#define ICV(f) KMP_FIELD_kmp_internal_control_t__##f
static const enum kmp_field proven[] = {
	INFO(th_info),
	INFO(th_team),
	INFO(th_root),
	INFO(th_current_task),
	INFO(th_teams_microtask),
	INFO(th_teams_level),
	INFO(th_current_place),
	INFO(th_first_place),
	INFO(th_last_place),
	INFO(th_def_allocator),
	KMP_FIELD_kmp_desc_base_t__ds_tid,
	KMP_FIELD_kmp_base_root_t__r_in_parallel,
	KMP_FIELD_kmp_base_root_t__r_uber_thread,
	TEAM(t_level),
	TEAM(t_active_level),
	TEAM(t_nproc),
	TASK(td_flags),
	TASK(td_icvs),
	ICV(nproc),
	ICV(dynamic),
	ICV(max_active_levels),
	ICV(proc_bind),
	ICV(default_device),
};

static void check_library(struct elf_target *target)
{
	static const enum kmp_global found[] = {
		KMP_GLOBAL___kmp_threads,	   KMP_GLOBAL___kmp_threads_capacity,
		KMP_GLOBAL___kmp_init_serial,	   KMP_GLOBAL___kmp_init_parallel,
		KMP_GLOBAL___kmp_avail_proc,	   KMP_GLOBAL___kmp_stksize,
		KMP_GLOBAL___kmp_omp_cancellation, KMP_GLOBAL___kmp_max_task_priority,
	};
	struct kmp_layout layout;

	open_ok(target, &layout);
	assert_int_equal(layout.source, LAYOUT_TABLE);
	assert_true(layout.probes_agreed >= 100);
	assert_true(layout.identified);
	assert_string_equal(layout.file_name, kmp_object);
	for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
		assert_int_not_equal(layout.global[found[i]], 0);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(layout.global[found[i]], layout.global[found[j]]);
	}
	assert_int_not_equal(kmp_layout_bits(&layout, KMP_FIELD_kmp_tasking_flags_t__final), 0);
	assert_int_equal(layout.field[KMP_FIELD_kmp_tasking_flags_t__final].size, 1);
}

static void test_libraries(void **state)
{
	(void)state;
	for_each_library(check_library);
}

static ompd_rc_t prove(struct elf_target *target, struct kmp_layout *layout)
{
	struct kmp_library library;

	reason_clear();
	assert_int_equal(kmp_library_find(&target->target, "libomp", &library), ompd_rc_ok);
	memset(layout->global, 0, sizeof(layout->global));
	return kmp_prove(&library, layout);
}

static void check_moved_fields(struct elf_target *target)
{
	struct kmp_layout layout, moved;

	open_ok(target, &layout);
	for (size_t i = 0; i < sizeof(proven) / sizeof(proven[0]); i++) {
		moved = layout;
		moved.field[proven[i]].offset += 8;
		ompd_rc_t rc = prove(target, &moved);

		if (rc == ompd_rc_ok && moved.field[proven[i]].size != 0)
			fail_msg("field %zu of the list may lie elsewhere", i);
		if (rc != ompd_rc_ok)
			assert_non_null(strstr(reason_text(), "libomp"));
	}
}

static void test_moved_fields(void **state)
{
	(void)state;
	for_each_library(check_moved_fields);
}

// Whether code that is known to look at fields can tell two tables apart.
static bool differ(const struct kmp_layout *a, const struct kmp_layout *b)
{
	for (size_t i = 0; i < sizeof(proven) / sizeof(proven[0]); i++) {
		if (a->field[proven[i]].offset != b->field[proven[i]].offset)
			return true;
	}
	return false;
}

static void check_other_tables(struct elf_target *target)
{
	struct kmp_layout layout, own, other;
	const struct layout_group *group;

	open_ok(target, &layout);
	group = layout_group_of(&kmp_history, layout.first_release);
	assert_non_null(group);
	own = layout;
	layout_fill(&kmp_history, group, own.field, NULL);
	for (size_t i = 0; i < kmp_history.num_groups; i++) {
		other = layout;
		layout_fill(&kmp_history, &kmp_history.groups[i], other.field, NULL);
		if (!differ(&own, &other))
			continue;
		assert_int_equal(prove(target, &other), ompd_rc_incompatible);
	}
}

static void test_other_tables(void **state)
{
	(void)state;
	for_each_library(check_other_tables);
}

// Symbols of a later release without those of an earlier one: nobody knows what that is.
static void check_unknown_release(struct elf_target *target)
{
	uint64_t somewhere = elf_target_find(target, "__kmpc_fork_call");

	elf_target_define(target, "omp_get_dyn_gprivate_ptr", somewhere);
	elf_target_hide(target, "omp_get_uid_from_device");
	expect_refusal(target, ompd_rc_incompatible, "of an unknown release");
	elf_target_hide(target, "__kmpc_fork_call");
	expect_refusal(target, ompd_rc_unavailable, "no libomp in the program");
}

static void test_unknown_release(void **state)
{
	(void)state;
	for_each_library(check_unknown_release);
}

// Where a field is believed that is moved, of a release that is not known.
static bool is_believed(struct elf_target *target, const struct kmp_layout *layout,
			unsigned int field, int distance)
{
	struct kmp_layout moved = *layout;

	moved.identified = false;
	moved.field[field].offset += (uint32_t)distance;
	if (prove(target, &moved) != ompd_rc_ok)
		return false;
	kmp_layout_settle(&moved);
	return moved.field[field].size != 0;
}

// The entry points are those of another release, or of a build with more of them than usual: what
// code does not prove is not believed. What no release changes is.
static void check_other_exports(struct elf_target *target)
{
	struct kmp_layout layout, known;

	open_ok(target, &known);
	elf_target_rename(target, "omp_get_wtick_");
	open_ok(target, &layout);
	assert_false(layout.identified);
	kmp_layout_settle(&layout);
	assert_int_equal(layout.standing[KMP_FIELD_kmp_taskdata_t__td_dephash], LAYOUT_DOUBTED);
	assert_int_equal(layout.field[KMP_FIELD_kmp_taskdata_t__td_dephash].size, 0);
	assert_int_equal(layout.standing[TEAM(t_level)], LAYOUT_PROVEN);
	assert_int_not_equal(layout.field[TEAM(t_level)].size, 0);
	assert_int_not_equal(layout.field[KMP_FIELD_ident_t__psource].size, 0);
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		if (layout.standing[i] != LAYOUT_PROVEN)
			continue;
		if (is_believed(target, &known, i, 8))
			fail_msg("field %u moved is believed", i);
	}
}

static void test_other_exports(void **state)
{
	(void)state;
	for_each_library(check_other_exports);
}

// LLVM 20 exports what LLVM 19 does: what the tables around it do not agree on must be proven.
static void check_twins(struct elf_target *target)
{
	struct kmp_layout layout;

	open_ok(target, &layout);
	if (layout.first_release == layout.last_release)
		return;
	assert_int_equal(layout.first_release, 19);
	assert_int_equal(layout.last_release, 20);
	assert_int_equal(layout.standing[KMP_FIELD_kmp_tasking_flags_t__hidden_helper],
			 LAYOUT_PROVEN);
	memset(layout.standing, LAYOUT_TAKEN, sizeof(layout.standing));
	kmp_layout_settle(&layout);
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++)
		assert_int_equal(layout.standing[i],
				 i == KMP_FIELD_kmp_tasking_flags_t__hidden_helper ?
					 LAYOUT_DOUBTED :
					 LAYOUT_TAKEN);
}

static void test_twins(void **state)
{
	(void)state;
	for_each_library(check_twins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),     cmocka_unit_test(test_moved_fields),
		cmocka_unit_test(test_other_tables),  cmocka_unit_test(test_unknown_release),
		cmocka_unit_test(test_other_exports), cmocka_unit_test(test_twins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
