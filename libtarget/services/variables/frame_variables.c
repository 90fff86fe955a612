// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and local variables of frames, with their values. What is not surely right is shown as
// unavailable.

#include "services/values/values.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_VARIABLES = 1 << 12, MAX_STEPS = 8 };

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
	struct type plain;
	uint64_t size, address = 0;
	const char *failure = value_word(scope->services, ret, 0, &address);

	if (failure)
		return failure;
	if (!type_target(reference, type) || !type_plain(type, &plain))
		return unavailable(scope->services, "unknown type");
	if ((type_is_array(&plain) && !type_size(&plain)) ||
	    (is_passed && scope_takes_lengths(scope)))
		return find_living(scope, die, address, steps, type, ret);
	failure = value_size(scope->services, type, &size);
	*ret = (struct value){ .is_in_memory = true, .address = address };
	return failure ? failure : read_value(scope->services, address, (size_t)size, ret);
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

	*ret = (struct value){ 0 };
	if (failure)
		return failure;
	if (!type_plain(type, &plain))
		return unavailable(scope->services, "unknown type");
	if (scope_is_mistaken(scope, die, type) || scope_is_unsure_copy(scope, die, type) ||
	    scope_is_of_precondition(scope, die))
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
	if (!is_fortran || !type_is_pointer_to_array(&plain))
		return NULL;
	failure = value_word(scope->services, ret, 0, &address);
	return failure ? failure : find_living(scope, die, address, steps, type, ret);
}

struct found_variable variable_read(const struct scope *scope, Dwarf_Die *die, bool is_referred)
{
	struct found_variable found = { .scope = scope, .die = *die };
	const char *failure = find_value(scope, die, is_referred, 0, &found.type, &found.value);

	found.has_value = !failure;
	found.text = failure ? failure : value_text(scope->unit, &found.type, &found.value, 0);
	return found;
}

static bool is_lost(const struct found_variable *found)
{
	return strcmp(found->text, OPTIMIZED_OUT) == 0;
}

static bool is_unavailable(const struct found_variable *found)
{
	return *found->text == '<' && !is_lost(found);
}

// ---- Lists -----------------------------------------------------------------------------------

/** Variables that are found one after another. */
struct list {
	const char *wanted; // name of the only one that is looked for; NULL: all
	struct found_variable *all;
	size_t count, max;
};

static bool is_wanted(const struct list *list, const char *name)
{
	return !list->wanted || strcmp(list->wanted, name) == 0;
}

static void add(struct list *list, const char *name, const struct found_variable *found)
{
	struct arena *scratch = &found->scope->services->scratch;
	struct found_variable *added = ARENA_APPEND(scratch, list->all, list->count, list->max);

	*added = *found;
	added->name = name;
}

/** Add a variable as it is read. */
static void add_read(const struct scope *scope, struct list *list, const char *name, Dwarf_Die *die,
		     bool is_referred)
{
	const struct found_variable found = variable_read(scope, die, is_referred);

	add(list, name, &found);
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

/** Add the first value of a variable that is not optimized out. */
static void add_kept(const struct scope *scope, struct list *list, const struct group *group,
		     int tag)
{
	const struct entries *entries = &group->entries;
	struct found_variable found = { .scope = scope, .text = OPTIMIZED_OUT };

	for (size_t i = 0; i < entries->count && is_lost(&found); i++) {
		if (!tag || dwarf_tag(&entries->all[i]) == tag)
			found = variable_read(scope, &entries->all[i], true);
	}
	add(list, group->name, &found);
}

/** Check that an entry is not only a declaration. */
static bool is_there(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	       (!dwarf_attr_integrate(die, DW_AT_external, &attribute) &&
		!dwarf_attr_integrate(die, DW_AT_declaration, &attribute));
}

// ---- Arguments and locals --------------------------------------------------------------------

/** List the arguments of a function. A construct has none. */
static void add_arguments(const struct scope *scope, struct list *ret)
{
	const struct entries *all = scope_variables(scope, scope->num_blocks - 1);

	for (size_t i = 0; i < all->count && ret->count < MAX_VARIABLES; i++) {
		Dwarf_Die *die = &all->all[i];

		if (dwarf_tag(die) == DW_TAG_formal_parameter && scope_has_in_source(scope, die) &&
		    is_wanted(ret, variable_name(die)))
			add_read(scope, ret, variable_name(die), die, false);
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
			if (dwarf_tag(die) == DW_TAG_variable && is_wanted(ret, name) &&
			    scope_has_in_source(scope, die) && is_there(die) &&
			    !scope_has_copy_of(scope, die) &&
			    !(known && (size_t)(known - groups.all) < inner))
				add_to_group(&groups, name, line, die);
		}
	}
	for (size_t i = 0; i < groups.count; i++)
		add_kept(scope, ret, &groups.all[i], 0);
}

// ---- Constructs ------------------------------------------------------------------------------

/** List the variables that a construct's code has. GCC makes locals of them; Clang makes references
 *  and passes these as arguments, from one function that only passes them on to another. Among what
 *  belongs to the function as a whole the name is enough: a copy of the construct's own goes before
 *  what it was copied from. */
static void add_own(const struct scope *scope, struct list *ret)
{
	struct groups groups = { .services = scope->services };
	struct scope_position at = { 0 };
	Dwarf_Die *die;

	while ((die = scope_next(scope, &at))) {
		bool is_whole = at.block + 1 == scope->num_blocks;

		if (is_wanted(ret, variable_name(die)) && scope_has_in_source(scope, die) &&
		    (dwarf_tag(die) == DW_TAG_formal_parameter || is_there(die)) &&
		    !scope_has_copy_of(scope, die))
			add_to_group(&groups, variable_name(die),
				     is_whole ? 0 : entry_line(die, DW_AT_decl_line), die);
	}
	for (size_t i = 0; i < groups.count; i++) {
		const struct entries *entries = &groups.all[i].entries;
		int tag = 0;

		for (size_t k = 0; k < entries->count; k++) {
			if (dwarf_tag(&entries->all[k]) == DW_TAG_variable)
				tag = DW_TAG_variable;
		}
		add_kept(scope, ret, &groups.all[i], tag);
	}
}

/** Read the address in a variable that is a pointer or reference. */
static bool read_address(const struct scope *scope, Dwarf_Die *die, const struct type *type,
			 uint64_t *ret)
{
	struct value value;

	return !scope_value(scope, die, type, &value) &&
	       !value_word(scope->services, &value, 0, ret);
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

		if (is_wanted(ret, name) && !list_has(ret, name))
			add_read(found[i].scope, ret, name, &found[i].die, true);
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
	if (!is_wanted(ret, name) || list_has(ret, name) || scope_type(scope, die, &type) ||
	    !type_plain(&type, &plain) || !type_is_pointer_to_array(&plain) ||
	    !read_address(scope, die, &type, &address) ||
	    !enclosing_find(scope, name, address, &found))
		return;
	add_read(found.scope, ret, name, &found.die, true);
}

static void add_captured(const struct scope *scope, struct list *ret)
{
	struct list own = { .wanted = ret->wanted }, shared = own;
	struct scope_position first = { 0 }, at = first;
	Dwarf_Die *die;

	add_own(scope, &own);
	while ((die = scope_next(scope, &at))) {
		if (strcmp(variable_name(die), CONTEXT_NAME) == 0)
			add_shared(scope, die, &shared);
	}
	for (size_t i = 0; i < own.count; i++) {
		const struct found_variable *one = &own.all[i];

		if (!is_unavailable(one) || !list_has(&shared, one->name))
			add(ret, one->name, one);
	}
	for (at = first; (die = scope_next(scope, &at));)
		add_array(scope, die, ret);
	for (size_t i = 0; i < shared.count; i++) {
		if (!list_has(ret, shared.all[i].name))
			add(ret, shared.all[i].name, &shared.all[i]);
	}
}

// ---- The service -----------------------------------------------------------------------------

bool frame_variable_named(const struct scope *scope, const char *name, struct found_variable *ret)
{
	struct list list = { .wanted = name };

	if (scope->is_construct)
		add_captured(scope, &list);
	else
		add_locals(scope, &list);
	if (!scope->is_construct && !list.count)
		add_arguments(scope, &list);
	if (list.count)
		*ret = list.all[0];
	return list.count;
}

/** Take what was found out of the arena that is cleared. */
static const struct ompdbg_variable *keep(struct target_services *services, const struct list *list)
{
	struct ompdbg_variable *kept =
		ARENA_ARRAY(&services->arena, struct ompdbg_variable, list->count);

	for (size_t i = 0; i < list->count; i++)
		kept[i] = (struct ompdbg_variable){
			arena_strdup(&services->arena, list->all[i].name),
			arena_strdup(&services->arena, list->all[i].text),
		};
	return kept;
}

struct ompdbg_error *service_variables(void *context, int thread, const struct ompdbg_frame *frame,
				       enum ompdbg_variables which,
				       const struct ompdbg_variable **ret, size_t *count)
{
	struct target_services *services = context;
	struct list list = { 0 };
	const struct scope *scope;
	struct ompdbg_error *error = asked_scope(services, thread, frame, &scope);

	if (error)
		return error;
	if (scope && which == OMPDBG_ARGUMENTS && !scope->is_construct)
		add_arguments(scope, &list);
	else if (scope && which == OMPDBG_LOCALS && scope->is_construct)
		add_captured(scope, &list);
	else if (scope && which == OMPDBG_LOCALS)
		add_locals(scope, &list);
	*ret = keep(services, &list);
	*count = list.count;
	return answered(services, NULL);
}
