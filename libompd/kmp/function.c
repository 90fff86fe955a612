// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outlined functions of regions, and where their constructs are in the source.

#include "kmp/kmp.h"

// Code of GCC has its function called by one of the runtime's own, of which it is the first
// argument (__kmp_GOMP_fork_call).
static ompd_rc_t first_argument(const struct runtime *runtime, const struct kmp_team *team,
				uint64_t *ret)
{
	uint64_t count, arguments;
	ompd_rc_t rc = KMP_READ(runtime, team->address, WANT(TEAM(t_argc), &count),
				WANT(TEAM(t_argv), &arguments));

	if (rc == ompd_rc_ok && count < 2)
		return reason(ompd_rc_unavailable, "the region's function is one of the runtime");
	return rc == ompd_rc_ok ? kmp_read_element(runtime, arguments, 0, ret) : rc;
}

static ompd_rc_t league_function(const struct runtime *runtime, const struct kmp_team *team,
				 uint64_t *ret)
{
	uint64_t thread;
	ompd_rc_t rc = kmp_read_element(runtime, team->threads, 0, &thread);

	return rc == ompd_rc_ok ? kmp_read(runtime, thread, INFO(th_teams_microtask), ret) : rc;
}

ompd_rc_t kmp_region_function(struct runtime *runtime, const struct region *region, uint64_t *ret)
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

// Find the text that tells where the region's construct is; 0 if it is not kept.
static ompd_rc_t region_source(const struct runtime *runtime, const struct region *region,
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

ompd_rc_t kmp_region_info(struct runtime *runtime, const struct region *region,
			  ompd_ext_parallel_info *ret)
{
	static const uint32_t kinds[] = {
		[KMP_REGION_PARALLEL] = ompd_ext_parallel_region,
		[KMP_REGION_INITIAL] = ompd_ext_parallel_initial,
		[KMP_REGION_LEAGUE] = ompd_ext_parallel_league,
	};

	*ret = (ompd_ext_parallel_info){
		.kind = kinds[region->kind],
		.serialized = region->kind == KMP_REGION_PARALLEL && region->team.serialized,
	};
	ompd_rc_t rc = kmp_region_function(runtime, region, &ret->function);

	if (rc == ompd_rc_unavailable || rc == ompd_rc_unsupported)
		ret->function = 0;
	else if (rc != ompd_rc_ok)
		return rc;
	rc = region_source(runtime, region, &ret->source);
	if (rc == ompd_rc_unsupported)
		ret->source = 0;
	else if (rc != ompd_rc_ok)
		return rc;
	reason_clear();
	return ompd_rc_ok;
}
