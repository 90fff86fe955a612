// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long x86-64 instructions are, and which of them jump. Takes all forms of Intel's manual
// (volume 2, appendix A) that are valid in 64-bit mode; nothing is told of what they compute.

#include "internal.h"

enum { MAX_LENGTH = 15 };

struct cursor {
	const uint8_t *bytes;
	size_t size, at;
	bool operand16, wide; // prefixes
	uint8_t modrm;
	bool cut; // the bytes end too early
};

static uint8_t take(struct cursor *cursor)
{
	if (cursor->at < cursor->size)
		return cursor->bytes[cursor->at++];
	cursor->cut = true;
	return 0;
}

static void skip(struct cursor *cursor, size_t count)
{
	if (count > cursor->size - cursor->at)
		cursor->cut = true;
	else
		cursor->at += count;
}

/** The operand in memory or a register. */
static void take_modrm(struct cursor *cursor)
{
	uint8_t modrm = cursor->modrm = take(cursor), mode = modrm >> 6, base = modrm & 7;

	if (mode == 3)
		return;
	if (base == 4)
		base = take(cursor) & 7;
	if (mode == 1)
		skip(cursor, 1);
	else if (mode == 2 || base == 5)
		skip(cursor, 4);
}

static size_t narrow_size(const struct cursor *cursor)
{
	return cursor->operand16 && !cursor->wide ? 2 : 4;
}

static int64_t take_distance(struct cursor *cursor, size_t size)
{
	int32_t distance = 0;

	if (size == 1)
		return (int8_t)take(cursor);
	for (size_t i = 0; i < sizeof(distance); i++)
		distance = (int32_t)((uint32_t)distance | (uint32_t)take(cursor) << (8 * i));
	return distance;
}

static void jump(struct cursor *cursor, size_t size, enum target_flow flow, uint8_t condition,
		 struct target_instruction *ret)
{
	int64_t distance = take_distance(cursor, size);

	ret->flow = flow;
	ret->condition = condition;
	ret->target = ret->address + cursor->at + (uint64_t)distance;
}

// ---- Opcodes of two and more bytes -----------------------------------------------------------

static bool has_byte_operand(uint8_t opcode)
{
	switch (opcode) {
	case 0x70 ... 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4 ... 0xc6:
		return true;
	default:
		return false;
	}
}

/** After 0x0f. */
static bool take_second(struct cursor *cursor, struct target_instruction *ret)
{
	uint8_t opcode = take(cursor);

	switch (opcode) {
	case 0x0b: // ud2
		ret->flow = TARGET_FLOW_END;
		return true;
	case 0x04:
	case 0x0a:
	case 0x0c:
	case 0x24 ... 0x27:
	case 0x36:
	case 0x39:
	case 0x3b ... 0x3f:
		return false;
	case 0x05 ... 0x09:
	case 0x0e:
	case 0x30 ... 0x35:
	case 0x37:
	case 0x77:
	case 0xa0 ... 0xa2:
	case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return true;
	case 0x80 ... 0x8f:
		jump(cursor, 4, TARGET_FLOW_JUMP_IF, opcode & 15, ret);
		return true;
	case 0x38:
		take(cursor);
		take_modrm(cursor);
		return true;
	case 0x3a:
		take(cursor);
		take_modrm(cursor);
		skip(cursor, 1);
		return true;
	default:
		take_modrm(cursor);
		skip(cursor, opcode == 0x0f || has_byte_operand(opcode));
		return true;
	}
}

/** After the bytes of a VEX or EVEX prefix, which names the map of opcodes. */
static bool take_vector(struct cursor *cursor, uint8_t map)
{
	uint8_t opcode = take(cursor);

	if (map < 1 || map > 6)
		return false;
	if (map == 1 && opcode == 0x77) // vzeroupper
		return true;
	take_modrm(cursor);
	skip(cursor, map == 3 || (map == 1 && has_byte_operand(opcode)));
	return true;
}

// ---- Opcodes of one byte ---------------------------------------------------------------------

static bool take_group(struct cursor *cursor, uint8_t opcode, struct target_instruction *ret)
{
	enum { CALL = 2, FAR_CALL = 3, JUMP = 4, FAR_JUMP = 5 };

	take_modrm(cursor);
	uint8_t which = cursor->modrm >> 3 & 7;
	if (opcode == 0xf6 && which < 2)
		skip(cursor, 1);
	else if (opcode == 0xf7 && which < 2)
		skip(cursor, narrow_size(cursor));
	else if (opcode == 0xff && (which == JUMP || which == FAR_JUMP))
		ret->flow = TARGET_FLOW_JUMP_INDIRECT;
	return true;
}

static bool take_one_byte(struct cursor *cursor, uint8_t opcode, struct target_instruction *ret)
{
	switch (opcode) {
	case 0x63:
	case 0x84 ... 0x8f:
	case 0xd0 ... 0xd3:
	case 0xd8 ... 0xdf:
		take_modrm(cursor);
		return true;
	case 0x69:
	case 0x81:
	case 0xc7:
		take_modrm(cursor);
		skip(cursor, narrow_size(cursor));
		return true;
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xc6:
		take_modrm(cursor);
		skip(cursor, 1);
		return true;
	case 0x68:
	case 0xa9:
		skip(cursor, narrow_size(cursor));
		return true;
	case 0x6a:
	case 0xa8:
	case 0xb0 ... 0xb7:
	case 0xcd:
	case 0xe4 ... 0xe7:
		skip(cursor, 1);
		return true;
	case 0xb8 ... 0xbf:
		skip(cursor, cursor->wide ? 8 : narrow_size(cursor));
		return true;
	case 0xa0 ... 0xa3:
		skip(cursor, 8);
		return true;
	case 0xc8:
		skip(cursor, 3);
		return true;
	case 0xe8:
		skip(cursor, 4);
		return true;
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff:
		return take_group(cursor, opcode, ret);
	case 0x50 ... 0x5f:
	case 0x6c ... 0x6f:
	case 0x90 ... 0x99:
	case 0x9b ... 0x9f:
	case 0xa4 ... 0xa7:
	case 0xaa ... 0xaf:
	case 0xc9:
	case 0xd7:
	case 0xec ... 0xef:
	case 0xf1:
	case 0xf5:
	case 0xf8 ... 0xfd:
		return true;
	default: // above all int3, under which a debugger's breakpoint hides what there is
		return false;
	}
}

static bool take_opcode(struct cursor *cursor, struct target_instruction *ret)
{
	uint8_t opcode = take(cursor), byte;

	if (opcode < 0x40 && (opcode & 7) < 6) { // arithmetic
		if ((opcode & 7) < 4)
			take_modrm(cursor);
		else
			skip(cursor, opcode & 1 ? narrow_size(cursor) : 1);
		return true;
	}
	switch (opcode) {
	case 0x0f:
		return take_second(cursor, ret);
	case 0x70 ... 0x7f:
		jump(cursor, 1, TARGET_FLOW_JUMP_IF, opcode & 15, ret);
		return true;
	case 0xe0 ... 0xe3:
		jump(cursor, 1, TARGET_FLOW_JUMP_IF, opcode, ret);
		return true;
	case 0xe9:
	case 0xeb:
		jump(cursor, opcode == 0xe9 ? 4 : 1, TARGET_FLOW_JUMP, 0, ret);
		return true;
	case 0xc2:
		skip(cursor, 2);
		ret->flow = TARGET_FLOW_END;
		return true;
	case 0xc3:
	case 0xcb:
	case 0xcf:
	case 0xf4:
		ret->flow = TARGET_FLOW_END;
		return true;
	case 0xc5:
		skip(cursor, 1);
		return take_vector(cursor, 1);
	case 0xc4:
		byte = take(cursor);
		skip(cursor, 1);
		return take_vector(cursor, byte & 31);
	case 0x62:
		byte = take(cursor);
		skip(cursor, 2);
		return take_vector(cursor, byte & 7);
	default:
		return take_one_byte(cursor, opcode, ret);
	}
}

static void take_prefixes(struct cursor *cursor)
{
	while (cursor->at < cursor->size) {
		switch (cursor->bytes[cursor->at]) {
		case 0x66:
			cursor->operand16 = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0x67:
		case 0xf0:
		case 0xf2:
		case 0xf3:
			break;
		case 0x40 ... 0x4f: // REX is the last
			cursor->wide = cursor->bytes[cursor->at++] & 8;
			return;
		default:
			return;
		}
		cursor->at++;
	}
}

static bool decode(const uint8_t *bytes, size_t size, struct target_instruction *ret)
{
	struct cursor cursor = { .bytes = bytes, .size = size < MAX_LENGTH ? size : MAX_LENGTH };

	take_prefixes(&cursor);
	if (!take_opcode(&cursor, ret) || cursor.cut)
		return false;
	ret->size = cursor.at;
	return true;
}

size_t target_instructions(struct target *target, uint64_t address,
			   struct target_instruction *instructions, size_t max)
{
	size_t count = 0, at = 0, room = max * MAX_LENGTH;
	uint8_t bytes[TARGET_MAX_INSTRUCTIONS * MAX_LENGTH];

	if (max > TARGET_MAX_INSTRUCTIONS)
		return 0;
	room = target_read(target, address, bytes, room);
	for (; count < max && at < room; at += instructions[count++].size) {
		instructions[count] = (struct target_instruction){ .address = address + at };
		if (!decode(bytes + at, room - at, &instructions[count]))
			break;
	}
	return count;
}
