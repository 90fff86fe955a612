// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a thread without the C library, whose clone() may be a sanitizer's.

#include "spill_system.h"

// spill_clone(flags, stack, tls, function): what is called ends by itself, and has no caller for debuggers.
#if defined(__x86_64__)
__asm__(".text\n"
	".globl spill_clone\n"
	".hidden spill_clone\n"
	".type spill_clone, @function\n"
	"spill_clone:\n"
	"	.cfi_startproc\n"
	"	mov %rcx, %r9\n"
	"	mov %rdx, %r8\n"
	"	xor %edx, %edx\n"
	"	xor %r10d, %r10d\n"
	"	mov $56, %eax\n" // clone
	"	syscall\n"
	"	test %rax, %rax\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	.cfi_undefined rip\n"
	"	xor %ebp, %ebp\n"
	"	call *%r9\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	"	.size spill_clone, . - spill_clone\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl spill_clone\n"
	".hidden spill_clone\n"
	".type spill_clone, %function\n"
	"spill_clone:\n"
	"	.cfi_startproc\n"
	"	mov x9, x3\n"
	"	mov x3, x2\n"
	"	mov x2, xzr\n"
	"	mov x4, xzr\n"
	"	mov x8, #220\n" // clone
	"	svc #0\n"
	"	cbz x0, 1f\n"
	"	ret\n"
	"1:	.cfi_undefined x30\n"
	"	mov x29, xzr\n"
	"	blr x9\n"
	"	brk #0\n"
	"	.cfi_endproc\n"
	"	.size spill_clone, . - spill_clone\n");
#else
long spill_clone(unsigned long flags, void *stack, void *tls, void (*function)(void))
{
	(void)flags, (void)stack, (void)tls, (void)function;
	return -38; // ENOSYS
}
#endif
