// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "call_frames.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

// DWARF's numbers of the stack pointer and of the return address (System V ABI for x86-64, 3.6).
enum { STACK_POINTER = 7, RETURN_ADDRESS = 16, WORD = 8 };

struct call_frames {
	Dwfl *dwfl;
};

static const Dwfl_Callbacks process_files = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

struct call_frames *call_frames_open(pid_t pid)
{
	struct call_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	frames->dwfl = dwfl_begin(&process_files);
	if (!frames->dwfl || dwfl_linux_proc_report(frames->dwfl, pid) != 0 ||
	    dwfl_report_end(frames->dwfl, NULL, NULL) != 0) {
		call_frames_close(frames);
		return NULL;
	}
	return frames;
}

void call_frames_close(struct call_frames *frames)
{
	if (!frames)
		return;
	if (frames->dwfl)
		dwfl_end(frames->dwfl);
	free(frames);
}

/** Whether the caller's frame begins at a fixed distance from the stack pointer. */
static bool frame_size(Dwarf_Frame *frame, uint64_t *ret)
{
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1)
		return false;
	if (ops[0].atom != DW_OP_bregx || ops[0].number != STACK_POINTER)
		return false;
	*ret = ops[0].number2;
	return ops[0].number2 >= WORD;
}

static struct call_frame simple_frame(Dwarf_Frame *frame)
{
	struct call_frame unknown = { CALL_FRAME_UNKNOWN, 0 }, found = { CALL_FRAME_CALLED, 0 };
	Dwarf_Op room[3], *ops;
	size_t count;
	bool is_signal;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != RETURN_ADDRESS || is_signal ||
	    dwarf_frame_register(frame, RETURN_ADDRESS, room, &ops, &count) != 0)
		return unknown;
	if (!count) // undefined, as where a thread begins; or what no caller has: unchanged
		return ops ? (struct call_frame){ CALL_FRAME_OUTERMOST, 0 } : unknown;
	if (count != 2 || ops[0].atom != DW_OP_call_frame_cfa || ops[1].atom != DW_OP_plus_uconst ||
	    ops[1].number != -(Dwarf_Word)WORD)
		return unknown;
	return frame_size(frame, &found.size) ? found : unknown;
}

struct call_frame call_frames_at(struct call_frames *frames, uint64_t address)
{
	struct call_frame found = { CALL_FRAME_UNKNOWN, 0 };
	Dwfl_Module *module = dwfl_addrmodule(frames->dwfl, address);
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, address - bias, &frame) != 0)
		return found;
	found = simple_frame(frame);
	free(frame);
	return found;
}
