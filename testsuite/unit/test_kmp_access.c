// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of LLVM's runtime as the runtime itself, or the debugger, tells it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "kmp_libraries.h"

#define CURRENT_TASK KMP_FIELD_kmp_base_info_t__th_current_task
#define FINAL KMP_FIELD_kmp_tasking_flags_t__final
#define DEQUE KMP_FIELD_kmp_base_thread_data_t__td_deque

static const char current_task[] = "access__kmp_base_info_t__th_current_task";
static const char by_runtime[] = "ompd_", by_debugger[] = "ompd_debug_info__";

#define LAYOUT_FIELD(s, f) { #s "__" #f, false },
#define LAYOUT_BITS(s, f) { #s "__" #f, true },
static const struct {
	const char *name;
	bool is_bits;
} fields[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};

static void tell(struct elf_target *target, const char *who, const char *name, uint64_t value)
{
	uint64_t address = elf_target_grow(target, sizeof(value));
	char symbol[128];

	snprintf(symbol, sizeof(symbol), "%s%s", who, name);
	memcpy(elf_target_bytes(target, address, sizeof(value)), &value, sizeof(value));
	elf_target_define(target, symbol, address);
}

static void tell_field(struct elf_target *target, const char *who, const struct kmp_layout *layout,
		       enum kmp_field field)
{
	const struct layout_field *place = &layout->field[field];
	char name[128];

	if (!place->size)
		return;
	snprintf(name, sizeof(name), "%s__%s", fields[field].is_bits ? "bitfield" : "access",
		 fields[field].name);
	tell(target, who, name,
	     fields[field].is_bits ? kmp_layout_bits(layout, field) : place->offset);
	snprintf(name, sizeof(name), "sizeof__%s", fields[field].name);
	if (!fields[field].is_bits)
		tell(target, who, name, place->size);
}

static void tell_all(struct elf_target *target, const char *who, const struct kmp_layout *layout)
{
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++)
		tell_field(target, who, layout, (enum kmp_field)i);
}

// What a library with symbols has of its own, it has not filled; tests tell all there is.
static void open_silent(struct elf_target *target, struct kmp_layout *layout)
{
	char symbol[128];

	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		snprintf(symbol, sizeof(symbol), "ompd_%s__%s",
			 fields[i].is_bits ? "bitfield" : "access", fields[i].name);
		elf_target_hide(target, symbol);
	}
	open_ok(target, layout);
	assert_int_equal(layout->source, LAYOUT_TABLE);
}

static void expect_equal(const struct kmp_layout *told, const struct kmp_layout *expected)
{
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++) {
		const struct layout_field *a = &told->field[i], *b = &expected->field[i];

		if (a->size != b->size || (a->size && a->offset != b->offset))
			fail_msg("%s: %u+%u, not %u+%u", fields[i].name, a->offset, a->size,
				 b->offset, b->size);
	}
}

// Variables that the runtime has, but has not filled, tell nothing. What a filled one tells must
// be right, and what none tells is known of the release.
static void check_runtime(struct elf_target *target)
{
	struct kmp_layout layout, told;

	open_silent(target, &layout);
	tell(target, by_runtime, current_task, 0);
	open_ok(target, &told);
	assert_int_equal(told.source, LAYOUT_TABLE);

	tell_field(target, by_runtime, &layout, CURRENT_TASK);
	tell_field(target, by_runtime, &layout, FINAL);
	open_ok(target, &told);
	assert_int_equal(told.source, LAYOUT_RUNTIME);
	assert_string_equal(told.releases, "told by the runtime");
	expect_equal(&told, &layout);

	tell(target, by_runtime, current_task, UINT64_C(1) << 40);
	expect_refusal(target, ompd_rc_incompatible, current_task);
	tell_field(target, by_runtime, &layout, CURRENT_TASK);
	tell(target, by_runtime, "bitfield__kmp_tasking_flags_t__final", 0);
	expect_refusal(target, ompd_rc_incompatible, "bitfield__kmp_tasking_flags_t__final");
}

// Where the runtime and the table differ, the table is of another release: nothing of it counts,
// and the code contradicts what is wrong.
static void check_other_release(struct elf_target *target)
{
	uint64_t offset;
	struct kmp_layout layout, told;

	open_silent(target, &layout);
	offset = layout.field[CURRENT_TASK].offset;
	tell(target, by_runtime, current_task, offset + 8);
	expect_refusal(target, ompd_rc_incompatible, "libomp's code is not understood");
	tell_all(target, by_runtime, &layout);
	tell(target, by_runtime, current_task, offset + 8);
	expect_refusal(target, ompd_rc_incompatible, "told by the runtime");

	// That no function of the API looks at this one is why it can be told to be elsewhere.
	tell_field(target, by_runtime, &layout, CURRENT_TASK);
	tell_all(target, by_debugger, &layout);
	tell(target, by_debugger, "access__kmp_base_info_t__th_next_pool", offset + 16);
	elf_target_hide(target, "ompd_debug_info__access__kmp_base_thread_data_t__td_deque");
	open_ok(target, &told);
	assert_int_equal(told.source, LAYOUT_RUNTIME);
	assert_int_equal(told.field[DEQUE].size, 0);
	assert_int_equal(told.field[CURRENT_TASK].offset, offset);
}

// Debug information knows what there is; it counts where the runtime has filled nothing.
static void check_debug_info(struct elf_target *target)
{
	struct kmp_layout layout, told;

	open_silent(target, &layout);
	tell(target, by_runtime, current_task, 0);
	tell_all(target, by_debugger, &layout);
	elf_target_hide(target, "ompd_debug_info__access__kmp_base_thread_data_t__td_deque");
	tell(target, by_debugger, "sizeof__kmp_thread_data_t", 4711);
	open_ok(target, &told);
	assert_int_equal(told.source, LAYOUT_DEBUG_INFO);
	assert_string_equal(told.releases, "told by debug information");
	assert_int_equal(told.struct_size[KMP_STRUCT_kmp_thread_data_t], 4711);
	assert_int_equal(told.field[DEQUE].size, 0);
	told.field[DEQUE] = layout.field[DEQUE];
	expect_equal(&told, &layout);

	tell(target, by_debugger, current_task, layout.field[CURRENT_TASK].offset + 8);
	expect_refusal(target, ompd_rc_incompatible, "told by debug information");
}

static void test_runtime(void **state)
{
	(void)state;
	for_each_library(check_runtime);
}

static void test_other_release(void **state)
{
	(void)state;
	for_each_library(check_other_release);
}

static void test_debug_info(void **state)
{
	(void)state;
	for_each_library(check_debug_info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtime),
		cmocka_unit_test(test_other_release),
		cmocka_unit_test(test_debug_info),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
