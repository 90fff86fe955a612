// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program and its libraries, as the loader knows them: r_debug and the list of struct link_map
// (link.h), found by the headers of the program.

#include "internal.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/objects.h"
#include "ranges.h"

enum { PAGE = 4096, VDSO_SIZE = 4 * PAGE };
// More of them are damaged memory.
enum { MAX_HEADERS = 256, MAX_DYNAMIC = 1024, MAX_LINKS = 4096, MAX_PATH = 4096 };

static const char vdso_path[] = "[vdso]";

bool read_all(struct target_services *services, uint64_t address, void *buffer, size_t size)
{
	return target_read(services->target, address, buffer, size) == size;
}

// ---- What the loader knows -------------------------------------------------------------------

/** Read program headers. @return how many there are. */
static size_t read_headers(struct target_services *services, uint64_t address, uint64_t count,
			   Elf64_Phdr *ret)
{
	size_t most = count < MAX_HEADERS ? (size_t)count : MAX_HEADERS;

	return target_read(services->target, address, ret, most * sizeof(*ret)) / sizeof(*ret);
}

/** Find the loader's struct r_debug in the program's dynamic section; 0 if there is none. */
static uint64_t find_debug_structure(struct target_services *services)
{
	struct target *target = services->target;
	uint64_t address, count, size, bias = 0;
	Elf64_Phdr headers[MAX_HEADERS];
	Elf64_Dyn entries[MAX_DYNAMIC];
	size_t found;

	if (!target_auxiliary(target, AT_PHDR, &address) ||
	    !target_auxiliary(target, AT_PHNUM, &count) ||
	    !target_auxiliary(target, AT_PHENT, &size) || size != sizeof(Elf64_Phdr))
		return 0;
	found = read_headers(services, address, count, headers);
	for (size_t i = found; i; i--) {
		if (headers[i - 1].p_type == PT_PHDR)
			bias = address - headers[i - 1].p_vaddr;
	}
	for (size_t i = 0; i < found; i++) {
		if (headers[i].p_type != PT_DYNAMIC)
			continue;
		size = headers[i].p_memsz < sizeof(entries) ? headers[i].p_memsz : sizeof(entries);
		size = target_read(target, bias + headers[i].p_vaddr, entries, size);
		for (size_t n = 0; n < size / sizeof(*entries); n++) {
			if (entries[n].d_tag == DT_DEBUG)
				return entries[n].d_un.d_ptr;
		}
	}
	return 0;
}

static const char *read_string(struct target_services *services, uint64_t address)
{
	char text[MAX_PATH];
	size_t size = target_read(services->target, address, text, sizeof(text));

	return arena_strndup(&services->arena, text, strnlen(text, size));
}

/** Read the list of what is loaded; the first of its entries is the program, without a name. */
static void read_links(struct target_services *services)
{
	struct objects *objects = &services->objects;
	uint64_t debug = find_debug_structure(services), at = 0;
	struct link_map link;

	if (!debug || !read_all(services, debug + offsetof(struct r_debug, r_map), &at, sizeof(at)))
		return;
	for (int i = 0; at && i < MAX_LINKS; i++, at = (uintptr_t)link.l_next) {
		// The first part of the structure is what the loader shows to debuggers.
		size_t size = offsetof(struct link_map, l_prev);

		if (!read_all(services, at, &link, size))
			return;
		ssize_t index = target_file_index(services->target, (uintptr_t)link.l_ld);
		if (index < 0)
			continue;
		struct object *object = &objects->all[index];
		if (!object->link_map)
			object->link_map = at;
		const char *name = object->is_named ? "" :
						      read_string(services, (uintptr_t)link.l_name);
		if (!*name)
			continue;
		object->is_named = true;
		if (index == objects->program)
			continue;
		object->path = name;
		if (object->is_used)
			objects->in_order[objects->num_in_order++] = index;
	}
}

/** Complete the order with what the loader's list lacks. */
static void add_others(struct objects *objects)
{
	for (size_t i = 0; i < objects->count; i++) {
		const struct object *object = &objects->all[i];

		if (object->is_used && !object->is_named && (ssize_t)i != objects->program)
			objects->in_order[objects->num_in_order++] = (ssize_t)i;
	}
}

// ---- Parts of memory -------------------------------------------------------------------------

static void add_parts(struct target_services *services, size_t index)
{
	struct objects *objects = &services->objects;
	struct target_file file = target_file_at(services->target, index);
	Elf64_Phdr headers[MAX_HEADERS];
	uint64_t first = 0;
	Elf64_Ehdr head;

	if (!read_all(services, file.start, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	size_t count = read_headers(services, file.start + head.e_phoff, head.e_phnum, headers);
	for (size_t i = count; i; i--) {
		if (headers[i - 1].p_type == PT_LOAD)
			first = headers[i - 1].p_vaddr;
	}
	uint64_t bias = file.start - (first & ~(uint64_t)(PAGE - 1));
	for (size_t i = 0; i < count; i++) {
		uint64_t start = bias + headers[i].p_vaddr;

		if (headers[i].p_type == PT_LOAD && objects->all[index].is_used)
			*ARENA_APPEND(&services->arena, objects->ranges, objects->num_ranges,
				      objects->max_ranges) =
				(struct object_range){ start, start + headers[i].p_memsz,
						       (ssize_t)index };
		else if (headers[i].p_type == PT_GNU_EH_FRAME)
			*ARENA_APPEND(&services->arena, objects->unwind_tables,
				      objects->num_unwind_tables,
				      objects->max_unwind_tables) = start;
	}
}

void objects_init(struct target_services *services)
{
	struct objects *objects = &services->objects;

	objects->count = target_num_files(services->target);
	objects->all = ARENA_ARRAY(&services->arena, struct object, objects->count);
	objects->in_order = ARENA_ARRAY(&services->arena, ssize_t, objects->count);
	objects->program = NO_OBJECT;
	for (size_t i = 0; i < objects->count; i++) {
		struct target_file file = target_file_at(services->target, i);

		objects->all[i].path = file.path;
		objects->all[i].is_used = file.state <= TARGET_FILE_UNVERIFIED;
		if (file.is_program && objects->program < 0)
			objects->program = (ssize_t)i;
	}
	if (objects->program >= 0 && objects->all[objects->program].is_used)
		objects->in_order[objects->num_in_order++] = objects->program;
	read_links(services);
	add_others(objects);
	for (size_t i = 0; i < objects->count; i++) {
		struct object *object = &objects->all[i];

		object->is_of_system = (ssize_t)i != objects->program &&
				       is_system_object(object->path);
		object->is_of_runtime = runtime_of_object(object->path) != NULL;
		add_parts(services, i);
	}
	RANGES_SORT(objects->ranges, objects->num_ranges);
	target_auxiliary(services->target, AT_SYSINFO_EHDR, &objects->vdso);
}

// ---- Questions -------------------------------------------------------------------------------

ssize_t object_index_at(const struct target_services *services, uint64_t address)
{
	const struct objects *objects = &services->objects;
	ssize_t index = target_file_index(services->target, address);

	if (index >= 0)
		return index;
	const struct object_range *range = RANGE_AT(objects->ranges, objects->num_ranges, address);
	return range ? range->object : NO_OBJECT;
}

static bool is_in_vdso(const struct objects *objects, uint64_t address)
{
	return objects->vdso && address - objects->vdso < VDSO_SIZE;
}

const char *object_path_at(const struct target_services *services, uint64_t address)
{
	const struct objects *objects = &services->objects;
	ssize_t index = object_index_at(services, address);

	if (index >= 0)
		return index == objects->program ? NULL : objects->all[index].path;
	return is_in_vdso(objects, address) ? vdso_path : NULL;
}

static bool is_named(const char *path, const char *name)
{
	const char *file = base_name(path);
	size_t length = strlen(name);

	return strncmp(file, name, length) == 0 && (!file[length] || file[length] == '.');
}

bool object_is_named(const struct target_services *services, ssize_t index, const char *name)
{
	struct target_file file = target_file_at(services->target, (size_t)index);

	return is_named(services->objects.all[index].path, name) || is_named(file.path, name);
}

struct ompdbg_error *service_file_address(void *context, uint64_t address, uint64_t *ret)
{
	const struct target_services *services = context;
	const struct objects *objects = &services->objects;
	ssize_t index = object_index_at(services, address);

	if (index < 0 && is_in_vdso(objects, address)) {
		*ret = address - objects->vdso;
		return NULL;
	}
	if (index < 0 || !objects->all[index].is_used)
		return &ompdbg_error_absent;
	*ret = address - target_file_at(services->target, (size_t)index).bias;
	return NULL;
}

struct ompdbg_error *service_object_at(void *context, uint64_t address, struct ompdbg_object *ret)
{
	const struct target_services *services = context;
	const struct objects *objects = &services->objects;
	ssize_t index = object_index_at(services, address);

	if (index < 0 && !is_in_vdso(objects, address))
		return &ompdbg_error_absent;
	*ret = (struct ompdbg_object){ .path = vdso_path };
	if (index >= 0) {
		struct target_file file = target_file_at(services->target, (size_t)index);

		ret->is_program = index == objects->program;
		ret->path = ret->is_program ? file.path : objects->all[index].path;
		ret->opened = objects->all[index].is_used ? file.opened : NULL;
	}
	return NULL;
}
