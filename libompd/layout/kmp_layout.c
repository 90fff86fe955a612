// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the sources of a layout, in the order of trust, and has it proven.

#include "layout/kmp_layout.h"

#include <stdio.h>
#include <string.h>

#include "layout/kmp_library.h"

static ompd_rc_t take_table(const struct kmp_library *library, struct kmp_layout *layout)
{
	for (size_t i = 0; i < kmp_table_count; i++) {
		const struct kmp_table *table = &kmp_tables[i];

		if (library->release < table->first_release ||
		    library->release > table->last_release)
			continue;
		layout->source = LAYOUT_TABLE;
		layout->releases = table->releases;
		memcpy(layout->struct_size, table->struct_size, sizeof(layout->struct_size));
		memcpy(layout->field, table->field, sizeof(layout->field));
		return ompd_rc_ok;
	}
	return ompd_rc_incompatible;
}

// What the runtime or the debugger tells counts more than a table.
static ompd_rc_t fill(const struct kmp_library *library, struct kmp_layout *layout,
		      const struct kmp_reason *reason)
{
	bool has_table = take_table(library, layout) == ompd_rc_ok;
	ompd_rc_t rc = kmp_told_layout(library, layout, reason);

	layout->first_release = library->release;
	layout->last_release = library->release;
	if (rc != ompd_rc_unavailable)
		return rc;
	if (has_table)
		return ompd_rc_ok;
	snprintf(reason->text, reason->size, "no layout of %s of LLVM %u is known", library->name,
		 library->release);
	return ompd_rc_incompatible;
}

ompd_rc_t kmp_layout_open(const struct target *target, const char *name, struct kmp_layout *layout,
			  char *reason, size_t reason_size)
{
	const struct kmp_reason why = { reason, reason_size };
	struct kmp_library library;

	memset(layout, 0, sizeof(*layout));
	if (reason_size)
		reason[0] = '\0';
	ompd_rc_t rc = kmp_library_find(target, name, &library, &why);

	if (rc == ompd_rc_ok)
		rc = fill(&library, layout, &why);
	layout->file_name = library.file_name;
	if (rc == ompd_rc_ok)
		rc = kmp_prove(&library, layout, &why);
	if (rc == ompd_rc_ok)
		rc = kmp_settings_globals(&library, layout, &why);
	if (rc != ompd_rc_ok && reason_size && !reason[0])
		snprintf(reason, reason_size, "the debugger could not look %s up", name);
	return rc;
}
