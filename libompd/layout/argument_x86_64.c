// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a call, read out of the instructions before it. Where these begin is not known: they
// are decoded from every place on, and what most of these readings come to holds.

#include "layout/call.h"
#include "layout/code_x86_64_insn.h"

enum {
	WINDOW = 64, // bytes before the call
	CALL_REL32_SIZE = 5,
	CALL_MEMORY_SIZE = 6,
};

enum reg { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, REGS };

static const uint8_t argument_registers[] = { RDI, RSI, RDX, RCX, R8, R9 };

/** Those whose values a function finds again after a call. */
static const char *const kept_registers[REGS] = {
	[RBX] = "rbx", [RSP] = "rsp", [RBP] = "rbp", [R12] = "r12",
	[R13] = "r13", [R14] = "r14", [R15] = "r15",
};

static bool has_operand_destination(const struct x86_insn *insn)
{
	return insn->form == X86_EG || insn->form == X86_EI || insn->form == X86_E;
}

static bool may_write(const struct x86_insn *insn, int reg)
{
	switch (insn->kind) {
	case X86_COMPARE:
	case X86_NOP:
	case X86_JUMP_IF:
	case X86_VECTOR_READ:
		return false;
	case X86_PUSH:
		return reg == RSP;
	case X86_CALL:
	case X86_CALL_INDIRECT:
	case X86_SYSCALL:
		return !kept_registers[reg];
	case X86_MOVE:
	case X86_LEA:
	case X86_ADD:
	case X86_SUB:
	case X86_XOR:
	case X86_ALU:
	case X86_EXTEND:
	case X86_MOVE_IF:
	case X86_SET_IF:
	case X86_VECTOR_WRITE:
		if (has_operand_destination(insn))
			return !insn->memory && insn->rm == reg;
		return insn->form == X86_AI ? reg == RAX : insn->reg == reg;
	default:
		return true;
	}
}

/** What a register holds. */
struct content {
	bool known;
	size_t at; // where the instruction ends that wrote it, 0: none did
	struct call_argument value;
};

struct registers {
	struct content of[REGS];
};

// A register that the call leaves unchanged can be had from the calling frame, whatever it holds.
static bool get(const struct registers *registers, int reg, struct call_argument *ret)
{
	if (reg < 0 || reg >= REGS)
		return false;
	if (kept_registers[reg]) {
		*ret = (struct call_argument){ .kind = CALL_ARGUMENT_REGISTER,
					       .reg = kept_registers[reg] };
		return true;
	}
	*ret = registers->of[reg].value;
	return registers->of[reg].known;
}

static bool add(struct call_argument *value, int64_t number)
{
	if (value->kind != CALL_ARGUMENT_MEMORY) {
		value->value += (uint64_t)number;
		return true;
	}
	if (number < INT16_MIN || number > INT16_MAX || value->offset < INT16_MIN ||
	    value->offset > INT16_MAX)
		return false;
	value->offset += (int32_t)number;
	return true;
}

// What the instruction, which writes a register, puts into it.
static bool loaded(const struct registers *registers, const struct x86_insn *insn, uint64_t next,
		   struct call_argument *ret)
{
	const bool whole = insn->width == 8, from_operand = insn->form == X86_GE;

	*ret = (struct call_argument){ 0 };
	if (insn->kind == X86_MOVE && (insn->form == X86_OI || insn->form == X86_EI)) {
		// A number of 32 bits clears the upper half.
		ret->value = whole ? (uint64_t)insn->immediate : (uint32_t)insn->immediate;
		return insn->width >= 4;
	}
	if (!whole || insn->thread || insn->index >= 0)
		return false;
	if ((insn->kind == X86_ADD || insn->kind == X86_SUB) && insn->form == X86_EI)
		return !insn->memory && get(registers, insn->rm, ret) &&
		       add(ret, insn->kind == X86_ADD ? insn->immediate : -insn->immediate);
	if (insn->kind == X86_MOVE && !insn->memory)
		return get(registers, from_operand ? insn->rm : insn->reg, ret);
	if (!insn->memory || !from_operand || (insn->kind != X86_MOVE && insn->kind != X86_LEA))
		return false;
	if (insn->relative) {
		// What a variable held at the time of the call is not known.
		ret->value = next + (uint64_t)insn->displacement;
		return insn->kind == X86_LEA;
	}
	if (!get(registers, insn->base, ret) || !add(ret, insn->displacement))
		return false;
	if (insn->kind == X86_LEA)
		return true;
	if (ret->kind != CALL_ARGUMENT_REGISTER)
		return false;
	ret->kind = CALL_ARGUMENT_MEMORY;
	return true;
}

/** What the instructions from one place on come to. */
struct outcome {
	struct content content;
	unsigned int votes;
};

// What is copied into a register that is kept, can be had from there.
static void keep_source(struct registers *registers, const struct x86_insn *insn, size_t end)
{
	if (insn->kind != X86_MOVE || insn->memory || insn->width != 8 ||
	    (insn->form != X86_EG && insn->form != X86_GE))
		return;
	const int to = insn->form == X86_EG ? insn->rm : insn->reg;
	const int from = insn->form == X86_EG ? insn->reg : insn->rm;

	if (to < 0 || to >= REGS || from < 0 || from >= REGS || !kept_registers[to] ||
	    kept_registers[from])
		return;
	registers->of[from] = (struct content){
		.known = true,
		.at = end,
		.value = { .kind = CALL_ARGUMENT_REGISTER, .reg = kept_registers[to] },
	};
}

static void write_registers(struct registers *registers, const struct x86_insn *insn, size_t end,
			    uint64_t next)
{
	struct call_argument value;
	bool known = loaded(registers, insn, next, &value);

	for (int reg = 0; reg < REGS; reg++) {
		if (!may_write(insn, reg))
			continue;
		registers->of[reg] = (struct content){ .known = known, .at = end, .value = value };
		if (!kept_registers[reg])
			continue;
		for (int other = 0; other < REGS; other++) {
			if (registers->of[other].value.reg == kept_registers[reg])
				registers->of[other].known = false;
		}
	}
	keep_source(registers, insn, end);
}

// Follows the instructions from @p at to the end of the window; false if that is none of one, or
// nothing is put into the register.
static bool follow(const uint8_t *bytes, size_t at, size_t size, uint64_t address, int reg,
		   struct outcome *outcome)
{
	struct registers registers = { 0 };
	struct x86_insn insn;

	while (at < size) {
		if (!x86_decode(bytes + at, size - at, &insn))
			return false;
		at += insn.length;
		if (insn.kind == X86_JUMP || insn.kind == X86_JUMP_INDIRECT ||
		    insn.kind == X86_RETURN || insn.kind == X86_TRAP)
			registers = (struct registers){ 0 }; // the next is reached from elsewhere
		else
			write_registers(&registers, &insn, at, address + at);
	}
	*outcome = (struct outcome){ .content = registers.of[reg] };
	return outcome->content.at != 0;
}

// Instructions that are decoded from different places on soon come to be the same.
static bool elect(const uint8_t *bytes, size_t size, uint64_t address, int reg,
		  struct call_argument *ret)
{
	struct outcome found[WINDOW], outcome;
	size_t count = 0, best = 0;
	unsigned int votes = 0;

	for (size_t start = 0; start < size && start < WINDOW; start++) {
		size_t i = 0;

		if (!follow(bytes, start, size, address, reg, &outcome))
			continue;
		while (i < count && (found[i].content.at != outcome.content.at ||
				     found[i].content.known != outcome.content.known))
			i++;
		if (i == count)
			found[count++] = outcome;
		found[i].votes++;
		votes++;
	}
	for (size_t i = 1; i < count; i++) {
		if (found[i].votes > found[best].votes)
			best = i;
	}
	if (!count || 2 * found[best].votes <= votes || !found[best].content.known)
		return false;
	*ret = found[best].content.value;
	return true;
}

ompd_rc_t call_argument(const struct target *target, uint64_t return_address, unsigned int number,
			struct call_argument *ret)
{
	uint8_t bytes[WINDOW + CALL_MEMORY_SIZE];
	const uint64_t address = return_address - sizeof(bytes);
	size_t size = WINDOW;

	if (number >= sizeof(argument_registers) ||
	    target_read(target, address, bytes, sizeof(bytes)) != ompd_rc_ok)
		return ompd_rc_unavailable;
	if (bytes[WINDOW] != 0xff || bytes[WINDOW + 1] != 0x15)
		size = sizeof(bytes) - CALL_REL32_SIZE;
	if (size != WINDOW && bytes[size] != 0xe8)
		return ompd_rc_unavailable;
	return elect(bytes, size, address, argument_registers[number], ret) ? ompd_rc_ok :
									      ompd_rc_unavailable;
}
