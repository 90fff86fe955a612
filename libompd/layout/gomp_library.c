// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is there a libgomp, where, and of which release?

#include "layout/gomp_library.h"

#include <stdio.h>

#include "layout/gomp_probes.h"

static bool has(const struct target *target, const char *name, const char *file_name)
{
	uint64_t address;

	return target_symbol(target, name, file_name, &address) == ompd_rc_ok;
}

static bool is_runtime(const struct target *target, const char *file_name)
{
	return has(target, "GOMP_parallel", file_name) &&
	       has(target, "omp_get_thread_num", file_name);
}

// LLVM's libomp exports the entry points of libgomp too, and is installed under its name by some.
static bool is_llvm(const struct target *target, const char *file_name)
{
	return has(target, "__kmpc_fork_call", file_name);
}

ompd_rc_t gomp_library_symbol(const struct gomp_library *library, const char *name, uint64_t *ret)
{
	return target_symbol(library->target, name, library->file_name, ret);
}

// A debugger that fails to look a symbol up does not say that there is none.
static ompd_rc_t release_by_symbols(struct gomp_library *library)
{
	library->release = 10;
	for (size_t i = 0; i < gomp_newcomer_count; i++) {
		const struct gomp_newcomer *newcomer = &gomp_newcomers[i];
		uint64_t address;

		if (newcomer->release <= library->release)
			continue;
		ompd_rc_t rc = gomp_library_symbol(library, newcomer->symbol, &address);

		if (rc == ompd_rc_ok)
			library->release = newcomer->release;
		else if (rc != ompd_rc_unavailable)
			return rc;
	}
	return ompd_rc_ok;
}

ompd_rc_t gomp_library_find(const struct target *target, struct gomp_library *ret,
			    const struct gomp_reason *reason)
{
	static const char *const names[] = { "libgomp.so.1", "libgomp.so.1.0.0" };

	ret->target = target;
	ret->thread_slot = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!is_runtime(target, names[i]))
			continue;
		if (is_llvm(target, names[i])) {
			snprintf(reason->text, reason->size, "%s is LLVM's libomp under that name",
				 names[i]);
			return ompd_rc_unavailable;
		}
		ret->file_name = names[i];
		return release_by_symbols(ret);
	}
	// Linked statically: functions that libgomp exports to nobody are visible. A copy under
	// another name: what it exports to its device plug-ins, and no other runtime does.
	ret->file_name = NULL;
	if (is_runtime(target, NULL) &&
	    (has(target, "gomp_team_start", NULL) ||
	     (has(target, "GOMP_PLUGIN_malloc", NULL) && !is_llvm(target, NULL))))
		return release_by_symbols(ret);
	snprintf(reason->text, reason->size, "no libgomp in the program");
	return ompd_rc_unavailable;
}
