// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is there a libgomp, where, and of which release?

#include "layout/gomp_library.h"

#include <stdio.h>

#include "layout/gomp_probes.h"
#include "target/reason.h"

// ok: it is there; unavailable: it is not.
static ompd_rc_t has(const struct target *target, const char *name, const char *file_name)
{
	uint64_t address;

	return target_symbol(target, name, file_name, &address);
}

static ompd_rc_t is_runtime(const struct target *target, const char *file_name)
{
	return has(target, "GOMP_parallel", file_name);
}

// LLVM's libomp exports the entry points of libgomp too, and is installed under its name by some.
static ompd_rc_t is_llvm(const struct target *target, const char *file_name)
{
	return has(target, "__kmpc_fork_call", file_name);
}

// Check for what only libgomp exports, to its device plug-ins; or, if linked statically, for
// functions that it exports to nobody.
static ompd_rc_t is_somewhere(const struct target *target)
{
	ompd_rc_t rc = is_runtime(target, NULL);

	if (rc == ompd_rc_ok)
		rc = has(target, "gomp_team_start", NULL);
	else
		return rc;
	if (rc != ompd_rc_unavailable)
		return rc;
	rc = has(target, "GOMP_PLUGIN_malloc", NULL);
	if (rc == ompd_rc_ok)
		rc = is_llvm(target, NULL);
	else
		return rc;
	return rc == ompd_rc_ok ? ompd_rc_unavailable : rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
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

ompd_rc_t gomp_library_find(const struct target *target, struct gomp_library *ret)
{
	static const char *const names[] = { "libgomp.so.1", "libgomp.so.1.0.0" };

	ret->target = target;
	ret->thread_slot = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ompd_rc_t rc = is_runtime(target, names[i]);

		if (rc == ompd_rc_unavailable)
			continue;
		if (rc == ompd_rc_ok)
			rc = is_llvm(target, names[i]);
		if (rc == ompd_rc_ok) {
			return reason(ompd_rc_unavailable, "%s is LLVM's libomp under that name",
				      names[i]);
		}
		if (rc != ompd_rc_unavailable)
			return rc;
		ret->file_name = names[i];
		return release_by_symbols(ret);
	}
	// Linked statically, or a copy under another name.
	ret->file_name = NULL;
	ompd_rc_t rc = is_somewhere(target);

	if (rc == ompd_rc_ok)
		return release_by_symbols(ret);
	return rc == ompd_rc_unavailable ? reason(rc, "no libgomp in the program") : rc;
}
