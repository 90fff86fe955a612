// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A writer of JSON in ASCII: members in the order in which they are written, as Python's json.dumps
// lays them out on one line (", " and ": "). Bytes that are no UTF-8 become \\xff (docs/json.md).
// Documents have lists with a line for each element.

#ifndef OMPDBG_JSON_H
#define OMPDBG_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct sink;
struct process;

/** Text that is being written. All zero: it is kept in the buffer. */
struct json {
	struct buffer buffer;
	bool needs_comma, has_line;
	struct process *process;    // whose document it is
	struct sink *sink;	    // gets the text piece by piece; NULL: all is kept
	struct ompdbg_error *error; // the first one: the document has failed
};

/** Begin a document. */
void json_begin_document(struct json *json, struct process *process, struct sink *sink);
/** End the document, and release it. @return its error. */
struct ompdbg_error *json_end_document(struct json *json);
/** Let the document fail, if it has not, with an error; NULL is none. */
void json_fail(struct json *json, struct ompdbg_error *error);
/** Pass on what is written. */
void json_flush(struct json *json);

void json_begin_object(struct json *json);
void json_end_object(struct json *json);
void json_begin_array(struct json *json);
void json_end_array(struct json *json);
/** Begin a list with a line for each element. */
void json_begin_lines(struct json *json);
void json_end_lines(struct json *json);
/** Begin the line of the next element. @return false: the document has failed, or the user interrupts. */
bool json_line(struct json *json);
/** Write the name of a member; its value is next. */
void json_key(struct json *json, const char *name);
void json_string(struct json *json, const char *text); // NULL: null
void json_int(struct json *json, int64_t number);
void json_known_int(struct json *json, int64_t number); // less than 0: null
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
void json_identity(struct json *json, uint64_t id); // "0x55d0"; 0: null
/** Write the name of a member and its value, or the begin of it. */
void json_member_object(struct json *json, const char *name);
void json_member_array(struct json *json, const char *name);
void json_member_string(struct json *json, const char *name, const char *text);
void json_member_int(struct json *json, const char *name, int64_t number);
void json_member_known_int(struct json *json, const char *name, int64_t number);
void json_member_bool(struct json *json, const char *name, bool value);
void json_member_identity(struct json *json, const char *name, uint64_t id);
void json_member_number(struct json *json, const char *name, uint64_t number); // 0: null
/** Begin an object as a member; write null, and return false, where there is none. */
bool json_member_optional(struct json *json, const char *name, bool is_there);

#endif
