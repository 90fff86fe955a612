// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of which the process does not have all threads.
//
// A child of fork() has only the thread that called it, and libgomp goes on counting the others of the
// pool. Their records tell, until a new thread gets the stack of a lost one, and with it the memory of
// its record. Then counting tells: the region's primary thread sleeps until all have come, so all are
// there that it has started, and no thread of the process can be the one that is missing.

#include "diagnose/room.h"

/** Check that the primary thread of an outermost region has started all others, and sleeps until they
 *  come. Threads of an inner region may end before it wakes. */
static bool has_all_started(struct region *region)
{
	struct thread *primary = region->num_members ? region->members[0] : NULL;

	if (region->team->level != 1 || !primary || primary->team != region->team ||
	    !thread_is_asleep(primary))
		return false;
	const struct evidence *evidence = &thread_verdict(primary)->evidence;
	if (!evidence->has_futex_site)
		return false;
	int family = wait_kind(evidence->futex_site.kind)->family;
	return family == FAMILY_BARRIER || family == FAMILY_IDLE; // within it, or where it begins
}

/** Check for a thread that may be a member of a region, and is not yet known as such. */
static bool has_candidate(struct process *process, const struct region *region)
{
	const struct thread_list members = { region->members, region->num_members, 0 };

	for (size_t i = 0; i < process->num_targets; i++) {
		if (!thread_list_has(&members, process->threads[i]) &&
		    !thread_is_programs(process->threads[i]))
			return true;
	}
	return false;
}

static int count_lost(struct graph *graph, struct region *region)
{
	if (!region->unseen || !process_is_seen_whole(graph->process))
		return 0;
	if (has_all_started(region) && !has_candidate(graph->process, region))
		return region->unseen;
	return team_lost(region->team);
}

/** Find such regions. The threads that are in the runtime wait for those that are lost, or will. */
void find_lost_threads(struct graph *graph)
{
	for (size_t i = 0; i < graph->num_regions; i++) {
		struct region *region = &graph->regions[i];
		struct thread_list waiters = { 0 };
		int num_lost = count_lost(graph, region);
		for (size_t k = 0; num_lost && k < region->num_members; k++) {
			struct thread *thread = region->members[k];
			if (thread && thread_is_in_runtime(thread))
				thread_list_add(&waiters, &graph->process->arena, thread);
		}
		if (!waiters.count)
			continue;
		struct finding *finding = finding_add(graph, RULE_LOST_THREADS);
		finding->is_certain = true;
		finding->region = region;
		finding->num_lost = num_lost;
		finding->waiters = waiters;
	}
}
