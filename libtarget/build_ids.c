// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Build ids: those of files, and those in memory.

#include "internal.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <string.h>

enum { MAX_HEADERS = 64, MAX_ID_NOTES = 4096 };

static void find_id_note(const char *notes, size_t size, struct target_build_id *ret)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr head;

		memcpy(&head, notes + at, sizeof(head));
		at += sizeof(head);
		size_t name = ((size_t)head.n_namesz + 3) & ~(size_t)3;
		size_t data = ((size_t)head.n_descsz + 3) & ~(size_t)3;
		if (name > size - at || data > size - at - name)
			return;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) &&
		    head.n_descsz <= TARGET_BUILD_ID_SIZE) {
			ret->size = head.n_descsz;
			memcpy(ret->bytes, notes + at + name, head.n_descsz);
			return;
		}
		at += name + data;
	}
}

void build_id_in_memory(struct target *target, struct mapped_file *file)
{
	char notes[MAX_ID_NOTES];
	Elf64_Phdr header;
	Elf64_Ehdr elf;
	uint64_t start = file->told.start;

	if (!memory_read_own(target, start, &elf, sizeof(elf)) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	for (size_t i = 0; i < elf.e_phnum && i < MAX_HEADERS; i++) {
		if (!memory_read_own(target, start + elf.e_phoff + i * sizeof(header), &header,
				     sizeof(header)))
			return;
		// Notes lie before all else, where addresses are distances from the start.
		size_t size = header.p_filesz < sizeof(notes) ? header.p_filesz : sizeof(notes);
		if (header.p_type == PT_NOTE && !file->told.in_memory.size &&
		    memory_read_own(target, start + header.p_offset, notes, size))
			find_id_note(notes, size, &file->told.in_memory);
	}
}

void build_id_in_file(Elf *elf, struct target_build_id *ret)
{
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	if (size <= 0 || size > TARGET_BUILD_ID_SIZE)
		return;
	ret->size = (size_t)size;
	memcpy(ret->bytes, bytes, ret->size);
}

enum target_file_state build_id_compare(const struct target_file *file)
{
	if (!file->in_memory.size || !file->in_file.size)
		return TARGET_FILE_UNVERIFIED;
	if (file->in_memory.size == file->in_file.size &&
	    !memcmp(file->in_memory.bytes, file->in_file.bytes, file->in_file.size))
		return TARGET_FILE_VERIFIED;
	return TARGET_FILE_MISMATCHED;
}
