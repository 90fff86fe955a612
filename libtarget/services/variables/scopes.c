// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that are known at a place in a frame's code.

#include "scopes.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_ENTRIES = 1 << 16 };

const char CONTEXT_NAME[] = "__context";
static const char LENGTH_NAME[] = "vla";

// ---- Entries of a block ----------------------------------------------------------------------

const char *variable_name(Dwarf_Die *die)
{
	const char *name = entry_text(die, DW_AT_name);

	return name ? name : "";
}

bool entry_is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

bool block_is_transparent(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_lexical_block && !dwarf_hasattr(die, DW_AT_low_pc) &&
	       !dwarf_hasattr(die, DW_AT_ranges);
}

/** Add an entry if it is a variable, or those of a block that has no code of its own. Without those
 *  of which @p here has a copy. */
static void add_variables(struct arena *arena, struct entries *list, Dwarf_Die *die,
			  const struct table *here, int depth)
{
	Dwarf_Die child;

	if (list->count >= MAX_ENTRIES)
		return;
	if (entry_is_variable(die)) {
		if (*variable_name(die) && !(here && table_get(here, (uintptr_t)die->addr)))
			*ARENA_APPEND(arena, list->all, list->count, list->max) = *die;
		return;
	}
	if (depth == MAX_NESTING || !block_is_transparent(die))
		return;
	for (bool more = dwarf_child(die, &child) == 0; more; more = target_next(&child))
		add_variables(arena, list, &child, here, depth + 1);
}

/** Collect what the entries in a block, and in blocks within, are copies of. */
static void find_origins(struct arena *arena, struct table *ret, Dwarf_Die *block, int depth)
{
	Dwarf_Die child, origin;

	for (bool more = dwarf_child(block, &child) == 0; more && ret->count < MAX_ENTRIES;
	     more = target_next(&child)) {
		if (entry_own_referred(&child, DW_AT_abstract_origin, &origin))
			*table_put(ret, arena, (uintptr_t)origin.addr) = ret;
		if (dwarf_tag(&child) == DW_TAG_lexical_block && depth < MAX_NESTING)
			find_origins(arena, ret, &child, depth + 1);
	}
}

const struct entries *scope_variables(const struct scope *scope, size_t index)
{
	struct target_services *services = scope->services;
	Dwarf_Die *block = &scope->blocks[index], child, model;
	struct entries **known = (struct entries **)table_put(&services->blocks, &services->arena,
							      (uintptr_t)block->addr);
	struct table here = { 0 };

	if (*known)
		return *known;
	struct entries *list = ARENA_NEW(&services->arena, struct entries);
	*known = list;
	for (bool more = dwarf_child(block, &child) == 0; more; more = target_next(&child))
		add_variables(&services->arena, list, &child, NULL, 0);
	if (!entry_own_referred(block, DW_AT_abstract_origin, &model))
		return list;
	find_origins(&services->scratch, &here, block, 0);
	for (bool more = dwarf_child(&model, &child) == 0; more; more = target_next(&child))
		add_variables(&services->arena, list, &child, &here, 0);
	return list;
}

Dwarf_Die *scope_next(const struct scope *scope, struct scope_position *at)
{
	for (; at->block < scope->num_blocks; at->block++, at->index = 0) {
		const struct entries *all = scope_variables(scope, at->block);

		if (at->index < all->count)
			return &all->all[at->index++];
	}
	return NULL;
}

// ---- Names -----------------------------------------------------------------------------------

static const char *skip(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

bool is_generated_name(const char *name)
{
	static const char *const whole[] = { "context",	  "closure",   "in_chrg", "vtt_parm",
					     "for_range", "for_begin", "for_end" };
	static const char *const numbered[] = { "vla_expr", "range", "begin", "end" };
	const char *rest = skip(name, "__");

	if (strchr(name, '.'))
		return true;
	for (size_t i = 0; rest && i < sizeof(whole) / sizeof(*whole); i++) {
		if (strcmp(rest, whole[i]) == 0)
			return true;
	}
	for (size_t i = 0; rest && i < sizeof(numbered) / sizeof(*numbered); i++) {
		const char *digits = skip(rest, numbered[i]);

		if (digits && !digits[strspn(digits, "0123456789")] && (*digits || !i))
			return true;
	}
	return false;
}

/** Check for the length of an array that Clang passes. */
static bool is_length(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_formal_parameter &&
	       strcmp(variable_name(die), LENGTH_NAME) == 0 && !entry_line(die, DW_AT_decl_line);
}

bool scope_has_in_source(const struct scope *scope, Dwarf_Die *die)
{
	const char *name = variable_name(die);

	// In Fortran no name begins with an underscore.
	return !is_generated_name(name) && !(scope->unit->is_fortran && *name == '_') &&
	       !is_length(die);
}

bool scope_takes_lengths(const struct scope *scope)
{
	const struct entries *all = scope_variables(scope, scope->num_blocks - 1);

	for (size_t i = 0; i < all->count; i++) {
		if (is_length(&all->all[i]))
			return true;
	}
	return false;
}

/** Check for a variable that an internal procedure has of the one that it is in. */
static bool is_hosts(const struct scope *scope, Dwarf_Die *die)
{
	int line = entry_line(die, DW_AT_decl_line);

	return line && line < entry_line(&scope->blocks[scope->num_blocks - 1], DW_AT_decl_line);
}

// ---- Places ----------------------------------------------------------------------------------

const char *value_size(struct target_services *services, const struct type *type, uint64_t *ret)
{
	struct type plain;

	*ret = type_size(type);
	if (*ret > MAX_VALUE)
		return unavailable(services, "it has %llu bytes", (unsigned long long)*ret);
	if (*ret)
		return NULL;
	if (!type_plain(type, &plain))
		return unavailable(services, "unknown type");
	if (entry_flag(&plain.die, DW_AT_declaration))
		return "<incomplete type>";
	if (dwarf_tag(&plain.die) == DW_TAG_ptr_to_member_type)
		return unavailable(services, "a pointer to a member");
	return unavailable(services, "unknown size");
}

const char *scope_type(const struct scope *scope, Dwarf_Die *die, struct type *ret)
{
	if (!type_of(die, scope->unit, ret))
		return unavailable(scope->services, "unknown type");
	// The host computed the bounds of its arrays, elsewhere.
	if (!is_hosts(scope, die))
		ret->bounds = &scope->bounds;
	return NULL;
}

bool scope_location(const struct scope *scope, Dwarf_Die *die, struct target_location *ret)
{
	return target_location(die, DW_AT_location, context_address(scope->context), ret);
}

bool scope_address(const struct scope *scope, Dwarf_Die *die, uint64_t *ret)
{
	struct expression_place place = { scope->context, NULL, 0 };
	struct target_location location;
	struct value value;

	if (!scope_location(scope, die, &location) ||
	    expression_value(&place, &location, 0, &value) || !value.is_in_memory)
		return false;
	*ret = value.address;
	return true;
}

/** Read the value of a variable that is a constant. */
static const char *read_constant(struct target_services *services, Dwarf_Die *die, uint64_t size,
				 struct value *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Block block;
	int64_t number;

	if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
		return OPTIMIZED_OUT;
	*ret = (struct value){ 0 };
	if (entry_number(die, DW_AT_const_value, &number)) {
		uint8_t *data = ARENA_ARRAY(&services->scratch, uint8_t, size + WORD_SIZE);

		memset(data, number < 0 ? UINT8_MAX : 0, (size_t)size + WORD_SIZE);
		memcpy(data, &number, WORD_SIZE);
		ret->data = data;
		ret->size = (size_t)size;
		return NULL;
	}
	if (dwarf_formblock(&attribute, &block) != 0)
		return OPTIMIZED_OUT;
	ret->data = block.data;
	ret->size = block.length;
	return NULL;
}

const char *scope_value(const struct scope *scope, Dwarf_Die *die, const struct type *type,
			struct value *ret)
{
	struct expression_place place = { scope->context, NULL, 0 };
	struct target_location location;
	uint64_t size;
	const char *failure = value_size(scope->services, type, &size);

	*ret = (struct value){ 0 };
	if (failure) {
		ret->is_in_memory = scope_address(scope, die, &ret->address);
		return failure;
	}
	if (scope_location(scope, die, &location))
		return expression_value(&place, &location, size, ret);
	return read_constant(scope->services, die, size, ret);
}

// ---- Doubts ----------------------------------------------------------------------------------

static bool is_reference(const struct type *type)
{
	struct type plain;

	return type_plain(type, &plain) && type_is_reference(&plain);
}

bool scope_is_mistaken(const struct scope *scope, Dwarf_Die *die, const struct type *type)
{
	const struct entries *all = scope_variables(scope, scope->num_blocks - 1);

	if (dwarf_tag(die) != DW_TAG_variable || !is_hosts(scope, die) || !is_reference(type))
		return false;
	for (size_t i = 0; i < all->count; i++) {
		if (strcmp(variable_name(&all->all[i]), CONTEXT_NAME) == 0)
			return true;
	}
	return false;
}

// Clang declares first what the bounds are computed from, then such variables, then its own of the loop.
bool scope_is_of_precondition(const struct scope *scope, Dwarf_Die *die)
{
	if (dwarf_tag(die) != DW_TAG_variable || entry_line(die, DW_AT_decl_line))
		return false;
	for (size_t block = 0; block < scope->num_blocks; block++) {
		const struct entries *all = scope_variables(scope, block);
		bool follows_bounds = false;

		for (size_t i = 0; i < all->count; i++) {
			const char *name = variable_name(&all->all[i]);

			if (all->all[i].addr == die->addr)
				return follows_bounds;
			if (starts_with(name, ".capture_expr."))
				follows_bounds = true;
			else if (starts_with(name, ".omp."))
				follows_bounds = false;
		}
	}
	return false;
}

bool target_services_is_of_precondition(const struct ompdbg_services *table, uint64_t address,
					const char *name)
{
	struct target_services *services = table->context;
	struct unit *unit = unit_at(services, address);
	Dwarf_Die blocks[MAX_SCOPES], *die;

	for (size_t within = 0; unit; within++) {
		struct scope scope = { .services = services, .unit = unit, .blocks = blocks };
		struct scope_position at = { 0 };

		scope.num_blocks = scope_blocks(unit, address - unit->bias, within, blocks);
		if (!scope.num_blocks)
			break;
		while ((die = scope_next(&scope, &at))) {
			if (strcmp(variable_name(die), name) == 0 &&
			    scope_is_of_precondition(&scope, die))
				return true;
		}
	}
	return false;
}

// ---- Scopes ----------------------------------------------------------------------------------

size_t scope_blocks(struct unit *unit, uint64_t address, size_t within, Dwarf_Die *ret)
{
	Dwarf_Die scopes[MAX_SCOPES];
	size_t count =
		target_scopes(unit->services->target, &unit->die, address, scopes, MAX_SCOPES);
	size_t found = 0;

	while (count--) {
		int tag = dwarf_tag(&scopes[count]);
		bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;

		if (!is_function && tag != DW_TAG_lexical_block)
			continue;
		ret[found++] = scopes[count];
		if (!is_function)
			continue;
		if (!within--)
			return found;
		found = 0;
		if (tag == DW_TAG_subprogram)
			break;
	}
	return 0;
}

/** Check for outlined code, by the name of its function. */
static bool is_construct(const char *symbol)
{
	return symbol && (strstr(symbol, "._omp_") || strstr(symbol, ".omp_") ||
			  skip(symbol, "__omp_offloading_"));
}

static struct scope *new_scope(struct target_services *services, size_t thread,
			       const struct ompdbg_frame *frame)
{
	struct frame_context *context = frame_context(services, thread, frame);
	struct unit *unit = context ? context->unit : NULL;
	Dwarf_Die blocks[MAX_SCOPES];
	size_t within, count;

	if (!unit)
		return NULL;
	const struct code_list *code = code_at(services, frame->pc - frame->is_call);
	within = frame_within(frame, code);
	count = scope_blocks(unit, context_address(context), within, blocks);
	if (!count)
		return NULL;
	struct scope *scope = ARENA_NEW(&services->stop, struct scope);
	*scope = (struct scope){
		.context = context,
		.services = services,
		.unit = unit,
		.thread = thread,
		.level = (size_t)frame->level,
		.symbol = code->codes[within].symbol,
		.blocks = ARENA_ARRAY(&services->stop, Dwarf_Die, count),
		.num_blocks = count,
	};
	memcpy(scope->blocks, blocks, count * sizeof(*blocks));
	scope->is_construct = is_construct(scope->symbol);
	scope->bounds.scope = scope;
	return scope;
}

struct scope *scope_of(struct target_services *services, size_t thread,
		       const struct ompdbg_frame *frame)
{
	static struct scope absent;
	uint64_t key = (uint64_t)thread << 32 | (uint32_t)frame->level;
	struct scope *known = table_get(&services->scopes, key);

	if (!known) {
		known = new_scope(services, thread, frame);
		if (!known && !is_interrupted(services))
			known = &absent;
		if (known)
			*table_put(&services->scopes, &services->stop, key) = known;
	}
	return known == &absent ? NULL : known;
}

struct ompdbg_error *asked_scope(struct target_services *services, int thread,
				 const struct ompdbg_frame *frame, const struct scope **ret)
{
	size_t index = 0;
	struct ompdbg_error *error = thread_index(services, thread, &index);

	*ret = error ? NULL : scope_of(services, index, frame);
	return error;
}
