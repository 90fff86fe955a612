// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "code.h"

enum { WORD = 8, STUB_MAX = 3, LONGEST_CALL = 16, PLAIN_DIRECT = 5, PLAIN_INDIRECT = 6 };

// What comes before an instruction may look like a prefix of it: plain forms are tried first.
static bool is_plain(const struct code_instruction *call, unsigned int size)
{
	return size == PLAIN_DIRECT ? call->is_direct :
				      !call->is_direct && call->operand_count &&
					      code_is_absolute(&call->operands[0]);
}

enum code_status code_call_before(struct code_reader *reader, uint64_t return_address,
				  struct code_instruction *ret)
{
	const struct code_architecture *architecture = reader->architecture;
	enum code_status status = CODE_UNREADABLE;
	struct code_instruction found;
	uint8_t bytes[LONGEST_CALL];

	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int size = architecture->longest_call;
		     size >= architecture->shortest_call; size--) {
			if (pass == 0 && size != PLAIN_DIRECT && size != PLAIN_INDIRECT)
				continue;
			const uint64_t address = return_address - size;
			const size_t done = code_read(reader, address, bytes, size);

			if (done)
				status = CODE_UNKNOWN;
			if (done < size || !architecture->may_call(bytes, size) ||
			    code_decode(reader, address, &found) != CODE_OK ||
			    found.kind != CODE_CALL || found.size != size)
				continue;
			if (pass == 0 && !is_plain(&found, size))
				continue;
			*ret = found;
			return CODE_OK;
		}
	}
	return status;
}

// The pointer through which a call or jump goes, if that is at a fixed address.
static bool find_slot(const struct code_instruction *instruction, uint64_t *ret)
{
	const struct code_operand *operand = &instruction->operands[0];

	if (instruction->is_direct || !instruction->operand_count || !code_is_absolute(operand) ||
	    operand->implied || operand->width != WORD)
		return false;
	*ret = (uint64_t)operand->number;
	return true;
}

// A slot of the global offset table that is not bound yet leads to code that pushes the function's
// number and jumps to the loader.
static bool is_unbound(struct code_reader *reader, uint64_t address)
{
	struct code_instruction instruction;
	bool pushes = false;

	for (int i = 0; i < STUB_MAX; i++, address = code_end(&instruction)) {
		if (code_decode(reader, address, &instruction) != CODE_OK)
			return false;
		if (pushes)
			return instruction.kind == CODE_JUMP;
		if (instruction.operation == CODE_NOTHING)
			continue;
		pushes = instruction.operation == CODE_PUSH &&
			 instruction.operands[0].kind == CODE_IMMEDIATE;
		if (!pushes)
			return false;
	}
	return false;
}

enum code_status code_follow_stub(struct code_reader *reader, uint64_t entry, uint64_t *ret)
{
	struct code_instruction instruction;
	uint64_t address = entry, slot, function;

	*ret = entry;
	for (int i = 0; i < STUB_MAX; i++, address = code_end(&instruction)) {
		const enum code_status status = code_decode(reader, address, &instruction);

		if (status != CODE_OK)
			return status == CODE_UNREADABLE && !i ? status : CODE_OK;
		if (instruction.operation != CODE_NOTHING)
			break;
	}
	if (instruction.kind != CODE_JUMP || !find_slot(&instruction, &slot))
		return CODE_OK;
	const enum code_status status = code_read_word(reader, slot, &function);

	if (status != CODE_OK)
		return status;
	if (!function)
		return CODE_UNKNOWN;
	if (is_unbound(reader, function))
		return CODE_UNBOUND;
	*ret = function;
	return CODE_OK;
}

enum code_status code_callee(struct code_reader *reader, const struct code_instruction *call,
			     uint64_t *ret)
{
	uint64_t slot, entry = call->target;

	if (call->kind != CODE_CALL && call->kind != CODE_JUMP && call->kind != CODE_JUMP_IF)
		return CODE_UNKNOWN;
	if (!call->is_direct) {
		if (!find_slot(call, &slot))
			return CODE_UNKNOWN;
		const enum code_status status = code_read_word(reader, slot, &entry);

		if (status != CODE_OK)
			return status;
		if (!entry)
			return CODE_UNKNOWN;
		if (is_unbound(reader, entry))
			return CODE_UNBOUND;
	}
	return code_follow_stub(reader, entry, ret);
}
