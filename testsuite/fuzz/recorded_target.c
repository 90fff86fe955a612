// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorded_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// GCC and Clang have it.
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum {
	MAX_CHANGES = 4096,
	MAX_ALLOCATED = 64 << 20,
};

static void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		die("no memory");
	return memory;
}

// ---- The file --------------------------------------------------------------------------------

struct reader {
	const uint8_t *at, *end;
};

static const uint8_t *take(struct reader *reader, size_t size)
{
	const uint8_t *bytes = reader->at;

	if ((size_t)(reader->end - reader->at) < size)
		die("the file of recorded targets ends early");
	reader->at += size;
	return bytes;
}

static uint64_t take_number(struct reader *reader, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, take(reader, size), size);
	return number;
}

static const char *take_text(struct reader *reader)
{
	size_t length = take_number(reader, 2);

	return (const char *)take(reader, length + 1);
}

/** Take a text that is NULL if it is empty. */
static const char *take_name(struct reader *reader)
{
	const char *text = take_text(reader);

	return *text ? text : NULL;
}

static uint32_t mask_for(uint32_t count)
{
	uint32_t size = 4;

	while (size < 3 * count)
		size *= 2;
	return size - 1;
}

static uint32_t hash_page(uint64_t address)
{
	return (uint32_t)((address / RECORDED_PAGE * 0x9e3779b97f4a7c15u) >> 32);
}

static uint32_t hash_text(const char *text, uint32_t hash)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619u;
	return hash ^ 0xff;
}

static uint32_t hash_symbol(const char *name, const char *file)
{
	return hash_text(file, hash_text(name, 2166136261u));
}

static void insert(uint32_t *slots, uint32_t mask, uint32_t hash, uint32_t index)
{
	while (slots[hash & mask])
		hash++;
	slots[hash & mask] = index + 1;
}

// ---- What services tell ------------------------------------------------------------------------

static struct recorded_function take_function(struct reader *reader)
{
	struct recorded_function function;

	function.name = take_name(reader);
	function.symbol = take_name(reader);
	function.start = take_number(reader, 8);
	function.file = take_name(reader);
	function.line = (int)take_number(reader, 4);
	return function;
}

static void read_registers(struct reader *reader, struct recorded_registers *registers)
{
	size_t count = take_number(reader, 4);

	while (count--) {
		uint64_t number = take_number(reader, 1);

		if (number >= RECORDED_REGISTERS)
			die("a register without a number");
		registers->known |= UINT32_C(1) << number;
		registers->values[number] = take_number(reader, 8);
	}
}

static void read_frame(struct reader *reader, struct recorded_frame *frame)
{
	frame->function = take_function(reader);
	frame->pc = take_number(reader, 8);
	uint64_t flags = take_number(reader, 1);
	frame->is_call = flags & 1;
	frame->is_signal = flags & 2;
	frame->is_inlined = flags & 4;
	frame->object = take_name(reader);
	read_registers(reader, &frame->kept);
}

static void read_stack(struct reader *reader, struct recorded_stack *stack)
{
	stack->number = (int)take_number(reader, 4);
	stack->is_selected = take_number(reader, 1);
	stack->name = take_text(reader);
	read_registers(reader, &stack->registers);
	stack->count = take_number(reader, 4);
	stack->frames = allocate(stack->count, sizeof(*stack->frames));
	for (uint32_t i = 0; i < stack->count; i++)
		read_frame(reader, &stack->frames[i]);
}

static struct recorded_function_at *read_functions(struct reader *reader, bool by_name,
						   uint32_t *count)
{
	struct recorded_function_at *found;

	*count = take_number(reader, 4);
	found = allocate(*count, sizeof(*found));
	for (uint32_t i = 0; i < *count; i++) {
		if (by_name)
			found[i].name = take_text(reader);
		else
			found[i].address = take_number(reader, 8);
		found[i].function = take_function(reader);
	}
	return found;
}

static void read_services(struct reader *reader, uint32_t threads, struct recorded_services *ret)
{
	ret->program = take_text(reader);
	ret->is_of_clang = take_number(reader, 1);
	ret->newest_gcc = (int)take_number(reader, 4);
	ret->range_count = take_number(reader, 4);
	ret->ranges = allocate(ret->range_count, sizeof(*ret->ranges));
	for (uint32_t i = 0; i < ret->range_count; i++) {
		ret->ranges[i].begin = take_number(reader, 8);
		ret->ranges[i].end = take_number(reader, 8);
	}
	ret->symbol_at_count = take_number(reader, 4);
	ret->symbols_at = allocate(ret->symbol_at_count, sizeof(*ret->symbols_at));
	for (uint32_t i = 0; i < ret->symbol_at_count; i++) {
		struct recorded_symbol_at *symbol = &ret->symbols_at[i];

		symbol->address = take_number(reader, 8);
		symbol->name = take_text(reader);
		symbol->offset = take_number(reader, 8);
		symbol->object = take_name(reader);
	}
	ret->functions_at = read_functions(reader, false, &ret->function_at_count);
	ret->functions_named = read_functions(reader, true, &ret->function_named_count);
	ret->stacks = allocate(threads, sizeof(*ret->stacks));
	for (uint32_t i = 0; i < threads; i++)
		read_stack(reader, &ret->stacks[i]);
}

// ---- A target ----------------------------------------------------------------------------------

static void read_target(struct reader *reader, const uint8_t *pool, struct recorded_target *target)
{
	target->name = take_text(reader);
	target->page_count = take_number(reader, 4);
	target->pages = allocate(target->page_count, sizeof(*target->pages));
	target->page_mask = mask_for(target->page_count);
	target->page_slots = allocate(target->page_mask + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < target->page_count; i++) {
		struct recorded_page *page = &target->pages[i];

		page->address = take_number(reader, 8);
		page->bytes = allocate(1, RECORDED_PAGE);
		memcpy(page->bytes, pool + take_number(reader, 4) * RECORDED_PAGE, RECORDED_PAGE);
		insert(target->page_slots, target->page_mask, hash_page(page->address), i);
	}
	target->symbol_count = take_number(reader, 4);
	target->symbols = allocate(target->symbol_count, sizeof(*target->symbols));
	target->symbol_mask = mask_for(target->symbol_count);
	target->symbol_slots = allocate(target->symbol_mask + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < target->symbol_count; i++) {
		struct recorded_symbol *symbol = &target->symbols[i];

		symbol->name = take_text(reader);
		symbol->file = take_text(reader);
		symbol->address = take_number(reader, 8);
		insert(target->symbol_slots, target->symbol_mask,
		       hash_symbol(symbol->name, symbol->file), i);
	}
	target->thread_count = take_number(reader, 4);
	target->threads = allocate(target->thread_count, sizeof(*target->threads));
	for (uint32_t i = 0; i < target->thread_count; i++) {
		target->threads[i].pthread = take_number(reader, 8);
		target->threads[i].lwp = take_number(reader, 8);
	}
	target->place_count = take_number(reader, 4);
	target->places = allocate(target->place_count, sizeof(*target->places));
	for (uint32_t i = 0; i < target->place_count; i++)
		target->places[i] = take_number(reader, 8);
	read_services(reader, target->thread_count, &target->services);
}

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	long end;

	if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0)
		die("the file of recorded targets cannot be read");
	rewind(file);
	bytes = allocate(1, (size_t)end);
	*size = fread(bytes, 1, (size_t)end, file);
	fclose(file);
	return bytes;
}

// ---- Memory ----------------------------------------------------------------------------------

static struct recorded_target *chosen;
static bool watched;

/** What was there before a change; size 0: the page was readable. */
struct change {
	struct recorded_page *page;
	uint16_t offset, size;
	uint8_t bytes[8];
};

static struct change changes[MAX_CHANGES];
static size_t change_count;

void recorded_choose(struct recorded_target *target)
{
	chosen = target;
}

static struct recorded_page *find_page(uint64_t address)
{
	uint64_t begin = address & ~(uint64_t)(RECORDED_PAGE - 1);

	for (uint32_t slot = hash_page(begin);; slot++) {
		uint32_t found = chosen->page_slots[slot & chosen->page_mask];

		if (!found)
			return NULL;
		if (chosen->pages[found - 1].address == begin)
			return &chosen->pages[found - 1];
	}
}

static bool read_bytes(uint64_t address, uint8_t *bytes, size_t size)
{
	while (size) {
		struct recorded_page *page = find_page(address);
		size_t offset = address % RECORDED_PAGE, part = RECORDED_PAGE - offset;

		if (!page || page->unreadable)
			return false;
		if (part > size)
			part = size;
		memcpy(bytes, page->bytes + offset, part);
		address += part;
		bytes += part;
		size -= part;
	}
	return true;
}

bool recorded_peek(uint64_t address, void *bytes, size_t size)
{
	return read_bytes(address, bytes, size);
}

bool recorded_write(uint64_t address, const void *bytes, size_t size)
{
	struct recorded_page *page = find_page(address);
	size_t offset = address % RECORDED_PAGE;

	if (!page || size > 8 || offset + size > RECORDED_PAGE || change_count == MAX_CHANGES)
		return false;
	struct change *change = &changes[change_count++];

	*change = (struct change){ .page = page, .offset = offset, .size = size };
	memcpy(change->bytes, page->bytes + offset, size);
	memcpy(page->bytes + offset, bytes, size);
	return true;
}

static bool lose(struct recorded_page *page)
{
	if (!page || page->unreadable || change_count == MAX_CHANGES)
		return false;
	changes[change_count++] = (struct change){ .page = page };
	page->unreadable = true;
	return true;
}

bool recorded_lose_page(uint64_t address)
{
	return lose(find_page(address));
}

void recorded_lose_pages(uint64_t first, uint64_t last)
{
	for (uint32_t i = 0; i < chosen->page_count; i++) {
		if (chosen->pages[i].address >= first && chosen->pages[i].address <= last)
			lose(&chosen->pages[i]);
	}
}

void recorded_mend(void)
{
	while (change_count) {
		const struct change *change = &changes[--change_count];

		if (change->size)
			memcpy(change->page->bytes + change->offset, change->bytes, change->size);
		else
			change->page->unreadable = false;
	}
}

// ---- Words that are read ---------------------------------------------------------------------

static bool is_watched(const struct recorded_page *page, size_t word)
{
	return page->watched[word / 64] >> word % 64 & 1;
}

static void note_words(uint64_t address, size_t size)
{
	for (uint64_t at = address & ~(uint64_t)7; at < address + size; at += 8) {
		struct recorded_page *page = find_page(at);
		size_t word = at % RECORDED_PAGE / 8;

		page->watched[word / 64] |= (uint64_t)1 << word % 64;
	}
}

typedef bool (*choose_fn)(const struct recorded_page *page, size_t word, uint64_t value);

static bool is_pointer(const struct recorded_page *page, size_t word, uint64_t value)
{
	(void)page;
	(void)word;
	return value >= RECORDED_PAGE && find_page(value);
}

static bool was_read(const struct recorded_page *page, size_t word, uint64_t value)
{
	(void)value;
	return is_watched(page, word);
}

static struct recorded_word *list_words(choose_fn choose, uint32_t *count)
{
	uint32_t capacity = 1024;
	struct recorded_word *words = allocate(capacity, sizeof(*words));

	*count = 0;
	for (uint32_t i = 0; i < chosen->page_count; i++) {
		const struct recorded_page *page = &chosen->pages[i];

		for (size_t word = 0; word < RECORDED_PAGE / 8; word++) {
			uint64_t value;

			memcpy(&value, page->bytes + 8 * word, 8);
			if (!choose(page, word, value))
				continue;
			if (*count == capacity) {
				capacity *= 2;
				words = realloc(words, capacity * sizeof(*words));
				if (!words)
					die("no memory");
			}
			words[(*count)++] =
				(struct recorded_word){ page->address + 8 * word, value };
		}
	}
	return words;
}

static int compare_values(const void *one, const void *other)
{
	const struct recorded_word *a = one, *b = other;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void list_pointers(struct recorded_target *target)
{
	recorded_choose(target);
	target->pointers = list_words(is_pointer, &target->pointer_count);
	qsort(target->pointers, target->pointer_count, sizeof(*target->pointers), compare_values);
}

uint32_t recorded_open(const char *path, struct recorded_target **targets)
{
	static const char magic[8] = "ompdbgR2";
	struct reader reader;
	const uint8_t *pool;
	uint32_t count;
	size_t size;

	reader.at = read_file(path, &size);
	reader.end = reader.at + size;
	if (memcmp(take(&reader, sizeof(magic)), magic, sizeof(magic)) != 0)
		die("no file of recorded targets");
	count = take_number(&reader, 4);
	pool = take(&reader, (size_t)count * RECORDED_PAGE);
	count = take_number(&reader, 4);
	*targets = allocate(count, sizeof(**targets));
	for (uint32_t i = 0; i < count; i++)
		read_target(&reader, pool, &(*targets)[i]);
	for (uint32_t i = 0; i < count; i++)
		list_pointers(&(*targets)[i]);
	return count;
}

void recorded_watch(bool on)
{
	if (watched && !on)
		chosen->read = list_words(was_read, &chosen->read_count);
	watched = on;
}

// ---- Callbacks -------------------------------------------------------------------------------

struct recorded_use recorded_use;
unsigned long recorded_max_requests = 1000000;
size_t recorded_blocks, recorded_bytes;

/** In front of each block that the library gets. */
struct recorded_block {
	struct recorded_block *next, **link;
	size_t size;
	uint64_t serial;
	bool is_freed; // and kept, for the state that it is part of
};

static uint64_t last_serial;

// Blocks stand in the order in which they were allocated, the last one first.
static void link_block(struct recorded_block *block, struct recorded_block **link)
{
	block->next = *link;
	block->link = link;
	*link = block;
	if (block->next)
		block->next->link = &block->next;
	recorded_blocks++;
	recorded_bytes += block->size;
}

static void unlink_block(struct recorded_block *block)
{
	*block->link = block->next;
	if (block->next)
		block->next->link = block->link;
	recorded_blocks--;
	recorded_bytes -= block->size;
}

static void free_block(struct recorded_block *block)
{
	ASAN_UNPOISON_MEMORY_REGION(block + 1, block->size);
	free(block);
}

static void discard(struct recorded_block *block)
{
	unlink_block(block);
	free_block(block);
}

static void take_back(struct recorded_block *block)
{
	struct recorded_block **link = &chosen->blocks;

	while (*link && (*link)->serial > block->serial)
		link = &(*link)->next;
	block->is_freed = false;
	ASAN_UNPOISON_MEMORY_REGION(block + 1, block->size);
	link_block(block, link);
}

void recorded_begin_call(void)
{
	recorded_use = (struct recorded_use){ .kept = recorded_bytes, .allocated = recorded_bytes };
	callback_counts = (struct callback_counts){ 0 };
}

static void check_requests(void)
{
	if (callback_counts.reads + callback_counts.symbols > recorded_max_requests)
		die("a call that asks the debugger without end");
}

void *callback_alloc(size_t size)
{
	struct recorded_block *block;

	if (size > MAX_ALLOCATED || recorded_bytes + size > recorded_use.kept + MAX_ALLOCATED)
		die("a call that allocates more than 64 MiB");
	block = malloc(sizeof(*block) + size);
	if (!block)
		return NULL;
	*block = (struct recorded_block){ .size = size, .serial = ++last_serial };
	link_block(block, &chosen->blocks);
	if (recorded_bytes > recorded_use.allocated)
		recorded_use.allocated = recorded_bytes;
	return block + 1;
}

void callback_free(void *memory)
{
	struct recorded_block *block = memory;

	if (!memory)
		return;
	block--;
	if (!chosen->kept || block->serial > chosen->kept->last_serial) {
		discard(block);
		return;
	}
	unlink_block(block);
	block->is_freed = true;
	ASAN_POISON_MEMORY_REGION(block + 1, block->size);
}

// ---- States ----------------------------------------------------------------------------------

void recorded_keep_state(struct recorded_state *state)
{
	struct recorded_block *block;
	size_t count = 0;
	uint8_t *at;

	*state = (struct recorded_state){ .last_serial = last_serial };
	for (block = chosen->blocks; block; block = block->next) {
		state->count++;
		state->size += block->size;
	}
	state->blocks = allocate(state->count, sizeof(*state->blocks));
	at = state->bytes = allocate(state->size, 1);
	for (block = chosen->blocks; block; block = block->next) {
		state->blocks[count++] = block;
		memcpy(at, block + 1, block->size);
		at += block->size;
	}
	chosen->kept = state;
}

bool recorded_restore_state(struct recorded_state *state)
{
	const uint8_t *at = state->bytes;
	size_t count = 0;

	for (const struct recorded_block *block = chosen->blocks; block; block = block->next)
		count++;
	if (count != state->count)
		return false;
	while (chosen->blocks && chosen->blocks->serial > state->last_serial)
		discard(chosen->blocks);
	for (size_t i = 0; i < state->count; i++) {
		struct recorded_block *block = state->blocks[i];

		if (block->is_freed)
			take_back(block);
		memcpy(block + 1, at, block->size);
		at += block->size;
	}
	return true;
}

void recorded_forget_state(struct recorded_state *state)
{
	for (size_t i = 0; i < state->count; i++) {
		if (state->blocks[i]->is_freed)
			free_block(state->blocks[i]);
	}
	free(state->blocks);
	free(state->bytes);
	*state = (struct recorded_state){ 0 };
	chosen->kept = NULL;
}

void recorded_free(const void *block)
{
	callback_free((void *)block);
}

bool recorded_has(const void *block)
{
	const struct recorded_block *one = chosen->blocks;

	while (one && one + 1 != block)
		one = one->next;
	return one != NULL;
}

bool callback_symbol(ompd_address_space_context_t *context, const char *name, const char *file_name,
		     uint64_t *address)
{
	const char *file = file_name ? file_name : "";

	(void)context;
	check_requests();
	for (uint32_t slot = hash_symbol(name, file);; slot++) {
		uint32_t found = chosen->symbol_slots[slot & chosen->symbol_mask];

		if (!found)
			return false;
		const struct recorded_symbol *symbol = &chosen->symbols[found - 1];

		if (strcmp(symbol->name, name) != 0 || strcmp(symbol->file, file) != 0)
			continue;
		*address = symbol->address;
		return *address != 0;
	}
}

bool callback_read(ompd_address_space_context_t *context, uint64_t address, void *buffer,
		   size_t size)
{
	(void)context;
	check_requests();
	if (!read_bytes(address, buffer, size))
		return false;
	if (watched)
		note_words(address, size);
	return true;
}
