// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions. A team is a region, save that
// - a serialized team stands for as many nested regions as its t_serialized counts, the innermost
//   on the team's level (__kmp_serialized_parallel);
// - a teams construct makes two teams on the level of the task that encounters it: the league, and
//   within it, for each of its initial threads, the team that this thread's parallel regions use
//   (__kmp_teams_master). When such a region begins, that team's level goes up by one
//   (__kmp_fork_in_teams); but one that an if clause serializes gets a team of its own, as
//   everywhere, or becomes another region of the initial thread's serialized team.

#include <string.h>

#include "kmp/kmp.h"

// ---- The way to the root ---------------------------------------------------------------------

/** A team or one of the regions that a serialized team stands for. */
struct step {
	struct kmp_team team;
	uint32_t above;
};

// Take one step outwards. unavailable: the root was reached.
static ompd_rc_t step_out(const struct runtime *runtime, struct step *step)
{
	if (step->above + 1 < kmp_team_regions(&step->team)) {
		step->above++;
		return ompd_rc_ok;
	}
	if (step->team.parent == 0)
		return reason(ompd_rc_unavailable, "no region encloses the outermost one");
	uint32_t level = step->team.level;
	ompd_rc_t rc = kmp_read_team(runtime, step->team.parent, &step->team);

	step->above = 0;
	if (rc == ompd_rc_ok && step->team.level > level)
		return reason(ompd_rc_error, "the team at 0x%llx is being changed, or damaged",
			      (unsigned long long)step->team.address);
	return rc;
}

// Count the steps from a team to the root.
static ompd_rc_t count_steps(const struct runtime *runtime, const struct kmp_team *team,
			     uint32_t *ret)
{
	struct step step = { .team = *team };
	struct cycle cycle = { 0 };
	ompd_rc_t rc;

	*ret = 0;
	while ((rc = step_out(runtime, &step)) == ompd_rc_ok) {
		if (++*ret > 2 * KMP_MAX_LEVEL ||
		    (step.above == 0 && cycle_closed(&cycle, step.team.address)))
			return reason(ompd_rc_error, "the regions around a region have no end");
	}
	return kmp_or_none(rc);
}

// ---- Regions ---------------------------------------------------------------------------------

static void set_parallel(struct region *region)
{
	region->kind = region->depth ? KMP_REGION_PARALLEL : KMP_REGION_INITIAL;
	region->nthreads = region->team.nproc;
	region->active_level = region->team.active_level;
}

ompd_rc_t kmp_league_team(const struct runtime *runtime, const struct region *region,
			  struct kmp_team *ret)
{
	struct step league = { .team = region->team, .above = region->above };
	ompd_rc_t rc = step_out(runtime, &league);

	*ret = league.team;
	return rc;
}

// The implicit region of an initial thread of the league whose team for regions is @p region->team.
static ompd_rc_t set_league(const struct runtime *runtime, struct region *region)
{
	struct kmp_team league;
	ompd_rc_t rc = kmp_league_team(runtime, region, &league);

	region->kind = KMP_REGION_LEAGUE;
	region->level = (uint32_t)region->teams_level;
	region->nthreads = 1;
	region->active_level = league.active_level;
	return rc == ompd_rc_unavailable ?
		       reason(ompd_rc_error, "a team of a league is being changed, or damaged") :
		       rc;
}

// Tell whether the team of a thread at work has several threads, and is none of a league that waits for
// a parallel construct: the primary thread of such a one is an initial thread of the league, and knows
// so (__kmp_teams_master). It enters a team after it has set its level.
static ompd_rc_t is_plain_parallel(const struct runtime *runtime, const struct thread *thread,
				   const struct kmp_team *team, bool *ret)
{
	uint64_t microtask = 0;
	ompd_rc_t rc = ompd_rc_ok;

	*ret = team->level && team->parent && !team->serialized && thread->primary;
	if (*ret)
		rc = kmp_read(runtime, thread->primary, INFO(th_teams_microtask), &microtask);
	*ret &= !microtask;
	return rc;
}

// Count the teams around a region, and with them tell whether it is in a teams construct: a worker may
// keep what it was told of one that is over.
static ompd_rc_t count_teams(const struct runtime *runtime, struct region *region)
{
	ompd_rc_t rc = count_steps(runtime, &region->team, &region->depth);

	if (rc != ompd_rc_ok)
		return rc;
	if (region->depth == region->level) {
		region->teams_level = -1;
		set_parallel(region);
		return ompd_rc_ok;
	}
	const bool in_teams = region->teams_level >= 0;
	const uint32_t teams_level = in_teams ? (uint32_t)region->teams_level : 0;

	if (in_teams && region->level > teams_level &&
	    (region->depth == region->level + 1 || region->depth == region->level + 2)) {
		set_parallel(region);
		return ompd_rc_ok;
	}
	if (in_teams && region->level == teams_level && region->depth == region->level + 2)
		return set_league(runtime, region);
	if (in_teams && region->level == teams_level && region->depth == region->level + 1) {
		region->kind = KMP_REGION_WHOLE_LEAGUE;
		return ompd_rc_ok;
	}
	return reason(ompd_rc_error, "the team at 0x%llx is being changed, or damaged",
		      (unsigned long long)region->team.address);
}

// The region of the team of a thread that is not idle.
static ompd_rc_t region_of_team(const struct runtime *runtime, const struct thread *thread,
				struct region *ret)
{
	bool plain = false;

	memset(ret, 0, sizeof(*ret));
	ompd_rc_t rc = kmp_read_team(runtime, thread->team, &ret->team);

	if (rc == ompd_rc_ok && kmp_is_given_up(&ret->team))
		return reason(ompd_rc_error, "the thread is about to leave a parallel region");
	if (rc == ompd_rc_ok)
		rc = is_plain_parallel(runtime, thread, &ret->team, &plain);
	if (rc != ompd_rc_ok)
		return rc;
	ret->level = ret->team.level;
	ret->teams_level = thread->teams_level;
	if (!plain)
		return count_teams(runtime, ret);
	ret->depth = KMP_UNCOUNTED;
	set_parallel(ret);
	return ompd_rc_ok;
}

// At the end of a region its primary thread gets back its number and its task in the region around
// it, and then waits until the others of the team let go of it, before it leaves the team
// (__kmp_join_call, __kmp_free_team). Meanwhile omp_get_thread_num() is of one region, and
// omp_get_level() of the other.
static ompd_rc_t is_leaving(const struct runtime *runtime, const struct thread *thread,
			    const struct region *region, bool *ret)
{
	const struct kmp_team *team = &region->team;
	uint64_t primary = thread->primary, task = 0, team_of_task = 0, encountering = 0;
	ompd_rc_t rc = ompd_rc_ok;

	*ret = false;
	if (region->kind != KMP_REGION_PARALLEL || team->serialized ||
	    thread->tid != team->master_tid)
		return ompd_rc_ok;
	if (thread->tid == 0) {
		rc = kmp_thread_task(runtime, thread, &task);
		// It executes its implicit task in the region.
		if (rc != ompd_rc_ok || !task || task == team->implicit_tasks)
			return rc == ompd_rc_unsupported ? ompd_rc_ok : rc;
	}
	if (!primary)
		rc = kmp_team_thread(runtime, team, 0, &primary);
	if (rc != ompd_rc_ok || primary != thread->address)
		return rc;
	*ret = thread->tid != 0;
	if (*ret)
		return rc;
	rc = kmp_read(runtime, task, TASK(td_team), &team_of_task);
	if (rc == ompd_rc_ok && team_of_task == team->parent)
		rc = kmp_read(runtime, team->implicit_tasks, TASK(td_parent), &encountering);
	*ret = rc == ompd_rc_ok && encountering == task;
	return rc == ompd_rc_unsupported ? ompd_rc_ok : rc;
}

ompd_rc_t kmp_check_number(const struct runtime *runtime, const struct thread *thread,
			   const struct region *region)
{
	const uint64_t size = runtime->layout.struct_size[KMP_STRUCT_kmp_taskdata_t];
	uint64_t task, member = 0;
	ompd_rc_t rc = kmp_thread_task(runtime, thread, &task);

	// It executes the implicit task with this number, which it gets last.
	if (rc == ompd_rc_ok && thread->tid < region->team.nproc &&
	    task == region->team.implicit_tasks + thread->tid * size)
		return ompd_rc_ok;
	rc = ompd_rc_ok;
	if (thread->tid < region->team.nproc)
		rc = kmp_team_thread(runtime, &region->team, thread->tid, &member);
	if (rc == ompd_rc_ok && member != thread->address)
		return reason(ompd_rc_error,
			      "a thread's place in its team is being changed, or damaged");
	return rc;
}

// The region of the thread's team, also if it is about to leave it.
static ompd_rc_t region_of_thread(const struct runtime *runtime, const struct thread *thread,
				  struct region *ret, bool *leaving)
{
	bool idle;
	ompd_rc_t rc = kmp_is_idle(runtime, thread, &idle);

	*leaving = false;
	if (rc == ompd_rc_ok && idle)
		return reason(ompd_rc_unavailable, "the thread is idle in its pool");
	if (rc == ompd_rc_ok)
		rc = region_of_team(runtime, thread, ret);
	if (rc == ompd_rc_ok) {
		rc = is_leaving(runtime, thread, ret, leaving);
		*leaving |= ret->kind == KMP_REGION_WHOLE_LEAGUE;
	}
	return rc;
}

ompd_rc_t kmp_is_in_whole_league(const struct runtime *runtime, const struct thread *thread,
				 bool *ret)
{
	struct region region = { .kind = KMP_REGION_INITIAL };
	ompd_rc_t rc = thread->teams_level < 0 ? ompd_rc_ok :
						 region_of_team(runtime, thread, &region);

	*ret = region.kind == KMP_REGION_WHOLE_LEAGUE;
	return rc;
}

ompd_rc_t kmp_current_region(const struct runtime *runtime, const struct thread *thread,
			     struct region *ret)
{
	bool leaving;
	ompd_rc_t rc = region_of_thread(runtime, thread, ret, &leaving);

	if (rc == ompd_rc_ok && ret->kind == KMP_REGION_WHOLE_LEAGUE)
		return reason(ompd_rc_unavailable, "the thread is in no region of its league");
	return rc == ompd_rc_ok && leaving ?
		       reason(ompd_rc_error, "the thread is about to leave a parallel region") :
		       rc;
}

// The region around one whose teams are counted.
static ompd_rc_t enclosing_region(const struct runtime *runtime, const struct region *region,
				  struct region *ret)
{
	struct step step = { .team = region->team, .above = region->above };
	const bool in_teams = region->teams_level >= 0;
	const bool in_league = in_teams && region->kind == KMP_REGION_PARALLEL &&
			       region->level == (uint32_t)region->teams_level + 1;
	const bool is_league = region->kind == KMP_REGION_LEAGUE ||
			       region->kind == KMP_REGION_WHOLE_LEAGUE;
	const uint32_t own_team = (uint32_t)region->teams_level + 2; // the depth of a league's team
	ompd_rc_t rc;

	*ret = *region;
	if (in_league && region->depth == own_team)
		return set_league(runtime, ret);
	rc = step_out(runtime, &step);
	ret->depth--;
	// The league is no region: those of its initial threads are within that of the task that
	// encountered the teams construct.
	if (rc == ompd_rc_ok && region->kind == KMP_REGION_LEAGUE) {
		rc = step_out(runtime, &step);
		ret->depth--;
	}
	if (is_league)
		ret->teams_level = -1;
	if (rc != ompd_rc_ok)
		return rc;
	ret->team = step.team;
	ret->above = step.above;
	if (in_league)
		return set_league(runtime, ret);
	if (!is_league)
		ret->level--;
	if (step.above == 0 && ret->level != step.team.level)
		return reason(ompd_rc_error, "the team at 0x%llx is being changed, or damaged",
			      (unsigned long long)step.team.address);
	set_parallel(ret);
	return ompd_rc_ok;
}

ompd_rc_t kmp_enclosing_region(const struct runtime *runtime, const struct region *region,
			       struct region *ret)
{
	struct region counted = *region;
	ompd_rc_t rc = ompd_rc_ok;

	if (counted.depth == KMP_UNCOUNTED)
		rc = count_teams(runtime, &counted);
	return rc == ompd_rc_ok ? enclosing_region(runtime, &counted, ret) : rc;
}

uint64_t kmp_region_id(const struct region *region)
{
	// Addresses of programs have 47 bits. The regions of a serialized team are counted from
	// outside, so that a number stays when others come within.
	uint64_t number = kmp_team_regions(&region->team) - 1 - region->above;

	return region->team.address | (uint64_t)(region->kind == KMP_REGION_LEAGUE) << 47 |
	       number << 48;
}

// ---- Threads in regions ----------------------------------------------------------------------

// The number in the enclosing region of the thread that encountered @p here, and whether it is
// the one with number 0 in it.
static ompd_rc_t number_outside(const struct runtime *runtime, const struct region *here,
				const struct region *outer, uint32_t *number, bool *same)
{
	struct kmp_team league;

	*same = true;
	*number = 0;
	if (here->kind == KMP_REGION_LEAGUE) {
		ompd_rc_t rc = kmp_league_team(runtime, here, &league);

		if (rc != ompd_rc_ok)
			return rc;
		*number = league.master_tid;
		*same = league.address == here->team.address || here->team.master_tid == 0;
	} else if (outer->kind != KMP_REGION_LEAGUE && outer->team.address != here->team.address) {
		*number = here->team.master_tid;
	}
	return ompd_rc_ok;
}

ompd_rc_t kmp_find_place(const struct runtime *runtime, const struct thread *thread,
			 const struct region *region, struct kmp_place *ret)
{
	struct region here, outer;
	bool leaving;
	ompd_rc_t rc = region_of_thread(runtime, thread, &here, &leaving);

	if (rc == ompd_rc_ok && !leaving)
		rc = kmp_check_number(runtime, thread, &here);
	*ret = (struct kmp_place){ .member = true, .innermost = true };
	if (rc == ompd_rc_ok && (here.kind == KMP_REGION_WHOLE_LEAGUE ||
				 (here.kind == KMP_REGION_PARALLEL && !leaving)))
		ret->thread_num = thread->tid;
	// Nothing tells whether it is still in this one.
	if (rc == ompd_rc_ok && leaving && kmp_region_id(&here) == kmp_region_id(region))
		return reason(ompd_rc_error, "the thread is about to leave the region");
	while (rc == ompd_rc_ok && kmp_region_id(&here) != kmp_region_id(region)) {
		uint32_t number;
		bool same;

		rc = kmp_enclosing_region(runtime, &here, &outer);
		if (rc == ompd_rc_ok)
			rc = number_outside(runtime, &here, &outer, &number, &same);
		if (rc != ompd_rc_ok)
			break;
		ret->member &= same && ret->thread_num == 0;
		ret->thread_num = number;
		ret->innermost = false;
		ret->inner = here;
		ret->inner_is_left = leaving;
		leaving = false;
		here = outer;
	}
	if (rc == ompd_rc_unavailable)
		return reason(rc, "the region does not enclose the thread");
	return rc;
}

ompd_rc_t kmp_region_member(const struct runtime *runtime, const struct region *region,
			    uint32_t thread_num, struct thread *ret)
{
	struct kmp_place place;
	uint64_t address;

	if (thread_num >= region->nthreads)
		return reason(ompd_rc_bad_input, "the team has %u threads", region->nthreads);
	ompd_rc_t rc = kmp_team_thread(runtime, &region->team, thread_num, &address);

	if (rc == ompd_rc_ok)
		rc = kmp_read_thread(runtime, address, ret);
	if (rc == ompd_rc_ok)
		rc = kmp_find_place(runtime, ret, region, &place);
	if (rc == ompd_rc_unavailable ||
	    (rc == ompd_rc_ok && (!place.member || place.thread_num != thread_num)))
		return reason(ompd_rc_unavailable, "thread %u is not in its team", thread_num);
	return rc;
}

ompd_rc_t kmp_thread_num(const struct runtime *runtime, const struct thread *thread,
			 const struct region *region, int *ret)
{
	struct kmp_place place;
	ompd_rc_t rc = kmp_find_place(runtime, thread, region, &place);

	if (rc == ompd_rc_ok)
		*ret = (int)place.thread_num;
	return rc;
}
