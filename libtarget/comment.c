// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "comment.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"

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

/**
 * Read the texts in the sections .comment of a file, each ended by a null character. Compressed sections
 * and those over 1 MiB are passed over.
 * @param file A descriptor of a regular file.
 * @return To be released with free(); NULL if it is no ELF file, a damaged one, or has no text.
 */
static char *read_comments(int file, size_t *ret_size)
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

/** Read the major release in "GCC: (Debian 12.2.0-14) 12.2.0"; 0 if there is none. */
static int release_of(const char *comment)
{
	enum { LONGEST = 4 };
	int release = 0;

	if (strncmp(comment, "GCC: (", strlen("GCC: (")) != 0)
		return 0;
	for (const char *end = comment; (end = strstr(end, ") ")); end++) {
		size_t length = strspn(end + 2, "0123456789");

		if (length && length <= LONGEST && end[2 + length] == '.' &&
		    end[3 + length] >= '0' && end[3 + length] <= '9')
			release = (int)strtol(end + 2, NULL, 10);
	}
	return release;
}

/** Find the latest release; 0 if none is known, or one of them is not. */
static int newest_of(const char *comments, size_t size)
{
	int newest = 0;

	for (const char *at = comments; at < comments + size; at += strlen(at) + 1) {
		int release = release_of(at);

		if (strncmp(at, "GCC", strlen("GCC")) != 0)
			continue;
		if (!release)
			return 0;
		if (release > newest)
			newest = release;
	}
	return newest;
}

int comment_newest_gcc(const char *path)
{
	int file = open_regular_file(path), release = 0;
	char *comments = NULL;
	size_t size = 0;

	if (file >= 0) {
		comments = read_comments(file, &size);
		close(file);
	}
	if (comments)
		release = newest_of(comments, size);
	free(comments);
	return release;
}
