// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <string.h>

#include "layout/call.h"

enum {
	CALL_REL32_SIZE = 5,  // e8 rel32
	CALL_MEMORY_SIZE = 6, // ff 15 disp32: call *disp32(%rip)
	STUB_SIZE = 16,
};

// The 32-bit displacement at @p bytes, relative to the address of the next instruction.
static uint64_t relative(const uint8_t *bytes, uint64_t next)
{
	return next + (uint64_t)(int64_t)(int32_t)target_uint(bytes, 4);
}

uint64_t call_follow_stub(const struct target *target, uint64_t entry)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t bytes[STUB_SIZE];
	size_t at = 0;
	uint64_t function;

	if (target_read(target, entry, bytes, sizeof(bytes)) != ompd_rc_ok)
		return entry;
	if (memcmp(bytes, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (bytes[at] == 0xf2) // bnd
		at++;
	if (bytes[at] != 0xff || bytes[at + 1] != 0x25) // jmp *disp32(%rip)
		return entry;
	uint64_t slot = relative(bytes + at + 2, entry + at + 6);

	return target_read_pointer(target, slot, &function) == ompd_rc_ok && function ? function :
											entry;
}

ompd_rc_t call_target(const struct target *target, uint64_t return_address, uint64_t *ret)
{
	uint8_t bytes[CALL_MEMORY_SIZE];
	uint64_t function;
	ompd_rc_t rc = target_read(target, return_address - sizeof(bytes), bytes, sizeof(bytes));

	if (rc != ompd_rc_ok)
		return ompd_rc_unavailable;
	// Both forms may fit by accident; the caller knows whether the answer is a function.
	if (bytes[0] == 0xff && bytes[1] == 0x15) {
		rc = target_read_pointer(target, relative(bytes + 2, return_address), &function);
		if (rc == ompd_rc_ok && function) {
			*ret = call_follow_stub(target, function);
			return ompd_rc_ok;
		}
	}
	if (bytes[sizeof(bytes) - CALL_REL32_SIZE] != 0xe8)
		return ompd_rc_unavailable;
	function = relative(bytes + sizeof(bytes) - 4, return_address);
	*ret = call_follow_stub(target, function);
	return ompd_rc_ok;
}

bool call_precedes(const struct target *target, uint64_t begin, uint64_t return_address,
		   uint64_t function)
{
	enum { FUNCTION_MAX = 1024 };
	uint8_t bytes[FUNCTION_MAX];
	uint64_t end = return_address - CALL_REL32_SIZE;

	if (end <= begin || end - begin > sizeof(bytes) ||
	    target_read(target, begin, bytes, end - begin) != ompd_rc_ok)
		return false;
	for (size_t i = 0; i + CALL_REL32_SIZE <= end - begin; i++) {
		if (bytes[i] != 0xe8)
			continue;
		uint64_t next = begin + i + CALL_REL32_SIZE;
		uint64_t called = relative(bytes + i + 1, next);

		if (called == function || call_follow_stub(target, called) == function)
			return true;
	}
	return false;
}
