// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of a program, or of a module, that no tool hears of. What was not written to the trace yet is
// written before the C library's functions go on. A signal that kills the program leaves no time for
// that.

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "spill.h"

#define PUBLIC __attribute__((visibility("default")))

/** Functions that end the program: whose come next may be a sanitizer's. */
static struct {
	void (*exit)(int status);
	void (*abort)(void);
	void (*assert_fail)(const char *text, const char *file, unsigned int line,
			    const char *function);
	int (*execve)(const char *path, char *const *words, char *const *environment);
	int (*execv)(const char *path, char *const *words);
	int (*execvp)(const char *path, char *const *words);
	int (*execvpe)(const char *path, char *const *words, char *const *environment);
	int (*dlclose)(void *handle);
} next;

/** Find a function. */
static void find(void *place, const char *name)
{
	*(void **)place = dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void find_all(void)
{
	find(&next.exit, "_exit");
	find(&next.abort, "abort");
	find(&next.assert_fail, "__assert_fail");
	find(&next.execve, "execve");
	find(&next.execv, "execv");
	find(&next.execvp, "execvp");
	find(&next.execvpe, "execvpe");
	find(&next.dlclose, "dlclose");
}

__attribute__((destructor)) static void at_exit(void)
{
	spill_end();
}

/** Find a function that another library's constructor calls before this one's. */
#define NEXT(name) (next.name ? next.name : (find_all(), next.name))

// These go on by a jump, so that they are on no stack: to the compiler, they return.
PUBLIC void exit_now(int status) __asm__("_exit");
PUBLIC void exit_now_too(int status) __asm__("_Exit");
PUBLIC void abort_now(void) __asm__("abort");
PUBLIC void assertion_failed(const char *text, const char *file, unsigned int line,
			     const char *function) __asm__("__assert_fail");

void exit_now(int status)
{
	spill_end();
	NEXT(exit)(status);
}

void exit_now_too(int status)
{
	spill_end();
	NEXT(exit)(status);
}

void abort_now(void)
{
	spill_flush();
	NEXT(abort)();
}

void assertion_failed(const char *text, const char *file, unsigned int line, const char *function)
{
	spill_flush();
	NEXT(assert_fail)(text, file, line, function);
}

PUBLIC int execve(const char *path, char *const *words, char *const *environment)
{
	spill_flush();
	return NEXT(execve)(path, words, environment);
}

PUBLIC int execv(const char *path, char *const *words)
{
	spill_flush();
	return NEXT(execv)(path, words);
}

PUBLIC int execvp(const char *path, char *const *words)
{
	spill_flush();
	return NEXT(execvp)(path, words);
}

PUBLIC int execvpe(const char *path, char *const *words, char *const *environment)
{
	spill_flush();
	return NEXT(execvpe)(path, words, environment);
}

PUBLIC int dlclose(void *handle)
{
	int result;

	spill_flush_modules();
	result = NEXT(dlclose)(handle);
	spill_flush_modules();
	return result;
}
