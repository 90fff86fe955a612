// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// elfutils would find them as well, and wait for ever at a FIFO.

#include "debug_files.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libgen.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/regular_file.h"
#include "debug_data.h"

static const char ALTERNATE[] = ".gnu_debugaltlink";

enum { MAX_BUILD_ID = 64, BLOCK = 1 << 16 };

/** Properties that a debug file must have. */
struct wanted {
	bool by_id; // else by the checksum
	uint32_t checksum;
	uint8_t id[MAX_BUILD_ID];
	size_t id_size;
};

// ---- What is wanted ----------------------------------------------------------------------------

/** Read the section with the name and the build id of an alternate file. @return whether the name is this. */
static bool read_alternate(Elf *elf, const char *link, struct wanted *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names, length = strlen(link) + 1;

	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ?
					   elf_strptr(elf, names, header.sh_name) :
					   NULL;
		const Elf_Data *data =
			name && strcmp(name, ALTERNATE) == 0 ? elf_rawdata(section, NULL) : NULL;

		if (!data || !data->d_buf || data->d_size <= length ||
		    data->d_size - length > MAX_BUILD_ID || memcmp(data->d_buf, link, length) != 0)
			continue;
		ret->by_id = true;
		ret->id_size = data->d_size - length;
		memcpy(ret->id, (const char *)data->d_buf + length, ret->id_size);
		return true;
	}
	return false;
}

static bool find_alternate(const char *path, const char *link, struct wanted *ret)
{
	int file = path && link ? open_regular_file(path) : -1;
	Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
	bool found = elf && read_alternate(elf, link, ret);

	elf_end(elf);
	if (file >= 0)
		close(file);
	return found;
}

bool debug_file_has_alternate(const char *path, const char *link)
{
	struct wanted wanted = { 0 };

	return find_alternate(path, link, &wanted);
}

/** Compute the checksum that .gnu_debuglink has: CRC-32. */
static uint32_t checksum_of(int file)
{
	static const uint32_t polynomial = 0xedb88320;
	uint32_t table[256], sum = ~UINT32_C(0);
	uint8_t block[BLOCK];
	ssize_t got;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
	}
	while ((got = read(file, block, sizeof(block))) > 0) {
		for (ssize_t i = 0; i < got; i++)
			sum = sum >> 8 ^ table[(sum ^ block[i]) & 0xff];
	}
	lseek(file, 0, SEEK_SET);
	return ~sum;
}

static bool is_wanted(int file, const struct wanted *wanted)
{
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	const void *id;

	// libdw would inflate one that is compressed as a whole, and all of its sections.
	bool result = elf_kind(elf) == ELF_K_ELF && debug_data_is_moderate(elf, file);
	if (result && wanted->by_id) {
		ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

		result = size > 0 && (size_t)size == wanted->id_size &&
			 memcmp(id, wanted->id, wanted->id_size) == 0;
	}
	elf_end(elf);
	return result && (wanted->by_id || checksum_of(file) == wanted->checksum);
}

// ---- Where it may be ---------------------------------------------------------------------------

/** Open a file if it is the one. Takes @p path. */
static int try(char *path, const struct wanted *wanted, char **ret)
{
	int file = path ? open_regular_file(path) : -1;

	if (file >= 0 && is_wanted(file, wanted)) {
		*ret = path;
		return file;
	}
	if (file >= 0)
		close(file);
	free(path);
	return -1;
}

/** Look in the folders that debuggers look in, for a program in a folder. */
static int look_around(const char *folder, const char *link, const struct wanted *wanted,
		       char **ret)
{
	static const char *const places[][2] = { { "", "" },
						 { "", "/.debug" },
						 { "/usr/lib/debug", "" } };
	int file = -1;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && file < 0; i++) {
		char *path;

		if (asprintf(&path, "%s%s%s/%s", places[i][0], folder, places[i][1], link) >= 0)
			file = try(path, wanted, ret);
	}
	return file;
}

int debug_file_open(const char *path, const char *link, uint32_t checksum, char **ret)
{
	struct wanted wanted = { .checksum = checksum };
	char *whole = realpath(path, NULL), *given = strdup(path);
	int file = -1;

	find_alternate(path, link, &wanted);
	if (*link == '/')
		file = try(strdup(link), &wanted, ret);
	if (file < 0 && given)
		file = look_around(dirname(given), link, &wanted, ret);
	if (file < 0 && whole && strcmp(whole, path) != 0)
		file = look_around(dirname(whole), link, &wanted, ret);
	free(whole);
	free(given);
	return file;
}

int debug_file_make_empty(void)
{
	static const struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[3];
		char names[32];
	} image = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_shoff = offsetof(__typeof__(image), sections),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 3,
			    .e_shstrndx = 1 },
		.sections = { [1] = { .sh_name = 1,
				      .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(__typeof__(image), names),
				      .sh_size = 32 },
			      // libdw wants one of the sections that can be read alone.
			      [2] = { .sh_name = 11,
				      .sh_type = SHT_PROGBITS,
				      .sh_offset = offsetof(__typeof__(image), names),
				      .sh_size = 1 } },
		.names = "\0.shstrtab\0.debug_line",
	};
	int file = memfd_create("empty", MFD_CLOEXEC);

	if (file >= 0 && write(file, &image, sizeof(image)) != sizeof(image)) {
		close(file);
		return -1;
	}
	return file;
}
