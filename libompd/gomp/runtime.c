// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>

#include "gomp/gomp.h"
#include "runtime/wait_calls.h"

// Name the release. For an unknown one whose layout is known, symbols show the earliest possible.
static void name_release(struct runtime *runtime)
{
	const struct gomp_layout *layout = &runtime->layout;
	bool known = layout->identified ||
		     layout->last_release < layout_newest(&gomp_history)->first_release;

	snprintf(runtime->release, sizeof(runtime->release), "GCC %u%s", layout->last_release,
		 known ? "" : " or later");
}

// GCC 16 is the first whose _OPENMP is that of OpenMP 5.2.
struct runtime_facts gomp_facts(const struct runtime *runtime)
{
	const struct gomp_layout *layout = &runtime->layout;

	return (struct runtime_facts){
		.layout = {
			.runtime = "libgomp",
			.release = runtime->release,
			.source = layout->source,
			.probes_agreed = layout->probes_agreed,
			.probes_silent = layout->probes_silent,
		},
		.file_name = "libgomp.so.1",
		.omp_version = layout->last_release >= 16 ? 202111 : 201511,
		.nptl = &runtime->nptl,
	};
}

ompd_rc_t gomp_open(struct runtime *runtime, const struct target *target, const char *name)
{
	(void)name; // there is but one
	*runtime = (struct runtime){ .target = *target };
	ompd_rc_t rc = gomp_layout_open(target, &runtime->layout);

	if (rc != ompd_rc_ok)
		return rc;
	nptl_init(&runtime->nptl, target);
	name_release(runtime);
	rc = gomp_owners_open(target, &runtime->owners);
	if (rc == ompd_rc_ok)
		rc = gomp_interposer_open(target, &runtime->interposer);
	if (rc != ompd_rc_ok)
		gomp_close(runtime);
	return rc;
}

ompd_rc_t gomp_ready(struct runtime *runtime)
{
	(void)runtime; // all is known from the start
	return ompd_rc_ok;
}

void gomp_close(struct runtime *runtime)
{
	wait_calls_close(&runtime->target, runtime->waits);
	gomp_owners_close(&runtime->target, runtime->owners);
	target_free(&runtime->target, runtime->interposer);
}
