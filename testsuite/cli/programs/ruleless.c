// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: ruleless kept|other
//
// Waits in a function without call frame information. It keeps the frame's address in rbp ("kept"), or has
// other things there ("other").

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void with_frame(void);
void with_other_things(void);

__asm__(".text\n"
	"with_frame:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	call pause@PLT\n"
	"	pop %rbp\n"
	"	ret\n"
	".globl with_frame\n"
	".type with_frame, @function\n"
	".size with_frame, . - with_frame\n"
	"with_other_things:\n"
	"	push %rbp\n"
	"	sub $32, %rsp\n"
	"	movq $0, (%rsp)\n"
	"	movabs $0x6e69622f3d4c4c45, %rax\n"
	"	mov %rax, 8(%rsp)\n"
	"	mov %rsp, %rbp\n"
	"	call pause@PLT\n"
	"	add $32, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	".globl with_other_things\n"
	".type with_other_things, @function\n"
	".size with_other_things, . - with_other_things\n");

__attribute__((noinline)) static void work(const char *how)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp master
		{
			puts("READY");
			fflush(stdout);
			if (!strcmp(how, "kept"))
				with_frame();
			else
				with_other_things();
		}
	}
}

int main(int argc, char **argv)
{
	work(argc > 1 ? argv[1] : "kept");
	return 0;
}
