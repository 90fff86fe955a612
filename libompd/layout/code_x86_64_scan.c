// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "layout/code_x86_64_insn.h"

static bool reads_operand(const struct x86_insn *insn)
{
	switch (insn->kind) {
	case X86_LEA:
	case X86_NOP:
	case X86_CALL_INDIRECT:
	case X86_JUMP_INDIRECT:
	case X86_SET_IF:
	case X86_VECTOR_WRITE:
		return false;
	case X86_MOVE:
		return insn->form == X86_GE;
	default:
		return true;
	}
}

unsigned int x86_scan(uint64_t pc, const uint8_t *bytes, size_t size, struct code_event *event)
{
	struct x86_insn insn;
	bool absolute;

	event->kind = CODE_EVENT_OTHER;
	if (!x86_decode(bytes, size, &insn))
		return 0;
	// Relative to the instruction, or an address as it stands in a program that is not moved.
	absolute = insn.relative || (insn.base < 0 && insn.index < 0);
	uint64_t next = pc + insn.length;

	event->address = (uint64_t)insn.displacement + (insn.relative ? next : 0);
	event->width = insn.source_width;
	if (insn.kind == X86_CALL || insn.kind == X86_CALL_INDIRECT) {
		event->kind = CODE_EVENT_CALL;
		event->address = insn.kind == X86_CALL ? next + (uint64_t)insn.immediate : 0;
	} else if (insn.kind == X86_JUMP) {
		event->kind = CODE_EVENT_JUMP;
		event->address = next + (uint64_t)insn.immediate;
	} else if (insn.memory && absolute && !insn.thread) {
		event->kind = insn.kind == X86_LEA ? CODE_EVENT_ADDRESS :
			      reads_operand(&insn) ? CODE_EVENT_READ :
						     CODE_EVENT_OTHER;
	} else if (insn.kind == X86_MOVE && insn.immediate > 0 &&
		   (insn.form == X86_OI || (insn.form == X86_EI && !insn.memory))) {
		event->kind = CODE_EVENT_ADDRESS;
		event->address = (uint64_t)insn.immediate;
	} else if (insn.kind != X86_MOVE && (insn.form == X86_EI || insn.form == X86_AI)) {
		event->kind = CODE_EVENT_NUMBER;
		event->address = (uint64_t)insn.immediate;
	}
	return insn.length;
}
