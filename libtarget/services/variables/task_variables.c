// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tasks were given that have not begun. GCC passes their code the address of a structure, which has
// copies of variables and addresses of others, each with the variable's name. The variable itself is in
// the debug information of the task's code, so that its type tells which of these a member is. What is read
// of Clang's tasks is in clang_tasks.c.

#include "services/values/values.h"

#include <dwarf.h>
#include <string.h>

/** Find the type of what the argument of a function of GCC's points to: its one argument, of which the
 *  source knows nothing. *is_empty: it is given nothing. @return false: the type is not told. */
static bool find_structure(struct unit *unit, Dwarf_Die *function, struct type *ret, bool *is_empty)
{
	Dwarf_Die child;
	struct type reference;
	int count = 0;

	if (dwarf_child(function, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (count++ || !entry_flag(&child, DW_AT_artificial) || !type_of(&child, unit, ret))
			return false;
	} while (target_next(&child));
	if (!count || !type_plain(ret, &reference) ||
	    (!type_is_reference(&reference) && !type_is_pointer(&reference)))
		return false;
	*is_empty = !type_target(&reference, ret); // void *
	return *is_empty || (type_plain(ret, ret) && type_is_structure(ret) &&
			     entry_flag(&ret->die, DW_AT_artificial));
}

/** Find the variable of a task's code for which a member stands: it was declared in the same line. */
static bool find_variable(Dwarf_Die *block, const char *name, int line, int depth, Dwarf_Die *ret)
{
	Dwarf_Die child;

	if (depth == MAX_NESTING || dwarf_child(block, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_variable && strcmp(variable_name(&child), name) == 0 &&
		    entry_line(&child, DW_AT_decl_line) == line) {
			*ret = child;
			return true;
		}
		if (tag == DW_TAG_lexical_block &&
		    find_variable(&child, name, line, depth + 1, ret))
			return true;
	} while (target_next(&child));
	return false;
}

/** Find the type of a variable's values, which lie where it does and are all of it. A reference stands for
 *  what it refers to. */
static bool find_value_type(struct unit *unit, Dwarf_Die *variable, struct type *ret,
			    bool *is_reference)
{
	struct type plain;

	if (!type_of(variable, unit, ret) || !type_plain(ret, &plain))
		return false;
	*is_reference = type_is_reference(&plain);
	return (!*is_reference || type_target(&plain, ret)) && type_size(ret) && !is_described(ret);
}

const char *given_value(struct unit *unit, const struct type *type, uint64_t address)
{
	struct target_services *services = unit->services;
	struct value value;
	uint64_t size;
	const char *text = value_size(services, type, &size);

	if (!text)
		text = read_value(services, address, (size_t)size, &value);
	if (!text)
		text = value_text(unit, type, &value, 0);
	return arena_strdup(&services->arena, text);
}

/** Read what a member stands for. @return false: that is not certain. */
static bool read_given(struct unit *unit, Dwarf_Die *function, const struct member *member,
		       uint64_t argument, struct ompdbg_given *ret)
{
	struct target_services *services = unit->services;
	uint64_t address = argument + member->bit / BITS;
	Dwarf_Die variable, entry = member->die;
	struct type type, plain, target;
	struct value value;
	bool is_reference;

	if (!member->name || member->bits || member->is_base ||
	    !find_variable(function, member->name, entry_line(&entry, DW_AT_decl_line), 0,
			   &variable) ||
	    !find_value_type(unit, &variable, &type, &is_reference) ||
	    !type_plain(&member->type, &plain))
		return false;
	ret->name = arena_strdup(&services->arena, member->name);
	ret->is_shared = !type_is_same(&member->type, &type);
	if (ret->is_shared) {
		if (!(is_reference ? type_is_reference(&plain) : type_is_pointer(&plain)) ||
		    !type_target(&plain, &target) || !type_is_same(&target, &type))
			return false;
		const char *failure = read_value(services, address, WORD_SIZE, &value);
		if (!failure)
			failure = value_word(services, &value, 0, &address);
		if (failure) {
			ret->value = arena_strdup(&services->arena, failure);
			return true;
		}
	}
	ret->value = given_value(unit, &type, address);
	return true;
}

struct ompdbg_error *service_task_variables(void *context, uint64_t code, uint64_t argument,
					    const struct ompdbg_given **ret, size_t *count)
{
	struct target_services *services = context;
	struct unit *unit = unit_at(services, code);
	Dwarf_Die function;
	struct ompdbg_given *found = NULL;
	struct member member = { 0 };
	struct type structure;
	size_t capacity = 0;
	bool is_empty;
	uint64_t start;

	*count = 0;
	if (!unit_function(unit, code, &function) || !unit_entry(unit, &function, &start) ||
	    start != code)
		return &ompdbg_error_absent;
	if (!find_structure(unit, &function, &structure, &is_empty)) {
		*count = given_by_clang(unit, &function, argument, ret);
		return answered(services, *count ? NULL : &ompdbg_error_absent);
	}
	while (!is_empty && *count < MAX_GIVEN && type_next_member(&structure, &member)) {
		struct ompdbg_given one;

		if (read_given(unit, &function, &member, argument, &one))
			*ARENA_APPEND(&services->arena, found, *count, capacity) = one;
	}
	*ret = found;
	return answered(services, NULL);
}
