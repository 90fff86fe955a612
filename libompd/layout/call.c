// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "layout/call.h"

#include "layout/code_memory.h"
#include "target/reason.h"

static ompd_rc_t result_of(enum code_status status)
{
	return status == CODE_OK	 ? ompd_rc_ok :
	       status == CODE_UNREADABLE ? ompd_rc_error :
					   ompd_rc_unavailable;
}

ompd_rc_t call_follow_stub(const struct target *target, uint64_t entry, uint64_t *ret)
{
	struct code_reader reader;

	code_memory_init(&reader, target);
	const enum code_status status = code_follow_stub(&reader, entry, ret);

	// Where the stub is not bound yet it stands for itself.
	return status == CODE_UNKNOWN || status == CODE_UNBOUND ? ompd_rc_ok : result_of(status);
}

ompd_rc_t call_target(const struct target *target, uint64_t return_address, uint64_t *ret)
{
	struct code_instruction call;
	struct code_reader reader;

	code_memory_init(&reader, target);
	enum code_status status = code_call_before(&reader, return_address, &call);

	if (status == CODE_OK)
		status = code_callee(&reader, &call, ret);
	if (status == CODE_OK)
		return ompd_rc_ok;
	return reason(result_of(status), "no call before that address can be followed");
}

ompd_rc_t call_precedes(const struct target *target, uint64_t begin, uint64_t return_address,
			uint64_t function, bool *ret)
{
	enum { FUNCTION_MAX = 1024 };
	struct code_instruction instruction;
	struct code_reader reader;
	uint64_t called;

	*ret = false;
	if (return_address <= begin || return_address - begin > FUNCTION_MAX)
		return ompd_rc_ok;
	code_memory_init(&reader, target);
	for (uint64_t at = begin; at < return_address && !*ret; at = code_end(&instruction)) {
		const enum code_status status = code_decode(&reader, at, &instruction);

		if (status == CODE_UNREADABLE)
			return ompd_rc_error;
		if (status != CODE_OK)
			break;
		*ret = code_end(&instruction) < return_address && instruction.kind == CODE_CALL &&
		       code_callee(&reader, &instruction, &called) == CODE_OK && called == function;
	}
	return ompd_rc_ok;
}

ompd_rc_t call_argument(const struct target *target, uint64_t return_address, unsigned int number,
			ompd_ext_argument *ret)
{
	struct code_argument argument;
	struct code_reader reader;

	code_memory_init(&reader, target);
	const enum code_status status =
		code_argument(&reader, NULL, return_address, number, &argument);

	if (status != CODE_OK)
		return reason(result_of(status), "the code before the call does not tell");
	*ret = (ompd_ext_argument){
		.register_name = code_register_name(&code_x86_64, argument.reg),
		.value = argument.value,
		.scale = argument.scale,
		.offset = argument.offset,
		.in_memory = argument.in_memory,
		.width = argument.width,
	};
	return ompd_rc_ok;
}
