// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address spaces (OpenMP 5.2, 20.5.2 to 20.5.4).

#include <stdio.h>
#include <string.h>

#include "api/handles.h"

static bool is_named(const struct family *family, const char *wanted)
{
	for (const char *const *name = family->names; *name; name++) {
		if (strcmp(*name, wanted) == 0)
			return true;
	}
	return false;
}

static ompd_rc_t open_runtime(const struct target *target, const struct family *family,
			      const char *name, struct api_space **ret)
{
	struct api_space *space = target_alloc(target, sizeof(*space));
	struct runtime *runtime = target_alloc(target, family->runtime_size);
	ompd_rc_t rc = space && runtime ? family->open(runtime, target, name) : ompd_rc_nomem;

	if (rc != ompd_rc_ok) {
		target_free(target, runtime);
		target_free(target, space);
		return rc;
	}
	*space = (struct api_space){
		.family = family,
		.target = *target,
		.runtime = runtime,
	};
	*ret = space;
	return ompd_rc_ok;
}

ompd_rc_t space_ready(const struct api_space *space)
{
	return space->family->ready(space->runtime);
}

ompd_rc_t space_free(struct api_space *space)
{
	const struct target target = space->target;

	space->family->close(space->runtime);
	target_free(&target, space->runtime);
	return target.callbacks->free_memory(space);
}

// Tell whether the program's calls reach a runtime: it is the first that has them.
static ompd_rc_t is_called(const struct api_space *space, bool *ret)
{
	static const char name[] = "omp_get_thread_num";
	uint64_t called, own;
	ompd_rc_t rc = target_symbol(&space->target, name, NULL, &called);

	if (rc == ompd_rc_ok)
		rc = target_symbol(&space->target, name,
				   space->family->facts(space->runtime).file_name, &own);
	*ret = rc == ompd_rc_ok && called == own;
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}

// Open the runtime that the program calls, else the first that is recognised: a program with
// another one in front (LD_PRELOAD) still loads its own. One that is there and refused tells more
// than one that is not there.
static ompd_rc_t open_first(const struct target *target, struct api_space **ret)
{
	ompd_rc_t refused = ompd_rc_unavailable;
	char why[REASON_MAX] = "no OpenMP runtime in the program";
	struct api_space *found = NULL, *space;

	for (const struct family *const *family = families; *family; family++) {
		for (const char *const *name = (*family)->names; *name; name++) {
			ompd_rc_t rc = open_runtime(target, *family, *name, &space);
			bool called;

			if (rc == ompd_rc_ok) {
				rc = is_called(space, &called);
				if (rc != ompd_rc_ok)
					space_free(space);
			}
			if (rc == ompd_rc_ok) {
				if (found)
					space_free(called ? found : space);
				if (called || !found)
					found = space;
				if (called)
					goto end;
				continue;
			}
			// A debugger that fails does not say that there is no such runtime.
			if (rc != ompd_rc_unavailable && rc != ompd_rc_incompatible) {
				if (found)
					space_free(found);
				return rc;
			}
			if (rc == ompd_rc_unavailable || refused != ompd_rc_unavailable)
				continue;
			refused = rc;
			snprintf(why, sizeof(why), "%s", reason_text());
		}
	}
	if (!found)
		return reason(refused, "%s", why);
end:
	reason_clear();
	*ret = found;
	return ompd_rc_ok;
}

static ompd_rc_t open_named(const struct target *target, const char *name, struct api_space **ret)
{
	for (const struct family *const *family = families; *family; family++) {
		if (is_named(*family, name))
			return open_runtime(target, *family, name, ret);
	}
	return reason(ompd_rc_bad_input, "unknown runtime \"%.60s\"", name);
}

ompd_rc_t ompd_ext_process_initialize(ompd_address_space_context_t *context, const char *runtime,
				      ompd_address_space_handle_t **host_handle)
{
	struct target target;
	struct api_space *space;
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	API_CHECK(context && host_handle, "context or handle pointer is NULL");
	rc = target_init(&target, library_callbacks(), context);
	if (rc == ompd_rc_unsupported)
		return reason(ompd_rc_incompatible,
			      "the target's types have other sizes than LP64");
	if (rc != ompd_rc_ok)
		return reason(rc, "the debugger does not tell the sizes of the target's types");
	rc = runtime ? open_named(&target, runtime, &space) : open_first(&target, &space);
	if (rc != ompd_rc_ok)
		return rc;
	rc = HANDLE_GIVE(ompd_rc_ok, ADDRESS_SPACE, space, space, &space->handle);
	if (rc == ompd_rc_ok)
		*host_handle = space->handle;
	return rc;
}

ompd_rc_t ompd_ext_enumerate_runtimes(size_t index, const char **name)
{
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	API_CHECK(name, "name pointer is NULL");
	for (const struct family *const *family = families; *family; family++) {
		for (const char *const *next = (*family)->names; *next; next++) {
			if (index-- == 0) {
				*name = *next;
				return ompd_rc_ok;
			}
		}
	}
	return reason(ompd_rc_unavailable, "the library knows no more runtimes");
}

/**
 * Open the process of @p context: recognise its OpenMP runtime and prove the layout. Of
 * several runtimes in one process the first is opened; ompd_ext_process_initialize() opens any.
 * @return ok; unavailable (no OpenMP runtime, yet); incompatible (a runtime of which the library
 *         does not know enough; ompd_ext_last_reason() tells); bad_input; nomem; or what a
 *         callback returned.
 */
ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
				  ompd_address_space_handle_t **host_handle)
{
	return ompd_ext_process_initialize(context, NULL, host_handle);
}

/** Return unsupported: devices of these runtimes run no code that the library could look into. */
ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *host_handle,
				 ompd_address_space_context_t *device_context, ompd_device_t kind,
				 ompd_size_t sizeof_id, void *id,
				 ompd_address_space_handle_t **device_handle)
{
	(void)kind;
	(void)sizeof_id;
	(void)id;
	API_ENTER(space, ADDRESS_SPACE, host_handle);
	(void)space;
	API_CHECK(device_context && device_handle, "context or handle pointer is NULL");
	return reason(ompd_rc_unsupported, "devices other than the host are not supported");
}

/**
 * Return the kinds of thread identifier that the library knows, and their sizes. The caller frees
 * both arrays.
 */
ompd_rc_t ompd_get_device_thread_id_kinds(ompd_address_space_handle_t *device_handle,
					  ompd_thread_id_t **kinds, ompd_size_t **thread_id_sizes,
					  int *count)
{
	API_ENTER(space, ADDRESS_SPACE, device_handle);
	API_CHECK(kinds && thread_id_sizes && count, "result pointer is NULL");
	const struct target *target = &space->target;
	ompd_thread_id_t *kind = target_alloc(target, 2 * sizeof(*kind));
	ompd_size_t *size = target_alloc(target, 2 * sizeof(*size));

	if (!kind || !size) {
		target_free(target, kind);
		target_free(target, size);
		return ompd_rc_nomem;
	}
	kind[0] = ompd_thread_id_pthread;
	size[0] = 8;
	kind[1] = ompd_thread_id_lwp;
	size[1] = 4;
	*kinds = kind;
	*thread_id_sizes = size;
	*count = 2;
	return ompd_rc_ok;
}

/** Release the address space and all handles within it, which are stale from here on. */
ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle)
{
	return handle_release(handle, HANDLE_ADDRESS_SPACE);
}

/** Return the _OPENMP value of the runtime. */
ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *address_space, ompd_word_t *omp_version)
{
	API_ENTER(space, ADDRESS_SPACE, address_space);
	API_CHECK(omp_version, "version pointer is NULL");
	*omp_version = space->family->facts(space->runtime).omp_version;
	return ompd_rc_ok;
}

/** Return the runtime in words: "libgomp of GCC 12, OpenMP 201511". The caller frees it. */
ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *address_space,
				      const char **string)
{
	char text[160];

	API_ENTER(space, ADDRESS_SPACE, address_space);
	API_CHECK(string, "string pointer is NULL");
	const struct runtime_facts facts = space->family->facts(space->runtime);

	snprintf(text, sizeof(text), "%s of %s, OpenMP %lld", facts.layout.runtime,
		 facts.layout.release, (long long)facts.omp_version);
	*string = target_strdup(&space->target, text);
	return *string ? ompd_rc_ok : ompd_rc_nomem;
}

ompd_rc_t ompd_ext_get_layout_info(ompd_address_space_handle_t *handle, ompd_ext_layout_info *info)
{
	API_ENTER_RUNTIME(space, handle);
	if (!info || info->size < sizeof(*info))
		return reason(ompd_rc_bad_input, "result pointer is NULL");
	const ompd_size_t size = info->size;

	*info = space->family->facts(space->runtime).layout;
	info->size = size;
	return ompd_rc_ok;
}
