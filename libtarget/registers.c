// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and places of registers.

#include <stddef.h>
#include <sys/user.h>

#include "target.h"

#define PLACE(name) (offsetof(struct user_regs_struct, name) / sizeof(uint64_t))

const char *const target_register_names[TARGET_NAMED_REGISTERS] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",	     "r8",	"r9",
	"r10", "r11", "r12", "r13", "r14", "r15", "rip", "orig_rax", "fs_base",
};

const uint8_t target_register_places[TARGET_NAMED_REGISTERS] = {
	PLACE(rax), PLACE(rdx), PLACE(rcx), PLACE(rbx),	     PLACE(rsi),     PLACE(rdi), PLACE(rbp),
	PLACE(rsp), PLACE(r8),	PLACE(r9),  PLACE(r10),	     PLACE(r11),     PLACE(r12), PLACE(r13),
	PLACE(r14), PLACE(r15), PLACE(rip), PLACE(orig_rax), PLACE(fs_base),
};

const uint8_t target_kept_registers[TARGET_KEPT_REGISTERS] = { 3, 6, 7, 12, 13, 14, 15 };

int target_kept_index(unsigned int number)
{
	for (int i = 0; i < TARGET_KEPT_REGISTERS; i++) {
		if (target_kept_registers[i] == number)
			return i;
	}
	return -1;
}
