// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads execute code that is made at run time, in memory of no file: it sleeps or spins.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int arrived, forever;

// Each calls pause() again and again.
static const unsigned char leaf[] = {
	0xb8, 34,   0, 0, 0, // mov $34, %eax
	0x0f, 0x05,	     // syscall
	0x83, 0x3e, 0,	     // cmpl $0, (%rsi)
	0x74, 0xf4,	     // je leaf
	0xc3,		     // ret
};
static const unsigned char framed[] = {
	0x55,			   // push %rbp
	0x48, 0x89, 0xe5,	   // mov %rsp, %rbp
	0x53,			   // push %rbx
	0x48, 0x83, 0xec, 0x28,	   // sub $40, %rsp
	0xb8, 34,   0,	  0,	0, // loop: mov $34, %eax
	0x0f, 0x05,		   // syscall
	0x83, 0x3e, 0,		   // cmpl $0, (%rsi)
	0x74, 0xf4,		   // je loop
	0x48, 0x83, 0xc4, 0x28,	   // add $40, %rsp
	0x5b,			   // pop %rbx
	0xc9,			   // leave
	0xc3,			   // ret
};
// It is not to be seen where this one goes on.
static const unsigned char jumps[] = {
	0xb8, 34,   0, 0, 0, // mov $34, %eax
	0x0f, 0x05,	     // syscall
	0x83, 0x3e, 0,	     // cmpl $0, (%rsi)
	0x74, 0xf4,	     // je jumps
	0xff, 0xe2,	     // jmp *%rdx
};
static const unsigned char spins[] = {
	0xf0, 0xff, 0x07, // lock incl (%rdi)
	0x83, 0x3e, 0,	  // loop: cmpl $0, (%rsi)
	0x74, 0xfb,	  // je loop
	0xc3,		  // ret
};

typedef void code(volatile int *arrived, volatile int *forever);

static code *make(const unsigned char *bytes, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(77);
	memcpy(memory, bytes, size);
	return (code *)memory;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	code *made = strcmp(kind, "leaf") == 0	 ? make(leaf, sizeof(leaf)) :
		     strcmp(kind, "framed") == 0 ? make(framed, sizeof(framed)) :
		     strcmp(kind, "jumps") == 0	 ? make(jumps, sizeof(jumps)) :
						   make(spins, sizeof(spins));

#pragma omp parallel num_threads(2) // LINE: region
	{
		made(&arrived, &forever); // LINE: call
		arrived++;
	}
	return 0;
}
