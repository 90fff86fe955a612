// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "debug_data.h"

#include <gelf.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char SECTION[] = ".gnu_debugdata";

// Symbols of real libraries become ten times as large, and some MiB.
enum {
	MOST = 256 << 20,
	RATIO = 100,
	FREE_SECTIONS = 64 << 20, // of what sections become, whatever the file's size
	SECTIONS_RATIO = 32,
	MOST_FOR_DECODER = 128 << 20,
	BLOCK = 1 << 16,
};

/** Inflate data. @return bytes; 0: they are too many, or it is not the data of an xz file. */
static size_t inflate(const Elf_Data *data, uint8_t **ret)
{
	const size_t most = data->d_size < MOST / RATIO ? data->d_size * RATIO + BLOCK : MOST;
	lzma_stream stream = LZMA_STREAM_INIT;
	size_t room = 0;
	lzma_ret result = lzma_stream_decoder(&stream, MOST_FOR_DECODER, 0);

	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	while (result == LZMA_OK && stream.total_out < most) {
		if (stream.total_out == room) {
			room = 2 * room + BLOCK;
			uint8_t *larger = realloc(*ret, room);
			if (!larger)
				break;
			*ret = larger;
		}
		stream.next_out = *ret + stream.total_out;
		stream.avail_out = room - stream.total_out;
		result = lzma_code(&stream, LZMA_FINISH);
	}
	lzma_end(&stream);
	return result == LZMA_STREAM_END ? stream.total_out : 0;
}

/** Check for sections that are compressed once more. */
static bool is_nested(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_flags & SHF_COMPRESSED)
			return true;
	}
	return false;
}

/** Check that libdw may inflate this. */
static bool is_moderate(const Elf_Data *data)
{
	uint8_t *bytes = NULL;
	size_t size = data && data->d_buf ? inflate(data, &bytes) : 0;
	Elf *elf = size ? elf_memory((char *)bytes, size) : NULL;
	bool result = elf && elf_kind(elf) == ELF_K_ELF && !is_nested(elf);

	elf_end(elf);
	free(bytes);
	return result;
}

bool debug_data_is_moderate(Elf *elf, int file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Chdr compressed;
	struct stat status;
	uint64_t sum = 0;

	if (fstat(file, &status) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_COMPRESSED) ||
		    !gelf_getchdr(section, &compressed))
			continue;
		if (__builtin_add_overflow(sum, compressed.ch_size, &sum))
			return false;
	}
	return sum <= FREE_SECTIONS ||
	       (sum - FREE_SECTIONS) / SECTIONS_RATIO <= (uint64_t)status.st_size;
}

bool debug_data_hide_sections(Dwfl_Module *module, int file)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *section = NULL;
	Elf64_Shdr *header;

	if (!elf || debug_data_is_moderate(elf, file))
		return false;
	while ((section = elf_nextscn(elf, section)) && (header = elf64_getshdr(section))) {
		// libdw finds some by name, and others by type.
		if (header->sh_flags & SHF_COMPRESSED) {
			header->sh_name++;
			header->sh_type = SHT_NULL;
		}
	}
	return true;
}

bool debug_data_hide(Dwfl_Module *module)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *section = NULL;
	bool has_hidden = false;
	Elf64_Shdr *header;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) && (header = elf64_getshdr(section))) {
		const char *name = elf_strptr(elf, names, header->sh_name);

		if (!name || strcmp(name, SECTION) != 0 || is_moderate(elf_rawdata(section, NULL)))
			continue;
		// libdw, whose copy of the header this is, finds sections by name.
		header->sh_name++;
		has_hidden = true;
	}
	return has_hidden;
}
