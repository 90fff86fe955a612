// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of the program, from what the kernel says of its memory: asking the dynamic linker would
// wait for a thread that is in dlopen(), which may wait for the writer.

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "spill.h"
#include "spill_system.h"

#define MAX_CONTENT (1024 * 1024)
#define MAX_RANGES 8192
#define MAX_PATH 4096
#define MAX_SEGMENTS 64
#define MAX_NOTES 4096
#define MAX_BUILD_ID 64
#define PAGE UINT64_C(4096)
#define PADDING 8

/** A line of /proc/self/maps. */
struct mapping {
	uint64_t start, end, offset;
	bool is_code, is_file;
	const char *path;
	uint32_t path_size; // with its null
};

/** A module whose mappings are being read. */
struct module {
	uint64_t header; // address of its ELF header; 0: not mapped
	char path[MAX_PATH];
	uint32_t path_size; // 0: there is none
	uint32_t first_range;
};

static struct {
	uint64_t start, end, offset;
} ranges[MAX_RANGES]; // by address
static uint32_t num_ranges;
static uint64_t looked; // ticks; 0: never
static uint32_t known;	// checksum of the latest list
static unsigned char content[MAX_CONTENT];
static uint32_t content_size;
static uint32_t num_modules;
static struct module module;
static char text[MAX_PATH * 4];
static long memory, mappings; // file descriptors of /proc/self/mem and /proc/self/maps

void modules_forget(void)
{
	looked = 0;
	known = 0;
	num_ranges = 0;
}

bool modules_have(uint64_t code)
{
	uint32_t low = 0, high = num_ranges;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (code < ranges[middle].start)
			high = middle;
		else if (code >= ranges[middle].end)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

// ---- Lines -------------------------------------------------------------------------------------

/** Take a hexadecimal number and the character behind it. */
static uint64_t take_hex(const char **at)
{
	uint64_t value = 0;

	for (;; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	if (**at)
		(*at)++;
	return value;
}

/** Skip a word and blanks. */
static void skip_word(const char **at)
{
	while (**at && **at != ' ')
		(*at)++;
	while (**at == ' ')
		(*at)++;
}

/** Take a line, which ends with a null. */
static void take_line(const char *line, struct mapping *mapping)
{
	const char *at = line;

	mapping->start = take_hex(&at);
	mapping->end = take_hex(&at);
	mapping->is_code = at[0] && at[1] && at[2] == 'x';
	skip_word(&at);
	mapping->offset = take_hex(&at);
	skip_word(&at); // the device
	skip_word(&at); // the inode
	mapping->path = at;
	mapping->is_file = *at == '/';
	mapping->path_size = 1;
	while (at[mapping->path_size - 1])
		mapping->path_size++;
}

// ---- Modules -----------------------------------------------------------------------------------

/** Read the program's memory, which may not be there any more. */
static bool read_memory(uint64_t address, void *buffer, uint64_t size)
{
	return system_call(SYS_pread64, memory, POINTER(buffer), (long)size, (long)address) ==
	       (long)size;
}

/** Find the build id among notes; return its size. */
static uint32_t find_build_id(uint64_t address, uint64_t size, unsigned char *build_id)
{
	static unsigned char notes[MAX_NOTES];
	uint64_t at = 0;

	if (size > sizeof(notes) || !read_memory(address, notes, size))
		return 0;
	while (at + sizeof(Elf64_Nhdr) <= size) {
		Elf64_Nhdr note;
		uint64_t data;

		copy_bytes(&note, notes + at, sizeof(note));
		data = at + sizeof(note) + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3));
		if (data > size || note.n_descsz > size - data)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    note.n_descsz <= MAX_BUILD_ID && notes[at + sizeof(note)] == 'G') {
			copy_bytes(build_id, notes + data, note.n_descsz);
			return note.n_descsz;
		}
		at = data + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
	}
	return 0;
}

/** Find where a module was loaded, and its build id; return the size of that. */
static uint32_t read_elf(uint64_t *bias, unsigned char *build_id)
{
	static Elf64_Phdr segments[MAX_SEGMENTS];
	bool has_bias = false;
	Elf64_Ehdr header;

	clear_bytes(&header, sizeof(header));
	if (!module.header || !read_memory(module.header, &header, sizeof(header)) ||
	    header.e_ident[0] != ELFMAG0 || header.e_ident[1] != ELFMAG1 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phnum > MAX_SEGMENTS ||
	    !read_memory(module.header + header.e_phoff, segments,
			 header.e_phnum * sizeof(*segments)))
		return 0;
	for (int i = 0; i < header.e_phnum && !has_bias; i++)
		if (segments[i].p_type == PT_LOAD) {
			*bias = module.header -
				(segments[i].p_vaddr - segments[i].p_offset) / PAGE * PAGE;
			has_bias = true;
		}
	for (int i = 0; i < header.e_phnum && has_bias; i++)
		if (segments[i].p_type == PT_NOTE) {
			uint32_t size = find_build_id(*bias + segments[i].p_vaddr,
						      segments[i].p_memsz, build_id);

			if (size)
				return size;
		}
	return 0;
}

/** Return a size with its padding. */
static uint32_t padded(uint32_t size)
{
	return (size + PADDING - 1) / PADDING * PADDING;
}

/** Append bytes to the list, with padding. */
static void put_bytes(const void *bytes, uint32_t size)
{
	copy_bytes(content + content_size, bytes, size);
	clear_bytes(content + content_size + size, padded(size) - size);
	content_size += padded(size);
}

/** Append the module that was read, if it has code. */
static void end_module(void)
{
	uint32_t count = num_ranges - module.first_range;
	uint64_t needed = sizeof(struct trace_module_head) + padded(module.path_size) +
			  MAX_BUILD_ID + count * sizeof(struct trace_range_entry);
	unsigned char build_id[MAX_BUILD_ID];
	struct trace_module_head head = { .num_ranges = count };

	clear_bytes(build_id, sizeof(build_id));
	if (!module.path_size || !count || needed > MAX_CONTENT - content_size)
		return;
	head.bias = ranges[module.first_range].start - ranges[module.first_range].offset;
	head.path_size = padded(module.path_size);
	head.build_id_size = read_elf(&head.bias, build_id);
	put_bytes(&head, sizeof(head));
	put_bytes(module.path, module.path_size);
	put_bytes(build_id, head.build_id_size);
	for (uint32_t i = module.first_range; i < num_ranges; i++) {
		struct trace_range_entry entry = { ranges[i].start, ranges[i].end,
						   ranges[i].offset };

		put_bytes(&entry, sizeof(entry));
	}
	num_modules++;
}

/** Check whether a mapping is one of the module that is being read. */
static bool is_of_module(const struct mapping *mapping)
{
	if (mapping->path_size != module.path_size)
		return false;
	for (uint32_t i = 0; i < mapping->path_size; i++)
		if (mapping->path[i] != module.path[i])
			return false;
	return true;
}

/** Take a mapping. What has no file may be the memory behind a module's data. */
static void take_mapping(const struct mapping *mapping)
{
	if (!mapping->is_file)
		return;
	if (!is_of_module(mapping) || (!mapping->offset && module.header)) {
		end_module();
		module.header = 0;
		module.first_range = num_ranges;
		module.path_size = mapping->path_size;
		copy_bytes(module.path, mapping->path, mapping->path_size);
	}
	if (!mapping->offset)
		module.header = mapping->start;
	if (mapping->is_code && num_ranges < MAX_RANGES) {
		ranges[num_ranges].start = mapping->start;
		ranges[num_ranges].end = mapping->end;
		ranges[num_ranges].offset = mapping->offset;
		num_ranges++;
	}
}

/** Read all mappings; return false if the kernel does not tell. */
static bool read_mappings(void)
{
	uint64_t size = 0;
	long done;

	system_call(SYS_lseek, mappings, 0, SEEK_SET, 0);
	while ((done = system_call(SYS_read, mappings, POINTER(text + size),
				   (long)(sizeof(text) - 1 - size), 0)) > 0) {
		uint64_t line = 0;

		size += (uint64_t)done;
		for (uint64_t i = 0; i < size; i++) {
			struct mapping mapping;

			if (text[i] != '\n')
				continue;
			text[i] = '\0';
			take_line(text + line, &mapping);
			if (mapping.path_size <= MAX_PATH)
				take_mapping(&mapping);
			line = i + 1;
		}
		size -= line;
		for (uint64_t i = 0; i < size; i++)
			text[i] = text[line + i];
		if (size == sizeof(text) - 1)
			break; // no line is so long
	}
	end_module();
	return done == 0;
}

void modules_begin(void)
{
	const int flags = O_RDONLY | O_CLOEXEC;

	memory = system_call(SYS_openat, AT_FDCWD, POINTER("/proc/self/mem"), flags, 0);
	mappings = system_call(SYS_openat, AT_FDCWD, POINTER("/proc/self/maps"), flags, 0);
}

void modules_look(void)
{
	struct trace_module_list list = { .since = looked };
	const uint32_t front = sizeof(list);
	uint32_t sum;

	num_ranges = num_modules = 0;
	module.path_size = 0;
	module.header = 0;
	module.first_range = 0;
	content_size = front;
	list.looked = spill_ticks();
	if (read_mappings()) {
		list.count = num_modules;
		sum = trace_checksum(trace_file.table, 0, content + front, content_size - front);
		looked = list.looked;
		if (sum != known) {
			known = sum;
			copy_bytes(content, &list, front);
			file_append(TRACE_MODULES, content, content_size);
		}
	}
}
