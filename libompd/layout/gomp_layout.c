// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the source of a layout, in the order of trust, and has it proven.

#include "layout/layout.h"

#include <stdio.h>
#include <string.h>

#include "layout/exports.h"
#include "layout/gomp_library.h"
#include "layout/gomp_probes.h"
#include "target/reason.h"

static ompd_rc_t take_table(const struct gomp_library *library, struct gomp_layout *layout)
{
	const struct layout_group *group = layout_group_of(&gomp_history, library->release);

	if (!group)
		return reason(ompd_rc_incompatible, "no layout of libgomp of GCC %u is known",
			      library->release);
	layout->source = LAYOUT_TABLE;
	layout->releases = group->releases;
	layout->first_release = library->release;
	layout->last_release = library->release;
	layout_fill(&gomp_history, group, layout->field, layout->struct_size);
	return ompd_rc_ok;
}

// A static libgomp exports nothing. One of an older release lacks what came with the next; one that
// has all that is known may be of a later release, unless no part of the object that it was linked
// into is of a later GCC. GCC's own crtbegin.o is such a part, of the release that links. Only the
// debugger can see that: it answers ompd_newest_gcc.
static ompd_rc_t identify_static(const struct gomp_library *library, struct gomp_layout *layout)
{
	const uint32_t known = layout_newest(&gomp_history)->last_release;
	uint64_t address, newest = 0;
	ompd_rc_t rc = ompd_rc_ok;

	layout->identified = library->release < gomp_newcomers[gomp_newcomer_count - 1].release;
	if (layout->identified)
		return rc;
	rc = target_symbol(library->target, "ompd_newest_gcc", NULL, &address);
	if (rc == ompd_rc_ok)
		rc = target_read_uint(library->target, address, 8, &newest);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	layout->identified = newest && newest <= known;
	if (layout->identified)
		return ompd_rc_ok;
	if (newest)
		return reason(
			ompd_rc_incompatible,
			"libgomp of an unknown release: it is linked statically, into what has "
			"parts of GCC %u; its debug information would tell",
			(uint32_t)newest);
	return reason(ompd_rc_incompatible,
		      "libgomp of an unknown release: it is linked statically, and nothing "
		      "tells that it is not later than GCC %u; its debug information would",
		      known);
}

// A library that does not export exactly what its release does is another one: code shows where
// some fields are, and the others may be anywhere, if nothing tells.
static ompd_rc_t identify(const struct gomp_library *library, struct gomp_layout *layout)
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
	if (layout->identified || layout->source != LAYOUT_TABLE)
		return ompd_rc_ok;
	if (verdict == EXPORTS_NONE && !library->file_name)
		return identify_static(library, layout);
	// While the dynamic linker maps the library, its list is not where it will be.
	if (verdict == EXPORTS_NONE) {
		return reason(
			ompd_rc_unavailable,
			"cannot read what %s exports (it is being loaded, or memory is damaged)",
			library->file_name);
	}
	return reason(
		ompd_rc_incompatible,
		"libgomp of an unknown release: what it exports is not what libgomp of GCC %u "
		"does; its debug information would tell",
		library->release);
}

static ompd_rc_t open_layout(const struct target *target, struct gomp_layout *layout)
{
	struct gomp_library library;
	ompd_rc_t rc = gomp_library_find(target, &library);

	if (rc != ompd_rc_ok)
		return rc;
	rc = gomp_access_layout(&library, layout);
	if (rc == ompd_rc_unavailable)
		rc = take_table(&library, layout);
	if (rc == ompd_rc_ok)
		rc = identify(&library, layout);
	if (rc == ompd_rc_ok)
		rc = gomp_prove(&library, layout);
	if (rc == ompd_rc_ok)
		rc = gomp_name_globals(&library, layout);
	if (rc != ompd_rc_ok)
		return rc;
	gomp_envvar_globals(&library, layout);
	gomp_display_globals(&library, layout);
	return ompd_rc_ok;
}

ompd_rc_t gomp_layout_open(const struct target *target, struct gomp_layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	reason_clear();
	ompd_rc_t rc = open_layout(target, layout);

	return rc != ompd_rc_ok && !reason_text()[0] ?
		       reason(rc, "the debugger could not look libgomp up") :
		       rc;
}
