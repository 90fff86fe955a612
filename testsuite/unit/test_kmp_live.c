// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of LLVM's runtime against the memory of one that runs, one process for each library
// in OMPDBG_KMP_LIBRARIES: a field that is moved, or wider, contradicts the code, or nothing proves it, but for the
// fields that are listed here.

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
#include "target/reason.h"

enum { MISSING = 77, DISTANCE = 8, WORD = 8 };

#define LAYOUT_FIELD(s, f) { #s "." #f, false },
#define LAYOUT_BITS(s, f) { #s "." #f, true },
static const struct {
	const char *name;
	bool is_bits;
} fields[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};

// Structures, and fields, that neither the functions that are looked at nor the memory of a region
// at work tell of on every release. The tables have them from debug information, and they are
// believed only where the release is known for certain: where the library exports exactly what
// that release does, and no release with another table does.
static const char *const taken_of_known_releases[] = {
	"kmp_base_info_t.th_cg_roots",
	"kmp_base_info_t.th_new_place",
	"kmp_base_info_t.th_serial_team",
	"kmp_base_info_t.th_next_pool",
	"kmp_base_info_t.th_bar",
	"kmp_base_info_t.th_suspend_cv",
	"kmp_base_info_t.th_suspend_mx",
	"kmp_base_info_t.th_sleep_loc",
	"kmp_base_info_t.th_sleep_loc_type",
	"kmp_base_info_t.th_team_master",
	"kmp_base_team_t.t_ident",
	"kmp_base_team_t.t_sched",
	"kmp_base_team_t.t_ordered",
	"kmp_base_team_t.t_argv",
	"kmp_base_team_t.t_bar",
	"kmp_base_team_t.t_nested_nth",
	"kmp_base_team_t.t_invoke",
	"kmp_base_team_t.t_disp_buffer",
	"kmp_taskdata_t.td_alloc_thread",
	"kmp_taskdata_t.td_level",
	"kmp_taskdata_t.td_ident",
	"kmp_taskdata_t.td_taskwait_ident",
	"kmp_taskdata_t.td_allocated_child_tasks",
	"kmp_taskdata_t.td_dephash",
	"kmp_taskdata_t.td_depnode",
	"kmp_taskdata_t.td_last_tied",
	"kmp_taskdata_t.td_task_team",
	"kmp_taskdata_t.td_allow_completion_event",
	"kmp_taskdata_t.td_size_alloc",
	"kmp_tasking_flags_t.destructors_thunk",
	"kmp_tasking_flags_t.detachable",
	"kmp_tasking_flags_t.merged_if0",
	"kmp_tasking_flags_t.native",
	"kmp_tasking_flags_t.proxy",
	"kmp_tasking_flags_t.tasktype",
	"kmp_tasking_flags_t.tiedness",
	"kmp_task_t",
	"kmp_internal_control_t.bt_set",
	"kmp_internal_control_t.blocktime",
	"kmp_nested_nthreads_t",
	"kmp_cg_root_t",
	"kmp_disp_t.th_deo_fcn",
	"kmp_disp_t.th_dispatch_sh_current",
	"kmp_disp_t.th_dispatch_pr_current",
	"kmp_disp_t.th_disp_buffer",
	"dispatch_private_info_t",
	"kmp_sched_flags_t",
	"dispatch_private_info32_t",
	"dispatch_private_info64_t",
	"dispatch_shared_info_t",
	"dispatch_shared_info32_t",
	"dispatch_shared_info64_t",
	"kmp_base_data_t",
	"kmp_base_thread_data_t",
	"kmp_base_task_team_t.tt_found_proxy_tasks",
	"kmp_base_task_team_t.tt_max_threads",
	"kmp_base_task_team_t.tt_task_pri_list",
	"kmp_base_task_team_t.tt_threads_data",
	"kmp_base_task_team_t.tt_num_task_pri",
	"kmp_base_task_team_t.tt_unfinished_threads",
	"kmp_task_pri_t",
	"kmp_taskgroup_t.parent",
	"kmp_base_depnode_t",
	"kmp_depnode_list_t",
	"kmp_dephash_t",
	"kmp_dephash_entry_t",
	"kmp_bstate_t",
	"ident_t",
	"kmp_event_t",
	"kmp_base_queuing_lock_t.initialized",
	"kmp_base_futex_lock_t",
	"kmp_base_ticket_lock_t.depth_locked",
	"kmp_base_ticket_lock_t.owner_id",
	"kmp_base_ticket_lock_t.self",
	"kmp_base_drdpa_lock_t.initialized",
	"kmp_indirect_lock_t",
	"kmp_indirect_lock_table_t",
	"ompt_frame_t.enter_frame_flags",
	"ompt_frame_t.exit_frame_flags",
	"ompt_lw_taskteam_t",
	"ompt_thread_info_t.thread_data",
};

// What no release can change, as programs were compiled to it, or tools: what Clang puts into a
// task and into a location, and the frames of the OMPT chapter of the standard.
static const char *const interfaces[] = {
	"ident_t",
	"kmp_task_t",
	"kmp_tasking_flags_t.destructors_thunk",
	"kmp_tasking_flags_t.detachable",
	"kmp_tasking_flags_t.final",
	"kmp_tasking_flags_t.priority_specified",
	"kmp_tasking_flags_t.tiedness",
	"ompt_frame_t",
};

// Of these, what is twice as wide is not noticed: code reads or writes two of them at once, or what
// follows is zero, and nothing else of what is looked at is.
static const char *const seen_wider[] = {
	"kmp_base_info_t.th_task_state",   "kmp_desc_base_t.ds_gtid",
	"kmp_teams_size_t.nteams",	   "kmp_base_thread_data_t.td_deque_size",
	"kmp_base_queuing_lock_t.tail_id", "kmp_indirect_lock_t.type",
	"kmp_indirect_lock_table_t.next",
};

// Arrays of them are read.
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

static unsigned int failures;

static void fail_in_words(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	failures++;
}

static bool is_in(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(list[i]);

		if (strncmp(list[i], name, size) == 0 && (name[size] == '.' || name[size] == '\0'))
			return true;
	}
	return false;
}

static bool is_taken(const char *name, bool identified)
{
	return identified ? is_in(taken_of_known_releases,
				  sizeof(taken_of_known_releases) / sizeof(char *), name) :
			    is_in(interfaces, sizeof(interfaces) / sizeof(char *), name);
}

// What becomes of a layout: the code or the memory contradicts it, or the field is not believed.
struct verdict {
	bool known, unknown; // noticed in a library of a known release, and of an unknown one
};

static bool is_doubted(const struct kmp_layout *layout, enum kmp_field field, bool identified)
{
	struct kmp_layout settled = *layout;

	settled.identified = identified;
	kmp_layout_settle(&settled);
	return settled.field[field].size == 0;
}

static struct verdict judge(const struct kmp_library *library, struct kmp_layout *layout,
			    enum kmp_field field)
{
	reason_clear();
	ompd_rc_t rc = kmp_prove(library, layout);

	if (rc != ompd_rc_ok && !reason_text()[0])
		fail_in_words(fields[field].name, "noticed without a word");
	if (rc != ompd_rc_ok)
		return (struct verdict){ true, true };
	layout->identified = false; // so that all is looked at
	kmp_layout_confirm(library->target, layout);
	return (struct verdict){ is_doubted(layout, field, true),
				 is_doubted(layout, field, false) };
}

// One that is altered by one field is refused, or the field is not there for those who ask for it.
static void move_field(const struct kmp_library *library, const struct kmp_layout *layout,
		       enum kmp_field field)
{
	for (int sign = -1; sign <= 1; sign += 2) {
		struct kmp_layout moved = *layout;

		moved.field[field].offset +=
			(uint32_t)(sign * (fields[field].is_bits ? 1 : DISTANCE));
		struct verdict verdict = judge(library, &moved, field);

		if (!verdict.known && !is_taken(fields[field].name, true))
			fail_in_words(fields[field].name, "moved and not noticed");
		if (!verdict.unknown && !is_taken(fields[field].name, false))
			fail_in_words(fields[field].name,
				      "moved and not noticed in an unknown release");
	}
}

// Shorter in truth than in the table: what follows would be read with it.
static void widen_field(const struct kmp_library *library, const struct kmp_layout *layout,
			enum kmp_field field)
{
	struct kmp_layout wider = *layout;

	if (is_taken(fields[field].name, false) ||
	    is_in(seen_wider, sizeof(seen_wider) / sizeof(char *), fields[field].name))
		return;
	wider.field[field].size *= 2;
	if (!judge(library, &wider, field).unknown)
		fail_in_words(fields[field].name, "wider and not noticed in an unknown release");
}

static void move_fields(const struct kmp_library *library, const struct kmp_layout *layout)
{
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		if (!layout->field[i].size)
			continue;
		move_field(library, layout, (enum kmp_field)i);
		if (!fields[i].is_bits && layout->field[i].size < WORD)
			widen_field(library, layout, (enum kmp_field)i);
	}
}

static void change_sizes(const struct kmp_library *library, const struct kmp_layout *layout)
{
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		struct kmp_layout changed = *layout;

		changed.struct_size[arrays[i].element] += DISTANCE;
		if (!judge(library, &changed, arrays[i].array).unknown)
			fail_in_words(fields[arrays[i].array].name,
				      "larger elements are not noticed in an unknown release");
	}
}

// A table of another release is contradicted, or what it has elsewhere is not believed.
static void change_tables(const struct kmp_library *library, const struct kmp_layout *layout)
{
	for (size_t i = 0; i < kmp_history.num_groups; i++) {
		const struct layout_group *group = &kmp_history.groups[i];
		struct kmp_layout other = *layout;

		other.identified = false;
		layout_fill(&kmp_history, group, other.field, other.struct_size);
		if (kmp_prove(library, &other) != ompd_rc_ok)
			continue;
		kmp_layout_confirm(library->target, &other);
		kmp_layout_settle(&other);
		for (unsigned int k = 0; k < KMP_FIELD_COUNT; k++) {
			if (other.field[k].size && layout->field[k].size &&
			    other.field[k].offset != layout->field[k].offset)
				fail_in_words(fields[k].name, group->releases);
		}
	}
}

// What an unknown release needs so that its tasks and locks can be shown.
static void check_proofs(const struct kmp_layout *layout)
{
	static const enum kmp_field wanted[] = {
		KMP_FIELD_kmp_base_task_team_t__tt_threads_data,
		KMP_FIELD_kmp_base_thread_data_t__td_deque,
		KMP_FIELD_kmp_base_thread_data_t__td_deque_ntasks,
		KMP_FIELD_kmp_taskdata_t__td_depnode,
		KMP_FIELD_kmp_base_depnode_t__task,
		KMP_FIELD_kmp_base_depnode_t__successors,
		KMP_FIELD_kmp_depnode_list_t__node,
		KMP_FIELD_kmp_depnode_list_t__next,
		KMP_FIELD_kmp_base_queuing_lock_t__initialized,
		KMP_FIELD_kmp_indirect_lock_t__lock,
		KMP_FIELD_kmp_indirect_lock_t__type,
		KMP_FIELD_kmp_indirect_lock_table_t__table,
		KMP_FIELD_kmp_indirect_lock_table_t__next,
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (layout->standing[wanted[i]] != LAYOUT_PROVEN)
			fail_in_words(fields[wanted[i]].name, "not proven");
	}
	if (layout->struct_standing[KMP_STRUCT_kmp_indirect_lock_t] != LAYOUT_PROVEN)
		fail_in_words("kmp_indirect_lock_t", "size not proven");
}

static void look(const struct target *target)
{
	struct kmp_layout layout;
	struct kmp_library library;

	target_begin_call();
	if (kmp_layout_open(target, "libomp", &layout) != ompd_rc_ok ||
	    kmp_library_find(target, "libomp", &library) != ompd_rc_ok) {
		fail_in_words("the layout", reason_text());
		return;
	}
	layout.identified = false;
	kmp_layout_confirm(target, &layout);
	check_proofs(&layout);
	move_fields(&library, &layout);
	change_sizes(&library, &layout);
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
