// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callback table (OpenMP 5.2, 20.4) over the services. What the services fail with is kept in
// the space until the call ends. Once the user has pressed Ctrl-C, every callback fails.

#include <string.h>

#include "base/objects.h"
#include "ompd/memory.h"
#include "ompd/room.h"

enum { ASK_EVERY = 1 << 16 }; // reads that the cache answers, between looks for Ctrl-C

static struct space *space_of(ompd_address_space_context_t *context)
{
	return (struct space *)context;
}

static bool is_interrupted(const struct space *space)
{
	return ends_command(space->failure);
}

static ompd_rc_t failed(struct space *space, struct ompdbg_error *error)
{
	ompdbg_error_destroy(space->failure);
	space->failure = error;
	return ompd_rc_callback_error;
}

// ---- Memory ----------------------------------------------------------------------------------

/** Count a read. @return false: it must not be done. */
static bool begin_read(struct space *space, ompd_size_t bytes)
{
	if (is_interrupted(space))
		return false;
	space->statistics.bytes += bytes;
	if (++space->statistics.reads % ASK_EVERY == 0 &&
	    (budget_is_spent() || SERVICE(space, interrupted)))
		failed(space, interruption());
	return !is_interrupted(space);
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t bytes, void *buffer)
{
	struct space *space = space_of(context);

	(void)thread; // one memory for all threads
	if (!space || !address || !buffer)
		return ompd_rc_bad_input;
	if (!begin_read(space, bytes))
		return ompd_rc_callback_error;
	if (cache_hit(&space->cache, address->address, buffer, bytes))
		return ompd_rc_ok;
	struct ompdbg_error *error = space_read(space, address->address, buffer, bytes);
	return error ? failed(space, error) : ompd_rc_ok;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t bytes, void *buffer)
{
	struct space *space = space_of(context);
	bool ended;

	(void)thread;
	if (!space || !address || !buffer || !bytes)
		return ompd_rc_bad_input;
	if (!begin_read(space, bytes))
		return ompd_rc_callback_error;
	struct ompdbg_error *error =
		cache_read_string(&space->cache, address->address, buffer, bytes, &ended);
	if (error)
		return failed(space, error);
	return ended ? ompd_rc_ok : ompd_rc_incomplete;
}

/** Refuse: nothing is ever written to the target. */
static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			      const ompd_address_t *address, ompd_size_t bytes, const void *buffer)
{
	(void)context;
	(void)thread;
	(void)address;
	(void)bytes;
	(void)buffer;
	return ompd_rc_unsupported;
}

/** Tell the sizes of the target's types: those of this process, LP64. */
static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	if (!context || !sizes)
		return ompd_rc_bad_input;
	*sizes = (ompd_device_type_sizes_t){
		.sizeof_char = 1,
		.sizeof_short = 2,
		.sizeof_int = 4,
		.sizeof_long = 8,
		.sizeof_long_long = 8,
		.sizeof_pointer = 8,
	};
	return ompd_rc_ok;
}

/** Copy: target and debugger have the same order of bytes. */
static ompd_rc_t copy_units(ompd_address_space_context_t *context, const void *input,
			    ompd_size_t unit, ompd_size_t count, void *output)
{
	size_t bytes;

	if (!context || !input || !output || __builtin_mul_overflow(unit, count, &bytes))
		return ompd_rc_bad_input;
	memmove(output, input, bytes);
	return ompd_rc_ok;
}

// ---- Symbols and threads ---------------------------------------------------------------------

struct known_symbol {
	bool is_absent;
	uint64_t address;
};

/** Name the shared object of the symbol that covers an address; NULL: the program, or unknown. */
static const char *object_of(struct space *space, uint64_t address)
{
	struct ompdbg_symbol symbol;

	return is_ok(SERVICE(space, symbol_at, address, &symbol)) ? symbol.object : NULL;
}

/** Find a symbol of the runtime that has the same name in the interposer: which libgomp that is, and
 *  whatever its file is called, one of the functions that others do not have tells. */
static void pass_interposer(struct space *space, const char *name, uint64_t *address)
{
	const char *libgomp;
	uint64_t found;

	if (!is_interposer_object(object_of(space, *address)) ||
	    !is_ok(SERVICE(space, symbol_address, "GOMP_PLUGIN_malloc", NULL, 0, &found)))
		return;
	libgomp = object_of(space, found);
	if (libgomp && is_ok(SERVICE(space, symbol_address, name, base_name(libgomp), 0, &found)))
		*address = found;
}

static struct ompdbg_error *find_symbol(struct space *space, const char *name, const char *object,
					int thread, uint64_t *ret)
{
	struct ompdbg_error *error = &ompdbg_error_absent;

	space->statistics.symbols++;
	if (!layout_is_alone(name))
		error = SERVICE(space, symbol_address, name, object, thread, ret);
	if (!error && !object)
		pass_interposer(space, name, ret);
	if (error && error->code == OMPDBG_ABSENT) {
		ompdbg_error_destroy(error);
		error = layout_variable(space, name, object, ret);
	}
	return error;
}

/** Find a symbol through the cache, which knows all symbols but those of a thread. */
static struct ompdbg_error *symbol(struct space *space, const char *name, const char *object,
				   int thread, uint64_t *ret)
{
	if (thread)
		return find_symbol(space, name, object, thread, ret);
	buffer_clear(&space->symbol_key);
	buffer_printf(&space->symbol_key, "%s:%s", object ? object : "", name);
	struct known_symbol *known = string_table_get(&space->symbols, space->symbol_key.data);
	if (!known) {
		struct known_symbol found = { 0 };
		struct ompdbg_error *error = find_symbol(space, name, object, 0, &found.address);

		found.is_absent = error && error->code == OMPDBG_ABSENT;
		if (error && !found.is_absent)
			return error;
		ompdbg_error_destroy(error);
		known = ARENA_NEW(&space->arena, struct known_symbol);
		*known = found;
		const char *key = arena_strdup(&space->arena, space->symbol_key.data);
		*string_table_put(&space->symbols, &space->arena, key) = known;
	}
	*ret = known->address;
	return known->is_absent ? &ompdbg_error_absent : NULL;
}

/** Turn an answer of the services into a code. */
static ompd_rc_t answered(struct space *space, struct ompdbg_error *error)
{
	if (error && error->code == OMPDBG_ABSENT) {
		ompdbg_error_destroy(error);
		return ompd_rc_unavailable;
	}
	return error ? failed(space, error) : ompd_rc_ok;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const char *name, ompd_address_t *ret, const char *file_name)
{
	struct space *space = space_of(context);
	uint64_t address = 0;

	if (!space || !name || !ret)
		return ompd_rc_bad_input;
	if (is_interrupted(space))
		return ompd_rc_callback_error;
	ompd_rc_t code =
		answered(space, symbol(space, name, file_name, (int)(intptr_t)thread, &address));
	// Some libraries do not look at the code.
	*ret = (ompd_address_t){ ompd_segment_none, code == ompd_rc_ok ? address : 0 };
	return code;
}

/** Find the context of a thread: its number, which is never 0. */
static ompd_rc_t thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				ompd_size_t size, const void *id, ompd_thread_context_t **ret)
{
	struct space *space = space_of(context);
	uint64_t value = 0;
	int number;

	// The low bytes come first: the machine is little endian.
	if (!space || !id || !ret || (size != sizeof(uint32_t) && size != sizeof(uint64_t)))
		return ompd_rc_bad_input;
	memcpy(&value, id, size);
	if (is_interrupted(space))
		return ompd_rc_callback_error;
	ompd_rc_t code = answered(space, space_find_thread(space, kind, value, &number));
	if (code == ompd_rc_ok)
		*ret = (ompd_thread_context_t *)(intptr_t)number;
	return code;
}

// ---- Output ----------------------------------------------------------------------------------

static ompd_rc_t print_string(const char *string, int category)
{
	struct space *space = space_in_call();

	(void)category;
	if (!string)
		return ompd_rc_bad_input;
	if (!space)
		return ompd_rc_ok; // nobody to tell
	if (is_interrupted(space))
		return ompd_rc_callback_error;
	size_t length = strlen(string);
	while (length && string[length - 1] == '\n')
		length--;
	struct buffer line = { 0 };
	buffer_put_bytes(&line, string, length);
	SERVICE(space, log, line.data);
	buffer_deinit(&line);
	return ompd_rc_ok;
}

const ompd_callbacks_t ompd_callbacks = {
	.alloc_memory = memory_alloc,
	.free_memory = memory_free,
	.print_string = print_string,
	.sizeof_type = sizeof_type,
	.symbol_addr_lookup = symbol_addr,
	.read_memory = read_memory,
	.write_memory = write_memory,
	.read_string = read_string,
	.device_to_host = copy_units,
	.host_to_device = copy_units,
	.get_thread_context_for_thread_id = thread_context,
};
