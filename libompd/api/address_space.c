// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Address spaces (OpenMP 5.2, 20.5.2 to 20.5.4).

#include <stdio.h>

#include "api/handles.h"

/**
 * Opens the process behind @p context: recognises its OpenMP runtime and proves the layout.
 * @return ok; unavailable (no OpenMP runtime, yet); incompatible (a runtime of which the library
 *         does not know enough; ompd_ext_last_reason() tells); bad_input; nomem; or what a
 *         callback returned.
 */
ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
				  ompd_address_space_handle_t **host_handle)
{
	struct target target;
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	if (!context || !host_handle)
		return reason(ompd_rc_bad_input, "no context, or no place for the handle");
	rc = target_init(&target, library_callbacks(), context);
	if (rc != ompd_rc_ok)
		return reason(rc, "the target's types have other sizes than LP64");
	ompd_address_space_handle_t *handle = target_alloc(&target, sizeof(*handle));

	if (!handle)
		return ompd_rc_nomem;
	rc = gomp_open(&handle->runtime, &target);
	if (rc != ompd_rc_ok) {
		target_free(&target, handle);
		return rc;
	}
	handle->kind = HANDLE_ADDRESS_SPACE;
	*host_handle = handle;
	return ompd_rc_ok;
}

/** libgomp's devices run no code that the library could look into: unsupported. */
ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *host_handle,
				 ompd_address_space_context_t *device_context, ompd_device_t kind,
				 ompd_size_t sizeof_id, void *id,
				 ompd_address_space_handle_t **device_handle)
{
	(void)kind;
	(void)sizeof_id;
	(void)id;
	API_ENTER(host_handle, ADDRESS_SPACE);
	if (!device_context || !device_handle)
		return reason(ompd_rc_bad_input, "no context, or no place for the handle");
	return reason(ompd_rc_unsupported, "devices other than the host are not supported");
}

/** The kinds of thread identifier that the library knows, and their sizes. The caller frees both
 * arrays. */
ompd_rc_t ompd_get_device_thread_id_kinds(ompd_address_space_handle_t *device_handle,
					  ompd_thread_id_t **kinds, ompd_size_t **thread_id_sizes,
					  int *count)
{
	API_ENTER(device_handle, ADDRESS_SPACE);
	if (!kinds || !thread_id_sizes || !count)
		return reason(ompd_rc_bad_input, "no place for the result");
	const struct target *target = &device_handle->runtime.target;
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

/** Releases the address space. Handles within it must have been released before. */
ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle)
{
	API_ENTER(handle, ADDRESS_SPACE);
	gomp_close(&handle->runtime);
	return handle_release(handle, HANDLE_ADDRESS_SPACE);
}

/** The _OPENMP value of the runtime. */
ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *address_space, ompd_word_t *omp_version)
{
	API_ENTER(address_space, ADDRESS_SPACE);
	if (!omp_version)
		return reason(ompd_rc_bad_input, "no place for the version");
	*omp_version = address_space->runtime.omp_version;
	return ompd_rc_ok;
}

/** The runtime in words: "libgomp of GCC 12, OpenMP 201511". The caller frees it. */
ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *address_space,
				      const char **string)
{
	char text[160];

	API_ENTER(address_space, ADDRESS_SPACE);
	if (!string)
		return reason(ompd_rc_bad_input, "no place for the string");
	snprintf(text, sizeof(text), "libgomp of %s, OpenMP %lld", address_space->runtime.release,
		 (long long)address_space->runtime.omp_version);
	*string = target_strdup(&address_space->runtime.target, text);
	return *string ? ompd_rc_ok : ompd_rc_nomem;
}

ompd_rc_t ompd_ext_get_layout_info(ompd_address_space_handle_t *handle, ompd_ext_layout_info *info)
{
	API_ENTER(handle, ADDRESS_SPACE);
	if (!info || info->size < sizeof(*info))
		return reason(ompd_rc_bad_input, "no place for the result");
	const struct gomp_layout *layout = &handle->runtime.layout;

	*info = (ompd_ext_layout_info){
		.size = info->size,
		.runtime = "libgomp",
		.release = handle->runtime.release,
		.source = layout->source,
		.probes_agreed = layout->probes_agreed,
		.probes_silent = layout->probes_silent,
	};
	return ompd_rc_ok;
}
