// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libompdbg/output: the writer of JSON.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "output/json/json.h"

static struct json json;

static int release(void **state)
{
	(void)state;
	buffer_deinit(&json.buffer);
	return 0;
}

/** Begin anew. */
static void clear(void)
{
	release(NULL);
	json = (struct json){ 0 };
}

static const char *string_of(const char *text)
{
	clear();
	json_string(&json, text);
	return json.buffer.data;
}

/** Values are laid out as Python's json.dumps() does. */
static void test_layout(void **state)
{
	(void)state;
	clear();
	json_begin_object(&json);
	json_member_string(&json, "a", "x");
	json_key(&json, "b");
	json_begin_array(&json);
	json_int(&json, -1);
	json_int(&json, INT64_MAX);
	json_bool(&json, true);
	json_begin_object(&json);
	json_end_object(&json);
	json_begin_array(&json);
	json_end_array(&json);
	json_null(&json);
	json_end_array(&json);
	json_member_int(&json, "c", -1);
	json_member_known_int(&json, "d", -1);
	json_member_known_int(&json, "e", 0);
	json_member_bool(&json, "f", false);
	json_member_identity(&json, "g", 0x55d0);
	json_member_identity(&json, "h", 0);
	json_member_string(&json, "i", NULL);
	json_end_object(&json);
	assert_string_equal(json.buffer.data,
			    "{\"a\": \"x\", \"b\": [-1, 9223372036854775807, true, {}, [], null], "
			    "\"c\": -1, \"d\": null, \"e\": 0, \"f\": false, \"g\": \"0x55d0\", "
			    "\"h\": null, \"i\": null}");
}

static void test_strings(void **state)
{
	static const char *const cases[][2] = {
		{ "", "\"\"" },
		{ "a/b \\ \"c\"", "\"a/b \\\\ \\\"c\\\"\"" },
		{ "\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"" },
		{ "\xc3\xa4", "\"\\u00e4\"" },
		{ "\xe2\x82\xac!", "\"\\u20ac!\"" },
		{ "\xf0\x9f\x98\x80", "\"\\ud83d\\ude00\"" },
		// Bytes that are no UTF-8: alone, cut off, overlong, half of a pair, too large.
		{ "x\xffy", "\"x\\\\xffy\"" },
		{ "\xe2\x82", "\"\\\\xe2\\\\x82\"" },
		{ "\xc0\x80", "\"\\\\xc0\\\\x80\"" },
		{ "\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\"" },
		{ "\xf4\x90\x80\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(string_of(cases[i][0]), cases[i][1]);
	assert_string_equal(string_of(NULL), "null");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
