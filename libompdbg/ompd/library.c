// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompd/room.h"

// An OMPD library is initialized once in a process: so there is one list of them.
static struct ompd_library *libraries;

// ---- Errors ----------------------------------------------------------------------------------

static const struct {
	const char *meaning;
	enum ompdbg_code code;
} codes[] = {
#define CODE(name, code, meaning) [ompd_rc_##name] = { meaning, code }
	CODE(ok, OMPDBG_FAILED, "no error"),
	CODE(unavailable, OMPDBG_UNAVAILABLE, "not available in the target"),
	CODE(stale_handle, OMPDBG_BAD_INPUT, "stale handle"),
	CODE(bad_input, OMPDBG_BAD_INPUT, "bad argument"),
	CODE(error, OMPDBG_DAMAGED, "failed"),
	CODE(unsupported, OMPDBG_UNAVAILABLE, "not supported by the OMPD library"),
	CODE(needs_state_tracking, OMPDBG_UNAVAILABLE, "the runtime does not track states"),
	CODE(incompatible, OMPDBG_INCOMPATIBLE, "the OMPD library does not fit the runtime"),
	CODE(device_read_error, OMPDBG_DAMAGED, "the device's memory cannot be read"),
	CODE(device_write_error, OMPDBG_DAMAGED, "the device's memory cannot be written"),
	CODE(nomem, OMPDBG_NO_MEMORY, "out of memory"),
	CODE(incomplete, OMPDBG_DAMAGED, "the answer is incomplete"),
	CODE(callback_error, OMPDBG_DAMAGED, "the debugger could not answer"),
	CODE(incompatible_handle, OMPDBG_BAD_INPUT, "wrong kind of handle"),
#undef CODE
};

static bool is_known(ompd_rc_t code)
{
	return (size_t)code < sizeof(codes) / sizeof(codes[0]) && codes[code].meaning;
}

struct ompdbg_error *ompd_error(const struct ompd_library *library, ompd_rc_t code,
				struct ompdbg_error *failure)
{
	enum ompdbg_code kind = is_known(code) ? codes[code].code : OMPDBG_FAILED;
	const char *reason = NULL;

	if (library && library->functions.ext_last_reason)
		reason = library->functions.ext_last_reason();
	if (!reason || !*reason)
		reason = is_known(code) ? codes[code].meaning : "unknown return code";
	if (!failure)
		return ompdbg_error_create(kind, "%s", reason);
	if (kind == OMPDBG_DAMAGED)
		kind = failure->code;
	struct ompdbg_error *error = ompdbg_error_create(kind, "%s: %s", reason, failure->message);
	if (error != &ompdbg_error_no_memory)
		error->address = failure->address;
	ompdbg_error_destroy(failure);
	return error;
}

// ---- Loading ---------------------------------------------------------------------------------

/** Fill the table of functions. @return the name of a required one that is missing, or NULL. */
static const char *resolve(struct ompd_library *library)
{
	struct ompd_functions *functions = &library->functions;
	const char *missing = NULL;

	library->info.is_extended = true;
#define RESOLVE(name, otherwise)                                           \
	*(void **)&functions->name = dlsym(library->image, "ompd_" #name); \
	if (!functions->name)                                              \
		otherwise;
#define REQUIRED(name) RESOLVE(name, missing = missing ? missing : "ompd_" #name)
#define STANDARD(name) RESOLVE(name, (void)0)
#define EXTENSION(name) RESOLVE(name, library->info.is_extended = false)
#include "ompd/functions.def"
#undef REQUIRED
#undef STANDARD
#undef EXTENSION
#undef RESOLVE
	return missing;
}

/** Initialize the library with the version that it supports, as the standard has it. */
static struct ompdbg_error *initialize(struct ompd_library *library)
{
	ompd_word_t version = 202111;
	const char *text = NULL;

	if (library->functions.get_api_version)
		library->functions.get_api_version(&version);
	ompd_rc_t code = library->functions.initialize(version, &ompd_callbacks);
	if (code != ompd_rc_ok)
		return ompd_error(library, code, NULL);
	library->info.api_version = version;
	// The string stays the library's (OpenMP 5.2, 20.5.1.3).
	if (library->functions.get_version_string)
		library->functions.get_version_string(&text);
	library->info.version = text ? text : "";
	return NULL;
}

static struct ompdbg_error *load(void *image, const char *path, struct ompd_library **ret)
{
	struct ompd_library *library = calloc(1, sizeof(*library));
	char *copy = strdup(path);
	struct ompdbg_error *error = NULL;

	if (!library || !copy) {
		free(library);
		free(copy);
		return &ompdbg_error_no_memory;
	}
	library->image = image;
	library->info.path = copy;
	const char *missing = resolve(library);
	if (missing)
		error = ompdbg_error_create(OMPDBG_INCOMPATIBLE, "no OMPD library: %s is missing",
					    missing);
	else
		error = initialize(library);
	if (error) {
		free(library);
		free(copy);
		return error;
	}
	library->next = libraries;
	libraries = library;
	*ret = library;
	return NULL;
}

/** Make an error of the words of dlerror(), without the name of a descriptor before them. */
static struct ompdbg_error *not_loaded(const char *name, bool is_descriptor)
{
	const char *reason = dlerror();
	size_t length = strlen(name);

	if (is_descriptor && strncmp(reason, name, length) == 0 &&
	    strncmp(reason + length, ": ", 2) == 0)
		reason += length + 2;
	return ompdbg_error_create(OMPDBG_FAILED, "%s", reason);
}

struct ompdbg_error *ompd_library_open(const char *path, int descriptor, struct ompd_library **ret)
{
	char opened[sizeof("/proc/self/fd/") + 11];
	const char *name = path;

	if (descriptor >= 0) {
		snprintf(opened, sizeof(opened), "/proc/self/fd/%d", descriptor);
		name = opened;
	}
	void *image = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!image)
		return not_loaded(name, descriptor >= 0);
	struct ompd_library *library = libraries;
	while (library && library->image != image)
		library = library->next;
	if (library) {
		dlclose(image); // counted again by dlopen()
	} else {
		struct ompdbg_error *error = load(image, path, &library);

		if (error) {
			dlclose(image);
			return error;
		}
	}
	*ret = ompd_library_use(library);
	return NULL;
}

struct ompd_library *ompd_library_use(struct ompd_library *library)
{
	library->users++;
	return library;
}

void ompd_library_close(struct ompd_library *library)
{
	struct ompd_library **link = &libraries;

	if (!library || --library->users)
		return;
	while (*link != library)
		link = &(*link)->next;
	*link = library->next;
	library->functions.finalize();
	dlclose(library->image);
	free((char *)library->info.path);
	free(library);
}

const struct ompd_library_info *ompd_library_info(const struct ompd_library *library)
{
	return &library->info;
}

const char *ompd_library_runtime(struct ompd_library *library, size_t index)
{
	const struct ompd_functions *functions = &library->functions;
	const char *name = NULL;

	if (!functions->ext_enumerate_runtimes || !functions->ext_process_initialize ||
	    functions->ext_enumerate_runtimes(index, &name) != ompd_rc_ok)
		return NULL;
	return name;
}
