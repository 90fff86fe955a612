// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libompd-locations.so: what a debugger looks for in a program to find its OMPD library (sections 2
// and 14 of the OMPD document of 2016, and OMPD of OpenMP 5.0 and later), for runtimes that have
// nothing of it, as libgomp. It is preloaded or linked with the program, and does nothing else: it
// calls no function of OpenMP and stands before none. It names the libompd.so of its own folder.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const char **ompd_dll_locations;

void ompd_dll_locations_valid(void);
void omp_debug_enable(void);

static char library[PATH_MAX];
static const char *locations[] = { library, NULL };

/** Do nothing: debuggers have a breakpoint here. From then on, ompd_dll_locations may be read. */
__attribute__((noinline, noclone)) void ompd_dll_locations_valid(void)
{
	__asm__ volatile("" ::: "memory");
}

/**
 * Do nothing: a program asks for what debuggers need, but the runtime keeps all that ompdbg needs.
 */
void omp_debug_enable(void)
{
}

__attribute__((constructor)) static void tell(void)
{
	const char *slash;
	Dl_info self;

	if (!dladdr(&ompd_dll_locations, &self) || !self.dli_fname)
		return;
	slash = strrchr(self.dli_fname, '/');
	int folder = slash ? (int)(slash - self.dli_fname) : 0;
	int length = snprintf(library, sizeof(library), "%.*s%slibompd.so", folder, self.dli_fname,
			      slash ? "/" : "");

	if (length < 0 || (size_t)length >= sizeof(library))
		return;
	ompd_dll_locations = locations;
	ompd_dll_locations_valid();
}
