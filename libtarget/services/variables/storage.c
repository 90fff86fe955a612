// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the variables of outlined code come from: the function around it, the block of data that it was
// given, or itself.
//
// GCC passes the address of a structure, with a member for each variable that the code has from outside:
// its address, or its value, also of what is only read, or reduced. Clang passes each as an argument, a
// reference or a value. A variable of the code's own lies in its frame.

#include "services/values/values.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_WORDS = 512 };

enum passing { NOT_PASSED, BY_VALUE, BY_REFERENCE, NOT_TOLD };

/** How a variable was passed. */
struct passed {
	enum passing how;
	bool has_place;
	uint64_t place, size; // of the member in memory
};

/** Find a variable or argument that belongs to the function as a whole. */
static bool find_entry(const struct scope *scope, const char *name, bool is_argument,
		       Dwarf_Die *ret)
{
	const struct entries *all = scope_variables(scope, scope->num_blocks - 1);

	for (size_t i = 0; i < all->count; i++) {
		*ret = all->all[i];
		if ((!is_argument || dwarf_tag(ret) == DW_TAG_formal_parameter) &&
		    strcmp(variable_name(ret), name) == 0)
			return true;
	}
	return false;
}

/** Count the variables of a name that are no arguments. */
static size_t count_declared(const struct scope *scope, const char *name)
{
	struct scope_position at = { 0 };
	size_t count = 0;
	Dwarf_Die *die;

	while ((die = scope_next(scope, &at)))
		count += dwarf_tag(die) == DW_TAG_variable && strcmp(variable_name(die), name) == 0;
	return count;
}

/** Find the structure to which an argument refers. @p address: where that is, if it is known. */
static bool find_structure(const struct scope *scope, Dwarf_Die *argument, struct type *ret,
			   bool *is_known, uint64_t *address)
{
	struct type type, plain, target;
	struct value value;

	if (scope_type(scope, argument, &type) || !type_plain(&type, &plain) ||
	    !type_target(&plain, &target) || !type_plain(&target, ret) || !type_is_structure(ret))
		return false;
	*is_known = !scope_value(scope, argument, &type, &value) &&
		    !value_word(scope->services, &value, 0, address);
	return true;
}

/** Find the structure that is given to GCC's code. The only argument has no name. */
static bool find_data(const struct scope *scope, struct type *ret, bool *is_known,
		      uint64_t *address)
{
	Dwarf_Die argument;
	bool more = dwarf_child(&scope->blocks[scope->num_blocks - 1], &argument) == 0;

	while (more && dwarf_tag(&argument) != DW_TAG_formal_parameter)
		more = target_next(&argument);
	return more && entry_flag(&argument, DW_AT_artificial) &&
	       find_structure(scope, &argument, ret, is_known, address);
}

static struct passed passed_by_gcc(const struct scope *scope, const char *name,
				   const struct type *type)
{
	struct passed passed = { .how = NOT_TOLD };
	struct member member = { 0 };
	struct type structure, plain;
	uint64_t address = 0;
	bool has_members = false;

	if (!find_data(scope, &structure, &passed.has_place, &address))
		return passed;
	while (type_next_member(&structure, &member)) {
		has_members = true;
		if (!member.name || strcmp(member.name, name) != 0)
			continue;
		passed.place = address + member.bit / BITS;
		passed.size = type_size(&member.type);
		if (type_is_same(&member.type, type))
			passed.how = BY_VALUE;
		else if (type_plain(&member.type, &plain) &&
			 (type_is_pointer(&plain) || type_is_reference(&plain)))
			passed.how = BY_REFERENCE;
		return passed;
	}
	// Where an array has computed bounds, GCC does not describe the members.
	passed.how = has_members ? NOT_PASSED : NOT_TOLD;
	return passed;
}

/** Check whether a variable is in a register, or in the frame. */
static bool is_own(const struct found_variable *found)
{
	const struct frame_context *context = found->scope->context;
	uint64_t end;

	if (!found->value.is_in_memory)
		return found->has_value;
	return context->known & UINT32_C(1) << OMPDBG_RSP &&
	       found->value.address >= context->registers[OMPDBG_RSP] &&
	       !context_caller_stack(context, &end) && found->value.address < end;
}

static enum ompdbg_storage storage_of_gcc(const struct scope *scope,
					  const struct found_variable *found,
					  const struct type *plain)
{
	const struct passed passed = passed_by_gcc(scope, found->name, &found->type);
	uint64_t address = found->value.address;
	uint8_t word[WORD_SIZE];
	bool is_member = found->value.is_in_memory && passed.has_place && passed.how == BY_VALUE &&
			 address >= passed.place && address < passed.place + passed.size;

	if (passed.how == NOT_PASSED)
		return is_own(found) ? OMPDBG_STORAGE_OWN : OMPDBG_STORAGE_UNKNOWN;
	if (passed.how == BY_REFERENCE && passed.has_place && passed.size == WORD_SIZE &&
	    found->value.is_in_memory && read_all(scope->services, passed.place, word, WORD_SIZE) &&
	    little_endian(word, WORD_SIZE) == address)
		return OMPDBG_STORAGE_OUTER;
	// What is shared and no scalar is never passed by value.
	if (passed.how == BY_VALUE && (type_is_structure(plain) || type_is_array(plain)) &&
	    (is_member || is_own(found)) && count_declared(scope, found->name) == 1)
		return OMPDBG_STORAGE_COPY;
	return is_member ? OMPDBG_STORAGE_PASSED : OMPDBG_STORAGE_UNKNOWN;
}

/** Check for a variable whose address a task of Clang's was given. */
static bool is_in_context(const struct scope *scope, Dwarf_Die *argument,
			  const struct found_variable *found)
{
	uint64_t words[MAX_WORDS], address = 0, size;
	struct type structure;
	bool is_known;

	if (!found->value.is_in_memory ||
	    !find_structure(scope, argument, &structure, &is_known, &address) || !is_known)
		return false;
	size = type_size(&structure);
	if (size > sizeof(words) || !read_all(scope->services, address, words, size))
		return false;
	for (size_t i = 0; i < size / WORD_SIZE; i++) {
		if (words[i] == found->value.address)
			return true;
	}
	return false;
}

static enum ompdbg_storage storage_of_clang(const struct scope *scope, struct found_variable *found)
{
	size_t declared = count_declared(scope, found->name);
	struct type type, plain;
	Dwarf_Die entry, given;
	bool is_task = find_entry(scope, CONTEXT_NAME, true, &given);

	if (find_entry(scope, found->name, true, &entry)) {
		if (declared || !type_of(&entry, NULL, &type) || !type_plain(&type, &plain))
			return OMPDBG_STORAGE_UNKNOWN;
		return type_is_reference(&plain) ? OMPDBG_STORAGE_OUTER : OMPDBG_STORAGE_COPY;
	}
	if (is_task && is_in_context(scope, &given, found))
		return OMPDBG_STORAGE_OUTER;
	if (!is_own(found) || declared > 1)
		return OMPDBG_STORAGE_UNKNOWN;
	// A task's copies, of which some were made of values, belong to the function as a whole. Other
	// copies have no line.
	if (is_task && (find_entry(scope, found->name, false, &entry) ||
			!entry_line(&found->die, DW_AT_decl_line)))
		return OMPDBG_STORAGE_UNKNOWN;
	return OMPDBG_STORAGE_OWN;
}

/** Find the entry of the variable that a name stands for: a copy goes before what it was copied from. */
static bool find_used(const struct scope *scope, const char *name, Dwarf_Die *ret)
{
	struct scope_position at = { 0 };
	Dwarf_Die *die;

	while ((die = scope_next(scope, &at))) {
		*ret = *die;
		if (dwarf_tag(die) == DW_TAG_variable && strcmp(variable_name(die), name) == 0)
			return true;
	}
	return find_entry(scope, name, true, ret);
}

static enum ompdbg_storage storage_of(const struct scope *scope, const char *name)
{
	struct found_variable found;
	struct type plain = { 0 };
	Dwarf_Die die;

	// Of what a task of Clang's shares, its code may have no names.
	if (!find_used(scope, name, &die))
		return find_entry(scope, CONTEXT_NAME, true, &die) &&
				       frame_variable_named(scope, name, &found) &&
				       found.scope != scope ?
			       OMPDBG_STORAGE_OUTER :
			       OMPDBG_STORAGE_UNKNOWN;
	if (strcmp(name, "this") == 0 || scope_takes_lengths(scope))
		return OMPDBG_STORAGE_UNKNOWN;
	found = variable_read(scope, &die, true);
	found.name = name;
	if (scope_is_mistaken(scope, &die, &found.type))
		found.value.is_in_memory = scope_address(scope, &die, &found.value.address);
	else if (!type_plain(&found.type, &plain) || type_is_reference(&plain))
		return OMPDBG_STORAGE_UNKNOWN;
	return scope->context->is_llvms ? storage_of_clang(scope, &found) :
					  storage_of_gcc(scope, &found, &plain);
}

struct ompdbg_error *service_variable_storage(void *context, int thread,
					      const struct ompdbg_frame *frame, const char *name,
					      enum ompdbg_storage *ret)
{
	struct target_services *services = context;
	const struct scope *scope;
	struct ompdbg_error *error = asked_scope(services, thread, frame, &scope);

	*ret = scope && scope->is_construct ? storage_of(scope, name) : OMPDBG_STORAGE_UNKNOWN;
	return error ? error : answered(services, NULL);
}
