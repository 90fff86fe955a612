// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as the source has them.

#include "stack/names.h"

#include <inttypes.h>

#include "base/text.h"
#include "stack/cxx_names.h"
#include "stack/room.h"

enum { MAX_NESTING = 64 }; // constructs within constructs

static const char GFORTRANS_MAIN[] = "MAIN__", MAIN_PROGRAM[] = "the main program";

/** Return a name from a table in which it was not found. */
static const char *keep(struct stack_constants *constants, struct string_table *table,
			const char *key, const char *text)
{
	struct kept_name *kept = ARENA_NEW(constants->arena, struct kept_name);

	kept->text = arena_strdup(constants->arena, text);
	key = arena_strdup(constants->arena, key);
	*string_table_put(table, constants->arena, key) = kept;
	return kept->text;
}

const char *demangle(struct process *process, const char *symbol)
{
	struct stack_constants *constants = stack_constants(process);
	struct kept_name *kept = symbol ? string_table_get(&constants->demangled, symbol) : NULL;

	if (kept || !symbol)
		return kept ? kept->text : NULL;
	return keep(constants, &constants->demangled, symbol,
		    demangle_name(&constants->demangler, &process->arena, symbol));
}

const char *name_for_people(struct arena *arena, const char *name)
{
	const char *role = reduction_role(name), *in_fortran = NULL;

	if (role)
		return arena_printf(arena, "%s of a reduction", role);
	if (strcmp(name, FLANGS_MAIN) == 0)
		return MAIN_PROGRAM;
	// Debug information of flang has the other names of the source.
	if (starts_with(name, FLANGS_MAIN))
		in_fortran = fortran_name(arena, name);
	return in_fortran ? in_fortran : name;
}

const char *plain_name(struct process *process, const char *name)
{
	struct stack_constants *constants = stack_constants(process);
	struct kept_name *kept = string_table_get(&constants->plain, name);

	if (kept)
		return kept->text;
	const char *shown = name_for_people(&process->arena, name);
	size_t length = cxx_length_without_parameters(shown);
	return keep(constants, &constants->plain, name,
		    arena_strndup(&process->arena, shown, length));
}

/** Write the name without the number that gfortran gives to a function within another: "solve.0". */
static const char *without_number(struct arena *arena, const char *symbol)
{
	size_t length = strlen(symbol), end = length;

	while (end && is_digit(symbol[end - 1]))
		end--;
	if (end == length || end < 2 || symbol[end - 1] != '.')
		return symbol;
	return arena_strndup(arena, symbol, end - 1);
}

/** Name the function that has a symbol. */
static const char *function_of_symbol(struct process *process, const char *symbol, bool is_fortran,
				      bool *failed)
{
	struct ompdbg_function found = { 0 };
	enum answer answer = answer_of(SERVICE(process, function_named, symbol, &found));

	*failed = answer == ANSWER_FAILED;
	if (answer == ANSWER_FOUND && found.name && strcmp(found.name, symbol) != 0 &&
	    strcmp(symbol, FLANGS_MAIN) != 0)
		return name_for_people(&process->arena, found.name);
	if (starts_with(symbol, "_Z")) {
		const char *name = demangle(process, symbol);

		return name ? cxx_without_return_type(name) : symbol;
	}
	if (strcmp(symbol, GFORTRANS_MAIN) == 0 || strcmp(symbol, FLANGS_MAIN) == 0)
		return MAIN_PROGRAM;
	const char *name = fortran_name(&process->arena, symbol);
	if (name)
		return name;
	size_t length = strlen(symbol);
	if (is_fortran && length > 1 && symbol[length - 1] == '_')
		return arena_strndup(&process->arena, symbol, length - 1);
	return without_number(&process->arena, symbol);
}

const char *enclosing_function(struct process *process, const char *symbol, const char *file)
{
	struct stack_constants *constants = stack_constants(process);
	struct kept_name *kept = symbol ? string_table_get(&constants->enclosing, symbol) : NULL;
	if (kept)
		return kept->text;
	const char *base = NULL, *within = symbol;
	for (int i = 0; i < MAX_NESTING && (within = outlined_base(&process->arena, within)); i++)
		base = within; // and perhaps a construct within a construct
	if (!base || !*base)
		return NULL;
	bool failed;
	const char *name = function_of_symbol(process, base, is_fortran_file(file), &failed);
	return failed ? name : keep(constants, &constants->enclosing, symbol, name);
}

const char *symbol_title(struct process *process, const struct ompdbg_symbol *symbol)
{
	// GDB leaves out the dot in Fortran. Clang's variables end in .var, which GDB takes for
	// mangled.
	static const char *const prefixes[] = { ".gomp_critical_user_", "gomp_critical_user_" };
	static const char *const suffixes[] = { ".var", "[var]" };

	if (!symbol || !symbol->name)
		return NULL;
	const char *name = symbol->name;
	for (size_t i = 0; i < 2 && name == symbol->name; i++) {
		if (!starts_with(name, prefixes[i]))
			continue;
		name += strlen(prefixes[i]);
		for (size_t j = 0; j < 2; j++) {
			size_t length = strlen(name), end = strlen(suffixes[j]);

			if (length >= end && strcmp(name + length - end, suffixes[j]) == 0) {
				name = arena_strndup(&process->arena, name, length - end);
				break;
			}
		}
	}
	if (!*name)
		return NULL;
	const char *in_fortran = fortran_name(&process->arena, name);
	if (in_fortran)
		name = in_fortran;
	name = cxx_bounded(&process->arena, name);
	if (!symbol->offset)
		return name;
	return arena_printf(&process->arena, "%s+%" PRIu64, name, symbol->offset);
}
