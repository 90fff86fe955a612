// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols by name and by address.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/objects.h"

/** A symbol that was looked for. */
struct known_symbol {
	bool exists;
	uint64_t address;
	struct ompdbg_symbol at;
};

const char *demangle_symbol(struct target_services *services, const char *symbol)
{
	return demangle_name(&services->demangler, &services->arena, symbol);
}

// ---- By name ---------------------------------------------------------------------------------

static bool find_symbol(struct target_services *services, const char *name, const char *object,
			uint64_t *ret)
{
	const struct objects *objects = &services->objects;

	for (size_t i = 0; i < objects->num_in_order; i++) {
		ssize_t index = objects->in_order[i];

		if ((!object || object_is_named(services, index, object)) &&
		    target_symbol_named(services->target, (size_t)index, name, ret))
			return true;
	}
	return false;
}

bool symbol_find(struct target_services *services, const char *name, const char *object,
		 uint64_t *ret)
{
	struct arena *arena = &services->arena;
	const char *key = object ? arena_printf(arena, "%s\n%s", name, object) : name;
	struct known_symbol *known = string_table_get(&services->by_name, key);

	if (!known) {
		known = ARENA_NEW(arena, struct known_symbol);
		known->exists = find_symbol(services, name, object, &known->address);
		*string_table_put(&services->by_name, arena,
				  object ? key : arena_strdup(arena, name)) = known;
	}
	*ret = known->address;
	return known->exists;
}

/** Find a function in each object that is of a kind. */
static size_t find_in_objects(const struct target_services *services, const char *name,
			      bool (*is_wanted)(const struct target_services *services,
						ssize_t index),
			      uint64_t *ret, size_t most)
{
	const struct objects *objects = &services->objects;
	size_t found = 0;

	for (size_t i = 0; i < objects->num_in_order && found < most; i++) {
		ssize_t index = objects->in_order[i];

		if (is_wanted(services, index) &&
		    target_symbol_named(services->target, (size_t)index, name, &ret[found]))
			found++;
	}
	return found;
}

static bool is_interposer(const struct target_services *services, ssize_t index)
{
	return is_interposer_object(services->objects.all[index].path);
}

static bool may_be_runtime(const struct target_services *services, ssize_t index)
{
	return index == services->objects.program || services->objects.all[index].is_of_runtime;
}

size_t target_services_in_runtimes(const struct ompdbg_services *table, const char *name,
				   uint64_t *ret, size_t most)
{
	const struct target_services *services = table->context;
	// Where a program calls libgomp through the interposer, what that defines is what is called.
	size_t found = find_in_objects(services, name, is_interposer, ret, most);

	return found ? found : find_in_objects(services, name, may_be_runtime, ret, most);
}

/** Find a thread-local variable of a thread. */
static bool find_thread_local(struct target_services *services, const char *name,
			      const char *object, size_t thread, uint64_t *ret)
{
	const struct objects *objects = &services->objects;
	uint64_t offset;

	for (size_t i = 0; i < objects->num_in_order; i++) {
		ssize_t index = objects->in_order[i];
		uint64_t link_map = objects->all[index].link_map;

		if ((!object || object_is_named(services, index, object)) &&
		    target_thread_local_named(services->target, (size_t)index, name, &offset))
			return (link_map || index == objects->program) &&
			       target_thread_local(services->target, thread, link_map, offset, ret);
	}
	return false;
}

struct ompdbg_error *service_symbol_address(void *context, const char *name, const char *object,
					    int thread, uint64_t *ret)
{
	struct ompdbg_error *error;
	size_t index = 0;

	if (symbol_find(context, name, object, ret))
		return NULL;
	if (!thread)
		return &ompdbg_error_absent;
	error = thread_index(context, thread, &index);
	if (error)
		return error;
	return find_thread_local(context, name, object, index, ret) ? NULL : &ompdbg_error_absent;
}

// ---- By address ------------------------------------------------------------------------------

static void find_symbol_at(struct target_services *services, uint64_t address,
			   struct known_symbol *ret)
{
	struct target_symbol found;

	if (!target_symbol_at(services->target, address, &found))
		return;
	const char *name = arena_strndup(&services->arena, found.name, strcspn(found.name, "@"));
	const char *told = demangle_symbol(services, name);
	ret->exists = true;
	ret->at = (struct ompdbg_symbol){
		.name = told ? told : name,
		.offset = address - found.address,
		.object = object_path_at(services, address),
	};
}

struct ompdbg_error *service_symbol_at(void *context, uint64_t address, struct ompdbg_symbol *ret)
{
	struct target_services *services = context;
	struct known_symbol *known = table_get(&services->by_address, address);

	if (!known) {
		known = ARENA_NEW(&services->arena, struct known_symbol);
		find_symbol_at(services, address, known);
		*table_put(&services->by_address, &services->arena, address) = known;
	}
	*ret = known->at;
	return known->exists ? NULL : &ompdbg_error_absent;
}
