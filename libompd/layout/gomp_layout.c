// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the source of a layout, in the order of trust, and has it proven.

#include "layout/layout.h"

#include <stdio.h>
#include <string.h>

#include "layout/exports.h"
#include "layout/gomp_library.h"

static ompd_rc_t take_table(const struct gomp_library *library, struct gomp_layout *layout,
			    const struct gomp_reason *reason)
{
	for (size_t i = 0; i < gomp_table_count; i++) {
		const struct gomp_table *table = &gomp_tables[i];

		if (library->release < table->first_release ||
		    library->release > table->last_release)
			continue;
		layout->source = LAYOUT_TABLE;
		layout->releases = table->releases;
		layout->first_release = library->release;
		layout->last_release = library->release;
		memcpy(layout->struct_size, table->struct_size, sizeof(layout->struct_size));
		memcpy(layout->field, table->field, sizeof(layout->field));
		return ompd_rc_ok;
	}
	snprintf(reason->text, reason->size, "no layout of libgomp of GCC %u is known",
		 library->release);
	return ompd_rc_incompatible;
}

// A library that does not export exactly what its release does is another one: code shows where
// some fields are, and the others may be anywhere, if nothing tells. One that is linked statically
// has no such list.
static ompd_rc_t identify(const struct gomp_library *library, struct gomp_layout *layout,
			  const struct gomp_reason *reason)
{
	enum exports_verdict verdict = EXPORTS_NONE;
	uint64_t inside;
	ompd_rc_t rc = gomp_library_symbol(library, "GOMP_parallel", &inside);

	if (rc == ompd_rc_ok)
		rc = exports_identify(library->target, inside, library->release, gomp_releases,
				      gomp_release_count, &verdict);
	if (rc != ompd_rc_ok)
		return rc;
	layout->identified = verdict == EXPORTS_SAME;
	if (layout->identified || layout->source != LAYOUT_TABLE ||
	    (verdict == EXPORTS_NONE && !library->file_name))
		return ompd_rc_ok;
	snprintf(reason->text, reason->size,
		 "libgomp of an unknown release: what it exports is not what libgomp of GCC %u "
		 "does; its debug information would tell",
		 library->release);
	return ompd_rc_incompatible;
}

static ompd_rc_t open_layout(const struct target *target, struct gomp_layout *layout,
			     const struct gomp_reason *reason)
{
	struct gomp_library library;
	ompd_rc_t rc = gomp_library_find(target, &library, reason);

	if (rc != ompd_rc_ok)
		return rc;
	rc = gomp_told_layout(&library, layout, reason);
	if (rc == ompd_rc_unavailable)
		rc = take_table(&library, layout, reason);
	if (rc == ompd_rc_ok)
		rc = identify(&library, layout, reason);
	if (rc == ompd_rc_ok)
		rc = gomp_prove(&library, layout, reason);
	if (rc == ompd_rc_ok)
		rc = gomp_name_globals(&library, layout, reason);
	if (rc != ompd_rc_ok)
		return rc;
	gomp_listed_globals(&library, layout);
	gomp_displayed_globals(&library, layout);
	return ompd_rc_ok;
}

ompd_rc_t gomp_layout_open(const struct target *target, struct gomp_layout *layout, char *reason,
			   size_t reason_size)
{
	const struct gomp_reason why = { reason, reason_size };
	ompd_rc_t rc;

	memset(layout, 0, sizeof(*layout));
	if (reason_size)
		reason[0] = '\0';
	rc = open_layout(target, layout, &why);
	if (rc != ompd_rc_ok && reason_size && !reason[0])
		snprintf(reason, reason_size, "the debugger could not look libgomp up");
	return rc;
}
