// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls without the C library. They return -errno on failure.

#ifndef OMPDBG_RECORDER_SPILL_SYSTEM_H
#define OMPDBG_RECORDER_SPILL_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)

static inline long system_call(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)

static inline long system_call(long number, long a, long b, long c, long d)
{
	register long code __asm__("x8") = number;
	register long first __asm__("x0") = a;
	register long second __asm__("x1") = b;
	register long third __asm__("x2") = c;
	register long fourth __asm__("x3") = d;

	__asm__ volatile("svc 0"
			 : "+r"(first)
			 : "r"(code), "r"(second), "r"(third), "r"(fourth)
			 : "memory");
	return first;
}
#else
static inline long system_call(long number, long a, long b, long c, long d)
{
	(void)number, (void)a, (void)b, (void)c, (void)d;
	return -38; // ENOSYS
}
#endif

/** Start a thread of the kernel's that calls a function, which must not return. */
long spill_clone(unsigned long flags, void *stack, void *tls, void (*function)(void));

#define POINTER(p) ((long)(uintptr_t)(p))

/** Copy bytes; the regions do not overlap. Compilers must not make it memcpy(). */
static inline void copy_bytes(void *to, const void *from, size_t size)
{
	unsigned char *target = to;
	const unsigned char *source = from;

	for (size_t i = 0; i < size; i++) {
		// The checker does not know bytes of larger values.
		target[i] = source[i]; // NOLINT(clang-analyzer-core.uninitialized.Assign)
		__asm__ volatile("" : : : "memory");
	}
}

/** Set bytes to 0. */
static inline void clear_bytes(void *at, size_t size)
{
	unsigned char *bytes = at;

	for (size_t i = 0; i < size; i++) {
		bytes[i] = 0;
		__asm__ volatile("" : : : "memory");
	}
}

#endif
