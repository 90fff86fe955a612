// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>

#include "kmp/kmp.h"

// "LLVM 14"; one whose symbols are not exactly those of a release is told by what it resembles.
static void name_release(struct kmp_runtime *runtime)
{
	const struct kmp_layout *layout = &runtime->layout;
	bool known = layout->source != LAYOUT_TABLE || layout->identified;
	char other[16] = "";

	if (layout->first_release != layout->last_release)
		snprintf(other, sizeof(other), " or %u", layout->last_release);
	snprintf(runtime->release, sizeof(runtime->release), "%sLLVM %u%s",
		 known ? "" : "a kin of ", layout->first_release, other);
}

ompd_rc_t kmp_open(struct kmp_runtime *runtime, const struct target *target, const char *name)
{
	char why[200] = "";

	*runtime = (struct kmp_runtime){ .target = *target };
	snprintf(runtime->name, sizeof(runtime->name), "%s", name);
	ompd_rc_t rc = kmp_layout_open(target, name, &runtime->layout, why, sizeof(why));

	if (rc == ompd_rc_ok)
		rc = kmp_layout_check(target, &runtime->layout, why, sizeof(why));
	kmp_layout_settle(&runtime->layout);
	if (rc != ompd_rc_ok)
		return why[0] ? reason(rc, "%s", why) : rc;
	runtime->hints = target_alloc(target, sizeof(*runtime->hints));
	if (!runtime->hints)
		return ompd_rc_nomem;
	runtime->hints->has_values = true;
	nptl_init(&runtime->nptl, target);
	name_release(runtime);
	return ompd_rc_ok;
}
