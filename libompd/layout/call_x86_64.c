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

ompd_rc_t call_follow_stub(const struct target *target, uint64_t entry, uint64_t *ret)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t bytes[STUB_SIZE];
	size_t at = 0;
	uint64_t function;
	ompd_rc_t rc = target_read(target, entry, bytes, sizeof(bytes));

	*ret = entry;
	if (rc != ompd_rc_ok)
		return rc;
	if (memcmp(bytes, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (bytes[at] == 0xf2) // bnd
		at++;
	if (bytes[at] != 0xff || bytes[at + 1] != 0x25) // jmp *disp32(%rip)
		return ompd_rc_ok;
	rc = target_read_pointer(target, relative(bytes + at + 2, entry + at + 6), &function);
	if (rc == ompd_rc_ok && function)
		*ret = function;
	return rc;
}

ompd_rc_t call_target(const struct target *target, uint64_t return_address, uint64_t *ret)
{
	uint8_t bytes[CALL_MEMORY_SIZE];
	uint64_t function;
	ompd_rc_t rc = target_read(target, return_address - sizeof(bytes), bytes, sizeof(bytes));

	if (rc != ompd_rc_ok)
		return rc;
	// Both forms may fit by accident; the caller knows whether the answer is a function.
	const bool is_direct = bytes[sizeof(bytes) - CALL_REL32_SIZE] == 0xe8;

	if (bytes[0] == 0xff && bytes[1] == 0x15) {
		rc = target_read_pointer(target, relative(bytes + 2, return_address), &function);
		if (rc == ompd_rc_ok && function)
			return call_follow_stub(target, function, ret);
		if (rc != ompd_rc_ok && !is_direct)
			return rc;
	}
	if (!is_direct)
		return ompd_rc_unavailable;
	function = relative(bytes + sizeof(bytes) - 4, return_address);
	return call_follow_stub(target, function, ret);
}

ompd_rc_t call_precedes(const struct target *target, uint64_t begin, uint64_t return_address,
			uint64_t function, bool *ret)
{
	enum { FUNCTION_MAX = 1024 };
	uint8_t bytes[FUNCTION_MAX];
	uint64_t end = return_address - CALL_REL32_SIZE;

	*ret = false;
	if (end <= begin || end - begin > sizeof(bytes))
		return ompd_rc_ok;
	ompd_rc_t rc = target_read(target, begin, bytes, end - begin);

	for (size_t i = 0; rc == ompd_rc_ok && i + CALL_REL32_SIZE <= end - begin; i++) {
		if (bytes[i] != 0xe8)
			continue;
		uint64_t next = begin + i + CALL_REL32_SIZE;
		uint64_t called = relative(bytes + i + 1, next), behind;

		// What is no instruction leads anywhere: it need not be readable.
		*ret = called == function ||
		       (call_follow_stub(target, called, &behind) == ompd_rc_ok &&
			behind == function);
		if (*ret)
			break;
	}
	return rc;
}
