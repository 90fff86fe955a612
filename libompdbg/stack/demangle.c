// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The demangler is that of the run-time library of C++, where there is one: a program with mangled
// names has it, and GDB as well. Once loaded it stays.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stack/names.h"
#include "stack/room.h"

enum { MAX_LENGTH = 1 << 16 }; // longer names are damaged ones

static demangler *find_demangler(struct stack_constants *constants)
{
	if (!constants->has_looked_for_demangler) {
		void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		void *function = library ? dlsym(library, "__cxa_demangle") : NULL;

		memcpy(&constants->demangler, &function, sizeof(function));
		constants->has_looked_for_demangler = true;
	}
	return constants->demangler;
}

const char *demangle(struct process *process, const char *symbol)
{
	struct stack_constants *constants = stack_constants(process);

	if (!symbol || !starts_with(symbol, "_Z") || strnlen(symbol, MAX_LENGTH) == MAX_LENGTH)
		return NULL;
	struct kept_name *kept = string_table_get(&constants->demangled, symbol);
	if (!kept) {
		demangler *library = find_demangler(constants);
		int status;
		char *text = library ? library(symbol, NULL, NULL, &status) : NULL;

		kept = ARENA_NEW(constants->arena, struct kept_name);
		kept->text = arena_strdup(constants->arena, text);
		free(text);
		symbol = arena_strdup(constants->arena, symbol);
		*string_table_put(&constants->demangled, constants->arena, symbol) = kept;
	}
	return kept->text;
}
