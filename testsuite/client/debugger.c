// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "debugger.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_READS = 1000000 }; // by one question; more means that it does not end

const char *const callback_names[CALLBACKS] = {
	[CALLBACK_ALLOC] = "alloc_memory",
	[CALLBACK_FREE] = "free_memory",
	[CALLBACK_PRINT] = "print_string",
	[CALLBACK_SIZEOF] = "sizeof_type",
	[CALLBACK_SYMBOL] = "symbol_addr_lookup",
	[CALLBACK_READ] = "read_memory",
	[CALLBACK_READ_STRING] = "read_string",
	[CALLBACK_DEVICE_TO_HOST] = "device_to_host",
	[CALLBACK_HOST_TO_DEVICE] = "host_to_device",
	[CALLBACK_CONTEXT] = "get_thread_context_for_thread_id",
};

struct fault fault;
const char *question_name = "";
int question_variant;
long callback_calls[CALLBACKS];
long debugger_blocks;
uint64_t pages_read[MOST_PAGES];
size_t page_count;

static pid_t target;
static bool fell_due;
static unsigned int flip_seed;

ompd_address_space_context_t *debugger_context(void)
{
	static char anything;

	return (ompd_address_space_context_t *)&anything;
}

void debugger_begin(struct fault with)
{
	fault = with;
	fell_due = false;
	flip_seed = (unsigned int)with.garbage;
	page_count = 0;
	memset(callback_calls, 0, sizeof(callback_calls));
}

bool debugger_end(void)
{
	fault = (struct fault){ .index = 0 };
	return fell_due;
}

static bool falls_due(enum callback callback)
{
	if (++callback_calls[callback] != fault.index || fault.callback != callback)
		return false;
	fell_due = true;
	return true;
}

// ---- The target ------------------------------------------------------------------------------

/** Copies of the pages of a target that does not run. */
struct page {
	uint64_t start; // 0: free
	uint8_t *bytes;
};

enum { PAGE_SLOTS = 1 << 14 };

static struct page pages[PAGE_SLOTS];
static size_t pages_used;

static bool read_target(uint64_t address, void *buffer, size_t size)
{
	struct iovec to = { buffer, size }, from = { (void *)(uintptr_t)address, size };

	return process_vm_readv(target ? target : getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

// A copy of the page; NULL if it cannot be read. What lookups and reads make up lies anywhere.
static const uint8_t *page_at(uint64_t start)
{
	size_t slot = start / PAGE_SIZE * 2654435761u % PAGE_SLOTS;
	uint8_t bytes[PAGE_SIZE];

	while (pages[slot].start && pages[slot].start != start)
		slot = (slot + 1) % PAGE_SLOTS;
	if (!pages[slot].start && read_target(start, bytes, PAGE_SIZE)) {
		pages[slot] = (struct page){ start, malloc(PAGE_SIZE) };
		memcpy(pages[slot].bytes, bytes, PAGE_SIZE);
		if (++pages_used == PAGE_SLOTS) {
			fprintf(stderr, "the target has more pages than there is room for\n");
			abort();
		}
	}
	return pages[slot].bytes;
}

static void forget_pages(void)
{
	for (size_t i = 0; i < PAGE_SLOTS; i++)
		free(pages[i].bytes);
	memset(pages, 0, sizeof(pages));
	pages_used = 0;
}

// A process that asks about itself changes its memory meanwhile.
static bool read_part(uint64_t start, uint64_t address, void *buffer, size_t size)
{
	if (!target)
		return read_target(address, buffer, size);
	const uint8_t *page = page_at(start);

	if (page)
		memcpy(buffer, page + (address - start), size);
	return page != NULL;
}

static void note_page(uint64_t start)
{
	size_t i = 0;

	while (i < page_count && pages_read[i] != start)
		i++;
	if (i == page_count && page_count < MOST_PAGES)
		pages_read[page_count++] = start;
}

static bool read_all(uint64_t address, void *buffer, size_t size)
{
	char *to = buffer;

	while (size) {
		const uint64_t start = address & ~(uint64_t)(PAGE_SIZE - 1);
		const size_t rest = PAGE_SIZE - (size_t)(address - start);
		const size_t part = size < rest ? size : rest;

		if (start == fault.hole && start) {
			fell_due = true;
			return false;
		}
		if (!start || !read_part(start, address, to, part))
			return false;
		note_page(start);
		to += part;
		address += part;
		size -= part;
	}
	return true;
}

void debugger_copy(uint64_t address, void *to, size_t size)
{
	if (read_target(address, to, size))
		return;
	fprintf(stderr, "cannot read %zu bytes at 0x%llx\n", size, (unsigned long long)address);
	exit(1);
}

// ---- Callbacks -------------------------------------------------------------------------------

static ompd_rc_t alloc_memory(ompd_size_t size, void **ptr)
{
	if (falls_due(CALLBACK_ALLOC)) {
		*ptr = NULL;
		return fault.code;
	}
	*ptr = malloc(size);
	if (!*ptr)
		return ompd_rc_nomem;
	memset(*ptr, 0xa5, size); // no library may count on zeroes
	debugger_blocks++;
	return ompd_rc_ok;
}

// One that fails has freed the block all the same: nobody could free it otherwise.
static ompd_rc_t free_memory(void *ptr)
{
	debugger_blocks -= ptr != NULL;
	free(ptr);
	return falls_due(CALLBACK_FREE) ? fault.code : ompd_rc_ok;
}

static ompd_rc_t print_string(const char *string, int category)
{
	(void)string;
	(void)category;
	return falls_due(CALLBACK_PRINT) ? fault.code : ompd_rc_ok;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	(void)context;
	if (falls_due(CALLBACK_SIZEOF)) {
		memset(sizes, (int)fault.garbage, sizeof(*sizes));
		return fault.code;
	}
	*sizes = (ompd_device_type_sizes_t){
		.sizeof_char = sizeof(char),
		.sizeof_short = sizeof(short),
		.sizeof_int = sizeof(int),
		.sizeof_long = sizeof(long),
		.sizeof_long_long = sizeof(long long),
		.sizeof_pointer = sizeof(void *),
	};
	return ompd_rc_ok;
}

// The child is a fork: what is here, is there at the same address.
static void *look_up(const char *name, const char *file_name)
{
	void *handle, *symbol;

	if (!file_name)
		return dlsym(RTLD_DEFAULT, name);
	handle = dlopen(file_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	symbol = dlsym(handle, name);
	dlclose(handle);
	return symbol;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context,
			     ompd_thread_context_t *thread_context, const char *name,
			     ompd_address_t *address, const char *file_name)
{
	static const uint64_t nonsense[] = { 0, 1, 0x1000, UINT64_MAX, UINT64_MAX - 4096 };
	const uint64_t found = (uint64_t)(uintptr_t)look_up(name, file_name);

	(void)context;
	(void)thread_context;
	*address = (ompd_address_t){ ompd_segment_none, found };
	if (falls_due(CALLBACK_SYMBOL)) {
		size_t which = fault.garbage % (sizeof(nonsense) / sizeof(nonsense[0]) + 2);

		if (which < sizeof(nonsense) / sizeof(nonsense[0]))
			address->address = nonsense[which];
		else
			address->address += fault.garbage % PAGE_SIZE;
		return fault.code;
	}
	return found ? ompd_rc_ok : ompd_rc_error;
}

// What an answer that is not there looks like: as if it were, but other bytes.
static void spoil(void *buffer, size_t size)
{
	static const uint8_t fillings[] = { 0x00, 0xff, 0x01, 0x41, 0x80 };
	unsigned int seed = (unsigned int)fault.garbage;
	size_t which = fault.garbage % (sizeof(fillings) + 2);

	for (size_t i = 0; i < size; i++)
		((uint8_t *)buffer)[i] = which < sizeof(fillings) ? fillings[which] :
								    (uint8_t)rand_r(&seed);
}

static void flip_bits(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; fault.rarity && i < size; i++) {
		if ((unsigned int)rand_r(&flip_seed) % fault.rarity == 0)
			bytes[i] ^= (uint8_t)(1 << rand_r(&flip_seed) % 8);
	}
}

static void check_end(void)
{
	if (callback_calls[CALLBACK_READ] + callback_calls[CALLBACK_READ_STRING] < MOST_READS)
		return;
	fprintf(stderr, "%s(%d) does not end, with call %ld of %s, garbage %llu, rarity %u\n",
		question_name, question_variant, fault.index, callback_names[fault.callback],
		(unsigned long long)fault.garbage, fault.rarity);
	abort();
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context,
			     ompd_thread_context_t *thread_context, const ompd_address_t *address,
			     ompd_size_t size, void *buffer)
{
	(void)context;
	(void)thread_context;
	check_end();
	if (falls_due(CALLBACK_READ)) {
		spoil(buffer, size);
		return fault.code;
	}
	if (!read_all(address->address, buffer, size))
		return ompd_rc_error;
	flip_bits(buffer, size);
	return ompd_rc_ok;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context,
			     ompd_thread_context_t *thread_context, const ompd_address_t *address,
			     ompd_size_t size, void *buffer)
{
	char *to = buffer;

	(void)context;
	(void)thread_context;
	check_end();
	if (falls_due(CALLBACK_READ_STRING)) {
		spoil(buffer, size);
		return fault.code;
	}
	for (ompd_size_t i = 0; i < size; i++) {
		if (!read_all(address->address + i, &to[i], 1))
			return ompd_rc_error;
		if (!to[i])
			return ompd_rc_ok;
	}
	return ompd_rc_incomplete;
}

static ompd_rc_t write_memory(ompd_address_space_context_t *context,
			      ompd_thread_context_t *thread_context, const ompd_address_t *address,
			      ompd_size_t size, const void *buffer)
{
	(void)context;
	(void)thread_context;
	(void)address;
	(void)size;
	(void)buffer;
	fprintf(stderr, "the library writes to its target\n");
	abort();
}

static ompd_rc_t copy_units(enum callback callback, const void *input, size_t size, void *output)
{
	const bool due = falls_due(callback);

	memcpy(output, input, size);
	if (due)
		spoil(output, size);
	return due ? fault.code : ompd_rc_ok;
}

static ompd_rc_t device_to_host(ompd_address_space_context_t *context, const void *input,
				ompd_size_t unit_size, ompd_size_t count, void *output)
{
	(void)context;
	return copy_units(CALLBACK_DEVICE_TO_HOST, input, unit_size * count, output);
}

static ompd_rc_t host_to_device(ompd_address_space_context_t *context, const void *input,
				ompd_size_t unit_size, ompd_size_t count, void *output)
{
	(void)context;
	return copy_units(CALLBACK_HOST_TO_DEVICE, input, unit_size * count, output);
}

static ompd_rc_t thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				ompd_size_t size, const void *id, ompd_thread_context_t **ret)
{
	static char anything;

	(void)kind;
	(void)size;
	(void)id;
	*ret = context ? (ompd_thread_context_t *)&anything : NULL;
	return falls_due(CALLBACK_CONTEXT) ? fault.code : ompd_rc_ok;
}

const ompd_callbacks_t debugger_callbacks = {
	.alloc_memory = alloc_memory,
	.free_memory = free_memory,
	.print_string = print_string,
	.sizeof_type = sizeof_type,
	.symbol_addr_lookup = symbol_addr,
	.read_memory = read_memory,
	.write_memory = write_memory,
	.read_string = read_string,
	.device_to_host = device_to_host,
	.host_to_device = host_to_device,
	.get_thread_context_for_thread_id = thread_context,
};

// ---- Attaching -------------------------------------------------------------------------------

static bool stop(pid_t thread)
{
	int status;

	return ptrace(PTRACE_SEIZE, thread, NULL, NULL) == 0 &&
	       ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 &&
	       waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status);
}

bool debugger_attach(pid_t pid)
{
	struct dirent *entry;
	char path[64];

	forget_pages();
	target = pid;
	if (!pid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);

	while (tasks && (entry = readdir(tasks))) {
		pid_t thread = atoi(entry->d_name);

		if (thread && !stop(thread)) {
			perror("ptrace");
			closedir(tasks);
			return false;
		}
	}
	return tasks && closedir(tasks) == 0;
}
