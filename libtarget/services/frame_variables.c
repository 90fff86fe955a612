// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and local variables of frames, with their values. What is not surely right is shown as
// unavailable.

#include "values.h"

#include <dwarf.h>
#include <string.h>

enum { WORD_SIZE = 8, MAX_VARIABLES = 1 << 12, MAX_STEPS = 8 };

// ---- Values ----------------------------------------------------------------------------------

static const char *find_value(const struct scope *scope, Dwarf_Die *die, bool is_referred,
			      int steps, struct type *type, struct value *ret);

/** Read a variable of which the place is all that is known. */
static const char *find_living(const struct scope *scope, Dwarf_Die *die, uint64_t address,
			       int steps, struct type *type, struct value *ret)
{
	struct living found;

	if (steps == MAX_STEPS || !enclosing_find(scope, variable_name(die), address, &found))
		return MAYBE_WRONG;
	return find_value(found.scope, &found.die, true, steps + 1, type, ret);
}

/** Read the variable to which a reference of the compiler's is. */
static const char *find_referred(const struct scope *scope, Dwarf_Die *die,
				 const struct type *reference, int steps, struct type *type,
				 struct value *ret)
{
	bool is_passed = dwarf_tag(die) == DW_TAG_formal_parameter;
	const uint8_t *data;
	struct type plain;
	uint64_t size;
	const char *failure = value_part(scope->services, ret, 0, WORD_SIZE, &data);

	if (failure)
		return failure;
	uint64_t address = little_endian(data, WORD_SIZE);
	if (!type_target(reference, type) || !type_plain(type, &plain))
		return unavailable(scope->services, "unknown type");
	if ((type_is_array(&plain) && !type_size(&plain)) ||
	    (is_passed && scope_takes_lengths(scope)))
		return find_living(scope, die, address, steps, type, ret);
	failure = value_size(scope->services, type, &size);
	return failure ? failure : read_value(scope->services, address, (size_t)size, ret);
}

static bool is_pointer_to_array(const struct type *plain)
{
	struct type target;

	return type_is_pointer(plain) && type_target(plain, &target) &&
	       type_plain(&target, &target) && type_is_array(&target);
}

/** Read a variable. @p is_referred: where the compiler made a reference of it, what that is to. */
static const char *find_value(const struct scope *scope, Dwarf_Die *die, bool is_referred,
			      int steps, struct type *type, struct value *ret)
{
	bool is_passed = dwarf_tag(die) == DW_TAG_formal_parameter;
	bool is_fortran = scope->unit->is_fortran;
	struct target_location location;
	struct type plain;
	uint64_t address;
	const char *failure = scope_type(scope, die, type);

	if (failure)
		return failure;
	if (!type_plain(type, &plain))
		return unavailable(scope->services, "unknown type");
	if (scope_is_mistaken(scope, die, type) || scope_is_unsure_copy(scope, die, type))
		return MAYBE_WRONG;
	if (is_described(type))
		return described_value(scope, die, type, ret);
	if (type_is_array(&plain) && !type_size(&plain)) {
		if (!scope_location(scope, die, &location))
			return OPTIMIZED_OUT;
		if (!scope_address(scope, die, &address))
			return MAYBE_WRONG;
		return find_living(scope, die, address, steps, type, ret);
	}
	failure = scope_value(scope, die, type, ret);
	if (failure)
		return failure;
	// Nobody declared these as references, if they are no arguments.
	bool is_compilers = is_fortran || !entry_line(die, DW_AT_decl_line);
	if (is_referred && (is_passed || is_compilers) && type_is_reference(&plain))
		return find_referred(scope, die, &plain, steps, type, ret);
	if (is_fortran && is_pointer_to_array(&plain)) {
		const uint8_t *data;

		failure = value_part(scope->services, ret, 0, WORD_SIZE, &data);
		if (failure)
			return failure;
		address = little_endian(data, WORD_SIZE);
		return find_living(scope, die, address, steps, type, ret);
	}
	return NULL;
}

/** Write the value of a variable, or why there is none. */
static const char *text_of(const struct scope *scope, Dwarf_Die *die, bool is_referred)
{
	struct type type;
	struct value value;
	const char *failure = find_value(scope, die, is_referred, 0, &type, &value);

	return failure ? failure : value_text(scope->unit, &type, &value);
}

static bool is_lost(const char *text)
{
	return strcmp(text, OPTIMIZED_OUT) == 0;
}

static bool is_unavailable(const char *text)
{
	return *text == '<' && !is_lost(text);
}

// ---- Lists -----------------------------------------------------------------------------------

/** Variables that are found one after another. */
struct list {
	struct ompdbg_variable *all;
	size_t count, max;
};

static void add(struct target_services *services, struct list *list, const char *name,
		const char *text)
{
	*ARENA_APPEND(&services->arena, list->all, list->count, list->max) =
		(struct ompdbg_variable){ name, arena_strdup(&services->arena, text) };
}

static bool list_has(const struct list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->all[i].name, name) == 0)
			return true;
	}
	return false;
}

/** Entries of one variable: code that was inlined may have one more where it is optimized out. */
struct group {
	const char *name;
	int line; // of the declaration; 0: unknown, or it does not matter
	struct entries entries;
};

struct groups {
	struct target_services *services;
	struct group *all;
	size_t count, max;
};

static struct group *find_group(struct groups *groups, const char *name, int line)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (groups->all[i].line == line && strcmp(groups->all[i].name, name) == 0)
			return &groups->all[i];
	}
	return NULL;
}

static void add_to_group(struct groups *groups, const char *name, int line, const Dwarf_Die *die)
{
	struct arena *scratch = &groups->services->scratch;
	struct group *group = find_group(groups, name, line);

	if (!group && groups->count == MAX_VARIABLES)
		return;
	if (!group) {
		group = ARENA_APPEND(scratch, groups->all, groups->count, groups->max);
		group->name = name;
		group->line = line;
	}
	*ARENA_APPEND(scratch, group->entries.all, group->entries.count, group->entries.max) = *die;
}

/** Write the first value of a variable that is not optimized out. */
static const char *first_kept(const struct scope *scope, const struct entries *entries, int tag)
{
	const char *text = OPTIMIZED_OUT;

	for (size_t i = 0; i < entries->count && is_lost(text); i++) {
		if (!tag || dwarf_tag(&entries->all[i]) == tag)
			text = text_of(scope, &entries->all[i], true);
	}
	return text;
}

/** Check that an entry is no constant, and not only a declaration. */
static bool is_there(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	       (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute) &&
		!dwarf_attr_integrate(die, DW_AT_external, &attribute) &&
		!dwarf_attr_integrate(die, DW_AT_declaration, &attribute));
}

// ---- Arguments and locals --------------------------------------------------------------------

/** List the arguments of a function. A construct has none. */
static void add_arguments(const struct scope *scope, struct list *ret)
{
	const struct entries *all = scope_variables(scope, scope->num_blocks - 1);

	for (size_t i = 0; i < all->count && ret->count < MAX_VARIABLES; i++) {
		Dwarf_Die *die = &all->all[i];

		if (dwarf_tag(die) == DW_TAG_formal_parameter && scope_has_in_source(scope, die))
			add(scope->services, ret, variable_name(die), text_of(scope, die, false));
	}
}

static void add_locals(const struct scope *scope, struct list *ret)
{
	struct groups groups = { .services = scope->services };

	for (size_t block = 0; block < scope->num_blocks; block++) {
		const struct entries *all = scope_variables(scope, block);
		size_t inner = groups.count;

		for (size_t i = 0; i < all->count; i++) {
			Dwarf_Die *die = &all->all[i];
			const char *name = variable_name(die);
			int line = entry_line(die, DW_AT_decl_line);
			const struct group *known = find_group(&groups, name, line);

			// What copies of a construct's own were made from lies further out.
			if (dwarf_tag(die) == DW_TAG_variable && scope_has_in_source(scope, die) &&
			    is_there(die) && !(known && (size_t)(known - groups.all) < inner))
				add_to_group(&groups, name, line, die);
		}
	}
	for (size_t i = 0; i < groups.count; i++)
		add(scope->services, ret, groups.all[i].name,
		    first_kept(scope, &groups.all[i].entries, 0));
}

// ---- Constructs ------------------------------------------------------------------------------

/** List the variables that a construct's code has. GCC makes locals of them; Clang makes references
 *  and passes these as arguments, from one function that only passes them on to another. Among what
 *  belongs to the function as a whole the name is enough: a copy of the construct's own goes before
 *  what it was copied from. */
static void add_own(const struct scope *scope, struct list *ret)
{
	struct groups groups = { .services = scope->services };

	for (size_t block = 0; block < scope->num_blocks; block++) {
		const struct entries *all = scope_variables(scope, block);
		bool is_whole = block + 1 == scope->num_blocks;

		for (size_t i = 0; i < all->count; i++) {
			Dwarf_Die *die = &all->all[i];

			if (scope_has_in_source(scope, die) &&
			    (dwarf_tag(die) == DW_TAG_formal_parameter || is_there(die)))
				add_to_group(&groups, variable_name(die),
					     is_whole ? 0 : entry_line(die, DW_AT_decl_line), die);
		}
	}
	for (size_t i = 0; i < groups.count; i++) {
		const struct entries *entries = &groups.all[i].entries;
		int tag = 0;

		for (size_t k = 0; k < entries->count; k++) {
			if (dwarf_tag(&entries->all[k]) == DW_TAG_variable)
				tag = DW_TAG_variable;
		}
		add(scope->services, ret, groups.all[i].name, first_kept(scope, entries, tag));
	}
}

/** Read the address in a variable that is a pointer or reference. */
static bool read_address(const struct scope *scope, Dwarf_Die *die, const struct type *type,
			 uint64_t *ret)
{
	struct value value;
	const uint8_t *data;

	if (scope_value(scope, die, type, &value) ||
	    value_part(scope->services, &value, 0, WORD_SIZE, &data))
		return false;
	*ret = little_endian(data, WORD_SIZE);
	return true;
}

/** Add what a task of Clang's was given, of which its code has no names. */
static void add_shared(const struct scope *scope, Dwarf_Die *die, struct list *ret)
{
	struct type type, plain, target;
	struct living *found;
	uint64_t address;

	if (scope_type(scope, die, &type) || !type_plain(&type, &plain) ||
	    !read_address(scope, die, &type, &address))
		return;
	uint64_t size = type_target(&plain, &target) ? type_size(&target) : 0;
	size_t count = enclosing_shared(scope, address, size, &found);
	for (size_t i = 0; i < count; i++) {
		const char *name = variable_name(&found[i].die);

		if (!list_has(ret, name))
			add(scope->services, ret, name,
			    text_of(found[i].scope, &found[i].die, true));
	}
}

/** Add an array of which gfortran keeps the address only, in a variable of its own: "a.0". */
static void add_array(const struct scope *scope, Dwarf_Die *die, struct list *ret)
{
	const char *whole = variable_name(die);
	size_t length = strcspn(whole, ".");
	struct type type, plain;
	struct living found;
	uint64_t address;

	if (!scope->unit->is_fortran || !whole[length])
		return;
	const char *name = arena_strndup(&scope->services->arena, whole, length);
	if (list_has(ret, name) || scope_type(scope, die, &type) || !type_plain(&type, &plain) ||
	    !is_pointer_to_array(&plain) || !read_address(scope, die, &type, &address) ||
	    !enclosing_find(scope, name, address, &found))
		return;
	add(scope->services, ret, name, text_of(found.scope, &found.die, true));
}

static void add_captured(const struct scope *scope, struct list *ret)
{
	struct list own = { 0 }, shared = { 0 };

	add_own(scope, &own);
	for (size_t block = 0; block < scope->num_blocks; block++) {
		const struct entries *all = scope_variables(scope, block);

		for (size_t i = 0; i < all->count; i++) {
			if (strcmp(variable_name(&all->all[i]), CONTEXT_NAME) == 0)
				add_shared(scope, &all->all[i], &shared);
		}
	}
	for (size_t i = 0; i < own.count; i++) {
		const struct ompdbg_variable *one = &own.all[i];

		if (!is_unavailable(one->value) || !list_has(&shared, one->name))
			add(scope->services, ret, one->name, one->value);
	}
	for (size_t block = 0; block < scope->num_blocks; block++) {
		const struct entries *all = scope_variables(scope, block);

		for (size_t i = 0; i < all->count; i++)
			add_array(scope, &all->all[i], ret);
	}
	for (size_t i = 0; i < shared.count; i++) {
		if (!list_has(ret, shared.all[i].name))
			add(scope->services, ret, shared.all[i].name, shared.all[i].value);
	}
}

// ---- The service -----------------------------------------------------------------------------

struct ompdbg_error *service_variables(void *context, int thread, const struct ompdbg_frame *frame,
				       enum ompdbg_variables which,
				       const struct ompdbg_variable **ret, size_t *count)
{
	struct target_services *services = context;
	struct list list = { 0 };
	size_t index = 0;
	struct ompdbg_error *error = thread_index(services, thread, &index);

	if (error)
		return error;
	const struct scope *scope = scope_of(services, index, frame);
	if (scope && which == OMPDBG_ARGUMENTS && !scope->is_construct)
		add_arguments(scope, &list);
	else if (scope && which == OMPDBG_LOCALS && scope->is_construct)
		add_captured(scope, &list);
	else if (scope && which == OMPDBG_LOCALS)
		add_locals(scope, &list);
	arena_deinit(&services->scratch);
	if (is_interrupted(services))
		return &ompdbg_error_interrupted;
	*ret = list.all;
	*count = list.count;
	return NULL;
}
