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

/** Of ompd_ext_argument. */
enum { WHOLE = 8, HALF = 4, SIGNED_HALF = -4 };

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
	case X86_WIDEN:
		return reg == RAX || reg == RDX;
	default:
		return true;
	}
}

// shl $NUMBER,%REGISTER
static bool is_shift_left(const uint8_t *bytes, const struct x86_insn *insn)
{
	return bytes[1] == 0xc1 && !insn->memory && insn->form == X86_EI && (insn->reg & 7) == 4 &&
	       insn->immediate > 0 && insn->immediate < 16;
}

static bool is_cltq(const uint8_t *bytes, const struct x86_insn *insn)
{
	return insn->length == 2 && bytes[0] == 0x48 && bytes[1] == 0x98;
}

/** What a register holds. */
struct content {
	bool known;
	size_t at; // where the instruction ends that wrote it, 0: none did
	ompd_ext_argument value;
};

struct registers {
	struct content of[REGS];
};

// A register that the call leaves unchanged can be had from the calling frame, whatever it holds.
static bool get(const struct registers *registers, int reg, ompd_ext_argument *ret)
{
	if (reg < 0 || reg >= REGS)
		return false;
	if (kept_registers[reg]) {
		*ret = (ompd_ext_argument){
			.register_name = kept_registers[reg],
			.scale = 1,
			.width = WHOLE,
		};
		return true;
	}
	*ret = registers->of[reg].value;
	return registers->of[reg].known;
}

static bool is_plain(const ompd_ext_argument *value)
{
	return value->register_name && value->scale == 1;
}

static bool is_small(int64_t number)
{
	return number >= INT16_MIN && number <= INT16_MAX;
}

static bool multiply(ompd_ext_argument *value, int64_t factor)
{
	if (!is_small(factor) || !is_small(value->scale))
		return false;
	value->value *= (uint64_t)factor;
	value->scale *= factor;
	return true;
}

// One of the two may hold what is not known before the program runs.
static bool add(ompd_ext_argument *value, const ompd_ext_argument *other)
{
	const uint64_t sum = value->value + other->value;

	if (value->register_name && other->register_name)
		return false;
	if (other->register_name)
		*value = *other;
	value->value = sum;
	return true;
}

// The lower half of it.
static bool halve(ompd_ext_argument *value, int8_t width)
{
	if (!value->register_name) {
		value->value = width < 0 ? (uint64_t)(int32_t)value->value : (uint32_t)value->value;
		return true;
	}
	value->width = width;
	return is_plain(value) && value->value == 0;
}

// The sum of registers and numbers that an operand in memory stands for.
static bool operand_address(const struct registers *registers, const struct x86_insn *insn,
			    uint64_t next, ompd_ext_argument *ret)
{
	ompd_ext_argument part;

	*ret = (ompd_ext_argument){ .value = (uint64_t)insn->displacement };
	if (insn->relative)
		ret->value += next;
	if (insn->base >= 0 && (!get(registers, insn->base, &part) || !add(ret, &part)))
		return false;
	if (insn->index < 0)
		return true;
	return get(registers, insn->index, &part) && multiply(&part, insn->scale) &&
	       add(ret, &part);
}

// What memory on the stack holds. What a variable held at the time of the call is not known.
static bool in_memory(const ompd_ext_argument *address, int8_t width, ompd_ext_argument *ret)
{
	if (!is_plain(address) || address->in_memory || address->width != WHOLE ||
	    !is_small((int64_t)address->value))
		return false;
	*ret = *address;
	ret->value = 0;
	ret->offset = (int32_t)address->value;
	ret->in_memory = 1;
	ret->width = width;
	return true;
}

static bool read_operand(const struct registers *registers, const struct x86_insn *insn,
			 int8_t width, uint64_t next, ompd_ext_argument *ret)
{
	ompd_ext_argument address;

	if (insn->memory)
		return operand_address(registers, insn, next, &address) &&
		       in_memory(&address, width, ret);
	const int reg = insn->form == X86_EG ? insn->reg : insn->rm;

	if (!get(registers, reg, ret))
		return false;
	return width == WHOLE || halve(ret, width);
}

static bool sum(const struct registers *registers, const struct x86_insn *insn, uint64_t next,
		ompd_ext_argument *ret)
{
	ompd_ext_argument other = { .value = (uint64_t)insn->immediate };

	if (insn->form == X86_EI) {
		if (insn->kind == X86_SUB)
			other.value = -other.value;
		return !insn->memory && get(registers, insn->rm, ret) && add(ret, &other);
	}
	if (insn->kind == X86_SUB || !read_operand(registers, insn, WHOLE, next, &other))
		return false;
	return get(registers, insn->form == X86_EG ? insn->rm : insn->reg, ret) && add(ret, &other);
}

// What the instruction, which writes a register, puts into it.
static bool loaded(const struct registers *registers, const struct x86_insn *insn,
		   const uint8_t *bytes, uint64_t next, ompd_ext_argument *ret)
{
	const bool whole = insn->width == 8;

	*ret = (ompd_ext_argument){ 0 };
	if (insn->thread)
		return false;
	if (insn->kind == X86_MOVE && (insn->form == X86_OI || insn->form == X86_EI)) {
		// A number of 32 bits clears the upper half.
		ret->value = whole ? (uint64_t)insn->immediate : (uint32_t)insn->immediate;
		return insn->width >= 4;
	}
	switch (insn->kind) {
	case X86_MOVE:
		return insn->width >= 4 &&
		       read_operand(registers, insn, whole ? WHOLE : HALF, next, ret);
	case X86_EXTEND:
		return whole && insn->source_width == 4 &&
		       read_operand(registers, insn, SIGNED_HALF, next, ret);
	case X86_WIDEN:
		return is_cltq(bytes, insn) && get(registers, RAX, ret) && halve(ret, SIGNED_HALF);
	case X86_LEA:
		return whole && operand_address(registers, insn, next, ret);
	case X86_ADD:
	case X86_SUB:
		return whole && sum(registers, insn, next, ret);
	case X86_ALU:
		if (whole && is_shift_left(bytes, insn))
			return get(registers, insn->rm, ret) &&
			       multiply(ret, INT64_C(1) << (insn->immediate & 15));
		return whole && insn->form == X86_GE && insn->immediate && // imul
		       read_operand(registers, insn, WHOLE, next, ret) &&
		       multiply(ret, insn->immediate);
	default:
		return false;
	}
}

/** What the instructions from one place on come to. */
struct outcome {
	struct content content;
	unsigned int votes;
};

// What is copied into a register that is kept, or onto the stack, can be had from there.
static void keep_source(struct registers *registers, const struct x86_insn *insn, size_t end)
{
	ompd_ext_argument place, address;

	if (insn->kind != X86_MOVE || insn->width != 8 || insn->thread ||
	    (insn->form != X86_EG && (insn->memory || insn->form != X86_GE)))
		return;
	const int to = insn->form == X86_EG ? insn->rm : insn->reg;
	const int from = insn->form == X86_EG ? insn->reg : insn->rm;

	if (from < 0 || from >= REGS || kept_registers[from])
		return;
	if (insn->memory) {
		const struct content *content = &registers->of[from];

		if (insn->relative || insn->index >= 0 || !kept_registers[insn->base] ||
		    (content->known && !content->value.register_name) ||
		    !operand_address(registers, insn, 0, &address) ||
		    !in_memory(&address, WHOLE, &place))
			return;
	} else if (to < 0 || to >= REGS || !kept_registers[to] || !get(registers, to, &place)) {
		return;
	}
	registers->of[from] = (struct content){ .known = true, .at = end, .value = place };
}

static void write_registers(struct registers *registers, const struct x86_insn *insn,
			    const uint8_t *bytes, size_t end, uint64_t next)
{
	ompd_ext_argument value;
	bool known = loaded(registers, insn, bytes, next, &value);

	for (int reg = 0; reg < REGS; reg++) {
		if (!may_write(insn, reg))
			continue;
		registers->of[reg] = (struct content){ .known = known, .at = end, .value = value };
		if (!kept_registers[reg])
			continue;
		for (int other = 0; other < REGS; other++) {
			if (registers->of[other].value.register_name == kept_registers[reg])
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
		const uint8_t *begin = bytes + at;

		at += insn.length;
		if (insn.kind == X86_JUMP || insn.kind == X86_JUMP_INDIRECT ||
		    insn.kind == X86_RETURN || insn.kind == X86_TRAP)
			registers = (struct registers){ 0 }; // the next is reached from elsewhere
		else
			write_registers(&registers, &insn, begin, at, address + at);
	}
	*outcome = (struct outcome){ .content = registers.of[reg] };
	// Half a register is no address.
	if (is_plain(&outcome->content.value) && outcome->content.value.width != WHOLE)
		outcome->content.known = false;
	return outcome->content.at != 0;
}

static bool is_same(const struct content *one, const struct content *other)
{
	const ompd_ext_argument *a = &one->value, *b = &other->value;

	if (one->at != other->at || one->known != other->known)
		return false;
	return !one->known || (a->register_name == b->register_name && a->value == b->value &&
			       a->scale == b->scale && a->offset == b->offset &&
			       a->in_memory == b->in_memory && a->width == b->width);
}

// Instructions that are decoded from different places on soon come to be the same.
static bool elect(const uint8_t *bytes, size_t size, uint64_t address, int reg,
		  ompd_ext_argument *ret)
{
	struct outcome found[WINDOW], outcome;
	size_t count = 0, best = 0;
	unsigned int votes = 0;

	for (size_t start = 0; start < size && start < WINDOW; start++) {
		size_t i = 0;

		if (!follow(bytes, start, size, address, reg, &outcome))
			continue;
		while (i < count && !is_same(&found[i].content, &outcome.content))
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
			ompd_ext_argument *ret)
{
	uint8_t bytes[WINDOW + CALL_MEMORY_SIZE];
	const uint64_t address = return_address - sizeof(bytes);
	size_t size = WINDOW;

	if (number >= sizeof(argument_registers))
		return ompd_rc_unavailable;
	ompd_rc_t rc = target_read(target, address, bytes, sizeof(bytes));

	if (rc != ompd_rc_ok)
		return rc;
	if (bytes[WINDOW] != 0xff || bytes[WINDOW + 1] != 0x15)
		size = sizeof(bytes) - CALL_REL32_SIZE;
	if (size != WINDOW && bytes[size] != 0xe8)
		return ompd_rc_unavailable;
	return elect(bytes, size, address, argument_registers[number], ret) ? ompd_rc_ok :
									      ompd_rc_unavailable;
}
