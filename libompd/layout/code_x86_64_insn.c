// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes one x86-64 instruction apart: prefixes, opcode, ModRM, displacement, immediate. Knows the
// forms that compilers use in small functions; anything else is refused, above all int3, under
// which a debugger's breakpoint hides what the program has there.

#include "layout/code_x86_64_insn.h"

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };
enum { LENGTH_MAX = 15 };
enum { SIZE_V = 0 }; // by prefix: 2, 4 or 8
enum immediate { IMM_NONE, IMM_8, IMM_Z, IMM_V, IMM_32 };
enum group { GROUP_NONE, GROUP_1, GROUP_3, GROUP_5, GROUP_MOVE };
enum mandatory { PREFIX_ANY, PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };

struct opcode {
	uint8_t kind;
	uint8_t form;
	uint8_t size; // SIZE_V, or bytes
	uint8_t immediate;
	uint8_t group;
	uint8_t source; // X86_EXTEND: bytes of the operand
};

#define ALU_ROW(first, what)                                                 \
	[(first) + 0] = { what, X86_EG, 1, IMM_NONE, 0, 0 },                 \
		   [(first) + 1] = { what, X86_EG, SIZE_V, IMM_NONE, 0, 0 }, \
		   [(first) + 2] = { what, X86_GE, 1, IMM_NONE, 0, 0 },      \
		   [(first) + 3] = { what, X86_GE, SIZE_V, IMM_NONE, 0, 0 }, \
		   [(first) + 4] = { what, X86_AI, 1, IMM_8, 0, 0 },         \
		   [(first) + 5] = { what, X86_AI, SIZE_V, IMM_Z, 0, 0 }

// clang-format off
static const struct opcode one_byte[256] = {
	ALU_ROW(0x00, X86_ADD), ALU_ROW(0x08, X86_ALU), ALU_ROW(0x10, X86_ALU),
	ALU_ROW(0x18, X86_ALU), ALU_ROW(0x20, X86_ALU), ALU_ROW(0x28, X86_SUB),
	ALU_ROW(0x30, X86_XOR), ALU_ROW(0x38, X86_COMPARE),
	[0x50 ... 0x57] = { X86_PUSH, X86_O, 8, IMM_NONE, 0, 0 },
	[0x58 ... 0x5f] = { X86_POP, X86_O, 8, IMM_NONE, 0, 0 },
	[0x63] = { X86_EXTEND, X86_GE, SIZE_V, IMM_NONE, 0, 4 },
	[0x68] = { X86_PUSH, X86_NONE, 8, IMM_32, 0, 0 },
	[0x69] = { X86_ALU, X86_GE, SIZE_V, IMM_Z, 0, 0 },
	[0x6a] = { X86_PUSH, X86_NONE, 8, IMM_8, 0, 0 },
	[0x6b] = { X86_ALU, X86_GE, SIZE_V, IMM_8, 0, 0 },
	[0x70 ... 0x7f] = { X86_JUMP_IF, X86_J, 8, IMM_8, 0, 0 },
	[0x80] = { X86_ALU, X86_EI, 1, IMM_8, GROUP_1, 0 },
	[0x81] = { X86_ALU, X86_EI, SIZE_V, IMM_Z, GROUP_1, 0 },
	[0x83] = { X86_ALU, X86_EI, SIZE_V, IMM_8, GROUP_1, 0 },
	[0x84] = { X86_COMPARE, X86_EG, 1, IMM_NONE, 0, 0 },
	[0x85] = { X86_COMPARE, X86_EG, SIZE_V, IMM_NONE, 0, 0 },
	[0x86] = { X86_EXCHANGE, X86_EG, 1, IMM_NONE, 0, 0 },
	[0x87] = { X86_EXCHANGE, X86_EG, SIZE_V, IMM_NONE, 0, 0 },
	[0x88] = { X86_MOVE, X86_EG, 1, IMM_NONE, 0, 0 },
	[0x89] = { X86_MOVE, X86_EG, SIZE_V, IMM_NONE, 0, 0 },
	[0x8a] = { X86_MOVE, X86_GE, 1, IMM_NONE, 0, 0 },
	[0x8b] = { X86_MOVE, X86_GE, SIZE_V, IMM_NONE, 0, 0 },
	[0x8d] = { X86_LEA, X86_GE, SIZE_V, IMM_NONE, 0, 0 },
	[0x90] = { X86_NOP, X86_NONE, SIZE_V, IMM_NONE, 0, 0 },
	[0x98 ... 0x99] = { X86_WIDEN, X86_NONE, SIZE_V, IMM_NONE, 0, 0 },
	[0xa8] = { X86_COMPARE, X86_AI, 1, IMM_8, 0, 0 },
	[0xa9] = { X86_COMPARE, X86_AI, SIZE_V, IMM_Z, 0, 0 },
	[0xb0 ... 0xb7] = { X86_MOVE, X86_OI, 1, IMM_8, 0, 0 },
	[0xb8 ... 0xbf] = { X86_MOVE, X86_OI, SIZE_V, IMM_V, 0, 0 },
	[0xc0] = { X86_ALU, X86_EI, 1, IMM_8, 0, 0 },
	[0xc1] = { X86_ALU, X86_EI, SIZE_V, IMM_8, 0, 0 },
	[0xc3] = { X86_RETURN, X86_NONE, 8, IMM_NONE, 0, 0 },
	[0xc6] = { X86_MOVE, X86_EI, 1, IMM_8, GROUP_MOVE, 0 },
	[0xc7] = { X86_MOVE, X86_EI, SIZE_V, IMM_Z, GROUP_MOVE, 0 },
	[0xc9] = { X86_LEAVE, X86_NONE, 8, IMM_NONE, 0, 0 },
	[0xd0] = { X86_ALU, X86_E, 1, IMM_NONE, 0, 0 },
	[0xd1] = { X86_ALU, X86_E, SIZE_V, IMM_NONE, 0, 0 },
	[0xd2] = { X86_ALU, X86_E, 1, IMM_NONE, 0, 0 },
	[0xd3] = { X86_ALU, X86_E, SIZE_V, IMM_NONE, 0, 0 },
	[0xe8] = { X86_CALL, X86_J, 8, IMM_32, 0, 0 },
	[0xe9] = { X86_JUMP, X86_J, 8, IMM_32, 0, 0 },
	[0xeb] = { X86_JUMP, X86_J, 8, IMM_8, 0, 0 },
	[0xf4] = { X86_TRAP, X86_NONE, 8, IMM_NONE, 0, 0 },
	[0xf6] = { X86_ALU, X86_E, 1, IMM_NONE, GROUP_3, 0 },
	[0xf7] = { X86_ALU, X86_E, SIZE_V, IMM_NONE, GROUP_3, 0 },
	[0xfe] = { X86_ALU, X86_E, 1, IMM_NONE, GROUP_5, 0 },
	[0xff] = { X86_ALU, X86_E, SIZE_V, IMM_NONE, GROUP_5, 0 },
};

static const struct opcode two_byte[256] = {
	[0x05] = { X86_SYSCALL, X86_NONE, 8, IMM_NONE, 0, 0 },
	[0x0b] = { X86_TRAP, X86_NONE, 8, IMM_NONE, 0, 0 },
	[0x18 ... 0x1f] = { X86_NOP, X86_E, SIZE_V, IMM_NONE, 0, 0 },
	[0x40 ... 0x4f] = { X86_MOVE_IF, X86_GE, SIZE_V, IMM_NONE, 0, 0 },
	[0x80 ... 0x8f] = { X86_JUMP_IF, X86_J, 8, IMM_32, 0, 0 },
	[0x90 ... 0x9f] = { X86_SET_IF, X86_E, 1, IMM_NONE, 0, 0 },
	[0xa3] = { X86_COMPARE, X86_EG, SIZE_V, IMM_NONE, 0, 0 },
	[0xaf] = { X86_ALU, X86_GE, SIZE_V, IMM_NONE, 0, 0 },
	[0xb0] = { X86_CMPXCHG, X86_EG, 1, IMM_NONE, 0, 0 },
	[0xb1] = { X86_CMPXCHG, X86_EG, SIZE_V, IMM_NONE, 0, 0 },
	[0xb6] = { X86_EXTEND, X86_GE, SIZE_V, IMM_NONE, 0, 1 },
	[0xb7] = { X86_EXTEND, X86_GE, SIZE_V, IMM_NONE, 0, 2 },
	[0xba] = { X86_ALU, X86_EI, SIZE_V, IMM_8, 0, 0 },
	[0xbc ... 0xbd] = { X86_ALU, X86_GE, SIZE_V, IMM_NONE, 0, 0 },
	[0xbe] = { X86_EXTEND, X86_GE, SIZE_V, IMM_NONE, 0, 1 },
	[0xbf] = { X86_EXTEND, X86_GE, SIZE_V, IMM_NONE, 0, 2 },
	[0xc0] = { X86_EXCHANGE, X86_EG, 1, IMM_NONE, 0, 0 },
	[0xc1] = { X86_EXCHANGE, X86_EG, SIZE_V, IMM_NONE, 0, 0 },
};

static const struct vector_opcode {
	uint8_t opcode, prefix, kind, size, immediate;
} vectors[] = {
	{ 0x10, PREFIX_F3, X86_VECTOR_READ, 4, 0 }, { 0x10, PREFIX_F2, X86_VECTOR_READ, 8, 0 },
	{ 0x10, PREFIX_ANY, X86_VECTOR_READ, 16, 0 }, { 0x11, PREFIX_F3, X86_VECTOR_WRITE, 4, 0 },
	{ 0x11, PREFIX_F2, X86_VECTOR_WRITE, 8, 0 }, { 0x11, PREFIX_ANY, X86_VECTOR_WRITE, 16, 0 },
	{ 0x12, PREFIX_NONE, X86_VECTOR_READ, 8, 0 }, { 0x12, PREFIX_66, X86_VECTOR_READ, 8, 0 },
	{ 0x13, PREFIX_NONE, X86_VECTOR_WRITE, 8, 0 }, { 0x13, PREFIX_66, X86_VECTOR_WRITE, 8, 0 },
	{ 0x14, PREFIX_66, X86_VECTOR_READ, 16, 0 }, { 0x16, PREFIX_NONE, X86_VECTOR_READ, 8, 0 },
	{ 0x16, PREFIX_66, X86_VECTOR_READ, 8, 0 }, { 0x17, PREFIX_NONE, X86_VECTOR_WRITE, 8, 0 },
	{ 0x17, PREFIX_66, X86_VECTOR_WRITE, 8, 0 }, { 0x28, PREFIX_NONE, X86_VECTOR_READ, 16, 0 },
	{ 0x28, PREFIX_66, X86_VECTOR_READ, 16, 0 }, { 0x29, PREFIX_NONE, X86_VECTOR_WRITE, 16, 0 },
	{ 0x29, PREFIX_66, X86_VECTOR_WRITE, 16, 0 }, { 0x57, PREFIX_NONE, X86_VECTOR_READ, 16, 0 },
	{ 0x57, PREFIX_66, X86_VECTOR_READ, 16, 0 }, { 0x60, PREFIX_66, X86_VECTOR_READ, 16, 0 },
	{ 0x61, PREFIX_66, X86_VECTOR_READ, 16, 0 }, { 0x62, PREFIX_66, X86_VECTOR_READ, 16, 0 },
	{ 0x6c, PREFIX_66, X86_VECTOR_READ, 16, 0 }, { 0x6e, PREFIX_66, X86_VECTOR_READ, SIZE_V, 0 },
	{ 0x6f, PREFIX_66, X86_VECTOR_READ, 16, 0 }, { 0x6f, PREFIX_F3, X86_VECTOR_READ, 16, 0 },
	{ 0x70, PREFIX_66, X86_VECTOR_READ, 16, IMM_8 }, { 0x7e, PREFIX_F3, X86_VECTOR_READ, 8, 0 },
	{ 0x7e, PREFIX_66, X86_VECTOR_WRITE, SIZE_V, 0 }, { 0x7f, PREFIX_66, X86_VECTOR_WRITE, 16, 0 },
	{ 0x7f, PREFIX_F3, X86_VECTOR_WRITE, 16, 0 }, { 0xc6, PREFIX_NONE, X86_VECTOR_READ, 16, IMM_8 },
	{ 0xd4, PREFIX_66, X86_VECTOR_READ, 16, 0 }, { 0xd6, PREFIX_66, X86_VECTOR_WRITE, 8, 0 },
	{ 0xef, PREFIX_66, X86_VECTOR_READ, 16, 0 }, { 0xfe, PREFIX_66, X86_VECTOR_READ, 16, 0 },
};
// clang-format on

struct cursor {
	const uint8_t *bytes;
	size_t size, at;
	uint8_t rex;
	bool operand16, address32, repeat, repeat_not;
};

static bool take(struct cursor *cursor, unsigned int size, int64_t *ret)
{
	uint64_t value = 0;

	if (cursor->size - cursor->at < size)
		return false;
	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)cursor->bytes[cursor->at + i] << (8 * i);
	cursor->at += size;
	if (size && size < 8 && value >> (8 * size - 1))
		value |= ~0ull << (8 * size);
	*ret = (int64_t)value;
	return true;
}

static bool take_prefixes(struct cursor *cursor, struct x86_insn *insn)
{
	for (; cursor->at < cursor->size; cursor->at++) {
		uint8_t byte = cursor->bytes[cursor->at];

		if ((byte & 0xf0) == 0x40) { // REX is the last prefix
			cursor->rex = byte;
			cursor->at++;
			return cursor->at < cursor->size;
		}
		switch (byte) {
		case 0x64:
			insn->thread = true;
			break;
		case 0x66:
			cursor->operand16 = true;
			break;
		case 0xf0:
			insn->locked = true;
			break;
		case 0xf2:
			cursor->repeat_not = true;
			break;
		case 0xf3:
			cursor->repeat = true;
			break;
		case 0x67: // only in front of what has no operand
			cursor->address32 = true;
			break;
		case 0x2e: // padding, branch hints, notrack
		case 0x3e:
			break;
		default:
			return true;
		}
	}
	return false;
}

static bool take_modrm(struct cursor *cursor, struct x86_insn *insn, unsigned int *extension)
{
	unsigned int modrm, mod, rm;
	unsigned int displacement_size;

	if (cursor->at == cursor->size)
		return false;
	modrm = cursor->bytes[cursor->at++];
	mod = modrm >> 6;
	rm = modrm & 7;
	*extension = modrm >> 3 & 7;
	insn->reg = (int)(*extension | (cursor->rex & REX_R ? 8u : 0u));
	if (mod == 3) {
		insn->rm = (int)(rm | (cursor->rex & REX_B ? 8u : 0u));
		return true;
	}
	insn->memory = true;
	displacement_size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	if (rm == 4) {
		unsigned int sib, index;

		if (cursor->at == cursor->size)
			return false;
		sib = cursor->bytes[cursor->at++];
		index = (sib >> 3 & 7) | (cursor->rex & REX_X ? 8u : 0u);
		insn->index = index == 4 ? -1 : (int)index;
		insn->scale = 1u << (sib >> 6);
		rm = sib & 7;
		if (rm == 5 && mod == 0)
			displacement_size = 4;
		else
			insn->base = (int)(rm | (cursor->rex & REX_B ? 8u : 0u));
	} else if (rm == 5 && mod == 0) {
		insn->relative = true;
		displacement_size = 4;
	} else {
		insn->base = (int)(rm | (cursor->rex & REX_B ? 8u : 0u));
	}
	return take(cursor, displacement_size, &insn->displacement);
}

static bool find_vector(const struct cursor *cursor, uint8_t byte, struct opcode *ret)
{
	enum mandatory prefix = cursor->repeat	   ? PREFIX_F3 :
				cursor->repeat_not ? PREFIX_F2 :
				cursor->operand16  ? PREFIX_66 :
						     PREFIX_NONE;

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector_opcode *vector = &vectors[i];

		if (vector->opcode != byte)
			continue;
		if (vector->prefix != PREFIX_ANY && vector->prefix != prefix)
			continue;
		ret->kind = vector->kind;
		ret->form = vector->kind == X86_VECTOR_READ ? X86_GE : X86_EG;
		ret->size = vector->size;
		ret->immediate = vector->immediate;
		ret->group = GROUP_NONE;
		ret->source = 0;
		return true;
	}
	return false;
}

// The operation of an opcode that is shared by several, told apart by ModRM's middle bits.
static bool resolve_group(struct opcode *opcode, unsigned int extension, struct x86_insn *insn)
{
	static const uint8_t group1[8] = { X86_ADD, X86_ALU, X86_ALU, X86_ALU,
					   X86_ALU, X86_SUB, X86_XOR, X86_COMPARE };

	switch (opcode->group) {
	case GROUP_1:
		opcode->kind = group1[extension];
		return true;
	case GROUP_MOVE:
		return extension == 0;
	case GROUP_3:
		if (extension < 2) {
			opcode->kind = X86_COMPARE;
			opcode->form = X86_EI;
			opcode->immediate = opcode->size == 1 ? IMM_8 : IMM_Z;
		} else if (extension >= 4) {
			opcode->kind = X86_MULTIPLY;
		}
		return true;
	case GROUP_5:
		if (extension < 2) {
			opcode->kind = X86_ADD;
			opcode->form = X86_EI;
			insn->immediate = extension == 0 ? 1 : -1;
			return true;
		}
		if (opcode->size == 1)
			return false;
		opcode->size = 8;
		opcode->kind = extension == 2 ? X86_CALL_INDIRECT :
			       extension == 4 ? X86_JUMP_INDIRECT :
			       extension == 6 ? X86_PUSH :
						X86_BAD;
		return opcode->kind != X86_BAD;
	default:
		return true;
	}
}

static bool take_immediate(struct cursor *cursor, const struct opcode *opcode,
			   struct x86_insn *insn)
{
	unsigned int narrow = insn->width == 2 ? 2 : 4;

	switch (opcode->immediate) {
	case IMM_8:
		return take(cursor, 1, &insn->immediate);
	case IMM_32:
		return take(cursor, 4, &insn->immediate);
	case IMM_Z:
		return take(cursor, narrow, &insn->immediate);
	case IMM_V:
		return take(cursor, insn->width == 8 ? 8 : narrow, &insn->immediate);
	default:
		return true;
	}
}

bool x86_decode(const uint8_t *bytes, size_t size, struct x86_insn *insn)
{
	struct cursor cursor = { .bytes = bytes, .size = size < LENGTH_MAX ? size : LENGTH_MAX };
	unsigned int extension = 0;
	struct opcode opcode;
	uint8_t byte;

	*insn = (struct x86_insn){ .base = -1, .index = -1, .rm = -1, .reg = -1, .scale = 1 };
	if (!take_prefixes(&cursor, insn))
		return false;
	byte = cursor.bytes[cursor.at++];
	if (byte == 0x0f) {
		if (cursor.at == cursor.size)
			return false;
		byte = cursor.bytes[cursor.at++];
		if (!find_vector(&cursor, byte, &opcode))
			opcode = two_byte[byte];
	} else {
		opcode = one_byte[byte];
	}
	if (opcode.kind == X86_BAD)
		return false;
	if (byte == 0x90 && opcode.kind == X86_NOP && cursor.rex & REX_B)
		return false; // xchg %r8,%rax
	if (opcode.form == X86_EG || opcode.form == X86_GE || opcode.form == X86_EI ||
	    opcode.form == X86_E) {
		if (!take_modrm(&cursor, insn, &extension) || (cursor.address32 && insn->memory))
			return false;
	} else if (opcode.form == X86_O || opcode.form == X86_OI) {
		insn->reg = (byte & 7) | (cursor.rex & REX_B ? 8 : 0);
	}
	if (!resolve_group(&opcode, extension, insn))
		return false;
	insn->width = opcode.size != SIZE_V ? opcode.size :
		      cursor.rex & REX_W    ? 8 :
		      cursor.operand16 && opcode.kind != X86_VECTOR_READ &&
				      opcode.kind != X86_VECTOR_WRITE ?
					   2 :
					   4;
	insn->source_width = opcode.source ? opcode.source : insn->width;
	insn->byte_registers = !cursor.rex;
	if (!take_immediate(&cursor, &opcode, insn))
		return false;
	insn->kind = opcode.kind;
	insn->form = opcode.form;
	insn->length = (unsigned int)cursor.at;
	return true;
}
