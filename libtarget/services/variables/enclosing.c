// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of a construct, in the frame in which they live.
//
// Debug information of a construct's code may lack the bounds of arrays, or names. The frame of the
// function around it has them. Only a variable at the very address counts.

#include "services/values/values.h"

#include <dwarf.h>
#include <string.h>

#include "base/error.h"
#include "stack/names.h"

enum { MAX_FRAMES = 500, MAX_THREADS = 64, MAX_WORDS = 512 };

/** A variable that was looked for. */
struct known_living {
	struct known_living *next; // at the same address
	const char *name;
	bool exists;
	struct living living;
};

// ---- Frames ----------------------------------------------------------------------------------

/** A walk over the older frames of a thread, then over those of the threads on whose stacks addresses
 *  are, then over those of others: Fortran's arrays may be on no stack. A debugger takes long for all. */
struct walk {
	struct target_services *services;
	const uint64_t *addresses;
	size_t num_addresses;
	size_t thread, level, frames;
	size_t step; // number of the thread in the order above
	struct table *seen;
};

/** Find the thread on whose stack an address is. Stacks grow downwards. */
static bool find_holder(struct target_services *services, uint64_t address, size_t *ret)
{
	const struct ompdbg_services *debugger = services->debugger;
	const uint32_t wanted = UINT32_C(1) << OMPDBG_RSP;
	const struct ompdbg_target_thread *debuggers = NULL;
	size_t count = services->num_threads;
	uint64_t nearest = 0;
	bool found = false;

	if (debugger && !is_ok(debugger->threads(debugger->context, &debuggers, &count)))
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t index = debuggers ? (size_t)debuggers[i].number : i;
		struct ompdbg_registers registers = registers_of(services, index, wanted);
		uint64_t top = registers.values[OMPDBG_RSP];

		if (!registers.known || top > address || (found && top < nearest))
			continue;
		nearest = top;
		*ret = index;
		found = true;
	}
	return found;
}

/** Go to the next thread that was not seen. */
static bool next_thread(struct walk *walk)
{
	struct target_services *services = walk->services;
	size_t most = services->num_threads < MAX_THREADS ? services->num_threads : MAX_THREADS;

	while (walk->step < walk->num_addresses + most) {
		size_t step = walk->step++;
		size_t thread = step - walk->num_addresses;

		if (step < walk->num_addresses &&
		    !find_holder(services, walk->addresses[step], &thread))
			continue;
		void **seen = table_put(walk->seen, &services->scratch, thread);
		if (*seen)
			continue;
		*seen = walk;
		walk->thread = thread;
		walk->level = walk->frames = 0;
		return true;
	}
	return false;
}

static struct scope *next_scope(struct walk *walk)
{
	do {
		struct ompdbg_frame frame;

		while (walk->frames++ < MAX_FRAMES && !is_interrupted(walk->services) &&
		       stack_frame_at(walk->services, walk->thread, walk->level++, &frame)) {
			struct scope *scope = scope_of(walk->services, walk->thread, &frame);

			if (scope)
				return scope;
		}
	} while (!is_interrupted(walk->services) && next_thread(walk));
	return NULL;
}

static struct walk walk_around(const struct scope *inner, const uint64_t *addresses, size_t count)
{
	struct walk walk = {
		.services = inner->services,
		.addresses = addresses,
		.num_addresses = count,
		.thread = inner->thread,
		.level = inner->level + 1,
		.seen = ARENA_NEW(&inner->services->scratch, struct table),
	};

	*table_put(walk.seen, &inner->services->scratch, inner->thread) = walk.seen;
	return walk;
}

// ---- Variables -------------------------------------------------------------------------------

/** Find the address of a variable whose type and place the frame surely has. */
static bool find_address(const struct scope *scope, Dwarf_Die *die, uint64_t *ret)
{
	struct type type, plain, target;
	struct value value;

	if (scope_type(scope, die, &type) || !type_plain(&type, &plain))
		return false;
	if (is_described(&type))
		return described_address(scope, die, ret);
	if (scope_is_unsure_copy(scope, die, &type) || type_is_pointer_to_array(&plain))
		return false;
	if (!type_is_reference(&plain))
		return type_size(&type) && scope_address(scope, die, ret);
	return !scope->is_construct && type_target(&plain, &target) && type_size(&target) &&
	       !scope_value(scope, die, &type, &value) &&
	       !value_word(scope->services, &value, 0, ret);
}

static bool find_in_scope(struct scope *scope, const char *name, uint64_t address,
			  struct living *ret)
{
	struct scope_position at = { 0 };
	Dwarf_Die *die;
	uint64_t found;

	while ((die = scope_next(scope, &at))) {
		if (strcmp(variable_name(die), name) != 0 || !scope_has_in_source(scope, die) ||
		    !find_address(scope, die, &found) || found != address)
			continue;
		*ret = (struct living){ *die, scope };
		return true;
	}
	return false;
}

bool enclosing_find(const struct scope *inner, const char *name, uint64_t address,
		    struct living *ret)
{
	struct target_services *services = inner->services;
	struct known_living *known = table_get(&services->living, address);
	struct scope *scope;

	while (known && strcmp(known->name, name) != 0)
		known = known->next;
	if (!known) {
		struct walk walk = walk_around(inner, &address, 1);

		known = ARENA_NEW(&services->stop, struct known_living);
		known->name = arena_strdup(&services->stop, name);
		while (!known->exists && (scope = next_scope(&walk)))
			known->exists = find_in_scope(scope, name, address, &known->living);
		if (is_interrupted(services))
			return false;
		void **first = table_put(&services->living, &services->stop, address);
		known->next = *first;
		*first = known;
	}
	*ret = known->living;
	return known->exists;
}

// ---- What tasks share ------------------------------------------------------------------------

/** Return the function of the source to which the code of a function belongs; NULL. */
static const char *source_function(struct target_services *services, const char *symbol)
{
	const char *base;

	while (symbol && (base = outlined_base(&services->scratch, symbol)))
		symbol = base;
	return symbol;
}

static void add_addresses(struct scope *scope, struct table *ret)
{
	struct arena *scratch = &scope->services->scratch;
	struct scope_position at = { 0 };
	Dwarf_Die *die;
	uint64_t address;

	while ((die = scope_next(scope, &at))) {
		if (!scope_has_in_source(scope, die) || !find_address(scope, die, &address))
			continue;
		struct living **known = (struct living **)table_put(ret, scratch, address);
		if (!*known) {
			*known = ARENA_NEW(scratch, struct living);
			**known = (struct living){ *die, scope };
		}
	}
}

static bool has_all(const struct table *table, const uint64_t *words, size_t count)
{
	while (count && table_get(table, words[count - 1]))
		count--;
	return !count;
}

size_t enclosing_shared(const struct scope *inner, uint64_t context, uint64_t size,
			struct living **ret)
{
	struct target_services *services = inner->services;
	const char *source = source_function(services, inner->symbol), *other;
	struct table known = { 0 };
	uint64_t words[MAX_WORDS];
	size_t count, found = 0;
	struct scope *scope;

	if (size > sizeof(words))
		size = sizeof(words);
	count = target_read(services->target, context, words, (size_t)size) / WORD_SIZE;
	*ret = ARENA_ARRAY(&services->scratch, struct living, count);
	if (!source || !count)
		return 0;
	struct walk walk = walk_around(inner, words, count);
	while (!has_all(&known, words, count) && (scope = next_scope(&walk))) {
		other = source_function(services, scope->symbol);
		if (other && strcmp(other, source) == 0)
			add_addresses(scope, &known);
	}
	for (size_t i = 0; i < count; i++) {
		const struct living *living = table_get(&known, words[i]);

		if (living)
			(*ret)[found++] = *living;
	}
	return found;
}
