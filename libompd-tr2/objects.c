// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception  A symbol of one library. The look-up of
// 2016 takes no file name, and a process may hold several runtimes with the same names: which
// library is meant, the dynamic linker's list tells, and what it defines, its own table does.

#include <elf.h>
#include <string.h>

#include "front.h"

enum {
	OBJECTS_MAX = 4096, // more are taken for damage
	HEADERS_MAX = 32,
	ENTRIES_MAX = 96,
	CHAIN_MAX = 1 << 14,
	NAME_MAX_SIZE = 128,
	PATH_MAX_SIZE = 1024,
	PAGE = 4096,
};

/** How the dynamic linker describes a loaded object (struct link_map of <link.h>). */
struct link {
	uint64_t base, name, dynamic, next, previous;
};

struct object {
	uint64_t base, end;
	uint64_t symbols, strings, versions, hash;
};

static ompd_rc_t read_bytes(ompd_address_space_context_t *context, uint64_t address, void *buffer,
			    size_t size)
{
	const ompd_address_t at = { OMPD_SEGMENT_UNSPECIFIED, address };

	return address ? callbacks_theirs()->t_read_memory(context, NULL, &at, (ompd_tword_t)size,
							   buffer) :
			 ompd_rc_unavailable;
}

// Read up to the end of a string; false if it is longer than @p size, or cannot be read.
static bool read_text(ompd_address_space_context_t *context, uint64_t address, char *text,
		      size_t size)
{
	for (size_t done = 0, piece; done < size; done += piece) {
		piece = PAGE - (address + done) % PAGE;
		if (piece > size - done)
			piece = size - done;
		if (read_bytes(context, address + done, text + done, piece) != ompd_rc_ok)
			return false;
		if (memchr(text + done, '\0', piece))
			return true;
	}
	return false;
}

static ompd_rc_t plain_lookup(ompd_address_space_context_t *context, const char *name,
			      uint64_t *ret)
{
	ompd_address_t address = { OMPD_SEGMENT_UNSPECIFIED, 0 };
	ompd_rc_t rc = callbacks_theirs()->t_symbol_addr_lookup(context, NULL, name, &address);

	*ret = address.address;
	return rc == ompd_rc_ok && *ret == 0 ? ompd_rc_unavailable : rc;
}

// The file's own name, or one with more of a version behind it.
static bool is_named(const char *path, const char *file_name)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t length = strlen(file_name);

	return strncmp(base, file_name, length) == 0 &&
	       (base[length] == '\0' || base[length] == '.');
}

static bool find_link(ompd_address_space_context_t *context, const char *file_name,
		      struct link *ret)
{
	uint64_t debug, next = 0;
	char path[PATH_MAX_SIZE];

	// struct r_debug: a version, and the list.
	if (plain_lookup(context, "_r_debug", &debug) != ompd_rc_ok ||
	    read_bytes(context, debug + 8, &next, sizeof(next)) != ompd_rc_ok)
		return false;
	for (unsigned int i = 0; next && i < OBJECTS_MAX; i++, next = ret->next) {
		if (read_bytes(context, next, ret, sizeof(*ret)) != ompd_rc_ok)
			return false;
		if (read_text(context, ret->name, path, sizeof(path)) && is_named(path, file_name))
			return true;
	}
	return false;
}

static uint64_t end_of(ompd_address_space_context_t *context, uint64_t base)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint64_t end = base;

	if (read_bytes(context, base, &header, sizeof(header)) != ompd_rc_ok ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > HEADERS_MAX)
		return base;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		if (read_bytes(context, base + header.e_phoff + i * sizeof(segment), &segment,
			       sizeof(segment)) != ompd_rc_ok)
			return base;
		if (segment.p_type == PT_LOAD && base + segment.p_vaddr + segment.p_memsz > end)
			end = base + segment.p_vaddr + segment.p_memsz;
	}
	return end;
}

static bool open_object(ompd_address_space_context_t *context, const char *file_name,
			struct object *ret)
{
	struct link link;
	Elf64_Dyn entry;

	if (!find_link(context, file_name, &link))
		return false;
	*ret = (struct object){ .base = link.base, .end = end_of(context, link.base) };
	for (unsigned int i = 0; i < ENTRIES_MAX; i++) {
		if (read_bytes(context, link.dynamic + i * sizeof(entry), &entry, sizeof(entry)) !=
		    ompd_rc_ok)
			return false;
		// glibc puts addresses in place of what is relative to the object's base.
		uint64_t value = entry.d_un.d_ptr < link.base ? entry.d_un.d_ptr + link.base :
								entry.d_un.d_ptr;

		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			ret->symbols = value;
		if (entry.d_tag == DT_STRTAB)
			ret->strings = value;
		if (entry.d_tag == DT_VERSYM)
			ret->versions = value;
		if (entry.d_tag == DT_GNU_HASH)
			ret->hash = value;
	}
	return ret->symbols && ret->strings && ret->hash;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

// Check whether the symbol is @p name in its default version, and defined.
static bool is_symbol(ompd_address_space_context_t *context, const struct object *object,
		      uint64_t index, const char *name, uint64_t *ret)
{
	const uint16_t hidden = 0x8000;
	char text[NAME_MAX_SIZE];
	uint16_t version = 0;
	Elf64_Sym symbol;

	if (read_bytes(context, object->symbols + index * sizeof(symbol), &symbol,
		       sizeof(symbol)) != ompd_rc_ok ||
	    symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) == STT_TLS ||
	    !read_text(context, object->strings + symbol.st_name, text, sizeof(text)) ||
	    strcmp(text, name) != 0)
		return false;
	if (object->versions && (read_bytes(context, object->versions + index * sizeof(version),
					    &version, sizeof(version)) != ompd_rc_ok ||
				 version & hidden))
		return false;
	*ret = object->base + symbol.st_value;
	return true;
}

// DT_GNU_HASH: numbers of buckets, of symbols in front, and of words of a filter; the filter, the
// buckets, and a word a symbol, whose lowest bit ends a chain.
static ompd_rc_t own_symbol(ompd_address_space_context_t *context, const struct object *object,
			    const char *name, uint64_t *ret)
{
	const uint32_t hash = hash_of(name);
	uint32_t header[4], index, word = 0;

	if (read_bytes(context, object->hash, header, sizeof(header)) != ompd_rc_ok || !header[0])
		return ompd_rc_unavailable;
	const uint64_t buckets = object->hash + sizeof(header) + 8 * (uint64_t)header[2];
	const uint64_t chains = buckets + 4 * (uint64_t)header[0];

	if (read_bytes(context, buckets + 4 * (uint64_t)(hash % header[0]), &index,
		       sizeof(index)) != ompd_rc_ok ||
	    index < header[1])
		return ompd_rc_unavailable;
	for (unsigned int i = 0; i < CHAIN_MAX && !(word & 1); i++, index++) {
		if (read_bytes(context, chains + 4 * (uint64_t)(index - header[1]), &word,
			       sizeof(word)) != ompd_rc_ok)
			return ompd_rc_unavailable;
		if ((word | 1) == (hash | 1) && is_symbol(context, object, index, name, ret))
			return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

ompd_rc_t object_symbol(ompd_address_space_context_t *context, const char *file_name,
			const char *name, uint64_t *ret)
{
	struct object object;

	if (!open_object(context, file_name, &object))
		return ompd_rc_unavailable;
	// The debugger knows what the dynamic table lacks, too.
	if (plain_lookup(context, name, ret) == ompd_rc_ok && *ret >= object.base &&
	    *ret < object.end)
		return ompd_rc_ok;
	return own_symbol(context, &object, name, ret);
}
