// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "target/target.h"

#include <string.h>

// ---- One call of the API -------------------------------------------------------------------------

enum {
	VIEWS = 16,
	VIEW_MAX = 4096, // no structure of a runtime that is read whole is larger
	WORDS = 32,
	BUDGET = 1 << 22,
};

/** A copy of a piece of the target. */
struct view {
	const ompd_address_space_context_t *context;
	uint64_t address;
	size_t size; // 0: none
	uint8_t bytes[VIEW_MAX];
};

/** A copy of a word of the target: pointers of arrays, and what else is not part of a view. */
struct word {
	const ompd_address_space_context_t *context;
	uint64_t address;
	uint8_t size; // 0: none
	uint8_t bytes[8];
};

// No byte is read twice in a call that reads few of them.
static struct {
	struct view views[VIEWS];
	struct word words[WORDS];
	size_t count, next; // views that are filled; the one that is replaced next
	size_t word_count, next_word;
	uint64_t number;
	uint32_t reads;
} call;

void target_begin_call(void)
{
	call.count = 0;
	call.next = 0;
	call.word_count = 0;
	call.next_word = 0;
	call.reads = 0;
	call.number++;
}

uint64_t target_call(void)
{
	return call.number;
}

static const struct view *find_view(const struct target *target, uint64_t address, size_t size)
{
	for (size_t i = 0; i < call.count; i++) {
		const struct view *view = &call.views[i];

		if (address >= view->address && address - view->address <= view->size &&
		    size <= view->size - (address - view->address) &&
		    view->context == target->context)
			return view;
	}
	return NULL;
}

static const struct word *find_word(const struct target *target, uint64_t address, size_t size)
{
	for (size_t i = 0; i < call.word_count; i++) {
		const struct word *word = &call.words[i];

		if (word->address == address && word->size == size &&
		    word->context == target->context)
			return word;
	}
	return NULL;
}

static void keep_word(const struct target *target, uint64_t address, const void *bytes, size_t size)
{
	struct word *word = &call.words[call.next_word];

	*word = (struct word){ target->context, address, (uint8_t)size, { 0 } };
	memcpy(word->bytes, bytes, size);
	call.next_word = (call.next_word + 1) % WORDS;
	if (call.word_count < WORDS)
		call.word_count++;
}

// ---- Memory ----------------------------------------------------------------------------------

// Check that the debugger converts integers to what this machine has anyway: libompd knows runtimes
// of one byte order only. Later conversions need no callback, and so can't fail.
static ompd_rc_t check_byte_order(const struct target *target)
{
	static const uint8_t pattern[8] = { 0x81, 0x42, 0x23, 0x14, 0x05, 0x96, 0x87, 0x78 };
	uint8_t host[sizeof(pattern)];

	for (ompd_size_t size = 1; size <= sizeof(pattern); size *= 2) {
		memset(host, 0, sizeof(host));
		ompd_rc_t rc = target->callbacks->device_to_host(target->context, pattern, size,
								 sizeof(pattern) / size, host);

		if (rc != ompd_rc_ok)
			return rc;
		if (memcmp(host, pattern, sizeof(pattern)) != 0)
			return ompd_rc_unsupported;
	}
	return ompd_rc_ok;
}

ompd_rc_t target_init(struct target *target, const ompd_callbacks_t *callbacks,
		      ompd_address_space_context_t *context)
{
	*target = (struct target){ .callbacks = callbacks, .context = context };
	ompd_rc_t rc = callbacks->sizeof_type(context, &target->sizes);

	if (rc != ompd_rc_ok)
		return rc;
	// The runtimes' tables are those of LP64; refuse anything else instead of misreading it.
	if (target->sizes.sizeof_pointer != 8 || target->sizes.sizeof_long != 8 ||
	    target->sizes.sizeof_int != 4)
		return ompd_rc_unsupported;
	return check_byte_order(target);
}

// Read by the callback. Damaged memory leads nowhere for ever: a call ends in time all the same.
static ompd_rc_t read_memory(const struct target *target, uint64_t address, void *buffer,
			     size_t size)
{
	const ompd_address_t where = { ompd_segment_none, address };

	if (address == 0 || address + size < address || call.reads >= BUDGET)
		return ompd_rc_error;
	call.reads++;
	return target->callbacks->read_memory(target->context, NULL, &where, size, buffer);
}

ompd_rc_t target_read(const struct target *target, uint64_t address, void *buffer, size_t size)
{
	if (size == 0)
		return ompd_rc_ok;
	const struct view *view = find_view(target, address, size);

	if (view) {
		memcpy(buffer, view->bytes + (address - view->address), size);
		return ompd_rc_ok;
	}
	if (size > sizeof(call.words[0].bytes))
		return read_memory(target, address, buffer, size);
	const struct word *word = find_word(target, address, size);

	if (word) {
		memcpy(buffer, word->bytes, size);
		return ompd_rc_ok;
	}
	ompd_rc_t rc = read_memory(target, address, buffer, size);

	if (rc == ompd_rc_ok)
		keep_word(target, address, buffer, size);
	return rc;
}

void target_view(const struct target *target, uint64_t address, size_t size)
{
	struct view *view = &call.views[call.next];

	if (size == 0 || size > VIEW_MAX || find_view(target, address, size))
		return;
	view->size = 0;
	if (read_memory(target, address, view->bytes, size) != ompd_rc_ok)
		return;
	view->context = target->context;
	view->address = address;
	view->size = size;
	call.next = (call.next + 1) % VIEWS;
	if (call.count < VIEWS)
		call.count++;
}

uint64_t target_uint(const void *bytes, unsigned int size)
{
	uint64_t value = 0;

	if (size <= sizeof(value))
		memcpy(&value, bytes, size);
	return value;
}

ompd_rc_t target_read_uint(const struct target *target, uint64_t address, unsigned int size,
			   uint64_t *ret)
{
	uint8_t bytes[8];

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return ompd_rc_unsupported;
	ompd_rc_t rc = target_read(target, address, bytes, size);

	if (rc == ompd_rc_ok)
		*ret = target_uint(bytes, size);
	return rc;
}

ompd_rc_t target_read_member(const struct target *target, uint64_t base, size_t whole,
			     uint64_t address, unsigned int size, uint64_t *ret)
{
	if (size <= sizeof(call.words[0].bytes)) {
		const struct view *view = find_view(target, address, size);
		const struct word *word = view ? NULL : find_word(target, address, size);

		if (view || word) {
			*ret = target_uint(
				view ? view->bytes + (address - view->address) : word->bytes, size);
			return ompd_rc_ok;
		}
	}
	target_view(target, base, whole);
	return target_read_uint(target, address, size, ret);
}

ompd_rc_t target_read_pointer(const struct target *target, uint64_t address, uint64_t *ret)
{
	return target_read_uint(target, address, target->sizes.sizeof_pointer, ret);
}

ompd_rc_t target_read_string(const struct target *target, uint64_t address, char *buffer,
			     size_t size)
{
	const ompd_address_t where = { ompd_segment_none, address };

	if (size == 0 || address == 0)
		return ompd_rc_bad_input;
	memset(buffer, 0, size);
	ompd_rc_t rc = target->callbacks->read_string(target->context, NULL, &where, size, buffer);

	buffer[size - 1] = '\0';
	return rc;
}

ompd_rc_t target_symbol(const struct target *target, const char *name, const char *file_name,
			uint64_t *ret)
{
	ompd_address_t address = { ompd_segment_none, 0 };
	ompd_rc_t rc = target->callbacks->symbol_addr_lookup(target->context, NULL, name, &address,
							     file_name);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_unavailable : rc;
	// LLVM's plug-in for GDB has the latter for a symbol that it does not find.
	if (address.address == 0 || address.address == UINT64_MAX)
		return ompd_rc_unavailable;
	*ret = address.address;
	return ompd_rc_ok;
}

void *target_alloc(const struct target *target, size_t size)
{
	void *memory = NULL;

	if (target->callbacks->alloc_memory(size, &memory) != ompd_rc_ok || !memory)
		return NULL;
	return memset(memory, 0, size);
}

void target_free(const struct target *target, void *memory)
{
	if (memory)
		target->callbacks->free_memory(memory);
}

void *target_grow(const struct target *target, void *array, size_t count, size_t *capacity,
		  size_t size)
{
	enum { FIRST_CAPACITY = 16 };
	const size_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;

	if (count < *capacity)
		return array;
	void *grown = target_alloc(target, wanted * size);

	if (!grown)
		return NULL;
	if (count)
		memcpy(grown, array, count * size);
	target_free(target, array);
	*capacity = wanted;
	return grown;
}

char *target_strdup(const struct target *target, const char *string)
{
	size_t size = strlen(string) + 1;
	char *copy = target_alloc(target, size);

	return copy ? memcpy(copy, string, size) : NULL;
}
