// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program and its libraries: found below the sysroot, compared with what is in memory by
// build id, and told to libdwfl. A file that is another one than that in memory is not used.

#include "internal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "debug_files.h"

enum { MAX_LOADS = MAX_CONSTANT_PARTS, MAX_HEADERS = 64, MAX_VDSO = 16 * PAGE };

/** Debug information in a file of its own: the one that the program names, not any beside it. That file may
 *  have named an alternate one, which libdw would look for if there were none. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **ret)
{
	const struct mapped_file *loaded = *data;
	bool is_alternate = link && !crc && debug_file_has_alternate(file, link);
	int found;

	if (loaded && !is_alternate) {
		*ret = loaded->debug ? strdup(loaded->debug) : NULL;
		return loaded->debug ? open_regular_file(loaded->debug) : -1;
	}
	found = dwfl_build_id_find_debuginfo(module, data, name, base, file, NULL, 0, ret);
	if (found < 0 && file && link)
		found = debug_file_open(file, link, crc, ret);
	return found < 0 && is_alternate ? debug_file_make_empty() : found;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

// ---- One file --------------------------------------------------------------------------------

/** The parts of a file that are loaded. */
struct loads {
	GElf_Phdr headers[MAX_LOADS];
	size_t count;
};

static bool read_loads(Elf *elf, struct loads *ret)
{
	size_t count;
	GElf_Ehdr ehdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr) ||
	    ehdr.e_machine != EM_X86_64 || (ehdr.e_type != ET_DYN && ehdr.e_type != ET_EXEC) ||
	    elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && ret->count < MAX_LOADS; i++) {
		GElf_Phdr *header = &ret->headers[ret->count];

		if (gelf_getphdr(elf, (int)i, header) && header->p_type == PT_LOAD)
			ret->count++;
	}
	return ret->count != 0;
}

static uint64_t page_of(uint64_t number)
{
	return number & ~(uint64_t)(PAGE - 1);
}

/** Count how many parts are where they are if the file is loaded with that bias. */
static size_t count_in_place(const struct target *target, size_t index, const struct loads *loads,
			     uint64_t bias)
{
	size_t found = 0;

	for (size_t i = 0; i < loads->count; i++) {
		const GElf_Phdr *header = &loads->headers[i];
		uint64_t address = bias + page_of(header->p_vaddr);
		const struct mapping *mapping = mapping_find(target, address);

		if (mapping && mapping->file == (ssize_t)index &&
		    mapping->offset + (address - mapping->start) == page_of(header->p_offset))
			found++;
	}
	return found;
}

/** Find where a file is loaded. Parts of it may be mapped elsewhere, too. */
static bool find_bias(struct target *target, size_t index, const struct loads *loads)
{
	struct mapped_file *file = &target->files[index];
	const GElf_Phdr *first = &loads->headers[0], *last = &loads->headers[loads->count - 1];
	size_t best = 0;

	for (size_t i = 0; i < target->num_mappings && best < loads->count; i++) {
		const struct mapping *mapping = &target->mappings[i];
		uint64_t bias = mapping->start - page_of(first->p_vaddr);

		if (mapping->file != (ssize_t)index || mapping->offset != page_of(first->p_offset))
			continue;
		size_t found = count_in_place(target, index, loads, bias);
		if (found <= best)
			continue;
		best = found;
		file->bias = bias;
		file->told.start = mapping->start;
		file->told.end = bias + last->p_vaddr + last->p_memsz;
	}
	return best != 0;
}

/** Find the bias of a file by the address that its entry point or one of its sections has. */
static bool find_loaded_bias(Elf *elf, const struct target_loaded *loaded, uint64_t *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr ehdr;
	size_t names;

	if (!loaded->section) {
		*ret = gelf_getehdr(elf, &ehdr) ? loaded->address - ehdr.e_entry : 0;
		return true;
	}
	while (elf_getshdrstrndx(elf, &names) == 0 && (section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ?
					   elf_strptr(elf, names, header.sh_name) :
					   NULL;

		if (name && strcmp(name, loaded->section) == 0) {
			*ret = loaded->address - header.sh_addr;
			return true;
		}
	}
	return false;
}

/** Find where another debugger has a file, and make the mappings that its headers ask for. */
static bool find_loaded(struct target *target, size_t index, Elf *elf, const struct loads *loads)
{
	struct mapped_file *file = &target->files[index];
	const GElf_Phdr *first = &loads->headers[0], *last = &loads->headers[loads->count - 1];

	if (target->has_files_alone)
		file->bias = file->loaded->address;
	else if (!find_loaded_bias(elf, file->loaded, &file->bias))
		return false;
	file->told.start = file->bias + page_of(first->p_vaddr);
	file->told.end = file->bias + last->p_vaddr + last->p_memsz;
	for (size_t i = 0; i < loads->count; i++) {
		const GElf_Phdr *header = &loads->headers[i];
		struct mapping *mapping = GROW(target->mappings, target->num_mappings);

		*mapping = (struct mapping){
			.start = file->bias + page_of(header->p_vaddr),
			.end = file->bias + page_of(header->p_vaddr + header->p_filesz + PAGE - 1),
			.offset = page_of(header->p_offset),
			.file = (ssize_t)index,
		};
	}
	return true;
}

/** Read a file's headers: where it is in memory, and which parts of it nobody can have changed. */
static bool read_headers(struct target *target, size_t index, Elf *elf, struct loads *ret)
{
	struct mapped_file *file = &target->files[index];

	if (!read_loads(elf, ret))
		return false;
	for (size_t i = 0; i < ret->count; i++) {
		const GElf_Phdr *header = &ret->headers[i];

		if (!(header->p_flags & PF_W))
			file->parts[file->num_parts++] = (struct constant_part){
				page_of(header->p_offset),
				page_of(header->p_offset + header->p_filesz + PAGE - 1),
			};
	}
	return file->loaded ? find_loaded(target, index, elf, ret) : find_bias(target, index, ret);
}

/** Read the header of a file or of memory, without what strip changes in it. */
static bool read_header(struct target *target, const struct mapped_file *file, bool from_memory,
			Elf64_Ehdr *ret)
{
	bool ok = from_memory ? memory_read_own(target, file->told.start, ret, sizeof(*ret)) :
				pread(file->descriptor, ret, sizeof(*ret), 0) == sizeof(*ret);

	ret->e_shoff = 0;
	ret->e_shnum = ret->e_shstrndx = 0;
	return ok;
}

/**
 * Compare the header and the program headers, which have the exact sizes of code and data, with
 * those in memory. A core file has these by default (core(5)).
 */
static bool is_other_file(struct target *target, const struct mapped_file *file,
			  const struct loads *loads)
{
	Elf64_Phdr there[MAX_HEADERS], here[MAX_HEADERS];
	Elf64_Ehdr in_memory, in_file;

	if (page_of(loads->headers[0].p_offset) || !read_header(target, file, true, &in_memory) ||
	    !read_header(target, file, false, &in_file))
		return false;
	if (memcmp(&in_memory, &in_file, sizeof(in_file)) != 0)
		return true;
	size_t size =
		(in_file.e_phnum < MAX_HEADERS ? in_file.e_phnum : MAX_HEADERS) * sizeof(*here);
	return memory_read_own(target, file->told.start + in_file.e_phoff, there, size) &&
	       pread(file->descriptor, here, size, (off_t)in_file.e_phoff) == (ssize_t)size &&
	       memcmp(there, here, size) != 0;
}

static void look_at(struct target *target, size_t index)
{
	struct mapped_file *file = &target->files[index];
	Elf *elf = elf_begin(file->descriptor, ELF_C_READ_MMAP, NULL);
	struct loads loads = { .count = 0 };

	file->told.state = TARGET_FILE_NO_OBJECT;
	if (elf && read_headers(target, index, elf, &loads)) {
		build_id_in_memory(target, file);
		build_id_in_file(elf, &file->told.in_file);
		file->told.state = build_id_compare(&file->told);
		if (file->told.state == TARGET_FILE_UNVERIFIED &&
		    is_other_file(target, file, &loads))
			file->told.state = TARGET_FILE_MISMATCHED;
	}
	if (elf)
		elf_end(elf);
}

static bool is_used(const struct mapped_file *file)
{
	return file->told.state == TARGET_FILE_VERIFIED ||
	       file->told.state == TARGET_FILE_UNVERIFIED;
}

/** Open it as the process has it, if its place does not hold it. */
static int open_it(const struct target *target, ssize_t index, bool *is_other)
{
	struct mapped_file *file = &target->files[index];
	const char *program = file->told.is_program ? target->places.program : NULL;
	int descriptor;

	if (file->loaded) {
		file->opened = strdup(file->loaded->opened);
		return file->opened ? open_regular_file(file->opened) : -1;
	}
	file->opened = program ? strdup(program) : place_below_root(target, file->path);
	if (!file->opened)
		return -1;
	descriptor = open_regular_file(file->opened);
	if (descriptor >= 0 || program)
		return descriptor;
	if (place_cut_deleted(file->path))
		place_cut_deleted(file->opened);
	descriptor = place_open_mapped(target, index);
	if (descriptor >= 0)
		return descriptor;
	*is_other = true;
	descriptor = open_regular_file(file->opened);
	// To who stands outside the kernel may tell the place outside of a process's root.
	return descriptor < 0 && target->is_own_root ? open_regular_file(file->path) : descriptor;
}

static void open_file(struct target *target, size_t index)
{
	struct mapped_file *file = &target->files[index];
	bool is_other = false;

	file->told.state = TARGET_FILE_MISSING;
	file->descriptor = open_it(target, (ssize_t)index, &is_other);
	if (file->descriptor < 0) {
		build_id_in_memory(target, file);
		if (!file->told.in_memory.size && !file->told.is_program)
			file->told.state = TARGET_FILE_NO_OBJECT;
		return;
	}
	look_at(target, index);
	// The file that has the name now is only good if it is the same.
	if (is_other && file->told.state == TARGET_FILE_UNVERIFIED)
		file->told.state = TARGET_FILE_MISSING;
}

static void report(struct target *target, struct mapped_file *file)
{
	int copy = is_used(file) ? fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0) : -1;

	if (copy < 0)
		return;
	file->module =
		dwfl_report_elf(target->dwfl, file->path, file->opened, copy, file->bias, true);
	if (!file->module) {
		close(copy);
	} else if (file->loaded && !target->has_files_alone) {
		void **data;

		dwfl_module_info(file->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
		*data = file;
	}
}

// ---- The code that the kernel maps -----------------------------------------------------------

/** Copy it out of memory: it has no file. */
static void report_vdso(struct target *target)
{
	uint64_t start;

	if (!target_auxiliary(target, AT_SYSINFO_EHDR, &start))
		return;
	int file = memfd_create("vdso", MFD_CLOEXEC);
	char page[PAGE];
	if (file < 0)
		return;
	for (uint64_t done = 0; done < MAX_VDSO; done += PAGE) {
		if (!memory_read_own(target, start + done, page, PAGE) ||
		    write(file, page, PAGE) != PAGE)
			break;
	}
	if (!dwfl_report_elf(target->dwfl, "[vdso]", "[vdso]", file, start, true))
		close(file);
}

// ---- All of them -----------------------------------------------------------------------------

static void find_program(struct target *target)
{
	uint64_t entry;
	ssize_t index = NO_FILE;

	// The entry of a program, or one of its headers if the entry is damaged.
	if (target_auxiliary(target, AT_ENTRY, &entry))
		index = target_file_index(target, entry);
	if (index < 0 && target_auxiliary(target, AT_PHDR, &entry))
		index = target_file_index(target, entry);
	if (index >= 0)
		target->files[index].told.is_program = true;
}

void files_take(struct target *target, const struct target_loaded *loaded, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct mapped_file *file = GROW(target->files, target->num_files);

		file->descriptor = -1;
		file->loaded = &loaded[i];
		file->path = strdup(loaded[i].path);
		file->debug = loaded[i].debug ? strdup(loaded[i].debug) : NULL;
		file->told.is_program = loaded[i].is_program;
		file->told.in_memory = loaded[i].build_id;
	}
}

int files_init(struct target *target, struct target_error *error)
{
	elf_version(EV_CURRENT);
	target->dwfl = dwfl_begin(&callbacks);
	if (!target->dwfl)
		return fail(error, "libdw: %s", dwfl_errmsg(-1));
	find_program(target);
	dwfl_report_begin(target->dwfl);
	for (size_t i = 0; i < target->num_files; i++) {
		open_file(target, i);
		report(target, &target->files[i]);
		target->files[i].loaded = NULL;
	}
	if (target->read || target->has_files_alone)
		RANGES_SORT(target->mappings, target->num_mappings);
	report_vdso(target);
	if (dwfl_report_end(target->dwfl, NULL, NULL) != 0)
		return fail(error, "libdw: %s", dwfl_errmsg(-1));
	return 0;
}

void files_deinit(struct target *target)
{
	if (target->dwfl)
		dwfl_end(target->dwfl);
	for (size_t i = 0; i < target->num_files; i++) {
		struct mapped_file *file = &target->files[i];

		if (file->descriptor >= 0)
			close(file->descriptor);
		units_deinit(file);
		split_units_deinit(file);
		symbol_places_deinit(file);
		free(file->symbols);
		free(file->path);
		free(file->opened);
		free(file->debug);
	}
	free(target->files);
	free(target->split_missing);
	target->dwfl = NULL;
	target->files = NULL;
	target->num_files = 0;
}

size_t files_read(const struct target *target, uint64_t address, void *buffer, size_t size)
{
	const struct mapping *mapping = mapping_find(target, address);

	if (!mapping || mapping->file == NO_FILE || !is_used(&target->files[mapping->file]))
		return 0;
	const struct mapped_file *file = &target->files[mapping->file];
	uint64_t offset = mapping->offset + (address - mapping->start);
	if (size > mapping->end - address)
		size = mapping->end - address;
	for (size_t i = 0; i < file->num_parts; i++) {
		const struct constant_part *part = &file->parts[i];

		if (offset < part->offset || offset >= part->end)
			continue;
		if (size > part->end - offset)
			size = part->end - offset;
		ssize_t got = pread(file->descriptor, buffer, size, (off_t)offset);
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

bool target_file_has(const struct target *target, uint64_t address, const void *page)
{
	uint8_t found[PAGE];

	return files_read(target, address, found, PAGE) == PAGE && memcmp(found, page, PAGE) == 0;
}

bool files_has(const struct target *target, uint64_t start, uint64_t end)
{
	const struct mapping *mapping = mapping_find(target, start);

	if (!mapping || mapping->file == NO_FILE || end > mapping->end ||
	    target->files[mapping->file].told.state != TARGET_FILE_VERIFIED)
		return false;
	const struct mapped_file *file = &target->files[mapping->file];
	uint64_t offset = mapping->offset + (start - mapping->start);
	for (size_t i = 0; i < file->num_parts; i++) {
		if (file->parts[i].offset <= offset && offset + (end - start) <= file->parts[i].end)
			return true;
	}
	return false;
}

size_t target_num_files(const struct target *target)
{
	return target->num_files;
}

struct target_file target_file_at(const struct target *target, size_t index)
{
	struct target_file file = target->files[index].told;

	file.path = target->files[index].path;
	file.opened = target->files[index].opened;
	file.bias = target->files[index].bias;
	return file;
}

ssize_t target_file_index(const struct target *target, uint64_t address)
{
	const struct mapping *mapping = mapping_find(target, address);

	return mapping ? mapping->file : NO_FILE;
}
