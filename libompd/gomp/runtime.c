// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>

#include "gomp/gomp.h"

// Name the release. For an unknown one whose layout is known, symbols show the earliest possible.
static void name_release(struct gomp_runtime *runtime)
{
	const struct gomp_layout *layout = &runtime->layout;
	bool known = layout->identified ||
		     layout->last_release < gomp_tables[gomp_table_count - 1].first_release;

	snprintf(runtime->release, sizeof(runtime->release), "GCC %u%s", layout->last_release,
		 known ? "" : " or later");
}

ompd_rc_t gomp_open(struct gomp_runtime *runtime, const struct target *target)
{
	char why[200] = "";

	*runtime = (struct gomp_runtime){ .target = *target };
	ompd_rc_t rc = gomp_layout_open(target, &runtime->layout, why, sizeof(why));

	if (rc != ompd_rc_ok)
		return why[0] ? reason(rc, "%s", why) : rc;
	nptl_init(&runtime->nptl, target);
	name_release(runtime);
	// GCC 16 is the first whose _OPENMP is that of OpenMP 5.2.
	runtime->omp_version = runtime->layout.last_release >= 16 ? 202111 : 201511;
	rc = gomp_owners_open(target, &runtime->owners);
	if (rc == ompd_rc_ok)
		rc = gomp_interposer_open(target, &runtime->interposer);
	if (rc != ompd_rc_ok)
		gomp_close(runtime);
	return rc;
}
