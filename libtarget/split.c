// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Split debug information (DWARF 5, 7.3.2; GNU's extension of DWARF 4): the program has a skeleton of each
// unit, the rest is in a file of its own (.dwo), or with the others in a package (.dwp).
//
// libdw finds and reads these files, packages from elfutils 0.191 on. It would wait for ever at a FIFO, so
// that the places where it looks are looked at here before.

#include "internal.h"

#include <dwarf.h>
#include <errno.h>
#include <libgen.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular_file.h"

/** Return a text of a skeleton; NULL if it has none. */
static const char *text_of(Dwarf_Die *die, unsigned int name, unsigned int gnu_name)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr(die, name, &attribute) || dwarf_attr(die, gnu_name, &attribute))
		return dwarf_formstring(&attribute);
	return NULL;
}

/** Check that there is no file, or a regular one. Takes @p path. @p exists: there is one. */
static bool is_safe(char *path, bool *exists)
{
	int file = path ? open_regular_file(path) : -1;
	bool safe = path && (file >= 0 || errno != EINVAL);

	*exists = file >= 0;
	if (file >= 0)
		close(file);
	free(path);
	return safe;
}

static char *joined(const char *folder, const char *middle, const char *name)
{
	char *path;

	if (*name == '/')
		folder = middle = "";
	else if (*middle == '/')
		folder = "";
	return asprintf(&path, "%s/%s/%s", folder, middle, name) < 0 ? NULL : path;
}

/** Look at the places where libdw looks for the rest of a unit: in the folder of the file with the
 *  skeleton, in the one where it was compiled, and in the package beside that file. */
static bool are_places_safe(const char *file, const char *folder, const char *name,
			    bool *has_package)
{
	char *copy = strdup(file), *package;
	const char *beside = copy ? dirname(copy) : NULL;
	bool exists;
	bool safe = beside && is_safe(joined(beside, "", name), &exists) &&
		    (!folder || is_safe(joined(beside, folder, name), &exists)) &&
		    asprintf(&package, "%s.dwp", file) >= 0 && is_safe(package, has_package);

	free(copy);
	return safe;
}

// ---- Units -----------------------------------------------------------------------------------

/** A unit that was asked for. */
struct split_unit {
	Dwarf_CU *skeleton;
	Dwarf_Die rest; // its .cu NULL: missing
};

static int compare(const void *a, const void *b)
{
	const struct split_unit *one = a, *other = b;

	return ((uintptr_t)one->skeleton > (uintptr_t)other->skeleton) -
	       ((uintptr_t)one->skeleton < (uintptr_t)other->skeleton);
}

static void find_rest(struct target *target, const struct mapped_file *file, Dwarf_Die *skeleton,
		      const char *name, Dwarf_Die *ret)
{
	const char *main_file = NULL, *debug_file = NULL;
	bool has_package = false;
	const char *folder = text_of(skeleton, DW_AT_comp_dir, DW_AT_comp_dir);

	dwfl_module_info(file->module, NULL, NULL, NULL, NULL, NULL, &main_file, &debug_file);
	const char *path = debug_file ? debug_file : main_file ? main_file : file->opened;
	if (path && are_places_safe(path, folder, name, &has_package))
		dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, ret, NULL, NULL, NULL);
	if (ret->cu || target->num_split_missing++)
		return;
	if (!has_package || asprintf(&target->split_missing, "%s.dwp", file->path) < 0)
		target->split_missing = strdup(name);
	target->has_package = has_package;
}

void split_unit(struct target *target, struct mapped_file *file, Dwarf_Die *unit)
{
	const char *name = text_of(unit, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	struct split_unit wanted = { .skeleton = unit->cu }, *known;

	if (!name)
		return;
	void *place = tfind(&wanted, &file->split_units, compare);
	if (!place) {
		known = calloc(1, sizeof(*known));
		if (!known)
			return;
		known->skeleton = unit->cu;
		find_rest(target, file, unit, name, &known->rest);
		place = tsearch(known, &file->split_units, compare);
	}
	if (!place)
		return;
	known = *(struct split_unit **)place;
	if (known->rest.cu)
		*unit = known->rest;
}

void split_units_deinit(struct mapped_file *file)
{
	tdestroy(file->split_units, free);
}

struct target_split target_split(const struct target *target)
{
	return (struct target_split){
		.num_missing = target->num_split_missing,
		.file = target->split_missing,
		.is_unread = target->has_package,
		.reader = dwfl_version(NULL),
	};
}
