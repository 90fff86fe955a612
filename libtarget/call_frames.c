// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "call_frames.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular_file.h"

// DWARF's numbers of registers (System V ABI for x86-64, 3.6).
enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16, WORD = 8 };

static const int kept_registers[CALL_FRAME_REGISTERS] = {
	[CALL_FRAME_RBX] = 3,  [CALL_FRAME_RBP] = 6,  [CALL_FRAME_R12] = 12,
	[CALL_FRAME_R13] = 13, [CALL_FRAME_R14] = 14, [CALL_FRAME_R15] = 15,
};

struct call_frames {
	Dwfl *dwfl;
};

/** Open what a process has mapped. */
static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **ret,
		    Elf **elf)
{
	if (*name != '/') // the code that the kernel maps
		return dwfl_linux_proc_find_elf(module, data, name, base, ret, elf);
	int file = open_regular_file(name);
	*ret = file < 0 ? NULL : strdup(name);
	return file;
}

/** Find no debug information: a program has its call frames in itself. */
static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **ret)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	*ret = NULL;
	return -1;
}

static const Dwfl_Callbacks process_files = {
	.find_elf = find_elf,
	.find_debuginfo = find_no_debuginfo,
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

/** Check whether the caller's frame begins at a fixed distance from the stack pointer or rbp. */
static bool frame_size(Dwarf_Frame *frame, struct call_frame *ret)
{
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1 || ops[0].atom != DW_OP_bregx)
		return false;
	if (ops[0].number != STACK_POINTER && ops[0].number != FRAME_POINTER)
		return false;
	ret->from_bp = ops[0].number == FRAME_POINTER;
	ret->size = ops[0].number2;
	return ops[0].number2 >= WORD;
}

/** @return whether a register is in memory, so far below the caller's stack. */
static bool is_saved(const Dwarf_Op *ops, size_t count, uint64_t *below)
{
	if (count != 2 || ops[0].atom != DW_OP_call_frame_cfa || ops[1].atom != DW_OP_plus_uconst)
		return false;
	*below = -ops[1].number;
	return (int64_t)*below > 0;
}

/**
 * Return where a register is saved that functions keep; one without a rule is unchanged. libdw
 * takes that for undefined in the case of rbx: its table of them has the number of rax instead.
 */
static uint32_t where_saved(Dwarf_Frame *frame, int number)
{
	Dwarf_Op room[3], *ops;
	size_t count;
	uint64_t below;

	if (dwarf_frame_register(frame, number, room, &ops, &count) != 0)
		return CALL_FRAME_LOST;
	if (!count && (!ops || number == kept_registers[CALL_FRAME_RBX]))
		return 0;
	return is_saved(ops, count, &below) && below < CALL_FRAME_LOST ? (uint32_t)below :
									 CALL_FRAME_LOST;
}

static struct call_frame simple_frame(Dwarf_Frame *frame)
{
	struct call_frame unknown = { 0 }, found = { .kind = CALL_FRAME_CALLED };
	Dwarf_Op room[3], *ops;
	size_t count;
	uint64_t below;
	bool is_signal;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != RETURN_ADDRESS || is_signal ||
	    dwarf_frame_register(frame, RETURN_ADDRESS, room, &ops, &count) != 0)
		return unknown;
	if (!count) // undefined, as where a thread begins; or what no caller has: unchanged
		return ops ? (struct call_frame){ .kind = CALL_FRAME_OUTERMOST } : unknown;
	if (!is_saved(ops, count, &below) || below != WORD || !frame_size(frame, &found))
		return unknown;
	for (size_t i = 0; i < CALL_FRAME_REGISTERS; i++)
		found.saved[i] = where_saved(frame, kept_registers[i]);
	return found;
}

struct call_frame call_frames_at(struct call_frames *frames, uint64_t address)
{
	struct call_frame found = { 0 };
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
