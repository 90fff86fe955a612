// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions of OpenMP a library exports, told in one number. Symbols that are looked up by
// name tell of a release what it has, never that it has nothing else; its own list does. The list
// is found as the dynamic linker finds it: program headers, dynamic section, hash table.

#include "layout/exports.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

enum {
	PAGE = 4096,
	PAGES_MAX = 2048, // in front of a function its library begins
	HEADERS_MAX = 32,
	ENTRIES_MAX = 96,
	SYMBOLS_MAX = 1 << 14,
	STRINGS_MAX = 1 << 20,
	CHUNK = 256,
};

/** Tables that the dynamic section names. */
struct tables {
	uint64_t symbols, strings, strings_size, hash;
};

// FNV-1a
static uint64_t digest_of(const char *name)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		digest = (digest ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	return digest;
}

// GCC's library has these only where it was built with a Fortran compiler.
static bool is_optional(const char *name)
{
	return strncmp(name, "acc_", 4) == 0 && name[strlen(name) - 1] == '_';
}

// Entry points of OpenMP: not what a build may have besides, for tools or for debugging.
static bool counts(const char *name)
{
	static const char *const families[] = { "GOACC_", "GOMP_", "__kmpc_", "acc_",
						"kmp_",	  "kmpc_", "omp_" };

	if (strchr(name, '.') || is_optional(name)) // with a dot: a version's name
		return false;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			return true;
	}
	return false;
}

static bool find_base(const struct target *target, uint64_t inside, uint64_t *ret)
{
	uint64_t page = inside & ~(uint64_t)(PAGE - 1);
	char magic[SELFMAG];

	for (unsigned int i = 0; i < PAGES_MAX && page; i++, page -= PAGE) {
		if (target_read(target, page, magic, SELFMAG) != ompd_rc_ok)
			return false;
		if (memcmp(magic, ELFMAG, SELFMAG) == 0) {
			*ret = page;
			return true;
		}
	}
	return false;
}

static bool find_dynamic(const struct target *target, uint64_t base, uint64_t *ret)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint64_t first = UINT64_MAX;

	if (target_read(target, base, &header, sizeof(header)) != ompd_rc_ok ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 ||
	    header.e_phnum > HEADERS_MAX)
		return false;
	*ret = 0;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		if (target_read(target, base + header.e_phoff + i * sizeof(segment), &segment,
				sizeof(segment)) != ompd_rc_ok)
			return false;
		if (segment.p_type == PT_LOAD && segment.p_vaddr < first)
			first = segment.p_vaddr;
		if (segment.p_type == PT_DYNAMIC)
			*ret = segment.p_vaddr;
	}
	if (!*ret || first == UINT64_MAX)
		return false;
	*ret += base - (first & ~(uint64_t)(PAGE - 1));
	return true;
}

// The dynamic linker of glibc puts addresses in place of what is relative to the library's begin.
static bool read_tables(const struct target *target, uint64_t base, struct tables *ret)
{
	uint64_t dynamic, value;
	Elf64_Dyn entry;

	memset(ret, 0, sizeof(*ret));
	if (!find_dynamic(target, base, &dynamic))
		return false;
	for (unsigned int i = 0; i < ENTRIES_MAX; i++, dynamic += sizeof(entry)) {
		if (target_read(target, dynamic, &entry, sizeof(entry)) != ompd_rc_ok)
			return false;
		value = entry.d_un.d_ptr < base ? entry.d_un.d_ptr + base : entry.d_un.d_ptr;
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			ret->symbols = value;
		if (entry.d_tag == DT_STRTAB)
			ret->strings = value;
		if (entry.d_tag == DT_STRSZ)
			ret->strings_size = entry.d_un.d_val;
		if (entry.d_tag == DT_GNU_HASH)
			ret->hash = value;
	}
	return ret->symbols && ret->strings && ret->hash && ret->strings_size > 0 &&
	       ret->strings_size <= STRINGS_MAX;
}

// The number of symbols is where the last chain of the last bucket ends.
static uint32_t count_symbols(const struct target *target, uint64_t hash)
{
	uint32_t header[4], bucket[CHUNK], last = 0, word = 0;

	if (target_read(target, hash, header, sizeof(header)) != ompd_rc_ok)
		return 0;
	uint64_t buckets = hash + sizeof(header) + 8 * (uint64_t)header[2];
	uint64_t chains = buckets + 4 * (uint64_t)header[0];

	for (uint32_t i = 0, got; i < header[0] && i < SYMBOLS_MAX; i += got) {
		got = header[0] - i < CHUNK ? header[0] - i : CHUNK;
		if (target_read(target, buckets + 4 * (uint64_t)i, bucket, 4 * (size_t)got) !=
		    ompd_rc_ok)
			return 0;
		for (uint32_t k = 0; k < got; k++)
			last = bucket[k] > last ? bucket[k] : last;
	}
	for (; last >= header[1] && last < SYMBOLS_MAX && !(word & 1); last++) {
		if (target_read(target, chains + 4 * (uint64_t)(last - header[1]), &word, 4) !=
		    ompd_rc_ok)
			return 0;
	}
	return last < SYMBOLS_MAX ? last : 0;
}

// The same name may be there in several versions, and counts once. @p set has a power of two of
// places, more than there are names.
static bool is_new(uint64_t *set, size_t places, uint64_t value)
{
	size_t place = value & (places - 1);

	for (; set[place]; place = (place + 1) & (places - 1)) {
		if (set[place] == value)
			return false;
	}
	set[place] = value;
	return true;
}

static size_t places_for(uint32_t count)
{
	size_t places = 1;

	while (places <= 2 * (size_t)count)
		places *= 2;
	return places;
}

// @p memory has room for the symbols, the set of digests, and the strings.
static uint64_t digest(const struct target *target, const struct tables *tables, uint32_t count,
		       void *memory)
{
	size_t places = places_for(count);
	Elf64_Sym *symbols = memory;
	uint64_t *set = (uint64_t *)(symbols + count), total = 0;
	char *strings = (char *)(set + places);

	if (target_read(target, tables->symbols, symbols, count * sizeof(*symbols)) != ompd_rc_ok ||
	    target_read(target, tables->strings, strings, tables->strings_size) != ompd_rc_ok)
		return 0;
	memset(set, 0, places * sizeof(*set));
	strings[tables->strings_size - 1] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		if (symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_name >= tables->strings_size)
			continue;
		const char *name = strings + symbols[i].st_name;

		if (!counts(name))
			continue;
		uint64_t value = digest_of(name);

		total += is_new(set, places, value) ? value : 0;
	}
	return total;
}

ompd_rc_t exports_digest(const struct target *target, uint64_t inside, uint64_t *ret)
{
	struct tables tables;
	uint32_t count = 0;
	uint64_t base;

	*ret = 0;
	if (find_base(target, inside, &base) && read_tables(target, base, &tables))
		count = count_symbols(target, tables.hash);
	if (!count)
		return ompd_rc_ok;
	void *memory = target_alloc(target, count * sizeof(Elf64_Sym) +
						    places_for(count) * sizeof(uint64_t) +
						    (size_t)tables.strings_size);

	if (!memory)
		return ompd_rc_nomem;
	*ret = digest(target, &tables, count, memory);
	target_free(target, memory);
	return ompd_rc_ok;
}

ompd_rc_t exports_identify(const struct target *target, uint64_t inside, uint32_t release,
			   const struct layout_release *releases, size_t count,
			   enum exports_verdict *ret)
{
	uint64_t digest;
	ompd_rc_t rc = exports_digest(target, inside, &digest);

	*ret = digest ? EXPORTS_OTHER : EXPORTS_NONE;
	for (size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		if (digest && releases[i].release == release && releases[i].exports == digest)
			*ret = EXPORTS_SAME;
	}
	return rc;
}
