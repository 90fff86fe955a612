// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A writer of JSON in ASCII: members in the order in which they are written, as Python's json.dumps
// lays them out on one line (", " and ": "). Bytes that are no UTF-8 become \\xff (docs/json.md).

#ifndef OMPDBG_JSON_H
#define OMPDBG_JSON_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;

struct json {
	struct buffer *out;
	bool needs_comma;
};

void json_begin_object(struct json *json);
void json_end_object(struct json *json);
void json_begin_array(struct json *json);
void json_end_array(struct json *json);
/** Write the name of a member; its value is next. */
void json_key(struct json *json, const char *name);
void json_string(struct json *json, const char *text); // NULL: null
void json_int(struct json *json, int64_t number);
void json_known_int(struct json *json, int64_t number); // less than 0: null
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
void json_identity(struct json *json, uint64_t id); // "0x55d0"; 0: null
/** Both at once. */
void json_member_string(struct json *json, const char *name, const char *text);
void json_member_int(struct json *json, const char *name, int64_t number);
void json_member_known_int(struct json *json, const char *name, int64_t number);
void json_member_bool(struct json *json, const char *name, bool value);
void json_member_identity(struct json *json, const char *name, uint64_t id);
void json_member_number(struct json *json, const char *name, uint64_t number); // 0: null

#endif
