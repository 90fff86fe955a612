// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions: what their threads do, and how far they have come.

#include "base/text.h"
#include "diagnose/room.h"

enum { MAX_MEMBERS = 1 << 16 }; // of a team; a larger one is taken for damaged memory

static void find_members(struct region *region)
{
	struct team *team = region->team;
	struct arena *arena = &team->runtime->process->arena;
	int seen = 0;

	region->num_members = team->size > 0 && team->size <= MAX_MEMBERS ? (size_t)team->size : 0;
	region->members = ARENA_ARRAY(arena, struct thread *, region->num_members);
	region->at_barrier = ARENA_ARRAY(arena, bool, region->num_members);
	region->is_kept = ARENA_ARRAY(arena, bool, region->num_members);
	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = team_member(team, (int)i);
		region->members[i] = thread;
		if (!thread)
			continue;
		seen++;
		const struct wait *wait = thread->team == team ? thread_wait(thread) : NULL;
		if (wait && is_barrier_kind(wait->kind)) {
			region->at_barrier[i] = true;
			region->num_at_barrier++;
		}
	}
	region->unseen = team->size > seen ? team->size - seen : 0;
}

/** Count the members that run tasks at a barrier of the region. */
static int count_at_tasks(struct region *region)
{
	int count = 0;

	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		count += thread && !region->at_barrier[i] &&
			 region_runs_task_at_barrier(region, thread) == YES;
	}
	return count;
}

/** Count the threads that have certainly come to barriers, or run tasks there. */
static void count_arrivals(struct region *region, int at_tasks, struct progress *progress)
{
	for (size_t i = 0; i < region->num_members; i++) {
		if (!region->is_kept[i])
			continue;
		if (is_end_of_region(thread_wait(region->members[i])))
			progress->arrived_end++;
		else
			progress->arrived++;
	}
	progress->arrived += at_tasks;
	progress->tasks_left = at_tasks &&
			       progress->arrived + progress->arrived_end == progress->total;
}

static void find_progress(struct region *region)
{
	struct team *team = region->team;
	struct progress *progress = ARENA_NEW(&team->runtime->process->arena, struct progress);
	ompd_ext_barrier_info info = { 0 };

	if (is_ok(SPACE_CALL(team->runtime->space, ext_get_barrier_info, team->handle, &info))) {
		progress->total = (int)info.total;
		progress->arrived = (int)info.arrived;
		progress->arrived_end = (int)info.arrived_end;
		progress->is_counted = true;
		progress->tasks_left = info.flags & ompd_ext_barrier_tasks;
		progress->is_cancelled = info.flags & ompd_ext_barrier_cancelled;
		if (progress->tasks_left)
			progress->arrived = progress->total;
	} else {
		progress->total = team->size > 0 ? team->size : 0;
	}
	find_arrivals(region, progress);
	const int at_tasks = region->num_at_barrier ? count_at_tasks(region) : 0;
	if (!progress->is_counted)
		count_arrivals(region, at_tasks, progress);
	const int arrived = progress->arrived + progress->arrived_end;
	if (!progress->is_cancelled && arrived < region->num_at_barrier + at_tasks)
		progress->unsure = region->num_at_barrier + at_tasks - arrived;
	if (arrived || progress->unsure || progress->is_cancelled)
		region->progress = progress;
}

bool region_keeps(struct region *region, const struct thread *thread)
{
	for (size_t i = 0; i < region->num_members; i++) {
		if (region->members[i] == thread)
			return region->is_kept[i];
	}
	return false;
}

struct region *process_regions(struct process *process, size_t *count)
{
	struct diagnose_room *room = diagnose_room(process);

	if (!room->has_regions) {
		struct team *const *teams = process_teams(process, &room->num_regions);

		room->regions = ARENA_ARRAY(&process->arena, struct region, room->num_regions);
		for (size_t i = 0; i < room->num_regions; i++) {
			room->regions[i].team = teams[i];
			find_members(&room->regions[i]);
			find_progress(&room->regions[i]);
		}
		room->has_regions = true;
	}
	*count = room->num_regions;
	return room->regions;
}

struct region *region_of(struct process *process, const struct thread *thread)
{
	size_t count;
	struct region *regions = process_regions(process, &count);

	for (size_t i = 0; i < count && thread->team; i++) {
		if (regions[i].team == thread->team)
			return &regions[i];
	}
	return NULL;
}

/** Find the region within this one in which a member is; NULL if it works in this one. */
static struct team *region_inner_of(struct region *region, struct thread *thread)
{
	struct team *team = thread->team;

	for (int seen = 0; team && team != region->team && seen <= thread_level(thread); seen++) {
		struct team *parent = team_parent(team);
		if (parent == region->team)
			return team;
		team = parent;
	}
	return NULL;
}

enum tristate region_runs_task_at_barrier(struct region *region, struct thread *thread)
{
	struct task *task = thread_task(thread);
	const struct task_frame *frames;
	size_t count;

	if (thread->team != region->team || !task || task->info.kind == ompd_ext_task_implicit)
		return NO;
	// The outermost of its tasks lies on the call in which the implicit task waits.
	frames = walk_task_frames(thread_walk(thread), false, &count);
	if (!count || frames[count - 1].call == NOT_KNOWN)
		return UNKNOWN;
	// The region's code has no frame: it has ended, or jumped to the function that waits.
	if (frames[count - 1].call == ompd_ext_wait_parallel)
		return UNKNOWN;
	return wait_kind((uint32_t)frames[count - 1].call)->family == FAMILY_BARRIER ? YES : NO;
}

// ---- Groups ------------------------------------------------------------------------------------

static bool is_same_line(const struct location *a, const struct location *b)
{
	if (!a || !b)
		return a == b;
	if (a->line || b->line)
		return a->line == b->line && is_same_text(a->function, b->function) &&
		       is_same_text(a->file, b->file);
	if (a->function || b->function)
		return is_same_text(a->function, b->function) && is_same_text(a->object, b->object);
	return a->address == b->address;
}

static bool is_same_wait(const struct wait *a, const struct wait *b)
{
	if (!a || !b)
		return a == b;
	return a->address == b->address && strcmp(a->title, b->title) == 0;
}

struct region_group *region_groups(struct region *region, size_t *count)
{
	struct arena *arena = &region->team->runtime->process->arena;
	struct region_group *groups = region->groups;

	*count = region->num_groups;
	if (groups)
		return groups;
	groups = region->groups = ARENA_ARRAY(arena, struct region_group, region->num_members + 1);
	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		if (!thread)
			continue;
		struct region_group now = { .inner = region_inner_of(region, thread) };
		const struct doing *doing = thread_doing(thread);
		if (!now.inner) {
			now.state = thread_state(thread);
			now.wait = thread_wait(thread);
			now.location = thread_location(thread);
		}
		struct region_group *group = groups;
		while (group < groups + *count &&
		       !(group->inner == now.inner && is_same_text(group->state, now.state) &&
			 is_same_wait(group->wait, now.wait) &&
			 is_same_line(group->location, now.location) &&
			 (now.inner ||
			  strcmp(thread_doing(group->threads.all[0])->text, doing->text) == 0)))
			group++;
		if (group == groups + *count) {
			*group = now;
			group->numbers = ARENA_ARRAY(arena, int, region->num_members - i);
			(*count)++;
		}
		group->numbers[group->threads.count] = (int)i;
		thread_list_append(&group->threads, arena, thread);
	}
	region->num_groups = *count;
	return groups;
}
