// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/json/json.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/foreign.h"
#include "output/output.h"

enum { FLUSH = 1 << 16 }; // bytes that are passed on at once

/** Write what separates a value from the one before it. */
static void begin_value(struct json *json)
{
	if (json->needs_comma)
		buffer_put(&json->buffer, ", ");
	json->needs_comma = true;
}

static void begin(struct json *json, const char *bracket)
{
	if (json->buffer.size >= FLUSH)
		json_flush(json);
	begin_value(json);
	buffer_put(&json->buffer, bracket);
	json->needs_comma = false;
}

static void end(struct json *json, const char *bracket)
{
	buffer_put(&json->buffer, bracket);
	json->needs_comma = true;
}

// ---- Documents ---------------------------------------------------------------------------------

void json_begin_document(struct json *json, struct process *process, struct sink *sink)
{
	*json = (struct json){ .process = process, .sink = sink };
	json_begin_object(json);
	json_member_string(json, "schema", "ompdbg/1");
}

void json_fail(struct json *json, struct ompdbg_error *error)
{
	if (!json->error)
		json->error = error;
	else if (error != json->error)
		ompdbg_error_destroy(error);
}

void json_flush(struct json *json)
{
	struct buffer *buffer = &json->buffer;

	if (!json->sink)
		return;
	if (!json->error)
		json->error = json->sink->write(json->sink->context, buffer->data, buffer->size);
	buffer_clear(buffer);
}

struct ompdbg_error *json_end_document(struct json *json)
{
	json_end_object(json);
	buffer_put(&json->buffer, "\n");
	json_flush(json);
	buffer_deinit(&json->buffer);
	return json->error;
}

// ---- Values ------------------------------------------------------------------------------------

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

void json_begin_lines(struct json *json)
{
	begin(json, "[\n");
	json->has_line = false;
}

void json_end_lines(struct json *json)
{
	end(json, json->has_line ? "\n]" : "]");
}

bool json_line(struct json *json)
{
	if (process_is_interrupted(json->process))
		json_fail(json, interruption());
	if (json->has_line)
		buffer_put(&json->buffer, ",\n");
	json->has_line = true;
	json->needs_comma = false;
	return !json->error;
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
	put_string(&json->buffer, name);
	buffer_put(&json->buffer, ": ");
	json->needs_comma = false;
}

void json_string(struct json *json, const char *text)
{
	if (!text) {
		json_null(json);
		return;
	}
	begin_value(json);
	put_string(&json->buffer, text);
}

void json_int(struct json *json, int64_t number)
{
	begin_value(json);
	buffer_printf(&json->buffer, "%" PRId64, number);
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
	buffer_put(&json->buffer, value ? "true" : "false");
}

void json_null(struct json *json)
{
	begin_value(json);
	buffer_put(&json->buffer, "null");
}

void json_identity(struct json *json, uint64_t id)
{
	if (!id) {
		json_null(json);
		return;
	}
	begin_value(json);
	buffer_printf(&json->buffer, "\"0x%" PRIx64 "\"", id);
}

void json_member_object(struct json *json, const char *name)
{
	json_key(json, name);
	json_begin_object(json);
}

void json_member_array(struct json *json, const char *name)
{
	json_key(json, name);
	json_begin_array(json);
}

bool json_member_optional(struct json *json, const char *name, bool is_there)
{
	json_key(json, name);
	if (is_there)
		json_begin_object(json);
	else
		json_null(json);
	return is_there;
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
