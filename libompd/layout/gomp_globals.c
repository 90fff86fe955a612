// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of libgomp by name, in programs that keep their symbols.

#include <stdio.h>
#include <string.h>

#include "layout/gomp_library.h"
#include "target/reason.h"

#define LAYOUT_GLOBAL(g) #g,
static const char *const names[GOMP_GLOBAL_COUNT] = {
#include "layout/gomp_globals.def"
};

ompd_rc_t gomp_name_globals(const struct gomp_library *library, struct gomp_layout *layout)
{
	for (unsigned int i = 0; i < GOMP_GLOBAL_COUNT; i++) {
		uint64_t address;

		// A program may well have a "stacksize" of its own.
		if (strncmp(names[i], "gomp_", 5) != 0)
			continue;
		ompd_rc_t rc = gomp_library_symbol(library, names[i], &address);

		if (rc == ompd_rc_unavailable)
			continue;
		if (rc != ompd_rc_ok)
			return rc;
		if (!layout->global[i])
			layout->global[i] = address;
		if (layout->global[i] == address)
			continue;
		return reason(ompd_rc_incompatible,
			      "libgomp's code uses a %s at 0x%llx, its symbol is at 0x%llx",
			      names[i], (unsigned long long)layout->global[i],
			      (unsigned long long)address);
	}
	return ompd_rc_ok;
}
