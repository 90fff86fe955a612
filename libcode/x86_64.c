// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64, decoded by Zydis. Refuses int3, under which a debugger's breakpoint hides an instruction.

#include "code.h"

#include <string.h>

#include <Zydis/Zydis.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, GENERAL };

/** The other registers: some share a number, which then never gets wholly new contents. */
enum {
	XMM0 = CODE_GENERAL,
	XMM15 = XMM0 + 15,
	UPPER_VECTORS, // xmm16 and up
	X87,	       // and MMX, which has the same
	MASKS,
	FLAGS,
	REST,
};

#define SET(reg) (UINT64_C(1) << (reg))

static const uint64_t shared_registers = SET(UPPER_VECTORS) | SET(X87) | SET(MASKS) | SET(REST);

struct name {
	uint8_t number;
	uint8_t width;
	bool high_byte;
};

static bool is_between(ZydisRegister reg, ZydisRegister first, ZydisRegister last)
{
	return reg >= first && reg <= last;
}

static struct name number_of(ZydisRegister reg)
{
	static const struct {
		ZydisRegister first, last;
		uint8_t number, width;
	} vectors[] = {
		{ ZYDIS_REGISTER_XMM0, ZYDIS_REGISTER_XMM31, XMM0, 16 },
		{ ZYDIS_REGISTER_YMM0, ZYDIS_REGISTER_YMM31, XMM0, 32 },
		{ ZYDIS_REGISTER_ZMM0, ZYDIS_REGISTER_ZMM31, XMM0, 64 },
	};

	if (is_between(reg, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15))
		return (struct name){ (uint8_t)(reg - ZYDIS_REGISTER_RAX), 8, false };
	if (is_between(reg, ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D))
		return (struct name){ (uint8_t)(reg - ZYDIS_REGISTER_EAX), 4, false };
	if (is_between(reg, ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W))
		return (struct name){ (uint8_t)(reg - ZYDIS_REGISTER_AX), 2, false };
	if (is_between(reg, ZYDIS_REGISTER_AL, ZYDIS_REGISTER_BL))
		return (struct name){ (uint8_t)(reg - ZYDIS_REGISTER_AL), 1, false };
	if (is_between(reg, ZYDIS_REGISTER_AH, ZYDIS_REGISTER_BH))
		return (struct name){ (uint8_t)(reg - ZYDIS_REGISTER_AH), 1, true };
	if (is_between(reg, ZYDIS_REGISTER_SPL, ZYDIS_REGISTER_R15B))
		return (struct name){ (uint8_t)(reg - ZYDIS_REGISTER_SPL + RSP), 1, false };
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		if (!is_between(reg, vectors[i].first, vectors[i].last))
			continue;
		const unsigned int number = XMM0 + (unsigned int)(reg - vectors[i].first);

		return (struct name){ number <= XMM15 ? (uint8_t)number : UPPER_VECTORS,
				      vectors[i].width, false };
	}
	if (is_between(reg, ZYDIS_REGISTER_FLAGS, ZYDIS_REGISTER_RFLAGS))
		return (struct name){ FLAGS, 8, false };
	if (is_between(reg, ZYDIS_REGISTER_ST0, ZYDIS_REGISTER_ST7) ||
	    is_between(reg, ZYDIS_REGISTER_MM0, ZYDIS_REGISTER_MM7))
		return (struct name){ X87, 8, false };
	if (is_between(reg, ZYDIS_REGISTER_K0, ZYDIS_REGISTER_K7))
		return (struct name){ MASKS, 8, false };
	// Rounding modes and exceptions of floating point numbers are no data, as selectors are not.
	if (reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_MXCSR ||
	    is_between(reg, ZYDIS_REGISTER_X87CONTROL, ZYDIS_REGISTER_X87TAG) ||
	    is_between(reg, ZYDIS_REGISTER_IP, ZYDIS_REGISTER_RIP) ||
	    is_between(reg, ZYDIS_REGISTER_ES, ZYDIS_REGISTER_GS))
		return (struct name){ CODE_NO_REGISTER, 0, false };
	return (struct name){ REST, 8, false };
}

// ---- Operands --------------------------------------------------------------------------------

static void note_register(struct code_instruction *ret, const struct name *name, uint8_t actions)
{
	if (name->number == CODE_NO_REGISTER)
		return;
	const uint64_t set = SET(name->number);
	const bool may_stay = actions & ZYDIS_OPERAND_ACTION_CONDWRITE || set & shared_registers;

	if (actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		ret->reads |= set;
	if (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
		ret->writes |= set;
		if (may_stay)
			ret->reads |= set;
	}
}

// What is perhaps not written keeps its contents, as if these were read.
static uint8_t access_of(uint8_t actions)
{
	const uint8_t reads = ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE;

	return (actions & reads ? CODE_READS : 0) |
	       (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? CODE_WRITES : 0);
}

// A part of the address: a whole general register, or the operand is somewhere else.
static uint8_t take_part(struct code_instruction *ret, struct code_operand *operand,
			 ZydisRegister reg)
{
	const struct name name = number_of(reg);

	if (reg == ZYDIS_REGISTER_NONE)
		return CODE_NO_REGISTER;
	note_register(ret, &name, ZYDIS_OPERAND_ACTION_READ);
	if (name.number < GENERAL && name.width == 8)
		return name.number;
	operand->segment = CODE_ELSEWHERE;
	return CODE_NO_REGISTER;
}

static void take_memory(struct code_instruction *ret, const ZydisDecodedOperand *from,
			struct code_operand *operand)
{
	const bool is_address = from->mem.type == ZYDIS_MEMOP_TYPE_AGEN;
	ZydisRegister base = from->mem.base;

	operand->kind = CODE_MEMORY;
	operand->segment = CODE_PLAIN;
	operand->number = from->mem.disp.has_displacement ? from->mem.disp.value : 0;
	if (is_address) {
		operand->access = 0;
		operand->width = 0;
	} else if (from->mem.segment == ZYDIS_REGISTER_FS) {
		operand->segment = CODE_THREAD_LOCAL;
	} else if (from->mem.segment == ZYDIS_REGISTER_GS) {
		operand->segment = CODE_ELSEWHERE;
	}
	if (from->mem.type != ZYDIS_MEMOP_TYPE_MEM && !is_address)
		operand->segment = CODE_ELSEWHERE;
	if (base == ZYDIS_REGISTER_RIP) {
		operand->number = (int64_t)((uint64_t)operand->number + code_end(ret));
		base = ZYDIS_REGISTER_NONE;
	}
	operand->base = take_part(ret, operand, base);
	operand->index = take_part(ret, operand, from->mem.index);
	operand->scale = operand->index == CODE_NO_REGISTER ? 1 : from->mem.scale;
}

static void take_operand(struct code_instruction *ret, const ZydisDecodedOperand *from)
{
	const bool is_implied = from->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	struct code_operand operand = {
		.access = access_of(from->actions),
		.width = (uint16_t)(from->size / 8),
		.base = CODE_NO_REGISTER,
		.index = CODE_NO_REGISTER,
		.implied = is_implied,
	};
	struct name name;

	switch (from->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		name = number_of(from->reg.value);
		note_register(ret, &name, from->actions);
		if (is_implied || name.number == CODE_NO_REGISTER)
			return;
		operand.kind = name.high_byte ? CODE_HIGH_BYTE : CODE_REGISTER;
		operand.base = name.number;
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		take_memory(ret, from, &operand);
		if (is_implied && operand.base == RSP && operand.access == CODE_WRITES)
			operand.number = -(int64_t)operand.width; // it is pushed
		break;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		if (from->imm.is_relative) {
			ret->is_direct = true;
			ret->target = code_end(ret) + (uint64_t)from->imm.value.s;
			return;
		}
		operand.kind = CODE_IMMEDIATE;
		operand.number = from->imm.value.s;
		break;
	default: // a far pointer
		return;
	}
	if (ret->operand_count < CODE_OPERANDS)
		ret->operands[ret->operand_count++] = operand;
}

static void add_number(struct code_instruction *ret, int64_t number)
{
	ret->operands[ret->operand_count++] = (struct code_operand){
		.kind = CODE_IMMEDIATE,
		.access = CODE_READS,
		.width = ret->operands[0].width,
		.base = CODE_NO_REGISTER,
		.index = CODE_NO_REGISTER,
		.number = number,
	};
}

// ---- What it does ----------------------------------------------------------------------------

static enum code_kind kind_of(const ZydisDecodedInstruction *from)
{
	switch (from->mnemonic) {
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return CODE_TRAP;
	case ZYDIS_MNEMONIC_XABORT: // goes on where there is no transaction
	case ZYDIS_MNEMONIC_XEND:
		return CODE_OTHER;
	default:
		break;
	}
	switch (from->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return CODE_CALL;
	case ZYDIS_CATEGORY_COND_BR:
		return CODE_JUMP_IF;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return CODE_JUMP;
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSRET:
		return CODE_RETURN;
	default:
		return CODE_OTHER;
	}
}

static bool is_opaque(const ZydisDecodedInstruction *from)
{
	switch (from->mnemonic) {
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_XTEST:
		return true;
	default:
		break;
	}
	switch (from->meta.category) {
	case ZYDIS_CATEGORY_ENQCMD:
	case ZYDIS_CATEGORY_HRESET:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_IO:
	case ZYDIS_CATEGORY_IOSTRINGOP:
	case ZYDIS_CATEGORY_KEYLOCKER:
	case ZYDIS_CATEGORY_KEYLOCKER_WIDE:
	case ZYDIS_CATEGORY_PADLOCK:
	case ZYDIS_CATEGORY_PCONFIG:
	case ZYDIS_CATEGORY_PKU:
	case ZYDIS_CATEGORY_PT:
	case ZYDIS_CATEGORY_RDPID:
	case ZYDIS_CATEGORY_RDPRU:
	case ZYDIS_CATEGORY_RDRAND:
	case ZYDIS_CATEGORY_RDSEED:
	case ZYDIS_CATEGORY_RDWRFSGS:
	case ZYDIS_CATEGORY_SEGOP:
	case ZYDIS_CATEGORY_SGX:
	case ZYDIS_CATEGORY_SMAP:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_TSX_LDTRK:
	case ZYDIS_CATEGORY_UINTR:
	case ZYDIS_CATEGORY_VTX:
	case ZYDIS_CATEGORY_WAITPKG:
		return true;
	default:
		return false;
	}
}

static bool is_same_register(const struct code_instruction *instruction)
{
	const struct code_operand *operands = instruction->operands;

	return instruction->operand_count >= 2 && operands[0].kind == CODE_REGISTER &&
	       operands[1].kind == CODE_REGISTER && operands[0].base == operands[1].base &&
	       operands[0].width == operands[1].width;
}

static enum code_operation operation_of(const ZydisDecodedInstruction *from,
					const struct code_instruction *instruction)
{
	switch (from->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
		return CODE_MOVE;
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_CDQE:
		return CODE_MOVE_SIGNED;
	case ZYDIS_MNEMONIC_LEA:
		return CODE_ADDRESS;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_INC:
		return CODE_ADD;
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_XOR:
		if (is_same_register(instruction))
			return CODE_ZERO;
		return from->mnemonic == ZYDIS_MNEMONIC_SUB ? CODE_SUBTRACT : CODE_XOR;
	case ZYDIS_MNEMONIC_DEC:
		return CODE_SUBTRACT;
	case ZYDIS_MNEMONIC_IMUL:
		return from->operand_count_visible > 1 ? CODE_MULTIPLY : CODE_COMPUTE;
	case ZYDIS_MNEMONIC_SHL:
		return CODE_SHIFT_LEFT;
	case ZYDIS_MNEMONIC_CMP:
		return CODE_COMPARE;
	case ZYDIS_MNEMONIC_TEST:
		return CODE_TEST;
	case ZYDIS_MNEMONIC_AND:
		return CODE_AND;
	case ZYDIS_MNEMONIC_PUSH:
		return CODE_PUSH;
	case ZYDIS_MNEMONIC_POP:
		return CODE_POP;
	case ZYDIS_MNEMONIC_LEAVE:
		return from->operand_width == 64 ? CODE_LEAVE : CODE_COMPUTE;
	case ZYDIS_MNEMONIC_ENDBR32:
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_LFENCE:
	case ZYDIS_MNEMONIC_MFENCE:
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_PAUSE:
	case ZYDIS_MNEMONIC_SFENCE:
		return CODE_NOTHING;
	default:
		break;
	}
	switch (from->meta.category) {
	case ZYDIS_CATEGORY_CMOV:
		return CODE_MOVE_IF;
	case ZYDIS_CATEGORY_SETCC:
		return CODE_SET_IF;
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_WIDENOP:
		return CODE_NOTHING;
	default:
		return CODE_COMPUTE;
	}
}

// "lock or $0,(%rsp)" changes nothing: compilers make it as a fence.
static bool is_fence(const ZydisDecodedInstruction *from, const struct code_instruction *ret)
{
	switch (from->mnemonic) {
	case ZYDIS_MNEMONIC_LFENCE:
	case ZYDIS_MNEMONIC_MFENCE:
	case ZYDIS_MNEMONIC_SFENCE:
		return true;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_OR:
		return from->attributes & ZYDIS_ATTRIB_HAS_LOCK && ret->operand_count == 2 &&
		       ret->operands[0].base == RSP && ret->operands[1].kind == CODE_IMMEDIATE &&
		       ret->operands[1].number == 0;
	default:
		return false;
	}
}

static void forget_operands(struct code_instruction *ret)
{
	ret->operand_count = 0;
	ret->reads = 0;
	ret->writes &= SET(FLAGS);
}

// The operands that assembly does not write.
static void complete_operands(const ZydisDecodedInstruction *from, struct code_instruction *ret)
{
	const bool is_repeated = (from->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
						      ZYDIS_ATTRIB_HAS_REPNE)) != 0;

	switch (from->mnemonic) {
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		add_number(ret, 1);
		ret->reads |= SET(FLAGS); // the carry stays
		break;
	case ZYDIS_MNEMONIC_CDQE:
		ret->operation = CODE_MOVE_SIGNED;
		for (unsigned int i = 0; i < 2; i++) {
			ret->operands[ret->operand_count++] = (struct code_operand){
				.kind = CODE_REGISTER,
				.access = i ? CODE_READS : CODE_WRITES,
				.width = i ? 4 : 8,
				.base = RAX,
				.index = CODE_NO_REGISTER,
			};
		}
		break;
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTC:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTS:
		// The number of the bit may lead far away.
		if (ret->operands[0].kind == CODE_MEMORY && ret->operands[1].kind == CODE_REGISTER)
			ret->operands[0].segment = CODE_ELSEWHERE;
		break;
	default:
		for (unsigned int i = 0; is_repeated && i < ret->operand_count; i++) {
			if (ret->operands[i].kind == CODE_MEMORY)
				ret->operands[i].width = 0;
		}
		break;
	}
}

static enum code_status decode(uint64_t address, const uint8_t *bytes, size_t size,
			       struct code_instruction *ret)
{
	ZydisDecoder decoder;
	ZydisDecoderContext context;
	ZydisDecodedInstruction from;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	ret->operand_count = 0;
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, bytes, size, &from)) ||
	    from.mnemonic == ZYDIS_MNEMONIC_INT3 ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, &context, &from, operands,
						     from.operand_count)))
		return CODE_UNDEFINED;
	ret->address = address;
	ret->size = from.length;
	ret->kind = (uint8_t)kind_of(&from);
	ret->condition = 0;
	ret->is_direct = false;
	ret->is_opaque = is_opaque(&from);
	ret->target = 0;
	ret->reads = 0;
	ret->writes = 0;
	for (unsigned int i = 0; i < from.operand_count; i++)
		take_operand(ret, &operands[i]);
	if (ret->kind == CODE_JUMP_IF || from.meta.category == ZYDIS_CATEGORY_SETCC)
		ret->condition = from.opcode >= 0xe0 ? from.opcode : from.opcode & 15;
	ret->operation = (uint8_t)operation_of(&from, ret);
	ret->is_fence = is_fence(&from, ret);
	if (ret->is_fence)
		ret->operation = CODE_NOTHING;
	if (ret->operation == CODE_NOTHING)
		forget_operands(ret);
	else if (ret->operation == CODE_ZERO)
		ret->reads &= ~SET(ret->operands[0].base);
	complete_operands(&from, ret);
	if (from.meta.category == ZYDIS_CATEGORY_SYSCALL)
		ret->writes |= SET(RAX);
	return CODE_OK;
}

// The conditions of jumps come in pairs, of which the second is the opposite of the first.
static bool is_taken(uint8_t condition, const struct code_comparison *comparison, bool *ret)
{
	enum { BELOW = 1, EQUAL, BELOW_OR_EQUAL, NEGATIVE, LESS = 6, LESS_OR_EQUAL, CONDITIONS };
	const uint64_t left = comparison->left, right = comparison->right;
	const int64_t signed_left = (int64_t)code_sign_extend(left, comparison->width);
	const int64_t signed_right = (int64_t)code_sign_extend(right, comparison->width);
	const uint64_t difference = comparison->is_test ? left & right : left - right;
	const bool is_zero = !code_truncate(difference, comparison->width);
	const bool is_negative = (int64_t)code_sign_extend(difference, comparison->width) < 0;
	const bool is_below = !comparison->is_test && left < right;
	const bool is_less = comparison->is_test ? is_negative : signed_left < signed_right;
	bool holds;

	switch (condition / 2) {
	case BELOW:
		holds = is_below;
		break;
	case EQUAL:
		holds = is_zero;
		break;
	case BELOW_OR_EQUAL:
		holds = is_below || is_zero;
		break;
	case NEGATIVE:
		holds = is_negative;
		break;
	case LESS:
		holds = is_less;
		break;
	case LESS_OR_EQUAL:
		holds = is_less || is_zero;
		break;
	default:
		return false;
	}
	*ret = holds != condition % 2;
	return comparison->known && condition < 2 * CONDITIONS;
}

// Prefixes, of segments, sizes, repetition and registers, and the opcode of a call.
static bool may_call(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (at < size && (bytes[at] >> 4 == 4 || (bytes[at] & 0xe7) == 0x26 ||
			     (bytes[at] & 0xfc) == 0x64 || (bytes[at] & 0xfc) == 0xf0))
		at++;
	return at < size && (bytes[at] == 0xe8 || bytes[at] == 0xff);
}

static const uint8_t arguments[] = { RDI, RSI, RDX, RCX, R8, R9 };

static const char *const names[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				     "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

const struct code_architecture code_x86_64 = {
	.name = "x86-64",
	.longest = 15,
	.shortest_call = 2,
	.longest_call = 9,
	.stack_register = RSP,
	.frame_register = RBP,
	.flags_register = FLAGS,
	.arguments = arguments,
	.result = RAX,
	.argument_count = sizeof(arguments),
	.kept = SET(RBX) | SET(RSP) | SET(RBP) | SET(R12) | SET(R13) | SET(R14) | SET(R15),
	.register_names = names,
	.register_count = GENERAL,
	.decode = decode,
	.is_taken = is_taken,
	.may_call = may_call,
};
