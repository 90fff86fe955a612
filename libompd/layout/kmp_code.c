// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "layout/kmp_code.h"

#include <string.h>

enum { SMALLEST = 16, BITS_MAX = 2, SHORT_FUNCTION = 96 };

static bool read_word(void *context, uint64_t address, uint64_t *ret)
{
	const struct kmp_code *code = context;

	return target_read_uint(code->library->target, address, 8, ret) == ompd_rc_ok;
}

// Follows the function at @p address. One at the end of its mapping is shorter than the window.
static bool follow(struct kmp_code *code, uint64_t address, size_t size, bool further)
{
	struct code_window window = { .address = address,
				      .read_word = read_word,
				      .context = code,
				      .any_element = true,
				      .further = further };
	uint8_t bytes[CODE_WINDOW];

	window.bytes = bytes;
	for (window.size = size; window.size >= SMALLEST; window.size /= 2) {
		if (target_read(code->library->target, address, bytes, window.size) != ompd_rc_ok)
			continue;
		code_explore(&code_x86_64, &window, &code->report);
		return true;
	}
	return false;
}

// A stub of the procedure linkage table does nothing but jump on.
static bool is_stub(const struct code_report *report)
{
	for (unsigned int i = 0; i < report->count; i++) {
		if (report->access[i].kind != CODE_PASSED)
			return false;
	}
	return true;
}

static bool follow_tail(struct kmp_code *code)
{
	uint64_t tail = code->report.tail;

	return tail && follow(code, tail, CODE_NEAR, false) && !is_stub(&code->report);
}

// What is found in several functions is all in one report, which nobody takes for complete.
static void follow_callees(struct kmp_code *code)
{
	uint64_t callees[CODE_CALLEES];
	unsigned int count = code->report.callee_count;

	memcpy(callees, code->report.callee, sizeof(callees));
	for (unsigned int i = 0; i < count; i++)
		follow(code, callees[i], CODE_WINDOW, true);
	code->report.complete = false;
}

void kmp_code_explore(struct kmp_code *code, const char *function, uint8_t where)
{
	uint64_t address;

	if (code->function && strcmp(code->function, function) == 0 && code->where == where)
		return;
	code->function = function;
	code->where = where;
	code->present =
		kmp_library_symbol(code->library, function, &address) == ompd_rc_ok &&
		follow(code, address, where == KMP_CALLED ? CODE_WINDOW : CODE_NEAR, false) &&
		(where != KMP_TAIL || follow_tail(code));
	if (code->present && where == KMP_CALLED)
		follow_callees(code);
}

// A mask with that bit, or without it, and at most another one; or the number of the bit.
static bool names_bit(uint64_t number, unsigned int bit)
{
	uint32_t mask = (uint32_t)number, rest = ~mask;

	return (bit && number == bit) ||
	       ((mask >> bit & 1) && __builtin_popcount(mask) <= BITS_MAX) ||
	       ((rest >> bit & 1) && __builtin_popcount(rest) <= BITS_MAX);
}

bool kmp_code_names_bit(const struct kmp_library *library, const char *function, unsigned int bit)
{
	uint8_t bytes[SHORT_FUNCTION];
	struct code_event event;
	unsigned int length;
	uint64_t pc;

	if (bit >= 32 || kmp_library_symbol(library, function, &pc) != ompd_rc_ok ||
	    target_read(library->target, pc, bytes, sizeof(bytes)) != ompd_rc_ok)
		return false;
	for (size_t at = 0; at < sizeof(bytes); at += length) {
		length = code_x86_64.scan(pc + at, bytes + at, sizeof(bytes) - at, &event);
		if (!length || event.kind == CODE_EVENT_JUMP || event.kind == CODE_EVENT_CALL)
			break;
		if (event.kind == CODE_EVENT_NUMBER && names_bit(event.address, bit))
			return true;
	}
	return false;
}
