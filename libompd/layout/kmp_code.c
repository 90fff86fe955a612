// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "layout/kmp_code.h"

#include <string.h>

enum {
	NEAR = 1024, // bytes of a small function: a jump out of them is one to another function
	BITS_MAX = 2,
	SHORT_FUNCTION = 96,
};

void kmp_code_init(struct kmp_code *code, const struct kmp_library *library)
{
	code->library = library;
	code->function = NULL;
	code->present = false;
	code_memory_init(&code->reader, library->target);
}

// Follow the function at @p address; false if there is nothing to read.
static bool follow(struct kmp_code *code, uint64_t address, uint32_t size, bool further)
{
	const struct code_exploration what = {
		.entry = address, .size = size, .any_element = true, .further = further
	};
	uint8_t first;

	if (code_read(&code->reader, address, &first, sizeof(first)) != sizeof(first))
		return false;
	code_explore(&code->reader, &what, &code->report);
	return true;
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

	return tail && follow(code, tail, NEAR, false) && !is_stub(&code->report);
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
	code->present = kmp_library_symbol(code->library, function, &address) == ompd_rc_ok &&
			follow(code, address, where == KMP_CALLED ? CODE_WINDOW : NEAR, false) &&
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

bool kmp_code_names_bit(struct kmp_code *code, const char *function, unsigned int bit)
{
	struct code_instruction instruction;
	uint64_t begin;

	if (bit >= 32 || kmp_library_symbol(code->library, function, &begin) != ompd_rc_ok)
		return false;
	for (uint64_t at = begin; at < begin + SHORT_FUNCTION; at = code_end(&instruction)) {
		if (code_decode(&code->reader, at, &instruction) != CODE_OK)
			break;
		const struct code_reference reference = code_reference(&instruction);

		if (reference.kind == CODE_FUNCTION_JUMP || reference.kind == CODE_FUNCTION_CALL)
			break;
		if (reference.kind == CODE_NUMBER && names_bit(reference.address, bit))
			return true;
	}
	return false;
}
