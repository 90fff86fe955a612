// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libompdbg/ompd: pages that are kept, and pseudo-variables that tell layouts, over services that
// are made for it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ompd/room.h"

// Memory is readable from BEGIN to END, which is no end of a page. Its bytes tell their address.
#define BEGIN UINT64_C(0x100000)
#define END (BEGIN + PAGES * CACHE_PAGE + CACHE_PAGE / 2)
enum { PAGES = 300 };

static struct {
	int reads;
	bool interrupted;
} target;

static unsigned char byte_at(uint64_t address)
{
	return (unsigned char)(address % 251 + 1); // no zero
}

static struct ompdbg_error *read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	unsigned char *bytes = buffer;

	(void)context;
	target.reads++;
	for (size_t i = 0; i < size; i++) {
		if (address + i < BEGIN || address + i >= END)
			return ompdbg_error_unreadable(address + i);
		bytes[i] = byte_at(address + i);
	}
	return NULL;
}

static bool is_interrupted(void *context)
{
	(void)context;
	return target.interrupted;
}

static struct ompdbg_error *symbol_address(void *context, const char *name, const char *object,
					   int thread, uint64_t *ret)
{
	(void)context;
	(void)object;
	assert_int_equal(thread, 0);
	*ret = 0x1234;
	return strcmp(name, "GOMP_parallel") == 0 ? NULL : &ompdbg_error_absent;
}

static struct ompdbg_error *newest_gcc(void *context, uint64_t address, int *ret)
{
	(void)context;
	assert_int_equal(address, 0x1234);
	*ret = 12;
	return NULL;
}

static struct ompdbg_error *layout(void *context, const char *structure, const char *field,
				   const char *object, struct ompdbg_layout *ret)
{
	static const struct {
		const char *structure, *field, *object;
		struct ompdbg_layout layout;
	} known[] = {
		{ "team", NULL, NULL, { .size = 96 } },
		{ "team", "size", NULL, { .offset = 24, .size = 8 } },
		{ "team",
		  "kind",
		  NULL,
		  { .offset = 4, .size = 4, .bit_offset = 3, .bit_size = 2 } },
		{ "team",
		  "flag",
		  NULL,
		  { .offset = 4, .size = 4, .bit_offset = 31, .bit_size = 2 } },
		{ "pool", "next", "libomp.so", { .offset = 16, .size = 8 } },
	};

	(void)context;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		bool is_field = !field == !known[i].field &&
				(!field || strcmp(field, known[i].field) == 0);
		bool is_object = !object == !known[i].object &&
				 (!object || strcmp(object, known[i].object) == 0);

		if (is_field && is_object && strcmp(structure, known[i].structure) == 0) {
			*ret = known[i].layout;
			return NULL;
		}
	}
	if (strcmp(structure, "broken") == 0)
		return ompdbg_error_create(OMPDBG_FAILED, "the debug information is damaged");
	if (strcmp(structure, "endless") == 0)
		return &ompdbg_error_interrupted;
	return &ompdbg_error_absent;
}

static const struct ompdbg_services services = {
	.size = sizeof(services),
	.read_memory = read_memory,
	.interrupted = is_interrupted,
	.symbol_address = symbol_address,
	.newest_gcc = newest_gcc,
	.layout = layout,
};

static struct space space;

static int open_space(void **state)
{
	(void)state;
	memset(&target, 0, sizeof(target));
	memset(&space, 0, sizeof(space));
	space.services = space.cache.services = &services;
	return 0;
}

static int close_space(void **state)
{
	(void)state;
	cache_deinit(&space.cache);
	arena_deinit(&space.arena);
	return 0;
}

static void check_read(uint64_t address, size_t size)
{
	unsigned char bytes[3 * CACHE_PAGE];

	assert_true(size <= sizeof(bytes));
	assert_null(space_read(&space, address, bytes, size));
	for (size_t i = 0; i < size; i++)
		assert_int_equal(bytes[i], byte_at(address + i));
}

static void check_unreadable(uint64_t address, size_t size, uint64_t first)
{
	unsigned char bytes[3 * CACHE_PAGE];
	struct ompdbg_error *error = space_read(&space, address, bytes, size);

	assert_non_null(error);
	assert_int_equal(error->code, OMPDBG_UNREADABLE);
	assert_int_equal(error->address, first);
	ompdbg_error_destroy(error);
}

// ---- Pages -----------------------------------------------------------------------------------

static void test_pages_are_kept(void **state)
{
	(void)state;
	check_read(BEGIN + 10, 20);
	check_read(BEGIN, CACHE_PAGE);
	assert_int_equal(target.reads, 1);
	check_read(BEGIN + CACHE_PAGE - 1, 2 * CACHE_PAGE);
	int reads = target.reads;
	check_read(BEGIN + 5, 2 * CACHE_PAGE);
	assert_int_equal(target.reads, reads);
	cache_drop(&space.cache);
	check_read(BEGIN, 1);
	assert_int_equal(target.reads, reads + 1);
}

/** A walk through memory, in either direction, reads ahead. */
static void test_walks(void **state)
{
	(void)state;
	for (uint64_t page = 0; page < PAGES; page++)
		check_read(BEGIN + page * CACHE_PAGE + 8, 8);
	assert_in_range(target.reads, 2, PAGES / 10);
	cache_drop(&space.cache);
	target.reads = 0;
	for (uint64_t page = PAGES; page--;)
		check_read(BEGIN + page * CACHE_PAGE + 8, 8);
	assert_in_range(target.reads, 2, PAGES / 10);
}

/** Where a page cannot be had as a whole, what is wanted of it can. */
static void test_ends(void **state)
{
	(void)state;
	check_read(END - 16, 16);
	check_read(END - 2 * CACHE_PAGE, 2 * CACHE_PAGE);
	check_unreadable(END - 16, 17, END);
	check_unreadable(END, 8, END);
	check_unreadable(BEGIN - 1, 8, BEGIN - 1);
	check_unreadable(UINT64_MAX - 1, 8, UINT64_MAX - 1);
	check_read(BEGIN, 8);
}

static void test_strings(void **state)
{
	char text[CACHE_PAGE];
	bool ended = true;

	(void)state;
	assert_null(cache_read_string(&space.cache, END - 100, text, 100, &ended));
	assert_false(ended);
	assert_int_equal((unsigned char)text[99], byte_at(END - 1));
	struct ompdbg_error *error = cache_read_string(&space.cache, END - 100, text, 101, &ended);
	assert_int_equal(error->code, OMPDBG_UNREADABLE);
	ompdbg_error_destroy(error);
}

static void test_interrupt(void **state)
{
	char bytes[16];
	struct ompdbg_error *error;

	(void)state;
	check_read(BEGIN, 8);
	target.interrupted = true;
	check_read(BEGIN, 8); // of a page that is there
	error = space_read(&space, BEGIN + 10 * CACHE_PAGE, bytes, 8);
	assert_ptr_equal(error, &ompdbg_error_interrupted);
	target.interrupted = false;
	check_read(BEGIN + 10 * CACHE_PAGE, 8);
}

// ---- Pseudo-variables ------------------------------------------------------------------------

static void check_value(const char *name, const char *object, uint64_t value)
{
	uint64_t address = 0, found = 0;
	uint32_t half = 0;

	assert_null(layout_variable(&space, name, object, &address));
	assert_null(space_read(&space, address, &found, sizeof(found)));
	assert_int_equal(found, value);
	assert_null(space_read(&space, address + 4, &half, sizeof(half)));
	assert_int_equal(half, value >> 32);
	check_unreadable(address + LAYOUT_STRIDE - 4, 8, address + LAYOUT_STRIDE - 4);
}

static void check_absent(const char *name, const char *object)
{
	uint64_t address;

	assert_ptr_equal(layout_variable(&space, name, object, &address), &ompdbg_error_absent);
}

static void test_layout_variables(void **state)
{
	uint64_t address;

	(void)state;
	check_absent("ompd_layout_from_debug_info", NULL);
	check_value("ompd_newest_gcc", NULL, 12);
	check_absent("ompd_layout_from_debug_info", NULL); // that tells no layout
	check_value("ompd_sizeof__team", NULL, 96);
	check_value("ompd_layout_from_debug_info", NULL, 1);
	check_value("ompd_access__team__size", NULL, 24);
	check_value("ompd_sizeof__team__size", NULL, 8);
	check_value("ompd_bitfield__team__kind", NULL, UINT64_C(3) << 35);
	check_value("ompd_debug_info__access__pool__next", "libomp.so", 16);
	check_absent("ompd_access__pool__next", "libomp.so"); // a variable of that object
	check_absent("ompd_access__team__kind", NULL);	      // has no place in bytes
	check_absent("ompd_bitfield__team__size", NULL);      // no bit field
	check_absent("ompd_bitfield__team__flag", NULL);      // beyond what a word can tell
	check_absent("ompd_access__team", NULL);
	check_absent("ompd_access__broken__field", NULL);
	check_absent("ompd_", NULL);
	check_absent("ompd_sizeof__", NULL);
	check_absent("another", NULL);
	assert_ptr_equal(layout_variable(&space, "ompd_sizeof__endless", NULL, &address),
			 &ompdbg_error_interrupted);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_space, close_space)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pages_are_kept), TEST(test_walks),	 TEST(test_ends),
		TEST(test_strings),	   TEST(test_interrupt), TEST(test_layout_variables),
	};

	return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
