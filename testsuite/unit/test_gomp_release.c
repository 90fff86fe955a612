// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libgomp of no known release is refused in words: one that exports something else, or one whose
// table was altered by one field. Of a known release, what code does not show is listed here.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gomp_libraries.h"
#include "layout/gomp_probes.h"

enum { DISTANCE = 8 };

// Fields that no function that is looked at shows in every build of a release. They are believed
// because the library exports exactly what that release does.
static const char *const taken_of_known_releases[] = {
	"gomp_thread.fn",
	"gomp_thread.data",
	"gomp_thread.release",
	"gomp_thread.thread_pool",
	"gomp_team.master_release",
	"gomp_team.work_shares_to_free",
	"gomp_team.work_shares",
	"gomp_team.task_lock",
	"gomp_team.task_queue",
	"gomp_team.task_count",
	"gomp_team.task_queued_count",
	"gomp_team.task_running_count",
	"gomp_team.work_share_cancelled",
	"gomp_team.team_cancelled",
	"gomp_team.task_detach_count",
	"gomp_team.implicit_task",
	"gomp_barrier_t",
	"gomp_thread_pool",
	"gomp_simple_barrier_t",
	"gomp_task.parent",
	"gomp_task.children_queue",
	"gomp_task.dependers",
	"gomp_task.depend_hash",
	"gomp_task.taskwait",
	"gomp_task.depend_all_memory",
	"gomp_task.depend_count",
	"gomp_task.num_dependees",
	"gomp_task.completion_sem",
	"gomp_task.detach_team",
	"gomp_task.deferred_p",
	"gomp_task.priority",
	"gomp_task.pnode",
	"gomp_task.fn",
	"gomp_task.fn_data",
	"gomp_task.kind",
	"gomp_task.in_tied_task",
	"gomp_task.copy_ctors_done",
	"gomp_task.parent_depends_on",
	"gomp_task.depend",
	"gomp_task_depend_entry",
	"gomp_dependers_vec",
	"gomp_taskwait",
	"gomp_taskgroup",
	"priority_queue",
	"priority_list",
	"priority_node",
	"prio_splay_tree_node_s",
	"gomp_work_share.mode",
	"gomp_work_share.chunk_size",
	"gomp_work_share.end",
	"gomp_work_share.incr",
	"gomp_work_share.ordered_team_ids",
	"gomp_work_share.ordered_num_used",
	"gomp_work_share.ordered_cur",
	"gomp_work_share.threads_completed",
};

static bool is_taken(const char *name)
{
	for (size_t i = 0; i < sizeof(taken_of_known_releases) / sizeof(char *); i++) {
		size_t size = strlen(taken_of_known_releases[i]);

		if (strncmp(taken_of_known_releases[i], name, size) == 0 &&
		    (name[size] == '.' || name[size] == '\0'))
			return true;
	}
	return false;
}

static ompd_rc_t prove(struct elf_target *target, struct gomp_layout *layout)
{
	struct gomp_library library;

	reason_clear();
	assert_int_equal(gomp_library_find(&target->target, &library), ompd_rc_ok);
	memset(layout->global, 0, sizeof(layout->global));
	return gomp_prove(&library, layout);
}

static void check_altered_field(struct elf_target *target, const char *path,
				const struct gomp_layout *layout, unsigned int field)
{
	for (int sign = -1; sign <= 1; sign += 2) {
		struct gomp_layout altered = *layout;

		altered.field[field].offset += (uint32_t)(sign * DISTANCE);
		if (prove(target, &altered) == ompd_rc_ok) {
			if (!is_taken(gomp_field_names[field]))
				fail_msg("%s: %s altered by %d is not noticed", path,
					 gomp_field_names[field], sign * DISTANCE);
			continue;
		}
		if (!strstr(reason_text(), "libgomp"))
			fail_msg("%s: %s: refused without a word", path, gomp_field_names[field]);
	}
}

static void check_altered_table(struct elf_target *target, const char *path)
{
	static struct gomp_layout layout;

	open_ok(target, path, &layout);
	assert_true(layout.identified);
	for (unsigned int i = 0; i < GOMP_FIELD_COUNT; i++) {
		if (layout.field[i].size)
			check_altered_field(target, path, &layout, i);
	}
}

static void test_altered_table(void **state)
{
	(void)state;
	for_each_library(check_altered_table);
}

static void check_other_exports(struct elf_target *target, const char *path)
{
	static struct gomp_layout layout;

	open_ok(target, path, &layout);
	elf_target_rename(target, "omp_get_wtick_");
	expect_refusal(target, ompd_rc_incompatible,
		       "libgomp of an unknown release: what it exports");
}

static void test_other_exports(void **state)
{
	(void)state;
	for_each_library(check_other_exports);
}

static void define_newcomers(struct elf_target *target)
{
	for (size_t i = 0; i < gomp_newcomer_count; i++)
		elf_target_define(target, gomp_newcomers[i].symbol, target->base);
}

static void define_number(struct elf_target *target, const char *name, uint64_t value)
{
	uint64_t address = elf_target_grow(target, sizeof(value));

	memcpy(elf_target_bytes(target, address, sizeof(value)), &value, sizeof(value));
	elf_target_define(target, name, address);
}

// Linked statically, a libgomp exports nothing. An earlier release lacks what later ones have; one
// that has all of it may be a later one, unless the program is of no later GCC than is known.
static void check_static(struct elf_target *target, const char *path)
{
	const struct layout_group *last = layout_newest(&gomp_history);
	const uint32_t latest = last->last_release;
	static struct gomp_layout layout;

	open_ok(target, path, &layout);
	assert_true(layout.identified);
	define_newcomers(target);
	expect_refusal(target, ompd_rc_incompatible, "linked statically, and nothing tells");
	define_number(target, "ompd_newest_gcc", latest + 1);
	expect_refusal(target, ompd_rc_incompatible, "linked statically, into what has parts");
	define_number(target, "ompd_newest_gcc", latest);
	if (layout.first_release >= last->first_release)
		open_ok(target, path, &layout); // its layout is that of the latest
	else					// now its code does not agree
		expect_refusal(target, ompd_rc_incompatible, "of an unknown release: omp_");
}

static void test_static(void **state)
{
	(void)state;
	if (!for_each_path("OMPDBG_GOMP_STATIC", NULL, check_static))
		skip(); // no statically linked program is named by the environment
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_altered_table),
		cmocka_unit_test(test_other_exports),
		cmocka_unit_test(test_static),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
