// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "test_locks.h"

#define TESTS 2
static struct {
	uintptr_t begin;
	uintptr_t size;
} tests[TESTS];

void find_lock_tests(void)
{
	static const char *const names[TESTS] = { "__kmpc_test_lock", "__kmpc_test_nest_lock" };

	for (int i = 0; i < TESTS; i++) {
		void *address = dlsym(RTLD_DEFAULT, names[i]);
		const ElfW(Sym) *symbol = NULL;
		Dl_info info;

		if (!address || !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
		    !symbol)
			continue;
		tests[i].begin = (uintptr_t)address;
		tests[i].size = symbol->st_size;
	}
}

bool tests_lock(uintptr_t caller)
{
	return caller - tests[0].begin < tests[0].size || caller - tests[1].begin < tests[1].size;
}
