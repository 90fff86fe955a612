// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold of the tables of LLVM's runtime, wherever they come from.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layout/kmp_layout.h"

// Of each field, the structure that it is in, and whether its place is counted in bits.
enum { BYTES = 1, BITS = 8 };
#define LAYOUT_FIELD(s, f) { #s "." #f, KMP_STRUCT_##s, BYTES },
#define LAYOUT_BITS(s, f) { #s "." #f, KMP_STRUCT_##s, BITS },
static const struct {
	const char *name;
	enum kmp_struct owner;
	unsigned int per_byte;
} fields[KMP_FIELD_COUNT] = {
#include "layout/kmp_fields.def"
};

static void test_releases(void **state)
{
	(void)state;
	assert_int_equal(kmp_history.groups[0].first_release, 13);
	for (size_t i = 0; i < kmp_history.num_groups; i++) {
		const struct layout_group *group = &kmp_history.groups[i];

		assert_true(group->first_release <= group->last_release);
		if (i)
			assert_true(group->first_release > group[-1].last_release);
	}
	for (size_t i = 1; i < kmp_history.num_fields; i++) {
		const struct layout_run *run = &kmp_history.fields[i];

		assert_true(run->what > run[-1].what ||
			    (run->what == run[-1].what && run->since > run[-1].since));
		assert_in_range(run->what, 0, KMP_FIELD_COUNT - 1);
	}
}

static void test_fields_within_structures(void **state)
{
	(void)state;
	for (size_t i = 0; i < kmp_history.num_groups; i++) {
		struct kmp_layout layout = { 0 };

		layout_fill(&kmp_history, &kmp_history.groups[i], layout.field, layout.struct_size);
		for (unsigned int j = 0; j < KMP_FIELD_COUNT; j++) {
			const struct layout_field *field = &layout.field[j];
			uint32_t size = layout.struct_size[fields[j].owner];

			if (field->offset + field->size > size * fields[j].per_byte)
				fail_msg("%s of %s ends behind its structure", fields[j].name,
					 kmp_history.groups[i].releases);
		}
	}
}

static bool overlap(const struct layout_field *a, const struct layout_field *b)
{
	return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static void test_fields_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < kmp_history.num_groups; i++) {
		struct kmp_layout layout = { 0 };

		layout_fill(&kmp_history, &kmp_history.groups[i], layout.field, NULL);
		for (unsigned int j = 0; j < KMP_FIELD_COUNT; j++) {
			for (unsigned int k = 0; k < j; k++) {
				if (fields[j].owner == fields[k].owner &&
				    overlap(&layout.field[j], &layout.field[k]))
					fail_msg("%s and %s of %s overlap", fields[k].name,
						 fields[j].name, kmp_history.groups[i].releases);
			}
		}
	}
}

// Bits that every release has in the same places, because compilers set them in programs.
static void test_bits_of_compilers(void **state)
{
	static const struct {
		enum kmp_field field;
		uint32_t mask;
	} bits[] = {
		{ KMP_FIELD_kmp_tasking_flags_t__tiedness, 0x1 },
		{ KMP_FIELD_kmp_tasking_flags_t__final, 0x2 },
		{ KMP_FIELD_kmp_tasking_flags_t__proxy, 0x10 },
		{ KMP_FIELD_kmp_tasking_flags_t__priority_specified, 0x20 },
		{ KMP_FIELD_kmp_tasking_flags_t__detachable, 0x40 },
	};

	(void)state;
	for (size_t i = 0; i < kmp_history.num_groups; i++) {
		struct kmp_layout layout = { 0 };

		layout_fill(&kmp_history, &kmp_history.groups[i], layout.field, NULL);
		for (size_t j = 0; j < sizeof(bits) / sizeof(bits[0]); j++) {
			assert_int_equal(kmp_layout_bits(&layout, bits[j].field), bits[j].mask);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_releases),
		cmocka_unit_test(test_fields_within_structures),
		cmocka_unit_test(test_fields_apart),
		cmocka_unit_test(test_bits_of_compilers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
