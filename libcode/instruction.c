// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about one decoded instruction that no architecture answers differently.

#include "code.h"

enum { WORD = 8 };

const char *code_register_name(const struct code_architecture *architecture, unsigned int reg)
{
	return reg < architecture->register_count ? architecture->register_names[reg] : NULL;
}

bool code_is_absolute(const struct code_operand *operand)
{
	return operand->kind == CODE_MEMORY && operand->base == CODE_NO_REGISTER &&
	       operand->index == CODE_NO_REGISTER && operand->segment == CODE_PLAIN;
}

bool code_may_write(const struct code_instruction *instruction, unsigned int reg)
{
	return reg < 64 && instruction->writes >> reg & 1;
}

bool code_may_write_word(const struct code_instruction *instruction, unsigned int reg,
			 int64_t offset)
{
	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const struct code_operand *operand = &instruction->operands[i];

		if (operand->kind != CODE_MEMORY || !(operand->access & CODE_WRITES))
			continue;
		if (operand->base != reg && operand->index != reg)
			continue;
		// Which element, or how much, is not known.
		if (operand->index != CODE_NO_REGISTER || !operand->width || operand->implied)
			return true;
		if (operand->number < offset + WORD && offset < operand->number + operand->width)
			return true;
	}
	return false;
}

// A number of a move may be an address; one of arithmetic is a mask or a count.
static struct code_reference reference_to_number(const struct code_instruction *instruction)
{
	struct code_reference ret = { .kind = CODE_NO_REFERENCE };

	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const struct code_operand *operand = &instruction->operands[i];

		if (operand->kind != CODE_IMMEDIATE)
			continue;
		ret.address = (uint64_t)operand->number;
		if (instruction->operation != CODE_MOVE)
			ret.kind = instruction->kind == CODE_OTHER &&
						   instruction->operation != CODE_PUSH ?
					   CODE_NUMBER :
					   CODE_NO_REFERENCE;
		else if (operand->number > 0 && instruction->operands[0].kind == CODE_REGISTER)
			ret.kind = CODE_VARIABLE_ADDRESS;
	}
	return ret;
}

struct code_reference code_reference(const struct code_instruction *instruction)
{
	if (instruction->kind == CODE_CALL)
		return (struct code_reference){ .kind = CODE_FUNCTION_CALL,
						.address = instruction->target };
	if (instruction->kind == CODE_JUMP && instruction->is_direct)
		return (struct code_reference){ .kind = CODE_FUNCTION_JUMP,
						.address = instruction->target };
	if (instruction->kind != CODE_OTHER)
		return (struct code_reference){ .kind = CODE_NO_REFERENCE };
	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const struct code_operand *operand = &instruction->operands[i];
		struct code_reference ret = { .address = (uint64_t)operand->number };

		if (!code_is_absolute(operand))
			continue;
		ret.width = operand->width;
		ret.kind = instruction->operation == CODE_ADDRESS ? CODE_VARIABLE_ADDRESS :
			   operand->access & CODE_READS		  ? CODE_VARIABLE_READ :
								    CODE_NO_REFERENCE;
		return ret;
	}
	return reference_to_number(instruction);
}
