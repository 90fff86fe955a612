// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/text.h"

enum {
	MAX_MANGLED = 1 << 16,	 // characters; longer names are damaged ones
	MAX_DEMANGLED = 1 << 18, // characters that are shown
	MAX_ESTIMATED = 1 << 24, // characters that are written to see how many they are
	MAX_GROUPS = 256,
	UNKNOWN_SIZE = 24, // of an abbreviation: "std::basic_string"
};

// ---- Estimating --------------------------------------------------------------------------------

/** The part of a name between a letter that opens, as I of template arguments, and its E. */
struct group {
	double size; // of all that is in it
	double unit; // of the last name and its template arguments
	bool is_one; // all that is in it is one name, as in N...E
};

/**
 * Estimate how long a name is once it is demangled. Parts that came before are written again for "S1_" and
 * "T_", so that each may double the name. The longest part so far is taken for the one that is meant.
 * (The grammar: Itanium C++ ABI, 5.1.)
 */
static double estimated_size(const char *at)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct group groups[MAX_GROUPS] = { { 0 } };
	struct group *group = groups;
	double longest = 0, sum = 0;

	while (*at && *at != '.') {
		double size = 1;
		bool continues = group->is_one;

		if (is_digit(*at)) { // a name, after its length
			size_t length = strtoul(at, (char **)&at, 10);

			length = strnlen(at, length);
			size = (double)length;
			at += length;
		} else if (*at == 'S' || *at == 'T') {
			size_t length = 1 + strspn(at + 1, digits);
			bool is_earlier = at[length] == '_';

			size = is_earlier ? longest + 1 : UNKNOWN_SIZE;
			at += is_earlier ? length + 1 : at[1] ? 2 : 1;
		} else if (*at == 'L' && at[1] >= 'a' && at[1] <= 'z') { // a number
			size_t length = strcspn(at, "E");

			size = (double)length;
			at += length + (at[length] ? 1 : 0);
		} else if (strchr("IJNFXL", *at)) {
			if (++group == groups + MAX_GROUPS)
				return MAX_ESTIMATED;
			*group = (struct group){ .is_one = *at != 'I' && *at != 'J' };
			at++;
			continue;
		} else if (*at++ == 'E' && group > groups) {
			size = group->size;
			continues = !group->is_one || group[-1].is_one;
			group--;
		}
		group->size += size;
		group->unit = continues ? group->unit + size : size;
		if (group->unit > longest)
			longest = group->unit;
	}
	for (; group >= groups; group--)
		sum += group->size;
	return sum;
}

// ---- Demangling --------------------------------------------------------------------------------

static void find_function(struct demangler *demangler)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	void *function = library ? dlsym(library, "__cxa_demangle") : NULL;

	memcpy(&demangler->function, &function, sizeof(function));
	demangler->has_looked = true;
}

const char *demangle_name(struct demangler *demangler, struct arena *arena, const char *symbol)
{
	int status;

	if (!symbol || !starts_with(symbol, "_Z") || strnlen(symbol, MAX_MANGLED) == MAX_MANGLED ||
	    estimated_size(symbol + strlen("_Z")) >= MAX_ESTIMATED)
		return NULL;
	if (!demangler->has_looked)
		find_function(demangler);
	char *text = demangler->function ? demangler->function(symbol, NULL, NULL, &status) : NULL;
	const char *name = text && strnlen(text, MAX_DEMANGLED) < MAX_DEMANGLED ?
				   arena_strdup(arena, text) :
				   NULL;
	free(text);
	return name;
}
