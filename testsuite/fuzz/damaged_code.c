// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "damaged_code.h"

#include <stdlib.h>
#include <string.h>

#include "libcode/code.h"

enum { ADDRESS = 0x400000, AROUND = 256, BLOCKS = 256, OPTIONS = 2 };

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

/** Memory: the bytes, and perhaps words that lead back to them everywhere else. */
struct memory {
	const uint8_t *bytes;
	size_t size;
	uint8_t options;
};

static bool read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct memory *memory = context;
	const uint64_t word = ADDRESS + memory->options;

	if (address >= ADDRESS && address - ADDRESS <= memory->size &&
	    size <= memory->size - (address - ADDRESS)) {
		memcpy(buffer, memory->bytes + (address - ADDRESS), size);
		return true;
	}
	if (!(memory->options & 1) || size > sizeof(word))
		return false;
	memcpy(buffer, &word, size);
	return true;
}

static bool is_everything(void *context, uint64_t address)
{
	(void)context;
	(void)address;
	return true;
}

/** Check whether code is among the bytes or near them: more would be the same words again and again. */
static bool is_near(void *context, uint64_t address)
{
	const struct memory *memory = context;

	return address >= ADDRESS - AROUND && address < ADDRESS + memory->size + AROUND;
}

static bool find_pad(void *context, uint64_t call, uint64_t *ret)
{
	const struct memory *memory = context;

	*ret = call & 1 ? ADDRESS + memory->options : 0;
	return call & 2;
}

static bool is_odd(void *context, const struct code_block *block)
{
	(void)context;
	return block->last & 1;
}

static bool visit(void *context, const struct code_instruction *instruction)
{
	(void)context;
	CHECK(instruction->size > 0);
	return true;
}

static void check_instruction(const struct code_instruction *instruction)
{
	CHECK(instruction->size > 0 && instruction->size <= 15);
	CHECK(instruction->operand_count <= CODE_OPERANDS);
	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const struct code_operand *operand = &instruction->operands[i];

		CHECK(operand->kind != CODE_REGISTER || operand->base < 64);
		CHECK(operand->kind != CODE_MEMORY || operand->base < CODE_GENERAL ||
		      operand->base == CODE_NO_REGISTER);
	}
}

static void decode_all(struct code_reader *reader, size_t size)
{
	struct code_instruction instruction;
	struct code_argument argument;
	uint64_t entry;

	for (uint64_t at = ADDRESS; at < ADDRESS + size; at++) {
		if (code_decode(reader, at, &instruction) != CODE_OK)
			continue;
		check_instruction(&instruction);
		code_reference(&instruction);
		code_callee(reader, &instruction, &entry);
		if (instruction.kind == CODE_CALL)
			code_argument(reader, NULL, code_end(&instruction), 0, &argument);
	}
}

static enum code_entering go_in(void *context, struct code_machine *machine, uint64_t entry)
{
	(void)context;
	(void)machine;
	return entry % 16 == 15 ? CODE_STOP : entry % 16 == 14 ? CODE_STEP_OVER : CODE_GO_IN;
}

static void check_flow(struct code_reader *reader, const struct code_function *function,
		       uint64_t pc)
{
	static struct code_block blocks[BLOCKS];
	struct code_flow flow = { .blocks = blocks, .capacity = BLOCKS };
	struct code_argument argument;

	if (code_flow_build(reader, function, &flow) != CODE_OK)
		return;
	for (uint32_t i = 0; i < flow.count; i++) {
		CHECK(blocks[i].begin <= blocks[i].last && blocks[i].last <= blocks[i].end);
		CHECK(!i || blocks[i - 1].begin < blocks[i].begin);
		for (unsigned int next = 0; next < blocks[i].next_count; next++)
			CHECK(blocks[i].next[next] < flow.count);
		if (blocks[i].kind == CODE_CALL && blocks[i].end > blocks[i].begin)
			code_argument(reader, &flow, blocks[i].end, 0, &argument);
	}
	const bool reaches = code_flow_reaches(&flow, function->entry, pc, NULL, NULL);

	CHECK(reaches || !code_flow_reaches(&flow, function->entry, pc, is_odd, NULL));
	code_flow_between(reader, &flow, function->entry, pc, is_odd, visit, NULL);
}

void damaged_code(const uint8_t *data, size_t size)
{
	static struct code_reader reader;
	static struct code_report report;
	static struct code_machine machine;
	struct memory memory = { data + OPTIONS, size - OPTIONS, size > 1 ? data[1] : 0 };

	if (size <= OPTIONS)
		return;
	const uint64_t pc = ADDRESS + data[0] % memory.size;
	const struct code_exploration exploration = { .entry = ADDRESS,
						      .size = (uint32_t)memory.size + AROUND,
						      .any_element = memory.options & 2 };
	struct code_function function = { .entry = ADDRESS,
					  .contains = is_near,
					  .landing_pad = find_pad,
					  .context = &memory,
					  .begin = ADDRESS,
					  .end = ADDRESS + memory.size };
	const struct code_spin_query query = {
		.pc = pc,
		.in_call = memory.options & 4,
		.is_harmless = is_everything,
	};
	struct code_instruction call;
	struct code_spin spin;

	code_reader_init(&reader, &code_x86_64,
			 (struct code_memory){ .read = read_memory, .context = &memory });
	decode_all(&reader, memory.size);
	check_flow(&reader, &function, pc);
	function.contains = NULL;
	check_flow(&reader, &function, pc);
	machine = (struct code_machine){ .architecture = &code_x86_64, .memory = reader.memory };
	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++)
		machine.registers[reg] = (struct code_known){ .known = reg % 4, .bits = ADDRESS };
	code_carry_out_first_call(&reader, &machine, ADDRESS);
	if (code_decode(&reader, ADDRESS, &call) == CODE_OK && call.kind == CODE_CALL)
		code_carry_out_call(&reader, &machine, &call, go_in, NULL);
	code_explore(&reader, &exploration, &report);
	CHECK(report.count <= CODE_ACCESSES && report.callee_count <= CODE_CALLEES);
	if (code_find_spin(&reader, &query, &spin) == CODE_OK)
		CHECK(spin.count <= CODE_SPIN_READS);
}
