// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of LLVM's runtime against the memory of one that runs, one process for each library
// in OMPDBG_KMP_LIBRARIES: the right layout fits; one with a field moved is noticed by the code or
// by the memory, but for the fields that are listed here.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmp_process.h"
#include "layout/kmp_library.h"

enum { REASON = 200, MISSING = 77, DISTANCE = 8 };

#define LAYOUT_STRUCT(s)
#define LAYOUT_FIELD(s, f) { #s "." #f, false },
#define LAYOUT_BITS(s, f) { #s "." #f, true },
static const struct {
	const char *name;
	bool is_bits;
} fields[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};
#undef LAYOUT_STRUCT
#undef LAYOUT_FIELD
#undef LAYOUT_BITS

// Structures, and fields, that neither the functions that are looked at nor the memory of a region
// at work tell of. The tables have them from debug information, and the release is known by its
// symbols; nothing else protects them.
static const char *const taken_on_trust[] = {
	"kmp_base_info_t.th_team_serialized",
	"kmp_base_info_t.th_set_nproc",
	"kmp_base_info_t.th_in_pool",
	"kmp_base_info_t.th_new_place",
	"kmp_base_info_t.th_serial_team",
	"kmp_base_info_t.th_ident",
	"kmp_base_info_t.th_next_pool",
	"kmp_base_info_t.th_local",
	"kmp_base_info_t.th_bar",
	"kmp_base_info_t.th_suspend_cv",
	"kmp_base_info_t.th_suspend_mx",
	"kmp_base_info_t.th_sleep_loc",
	"kmp_base_info_t.th_sleep_loc_type",
	"kmp_base_info_t.th_spin_here",
	"kmp_base_info_t.th_next_waiting",
	"kmp_base_info_t.th_teams_size",
	"kmp_base_info_t.th_active",
	"kmp_base_info_t.ompt_thread_info",
	"kmp_desc_base_t.ds_thread",
	"kmp_base_team_t.t_id",
	"kmp_base_team_t.t_cancel_request",
	"kmp_base_team_t.t_sched",
	"kmp_base_team_t.t_ordered",
	"kmp_base_team_t.ompt_serialized_team_info",
	"kmp_base_team_t.ompt_team_info",
	"kmp_base_team_t.t_argc",
	"kmp_base_team_t.t_argv",
	"kmp_base_team_t.t_bar",
	"kmp_base_team_t.t_control_stack_top",
	"kmp_base_team_t.t_nested_nth",
	"kmp_base_team_t.t_pkfn",
	"kmp_base_team_t.t_invoke",
	"kmp_base_team_t.t_disp_buffer",
	"kmp_taskdata_t.td_task_id",
	"kmp_taskdata_t.td_level",
	"kmp_taskdata_t.td_ident",
	"kmp_taskdata_t.td_taskwait_ident",
	"kmp_taskdata_t.td_taskwait_counter",
	"kmp_taskdata_t.td_allocated_child_tasks",
	"kmp_taskdata_t.td_dephash",
	"kmp_taskdata_t.td_depnode",
	"kmp_taskdata_t.td_last_tied",
	"kmp_taskdata_t.td_allow_completion_event",
	"kmp_taskdata_t.ompt_task_info",
	"kmp_tasking_flags_t.complete",
	"kmp_tasking_flags_t.detachable",
	"kmp_tasking_flags_t.final",
	"kmp_tasking_flags_t.freed",
	"kmp_tasking_flags_t.hidden_helper",
	"kmp_tasking_flags_t.merged_if0",
	"kmp_tasking_flags_t.native",
	"kmp_tasking_flags_t.priority_specified",
	"kmp_tasking_flags_t.proxy",
	"kmp_tasking_flags_t.started",
	"kmp_tasking_flags_t.target",
	"kmp_tasking_flags_t.task_serial",
	"kmp_tasking_flags_t.tasking_ser",
	"kmp_tasking_flags_t.team_serial",
	"kmp_tasking_flags_t.tiedness",
	"kmp_task_t",
	"kmp_internal_control_t.bt_set",
	"kmp_internal_control_t.blocktime",
	"kmp_internal_control_t.next",
	"kmp_internal_control_t.serial_nesting_level",
	"kmp_r_sched_t",
	"kmp_nested_nthreads_t",
	"kmp_base_root_t.r_active",
	"kmp_cg_root_t.cg_thread_limit",
	"kmp_cg_root_t.cg_nthreads",
	"kmp_cg_root_t.up",
	"kmp_teams_size_t",
	"kmp_disp_t",
	"dispatch_private_info_t",
	"dispatch_private_info64_t",
	"dispatch_shared_info_t",
	"dispatch_shared_info64_t",
	"kmp_base_data_t",
	"kmp_base_task_team_t.tt_found_tasks",
	"kmp_base_task_team_t.tt_max_threads",
	"kmp_base_task_team_t.tt_task_pri_list",
	"kmp_base_task_team_t.tt_num_task_pri",
	"kmp_base_task_team_t.tt_unfinished_threads",
	"kmp_base_task_team_t.tt_active",
	"kmp_task_pri_t",
	"kmp_taskgroup_t",
	"kmp_base_depnode_t",
	"kmp_depnode_list_t",
	"kmp_dephash_t",
	"kmp_dephash_entry_t",
	"kmp_bstate_t",
	"kmp_balign_team_t",
	"ident_t.flags",
	"kmp_event_t",
	"kmp_base_queuing_lock_t",
	"kmp_base_tas_lock_t",
	"kmp_base_futex_lock_t",
	"kmp_base_ticket_lock_t",
	"kmp_base_drdpa_lock_t",
	"kmp_indirect_lock_t",
	"kmp_indirect_lock_table_t",
	"ompt_frame_t",
	"ompt_lw_taskteam_t",
	"ompt_task_info_t",
	"ompt_team_info_t",
	"ompt_thread_info_t.thread_data",
};

static unsigned int failures;

static void fail_in_words(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	failures++;
}

static bool is_taken_on_trust(const char *name)
{
	for (size_t i = 0; i < sizeof(taken_on_trust) / sizeof(taken_on_trust[0]); i++) {
		size_t size = strlen(taken_on_trust[i]);

		if (strncmp(taken_on_trust[i], name, size) == 0 &&
		    (name[size] == '.' || name[size] == '\0'))
			return true;
	}
	return false;
}

// Whether the code or the memory contradicts a layout, or the field is no longer believed.
static bool is_noticed(const struct kmp_library *library, struct kmp_layout *layout,
		       enum kmp_field field)
{
	char why[REASON] = "";
	const struct kmp_reason reason = { why, sizeof(why) };
	ompd_rc_t rc = kmp_prove(library, layout, &reason);

	if (rc == ompd_rc_ok && layout->field[field].size != 0)
		rc = kmp_layout_check(library->target, layout, why, sizeof(why));
	else if (rc == ompd_rc_ok)
		return true;
	if (rc != ompd_rc_ok && !why[0])
		fail_in_words(fields[field].name, "noticed without a word");
	return rc != ompd_rc_ok;
}

static void move_fields(const struct kmp_library *library, const struct kmp_layout *layout)
{
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		struct kmp_layout moved = *layout;

		if (!layout->field[i].size || is_taken_on_trust(fields[i].name))
			continue;
		moved.field[i].offset += fields[i].is_bits ? 1 : DISTANCE;
		if (!is_noticed(library, &moved, (enum kmp_field)i))
			fail_in_words(fields[i].name, "moved and not noticed");
	}
}

// A table of another release is contradicted, if it has any field of these elsewhere. Of LLVM 14
// and 15 only task teams tell; they may have no queues yet where the table says.
static void change_tables(const struct kmp_library *library, const struct kmp_layout *layout)
{
	for (size_t i = 0; i < kmp_table_count; i++) {
		const struct kmp_table *table = &kmp_tables[i];
		struct kmp_layout other = *layout;
		char why[REASON] = "";
		const struct kmp_reason reason = { why, sizeof(why) };
		bool differs = false;

		for (unsigned int k = 0; k < KMP_FIELD_COUNT; k++)
			differs |= !is_taken_on_trust(fields[k].name) &&
				   k != KMP_FIELD_kmp_base_task_team_t__tt_threads_data &&
				   layout->field[k].size && table->field[k].size &&
				   layout->field[k].offset != table->field[k].offset;
		if (!differs)
			continue;
		memcpy(other.field, table->field, sizeof(other.field));
		memcpy(other.struct_size, table->struct_size, sizeof(other.struct_size));
		if (kmp_prove(library, &other, &reason) == ompd_rc_ok &&
		    kmp_layout_check(library->target, &other, why, sizeof(why)) == ompd_rc_ok)
			fail_in_words(table->releases, "taken for the right table");
	}
}

static void look(const struct target *target)
{
	struct kmp_layout layout;
	struct kmp_library library;
	char why[REASON] = "";
	const struct kmp_reason reason = { why, sizeof(why) };

	if (kmp_layout_open(target, "libomp", &layout, why, sizeof(why)) != ompd_rc_ok ||
	    kmp_layout_check(target, &layout, why, sizeof(why)) != ompd_rc_ok ||
	    kmp_library_find(target, "libomp", &library, &reason) != ompd_rc_ok) {
		fail_in_words("the layout", why);
		return;
	}
	move_fields(&library, &layout);
	change_tables(&library, &layout);
}

static int check_library(const char *path)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(!kmp_process_run(path, look) ? MISSING : failures ? 1 : 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != MISSING))
		fail_msg("%s: status %d", path, status);
	return WEXITSTATUS(status) == 0;
}

static void test_libraries(void **state)
{
	const char *paths = getenv("OMPDBG_KMP_LIBRARIES");
	char *list = strdup(paths ? paths : ""), *rest = list, *path;
	int count = 0;

	(void)state;
	while ((path = strsep(&rest, ":"))) {
		if (*path && access(path, R_OK) == 0) {
			print_message("%s\n", path);
			count += check_library(path);
		}
	}
	free(list);
	if (!count)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
