// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/json/json.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/foreign.h"

/** Write what separates a value from the one before it. */
static void begin_value(struct json *json)
{
	if (json->needs_comma)
		buffer_put(json->out, ", ");
	json->needs_comma = true;
}

static void begin(struct json *json, const char *bracket)
{
	begin_value(json);
	buffer_put(json->out, bracket);
	json->needs_comma = false;
}

static void end(struct json *json, const char *bracket)
{
	buffer_put(json->out, bracket);
	json->needs_comma = true;
}

void json_begin_object(struct json *json)
{
	begin(json, "{");
}

void json_end_object(struct json *json)
{
	end(json, "}");
}

void json_begin_array(struct json *json)
{
	begin(json, "[");
}

void json_end_array(struct json *json)
{
	end(json, "]");
}

/** Write a character that is not plain ASCII, or has a meaning in a string. */
static void put_escaped(struct buffer *out, uint32_t code)
{
	static const char names[] = { ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r',
				      ['\t'] = 't', ['"'] = '"',  ['\\'] = '\\' };

	if (code & FOREIGN_BYTE)
		buffer_printf(out, "\\\\x%02x", (unsigned int)(code & ~FOREIGN_BYTE));
	else if (code < sizeof(names) && names[code])
		buffer_printf(out, "\\%c", names[code]);
	else if (code < 0x10000)
		buffer_printf(out, "\\u%04x", (unsigned int)code);
	else
		buffer_printf(out, "\\u%04x\\u%04x",
			      (unsigned int)(0xd800 + ((code - 0x10000) >> 10)),
			      (unsigned int)(0xdc00 + (code & 0x3ff)));
}

static void put_string(struct buffer *out, const char *text)
{
	buffer_put(out, "\"");
	while (*text) {
		size_t plain = 0;

		while (text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '"' &&
		       text[plain] != '\\')
			plain++;
		buffer_put_bytes(out, text, plain);
		text += plain;
		if (*text)
			put_escaped(out, foreign_next(&text));
	}
	buffer_put(out, "\"");
}

void json_key(struct json *json, const char *name)
{
	begin_value(json);
	put_string(json->out, name);
	buffer_put(json->out, ": ");
	json->needs_comma = false;
}

void json_string(struct json *json, const char *text)
{
	if (!text) {
		json_null(json);
		return;
	}
	begin_value(json);
	put_string(json->out, text);
}

void json_int(struct json *json, int64_t number)
{
	begin_value(json);
	buffer_printf(json->out, "%" PRId64, number);
}

void json_known_int(struct json *json, int64_t number)
{
	if (number < 0)
		json_null(json);
	else
		json_int(json, number);
}

void json_bool(struct json *json, bool value)
{
	begin_value(json);
	buffer_put(json->out, value ? "true" : "false");
}

void json_null(struct json *json)
{
	begin_value(json);
	buffer_put(json->out, "null");
}

void json_identity(struct json *json, uint64_t id)
{
	if (!id) {
		json_null(json);
		return;
	}
	begin_value(json);
	buffer_printf(json->out, "\"0x%" PRIx64 "\"", id);
}

void json_member_string(struct json *json, const char *name, const char *text)
{
	json_key(json, name);
	json_string(json, text);
}

void json_member_int(struct json *json, const char *name, int64_t number)
{
	json_key(json, name);
	json_int(json, number);
}

void json_member_known_int(struct json *json, const char *name, int64_t number)
{
	json_key(json, name);
	json_known_int(json, number);
}

void json_member_bool(struct json *json, const char *name, bool value)
{
	json_key(json, name);
	json_bool(json, value);
}

void json_member_identity(struct json *json, const char *name, uint64_t id)
{
	json_key(json, name);
	json_identity(json, id);
}

void json_member_number(struct json *json, const char *name, uint64_t number)
{
	json_member_known_int(json, name, number && number <= INT64_MAX ? (int64_t)number : -1);
}
