// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libompdbg/base: memory, tables, growing text, errors, and text of the target.

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/expression.h"
#include "base/foreign.h"
#include "base/table.h"
#include "ompdbg/error.h"

enum { MANY = 10000 };

static struct arena arena;

static int release(void **state)
{
	(void)state;
	arena_deinit(&arena);
	return 0;
}

/** Blocks of all sizes are zeroed and do not overlap. */
static void test_arena(void **state)
{
	static const size_t sizes[] = { 0, 1, 15, 17, 4000, 16384, 16385, 70000, 1 << 20 };
	unsigned char *blocks[MANY / 10];

	(void)state;
	for (size_t i = 0; i < MANY / 10; i++) {
		size_t size = sizes[i % 9];

		blocks[i] = arena_alloc(&arena, size);
		for (size_t j = 0; j < size; j++)
			assert_int_equal(blocks[i][j], 0);
		memset(blocks[i], (int)(i % 255) + 1, size);
	}
	for (size_t i = 0; i < MANY / 10; i++) {
		for (size_t j = 0; j < sizes[i % 9]; j++)
			assert_int_equal(blocks[i][j], i % 255 + 1);
	}
}

static void test_arena_text(void **state)
{
	(void)state;
	assert_null(arena_strdup(&arena, NULL));
	assert_string_equal(arena_strdup(&arena, "abc"), "abc");
	assert_string_equal(arena_strndup(&arena, "abc", 2), "ab");
	assert_string_equal(arena_printf(&arena, "%d-%s", 12, "x"), "12-x");
}

static void test_append(void **state)
{
	struct pair {
		int a, b;
	} *pairs = NULL;
	size_t count = 0, capacity = 0;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		struct pair *pair = ARENA_APPEND(&arena, pairs, count, capacity);

		assert_int_equal(pair->b, 0);
		*pair = (struct pair){ i, 2 * i };
	}
	assert_int_equal(count, MANY);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(pairs[i].b, 2 * i);
}

static void test_table(void **state)
{
	static char values[MANY];
	struct table table = { 0 };

	(void)state;
	assert_null(table_get(&table, 0));
	for (size_t i = 0; i < MANY; i++) {
		void **place = table_put(&table, &arena, i * 4096);

		assert_null(*place);
		*place = &values[i];
	}
	assert_int_equal(table.count, MANY);
	for (size_t i = 0; i < MANY; i++) {
		assert_ptr_equal(table_get(&table, i * 4096), &values[i]);
		assert_ptr_equal(*table_put(&table, &arena, i * 4096), &values[i]);
		assert_null(table_get(&table, i * 4096 + 1));
	}
	assert_int_equal(table.count, MANY);
}

static void test_string_table(void **state)
{
	static char values[MANY];
	struct string_table table = { 0 };

	(void)state;
	assert_null(string_table_get(&table, ""));
	for (int i = 0; i < MANY; i++)
		*string_table_put(&table, &arena, arena_printf(&arena, "key %d", i)) = &values[i];
	for (int i = 0; i < MANY; i++) {
		const char *key = arena_printf(&arena, "key %d", i);

		assert_ptr_equal(string_table_get(&table, key), &values[i]);
	}
	assert_null(string_table_get(&table, "key"));
}

static void test_buffer(void **state)
{
	struct buffer buffer = { 0 };
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	buffer_put(&buffer, "");
	assert_string_equal(buffer.data, "");
	buffer_printf(&buffer, "%d:%s", 7, text);
	buffer_put_bytes(&buffer, "a\0b", 3);
	assert_int_equal(buffer.size, 2 + sizeof(text) - 1 + 3);
	assert_memory_equal(buffer.data + buffer.size - 4, "xa\0b", 5);
	buffer_clear(&buffer);
	buffer_put(&buffer, "new");
	assert_string_equal(buffer.data, "new");
	buffer_deinit(&buffer);
}

static void test_errors(void **state)
{
	struct ompdbg_error *error = ompdbg_error_create(OMPDBG_FAILED, "%s: %d", "x", 3);

	(void)state;
	assert_int_equal(error->code, OMPDBG_FAILED);
	assert_string_equal(error->message, "x: 3");
	ompdbg_error_destroy(error);
	error = ompdbg_error_unreadable(0xabc);
	assert_int_equal(error->code, OMPDBG_UNREADABLE);
	assert_int_equal(error->address, 0xabc);
	assert_string_equal(error->message, "memory at 0xabc cannot be read");
	ompdbg_error_destroy(error);
	ompdbg_error_destroy(NULL);
	ompdbg_error_destroy(&ompdbg_error_absent);
	ompdbg_error_destroy(&ompdbg_error_interrupted);
}

/** Characters are told from bytes that belong to none: too long, half of a pair, too large, cut. */
static void test_characters(void **state)
{
	static const struct {
		const char *text;
		uint32_t codes[5];
	} cases[] = {
		{ "aé€😀", { 'a', 0xe9, 0x20ac, 0x1f600, 0 } },
		{ "\xff"
		  "a",
		  { FOREIGN_BYTE | 0xff, 'a', 0 } },
		{ "\xc0\x80", { FOREIGN_BYTE | 0xc0, FOREIGN_BYTE | 0x80, 0 } },
		{ "\xed\xa0\x80",
		  { FOREIGN_BYTE | 0xed, FOREIGN_BYTE | 0xa0, FOREIGN_BYTE | 0x80, 0 } },
		{ "\xf4\x90\x80\x80",
		  { FOREIGN_BYTE | 0xf4, FOREIGN_BYTE | 0x90, FOREIGN_BYTE | 0x80,
		    FOREIGN_BYTE | 0x80, 0 } },
		{ "\xe2\x82", { FOREIGN_BYTE | 0xe2, FOREIGN_BYTE | 0x82, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;

		for (const uint32_t *code = cases[i].codes; *code; code++)
			assert_int_equal(foreign_next(&text), *code);
		assert_int_equal(foreign_next(&text), 0);
		assert_int_equal(*text, 0);
	}
}

static void test_visible(void **state)
{
	static const char *const cases[][2] = {
		{ "plain", "plain" },
		{ "a\nb\tc\rd\x1b[0m\x7f", "a\\nb\\tc\\rd\\x1b[0m\\x7f" },
		{ "\xff\xc3", "\\xff\\xc3" },
		{ "é\u202e\xc2\x85\ufeff", "é\\u202e\\u0085\\ufeff" },
		{ "a\u200b\u0600\U000e0001", "a\\u200b\\u0600\\U000e0001" },
	};

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(foreign_visible(&arena, cases[i][0]), cases[i][1]);
	assert_int_equal(foreign_width("aé漢"), 4);
	assert_string_equal(foreign_cut(&arena, "abcdefgh", 8), "abcdefgh");
	assert_string_equal(foreign_cut(&arena, "abcdefgh", 7), "abcd...");
	assert_string_equal(foreign_cut(&arena, "é漢字漢字", 6), "é漢...");
	assert_string_equal(foreign_cut(&arena, "é漢字漢字", 5), "é...");
	assert_string_equal(foreign_cut(&arena, "abcdefgh", 2), "..");
	assert_string_equal(foreign_cut(&arena, "abcdefgh", 0), "");
}

/** Characters that the locale lacks are escaped. */
static void test_visible_in_ascii(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	assert_string_equal(foreign_visible(&arena, "é😀"), "\\u00e9\\U0001f600");
}

// ---- Expressions -------------------------------------------------------------------------------

static void test_effects(void **state)
{
	static const char *const harmless[] = {
		"a",	      "a == b",	    "a != b",  "a <= b",   "a >= b",
		"a->b",	      "-a - -b",    "+a + +b", "c == '='", "$_streq(name, \"a=b++\")",
		"a < b == c", "s == 'a=b'",
	};
	static const char *const changing[] = {
		"a = 1",
		"a=1",
		"a += 1",
		"a -= 1",
		"a *= 2",
		"a /= 2",
		"a %= 2",
		"a |= 1",
		"a &= 1",
		"a ^= 1",
		"a <<= 1",
		"a >>= 1",
		"a++",
		"--a",
		"a := 1",
		"a == (b = 1)",
		"$rip = 0",
		"a ===b",
		"c == '\\'' || (a = '1')",
		"f(a = 1)[0]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		assert_null(expression_effect(harmless[i]));
	for (size_t i = 0; i < sizeof(changing) / sizeof(*changing); i++)
		assert_non_null(expression_effect(changing[i]));
}

static void test_options(void **state)
{
	static const struct {
		const char *written, *option;
	} cases[] = {
		{ "x -all", "-all" },
		{ "a[i] - b -team 1", "-team" },
		{ "x --state=barrier", "--state" },
		{ "x - all", NULL },
		{ "x -allocated", NULL },
		{ "-all", NULL },
		{ "x-all", NULL },
		{ "x ---all", NULL },
		{ "x -", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *option = expression_option(&arena, cases[i].written);

		if (cases[i].option)
			assert_string_equal(option, cases[i].option);
		else
			assert_null(option);
	}
}

static void test_sections(void **state)
{
	static const struct {
		const char *written, *prepared;
	} cases[] = {
		{ "a[1]", "a[1]" },
		{ "a[2:5]", "(a[2]@(5))" },
		{ "a[:5]", "(a[0]@(5))" },
		{ "p->b.c[i+1:n-2]", "(p->b.c[i+1]@(n-2))" },
		{ "t[1][0:2]", "(t[1][0]@(2))" },
		{ "f(x)[0:2]", "(f(x)[0]@(2))" },
		{ "a[b[0:1]]", "a[(b[0]@(1))]" },
		{ "x + ns::a[1:2]", "x + (ns::a[1]@(2))" },
		{ "a[b ? 1 : 2]", "a[b ? 1 : 2]" },
		{ "a[ns::b]", "a[ns::b]" },
		{ "a(2:5)", "a(2:5)" },
		{ "a[2:", "a[2:" },
		{ "[1:2]", "([1]@(2))" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(expression_with_sections(&arena, cases[i].written),
				    cases[i].prepared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_arena, release),
		cmocka_unit_test_teardown(test_arena_text, release),
		cmocka_unit_test_teardown(test_append, release),
		cmocka_unit_test_teardown(test_table, release),
		cmocka_unit_test_teardown(test_string_table, release),
		cmocka_unit_test(test_buffer),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_characters),
		cmocka_unit_test_teardown(test_visible, release),
		cmocka_unit_test_teardown(test_visible_in_ascii, release),
		cmocka_unit_test(test_effects),
		cmocka_unit_test_teardown(test_options, release),
		cmocka_unit_test_teardown(test_sections, release),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
