// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is there a libomp, under which file name, and of which release?

#include "layout/kmp_library.h"
#include "target/reason.h"

#include <stdio.h>
#include <string.h>

/** A symbol that a release introduced. */
static const struct {
	const char *symbol;
	uint32_t release;
	uint32_t last; // that exports the same; 0: this
} newcomers[] = {
	{ "__kmpc_scope", 14, 0 },
	{ "__kmpc_sections_init", 15, 0 },
	{ "__kmpc_fork_call_if", 16, 0 },
	{ "__kmpc_for_collapsed_init", 17, 0 },
	{ "__kmpc_set_thread_limit", 18, 0 },
	{ "__kmpc_dispatch_deinit", 19, 20 },
	{ "omp_get_submemspace", 21, 0 },
	{ "omp_get_uid_from_device", 22, 0 },
	{ "omp_get_dyn_gprivate_ptr", 23, 0 },
};

enum { FIRST_RELEASE = 13 };

/** File names that the runtime is installed under. */
static const struct {
	const char *name, *file_name;
} files[] = {
	{ "libomp", "libomp.so.5" },
	{ "libomp", "libomp.so" },
	{ "libomp", "libgomp.so.1" }, // in GCC's place
	{ "libiomp5", "libiomp5.so" },
	{ "libomp", NULL }, // linked statically, or under another name
};

ompd_rc_t kmp_library_symbol(const struct kmp_library *library, const char *name, uint64_t *ret)
{
	return target_symbol(library->target, name, library->file_name, ret);
}

// Check for what every release exports, and no other runtime.
static ompd_rc_t is_there(struct kmp_library *library)
{
	static const char *const symbols[] = { "__kmpc_omp_task_alloc",
					       "__kmpc_global_thread_num" };
	ompd_rc_t rc = kmp_library_symbol(library, "__kmpc_fork_call", &library->fork_call);
	uint64_t address;

	for (size_t i = 0; rc == ompd_rc_ok && i < sizeof(symbols) / sizeof(symbols[0]); i++)
		rc = kmp_library_symbol(library, symbols[i], &address);
	return rc;
}

// A symbol that is missing ends the search: what later releases brought does not count then.
static ompd_rc_t release_by_symbols(struct kmp_library *library)
{
	bool missing = false;

	library->release = FIRST_RELEASE;
	library->last_release = FIRST_RELEASE;
	for (size_t i = 0; i < sizeof(newcomers) / sizeof(newcomers[0]); i++) {
		uint64_t address;
		ompd_rc_t rc = kmp_library_symbol(library, newcomers[i].symbol, &address);

		if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
			return rc;
		if (rc == ompd_rc_ok && missing) {
			return reason(
				ompd_rc_incompatible,
				"%s of an unknown release: it has %s, but lacks what came before",
				library->name, newcomers[i].symbol);
		}
		missing |= rc != ompd_rc_ok;
		if (rc != ompd_rc_ok)
			continue;
		library->release = newcomers[i].release;
		library->last_release = newcomers[i].last ? newcomers[i].last : library->release;
	}
	return ompd_rc_ok;
}

// One library may be found under several file names: Debian's libiomp5.so is a link to libomp. The
// first row counts. unavailable: it is that of an earlier row with another name.
static ompd_rc_t is_itself(const struct kmp_library *library, size_t row)
{
	ompd_rc_t rc = ompd_rc_ok;
	uint64_t other;

	for (size_t i = 0; rc == ompd_rc_ok && i < row; i++) {
		if (strcmp(files[i].name, library->name) == 0)
			continue;
		rc = target_symbol(library->target, "__kmpc_fork_call", files[i].file_name, &other);
		if (rc == ompd_rc_ok && other == library->fork_call)
			return ompd_rc_unavailable;
		if (rc == ompd_rc_unavailable)
			rc = ompd_rc_ok;
	}
	return rc;
}

ompd_rc_t kmp_library_find(const struct target *target, const char *name, struct kmp_library *ret)
{
	*ret = (struct kmp_library){ .target = target, .name = name };
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i].name, name) != 0)
			continue;
		ret->file_name = files[i].file_name;
		ompd_rc_t rc = is_there(ret);

		if (rc == ompd_rc_ok)
			rc = is_itself(ret, i);
		if (rc == ompd_rc_ok)
			return release_by_symbols(ret);
		if (rc != ompd_rc_unavailable)
			return rc;
	}
	return reason(ompd_rc_unavailable, "no %s in the program", name);
}

#define LAYOUT_GLOBAL(g) #g,
static const char *const globals[KMP_GLOBAL_COUNT] = {
#include "layout/kmp_globals.def"
};

ompd_rc_t kmp_named_globals(const struct kmp_library *library, struct kmp_layout *layout)
{
	for (unsigned int i = 0; i < KMP_GLOBAL_COUNT; i++) {
		ompd_rc_t rc = kmp_library_symbol(library, globals[i], &layout->global[i]);

		if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
			return rc;
	}
	return layout->global[KMP_GLOBAL___kmp_threads] &&
			       layout->global[KMP_GLOBAL___kmp_threads_capacity] &&
			       layout->global[KMP_GLOBAL___kmp_init_serial] ?
		       ompd_rc_ok :
		       ompd_rc_unavailable;
}
