// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes one x86-64 instruction apart. Internal to code_x86_64.

#ifndef OMPDBG_CODE_X86_64_INSN_H
#define OMPDBG_CODE_X86_64_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/code.h"

/** What the instruction does, as far as it matters here. X86_BAD: not one of the known forms. */
enum x86_kind {
	X86_BAD = 0,
	X86_NOP,
	X86_MOVE,
	X86_LEA,
	X86_ADD,
	X86_SUB,
	X86_XOR,
	X86_ALU,     // any other arithmetic: the destination becomes unknown
	X86_COMPARE, // reads both, changes neither
	X86_EXTEND,  // narrow read into a wide register
	X86_EXCHANGE,
	X86_CMPXCHG,
	X86_PUSH,
	X86_POP,
	X86_LEAVE,
	X86_RETURN,
	X86_CALL,
	X86_CALL_INDIRECT,
	X86_JUMP,
	X86_JUMP_INDIRECT,
	X86_JUMP_IF,
	X86_MOVE_IF,
	X86_SET_IF,
	X86_WIDEN,    // changes rax or rdx by what they held
	X86_MULTIPLY, // rdx:rax from rax and an operand
	X86_SYSCALL,
	X86_TRAP,	  // control does not come back
	X86_VECTOR_READ,  // vector register from operand
	X86_VECTOR_WRITE, // operand from vector register
};

enum x86_form {
	X86_NONE,
	X86_EG, // operand is the destination, register the source
	X86_GE, // register is the destination, operand the source
	X86_EI, // operand and immediate
	X86_E,	// operand alone
	X86_AI, // rax and immediate
	X86_O,	// register in the opcode
	X86_OI, // register in the opcode, and immediate
	X86_J,	// relative target
};

struct x86_insn {
	enum x86_kind kind;
	enum x86_form form;
	unsigned int length;
	unsigned int width;	   // of the operation, in bytes
	unsigned int source_width; // X86_EXTEND: of the operand; else as width
	bool byte_registers;	   // registers are named without REX: 4 to 7 are ah to bh
	bool locked;
	bool thread;	 // %fs
	bool memory;	 // the operand is in memory
	bool relative;	 // ... at the next instruction + displacement
	int base, index; // registers of the memory operand, -1 for none
	unsigned int scale;
	int64_t displacement;
	int rm;		   // register operand if not in memory
	int reg;	   // the other register
	int64_t immediate; // or the distance of X86_J
};

/** Decodes the instruction at @p bytes; false if it is not a known form or is cut off. */
bool x86_decode(const uint8_t *bytes, size_t size, struct x86_insn *insn);

/** struct code_architecture::scan. */
unsigned int x86_scan(uint64_t pc, const uint8_t *bytes, size_t size, struct code_event *event);

#endif
