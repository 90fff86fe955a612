// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outlined functions of regions, and where their constructs are in the source.

#include "kmp/kmp.h"

// Code of GCC has its function called by one of the runtime's own, of which it is the first
// argument (__kmp_GOMP_fork_call).
static ompd_rc_t first_argument(const struct kmp_runtime *runtime, const struct kmp_team *team,
				uint64_t *ret)
{
	uint64_t count, arguments;
	ompd_rc_t rc = kmp_read(runtime, team->address, TEAM(t_argc), &count);

	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, team->address, TEAM(t_argv), &arguments);
	if (rc == ompd_rc_ok && count < 2)
		return reason(ompd_rc_unavailable, "the region's function is one of the runtime");
	return rc == ompd_rc_ok ? kmp_read_element(runtime, arguments, 0, ret) : rc;
}

static ompd_rc_t league_function(const struct kmp_runtime *runtime, const struct kmp_team *team,
				 uint64_t *ret)
{
	uint64_t thread;
	ompd_rc_t rc = kmp_read_element(runtime, team->threads, 0, &thread);

	return rc == ompd_rc_ok ? kmp_read(runtime, thread, INFO(th_teams_microtask), ret) : rc;
}

ompd_rc_t kmp_region_function(struct kmp_runtime *runtime, const struct kmp_region *region,
			      uint64_t *ret)
{
	bool own = false;
	ompd_rc_t rc;

	if (region->kind == KMP_REGION_INITIAL)
		return reason(ompd_rc_unavailable, "the initial task has no outlined function");
	if (region->kind == KMP_REGION_LEAGUE)
		return league_function(runtime, &region->team, ret);
	if (region->team.serialized)
		return reason(ompd_rc_unavailable,
			      "the runtime does not keep the function of a region of one thread");
	rc = kmp_read(runtime, region->team.address, TEAM(t_pkfn), ret);
	if (rc == ompd_rc_ok)
		rc = kmp_is_own_code(runtime, *ret, &own);
	if (rc == ompd_rc_ok && own)
		rc = first_argument(runtime, &region->team, ret);
	if (rc == ompd_rc_ok && *ret == 0)
		return reason(ompd_rc_unavailable, "the region's function is not set");
	return rc;
}

ompd_rc_t kmp_region_source(const struct kmp_runtime *runtime, const struct kmp_region *region,
			    uint64_t *ret)
{
	uint64_t ident;

	*ret = 0;
	// Of nested serialized regions the outermost is kept, and of a league that of its team.
	if (region->kind != KMP_REGION_PARALLEL ||
	    region->above + 1 != kmp_team_regions(&region->team))
		return ompd_rc_ok;
	ompd_rc_t rc = kmp_read(runtime, region->team.address, TEAM(t_ident), &ident);

	if (rc == ompd_rc_ok && ident)
		rc = kmp_read(runtime, ident, KMP_FIELD_ident_t__psource, ret);
	return rc;
}
