// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding and proving the layout of whole libraries: the one that the compiler links with, and
// those named by $OMPDBG_GOMP_LIBRARIES (paths, separated by colons). Programs linked statically
// are named by $OMPDBG_GOMP_STATIC.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../api/callbacks.h"
#include "gomp_libraries.h"
#include "layout/gomp_probes.h"

#define F(s, f) GOMP_FIELD_##s##__##f

#define LAYOUT_GLOBAL(g) #g,
static const char *const global_names[] = {
#include "layout/gomp_globals.def"
};

// A layout that has any of these elsewhere must not pass in any shared library.
static const enum gomp_field always_proven[] = {
	F(gomp_thread, ts),
	F(gomp_thread, task),
	F(gomp_thread, place),
	F(gomp_team_state, team),
	F(gomp_team_state, work_share),
	F(gomp_team_state, last_work_share),
	F(gomp_team_state, team_id),
	F(gomp_team_state, level),
	F(gomp_team_state, active_level),
	F(gomp_team_state, place_partition_off),
	F(gomp_team_state, place_partition_len),
	F(gomp_team_state, single_count),
	F(gomp_team_state, static_trip),
	F(gomp_team, nthreads),
	F(gomp_team, prev_ts),
	F(gomp_team, ordered_release),
	F(gomp_team, single_count),
	F(gomp_team, barrier),
	F(gomp_task, taskgroup),
	F(gomp_task, icv),
	F(gomp_task, final_task),
	F(gomp_task_icv, nthreads_var),
	F(gomp_task_icv, run_sched_var),
	F(gomp_task_icv, run_sched_chunk_size),
	F(gomp_task_icv, default_device_var),
	F(gomp_task_icv, thread_limit_var),
	F(gomp_task_icv, dyn_var),
	F(gomp_task_icv, bind_var),
	F(gomp_work_share, sched),
	F(gomp_work_share, lock),
	F(gomp_work_share, next),
	F(gomp_work_share, next_ws),
	F(gomp_work_share, ordered_owner),
};

static const enum gomp_global always_found[] = {
	GOMP_GLOBAL_gomp_global_icv,
	GOMP_GLOBAL_gomp_cancel_var,
	GOMP_GLOBAL_gomp_max_task_priority_var,
	GOMP_GLOBAL_gomp_available_cpus,
	GOMP_GLOBAL_gomp_places_list,
	GOMP_GLOBAL_gomp_places_list_len,
	GOMP_GLOBAL_gomp_affinity_format_var,
	GOMP_GLOBAL_default_lock,
	GOMP_GLOBAL_atomic_lock,
};

// Variables that are found in all releases from one on.
static const struct {
	uint32_t release;
	enum gomp_global global;
} found_since[] = {
	{ 11, GOMP_GLOBAL_gomp_def_allocator },
	{ 12, GOMP_GLOBAL_gomp_nteams_var },
	{ 12, GOMP_GLOBAL_gomp_teams_thread_limit_var },
	{ 12, GOMP_GLOBAL_stacksize },
	{ 12, GOMP_GLOBAL_gomp_spin_count_var },
	{ 12, GOMP_GLOBAL_gomp_display_affinity_var },
	{ 12, GOMP_GLOBAL_gomp_target_offload_var },
	{ 13, GOMP_GLOBAL_gomp_nthreads_var_list },
	{ 13, GOMP_GLOBAL_gomp_nthreads_var_list_len },
	{ 13, GOMP_GLOBAL_gomp_bind_var_list },
	{ 13, GOMP_GLOBAL_gomp_bind_var_list_len },
};

static void check_found(const struct gomp_layout *layout, const char *path)
{
	for (size_t i = 0; i < sizeof(always_found) / sizeof(always_found[0]); i++)
		if (!layout->global[always_found[i]])
			fail_msg("%s: %s not found", path, global_names[always_found[i]]);
	for (size_t i = 0; i < sizeof(found_since) / sizeof(found_since[0]); i++)
		if (layout->first_release >= found_since[i].release &&
		    !layout->global[found_since[i].global])
			fail_msg("%s: %s not found", path, global_names[found_since[i].global]);
}

// A library with symbols is treated as if it had been stripped; they name what was found.
static void check_library(struct elf_target *target, const char *path)
{
	static struct gomp_layout layout;
	uint64_t symbols[GOMP_GLOBAL_COUNT];

	for (unsigned int i = 0; i < GOMP_GLOBAL_COUNT; i++) {
		symbols[i] = elf_target_find(target, global_names[i]);
		elf_target_hide(target, global_names[i]);
	}
	callback_counts.reads = 0;
	open_ok(target, path, &layout);
	assert_int_equal(layout.source, LAYOUT_TABLE);
	assert_int_equal(layout.tls_offset, (uint64_t)(int64_t)ELF_TARGET_TLS_OFFSET);
	assert_in_range(layout.probes_agreed, 70, gomp_probe_count);
	assert_in_range(callback_counts.reads, 0, 250);
	check_found(&layout, path);
	for (unsigned int i = 0; i < GOMP_GLOBAL_COUNT; i++)
		if (symbols[i] && layout.global[i] && layout.global[i] != symbols[i])
			fail_msg("%s: %s", path, global_names[i]);
}

static void test_libraries(void **state)
{
	(void)state;
	for_each_library(check_library);
}

static void check_static(struct elf_target *target, const char *path)
{
	static struct gomp_layout layout;
	uint64_t global = elf_target_find(target, "gomp_global_icv");

	open_ok(target, path, &layout);
	assert_int_equal(layout.source, LAYOUT_TABLE);
	assert_in_range(-(int64_t)layout.tls_offset, layout.struct_size[GOMP_STRUCT_gomp_thread],
			4096);
	assert_int_not_equal(global, 0);
	assert_int_equal(layout.global[GOMP_GLOBAL_gomp_global_icv], global);
	assert_int_equal(layout.global[GOMP_GLOBAL_gomp_spin_count_var],
			 elf_target_find(target, "gomp_spin_count_var"));
}

static void test_static(void **state)
{
	(void)state;
	if (!for_each_path("OMPDBG_GOMP_STATIC", NULL, check_static))
		skip(); // no statically linked program is named by the environment
}

static ompd_rc_t prove_moved(struct gomp_library *library, enum gomp_field field, int distance)
{
	static struct gomp_layout layout;
	const struct layout_group *group = layout_group_of(&gomp_history, library->release);

	assert_non_null(group);
	memset(&layout, 0, sizeof(layout));
	layout.source = LAYOUT_TABLE;
	layout.releases = group->releases;
	layout_fill(&gomp_history, group, layout.field, NULL);
	layout.field[field].offset += (uint32_t)distance;
	return gomp_prove(library, &layout);
}

// Every field that must be proven is moved by a word and by a byte; the library says no.
static void check_moved_fields(struct elf_target *target, const char *path)
{
	static const int distances[] = { 8, 4, 1, -8 };
	struct gomp_library library;

	assert_int_equal(gomp_library_find(&target->target, &library), ompd_rc_ok);
	for (size_t i = 0; i < sizeof(always_proven) / sizeof(always_proven[0]); i++) {
		for (size_t k = 0; k < sizeof(distances) / sizeof(distances[0]); k++) {
			reason_clear();
			if (prove_moved(&library, always_proven[i], distances[k]) == ompd_rc_ok)
				fail_msg("%s: %s moved by %d passes", path,
					 gomp_field_names[always_proven[i]], distances[k]);
			assert_true(strstr(reason_text(), "libgomp") != NULL);
		}
	}
	assert_int_equal(prove_moved(&library, F(gomp_team_state, level), 8), ompd_rc_incompatible);
	assert_non_null(strstr(reason_text(), "omp_get_level"));
	assert_non_null(strstr(reason_text(), "unknown release"));
}

static void test_moved_fields(void **state)
{
	(void)state;
	for_each_library(check_moved_fields);
}

// A table of another release never passes.
static void check_other_tables(struct elf_target *target, const char *path)
{
	struct gomp_library library;

	assert_int_equal(gomp_library_find(&target->target, &library), ompd_rc_ok);
	for (size_t i = 0; i < gomp_history.num_groups; i++) {
		const struct layout_group *group = &gomp_history.groups[i];
		static struct gomp_layout layout;
		bool own = group == layout_group_of(&gomp_history, library.release);

		memset(&layout, 0, sizeof(layout));
		layout.source = LAYOUT_TABLE;
		layout.releases = group->releases;
		layout_fill(&gomp_history, group, layout.field, NULL);
		// The table of GCC 11 is that of GCC 12 without two fields at its end.
		if (group->first_release == 11 && library.release == 12)
			continue;
		if ((gomp_prove(&library, &layout) == ompd_rc_ok) != own)
			fail_msg("%s: table of %s: %s", path, group->releases, reason_text());
	}
}

static void test_other_tables(void **state)
{
	(void)state;
	for_each_library(check_other_tables);
}

static void check_breakpoint(struct elf_target *target, const char *path)
{
	uint64_t address = elf_target_find(target, "omp_get_level");

	(void)path;
	memset(elf_target_bytes(target, address, 1), 0xcc, 1);
	expect_refusal(target, ompd_rc_incompatible, "omp_get_level does not show");
}

static void test_breakpoint(void **state)
{
	(void)state;
	for_each_library(check_breakpoint);
}

static void check_not_relocated(struct elf_target *target, const char *path)
{
	const int64_t offset = ELF_TARGET_TLS_OFFSET;

	(void)path;
	for (uint64_t at = target->base; at < target->base + target->size - 8; at += 8) {
		uint8_t *word = elf_target_bytes(target, at, sizeof(offset));

		if (memcmp(word, &offset, sizeof(offset)) == 0)
			memset(word, 0, sizeof(offset));
	}
	expect_refusal(target, ompd_rc_unavailable, "not relocated");
}

static void test_not_relocated(void **state)
{
	(void)state;
	for_each_library(check_not_relocated);
}

static void check_names(struct elf_target *target, const char *path)
{
	(void)path;
	elf_target_define(target, "__kmpc_fork_call", target->base);
	expect_refusal(target, ompd_rc_unavailable, "LLVM's libomp");
	elf_target_hide(target, "__kmpc_fork_call");
	target->object = "libgomp-a34b3233.so.1.0.0";
	static struct gomp_layout layout;

	open_ok(target, "under another name", &layout);
	elf_target_hide(target, "GOMP_PLUGIN_malloc");
	elf_target_hide(target, "gomp_team_start");
	expect_refusal(target, ompd_rc_unavailable, "no libgomp");
	elf_target_hide(target, "GOMP_parallel");
	target->object = "libgomp.so.1";
	expect_refusal(target, ompd_rc_unavailable, "no libgomp");
}

static void test_names(void **state)
{
	(void)state;
	for_each_library(check_names);
}

static void tell(struct elf_target *target, const char *symbol, uint64_t value)
{
	uint64_t address = elf_target_grow(target, sizeof(value));

	memcpy(elf_target_bytes(target, address, sizeof(value)), &value, sizeof(value));
	elf_target_define(target, symbol, address);
}

// The layout is told by variables; what is told wrongly is refused like a wrong table.
static void check_access(struct elf_target *target, const char *path)
{
	static struct gomp_layout table, told;
	char symbol[128];

	open_ok(target, path, &table);
	for (unsigned int i = 0; i < GOMP_FIELD_COUNT; i++) {
		char name[96], *dot;

		if (!table.field[i].size)
			continue;
		snprintf(name, sizeof(name), "%s", gomp_field_names[i]);
		dot = strchr(name, '.');
		*dot = '\0';
		snprintf(symbol, sizeof(symbol), "ompd_access__%s__%s", name, dot + 1);
		tell(target, symbol, table.field[i].offset);
		snprintf(symbol, sizeof(symbol), "ompd_sizeof__%s__%s", name, dot + 1);
		tell(target, symbol, table.field[i].size);
	}
	tell(target, "ompd_sizeof__gomp_task", table.struct_size[GOMP_STRUCT_gomp_task]);
	open_ok(target, path, &told);
	assert_int_equal(told.source, LAYOUT_RUNTIME);
	assert_memory_equal(told.field, table.field, sizeof(table.field));
	assert_int_equal(told.struct_size[GOMP_STRUCT_gomp_task],
			 table.struct_size[GOMP_STRUCT_gomp_task]);
	tell(target, "ompd_layout_from_debug_info", 1);
	open_ok(target, path, &told);
	assert_int_equal(told.source, LAYOUT_DEBUG_INFO);
	tell(target, "ompd_access__gomp_team_state__level", 0x123450);
	expect_refusal(target, ompd_rc_incompatible, "gomp_team_state__level");
	tell(target, "ompd_access__gomp_team_state__level", 0x40);
	expect_refusal(target, ompd_rc_incompatible, "told by debug information says");
}

static void test_access(void **state)
{
	(void)state;
	for_each_library(check_access);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),    cmocka_unit_test(test_static),
		cmocka_unit_test(test_moved_fields), cmocka_unit_test(test_other_tables),
		cmocka_unit_test(test_breakpoint),   cmocka_unit_test(test_not_relocated),
		cmocka_unit_test(test_names),	     cmocka_unit_test(test_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
