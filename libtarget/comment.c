// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "comment.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COMMENT = 1 << 20 };

static bool is_comment(Elf *elf, size_t names, const GElf_Shdr *header)
{
	const char *name = elf_strptr(elf, names, header->sh_name);

	return name && !strcmp(name, ".comment") && header->sh_type == SHT_PROGBITS &&
	       !(header->sh_flags & SHF_COMPRESSED) && header->sh_size <= MAX_COMMENT;
}

/** Append the section's text and a null character. */
static char *append(char *text, size_t *size, Elf_Scn *section)
{
	const Elf_Data *data = elf_rawdata(section, NULL);
	char *longer;

	if (!data || !data->d_buf || !(longer = realloc(text, *size + data->d_size + 1)))
		return text;
	memcpy(longer + *size, data->d_buf, data->d_size);
	*size += data->d_size;
	longer[(*size)++] = '\0';
	return longer;
}

char *comment_read(int file, size_t *ret_size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	char *text = NULL;
	size_t names;

	*ret_size = 0;
	elf_version(EV_CURRENT);
	Elf *elf =
		elf_begin(file, ELF_C_READ, NULL); // a mapping of a file that shrinks is a SIGBUS
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
		names = SHN_UNDEF;
	while (names != SHN_UNDEF && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && is_comment(elf, names, &header) &&
		    *ret_size <= MAX_COMMENT)
			text = append(text, ret_size, section);
	}
	elf_end(elf);
	return text;
}
