// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose code is at an address: looked up in the list of loaded objects.

#include <link.h>
#include <string.h>

#include "tool.h"

struct lookup {
	uintptr_t address;
	enum owner owner;
};

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static enum owner owner_of(const struct dl_phdr_info *object)
{
	static const char *const runtimes[] = { "libgomp", "libomp", "libiomp" };
	const char *slash = strrchr(object->dlpi_name, '/');
	const char *name = slash ? slash + 1 : object->dlpi_name;

	if (!*name)
		return OWNER_PROGRAM;
	// The interposer and the recorder, too, have names that begin so.
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (begins_with(name, runtimes[i]))
			return OWNER_RUNTIME;
	return strstr(name, "program") ? OWNER_PROGRAM : OWNER_SYSTEM;
}

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
	struct lookup *lookup = data;
	uintptr_t own = (uintptr_t)(void *)look;
	bool is_here = false, is_own = false;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		is_here |= lookup->address - start < segment->p_memsz;
		is_own |= own - start < segment->p_memsz;
	}
	if (is_here)
		lookup->owner = is_own ? OWNER_TOOL : owner_of(object);
	return is_here;
}

enum owner code_owner(const void *address)
{
	static __thread struct lookup last;

	if (last.address == (uintptr_t)address)
		return last.owner;
	last = (struct lookup){ (uintptr_t)address, OWNER_NOBODY };
	dl_iterate_phdr(look, &last);
	return last.owner;
}
