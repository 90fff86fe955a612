// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks as nodes of a graph: who waits for whom, by taskgroups and dependences, and the longest path to each.

#include "profile/room.h"

// ---- Nodes -------------------------------------------------------------------------------------

struct node *node_create(struct profile *profile, uint32_t construct)
{
	struct node *node = pool_take(&profile->pool, sizeof(*node));

	node->users = 1;
	node->construct = construct;
	node->thread = UINT32_MAX;
	node->create_begin = node->created = node->create_end = UNKNOWN_TIME;
	node->begun = node->ended = UNKNOWN_TIME;
	return node;
}

static void group_drop(struct profile *profile, struct group **group)
{
	while (*group && !--(*group)->users) {
		struct group *outer = (*group)->outer;

		path_drop(&profile->pool, &(*group)->longest);
		pool_give(&profile->pool, *group, sizeof(**group));
		*group = outer;
	}
	*group = NULL;
}

static void domain_drop(struct profile *profile, struct domain **domain)
{
	struct depended *depended;
	size_t index = 0;

	if (*domain && !--(*domain)->users) {
		while ((depended = map_next(&(*domain)->addresses, &index))) {
			for (size_t i = 0; i < NUM_CLASSES; i++)
				path_drop(&profile->pool, &depended->longest[i]);
			pool_give(&profile->pool, depended, sizeof(*depended));
		}
		map_deinit(&(*domain)->addresses, &profile->pool);
		path_drop(&profile->pool, &(*domain)->all);
		pool_give(&profile->pool, *domain, sizeof(**domain));
	}
	*domain = NULL;
}

void node_drop(struct profile *profile, struct node **dropped)
{
	struct node *node = *dropped;

	*dropped = NULL;
	while (node && !--node->users) {
		struct node *parent = node->parent;

		path_drop(&profile->pool, &node->path);
		path_drop(&profile->pool, &node->children);
		group_drop(profile, &node->group);
		group_drop(profile, &node->member);
		domain_drop(profile, &node->domain);
		domain_drop(profile, &node->siblings);
		region_drop(profile, &node->region);
		if (node->dependences)
			pool_give(&profile->pool, node->dependences,
				  node->max_dependences * sizeof(*node->dependences));
		pool_give(&profile->pool, node, sizeof(*node));
		node = parent;
	}
}

void node_settle(struct profile *profile, struct node *node)
{
	bool is_first = node->id && !node->is_on_path;

	if (!node->own && !is_first)
		return;
	path_extend(&profile->pool, &node->path, node->construct, node->own, is_first);
	node->is_on_path = true;
	node->own = 0;
}

void node_join(struct profile *profile, struct node *node, struct path *path)
{
	if (path_length(path) <= path_length(node->path) + node->own)
		return;
	path_join(&profile->pool, &node->path, path);
	node->own = 0;
}

// ---- Groups ------------------------------------------------------------------------------------

struct group *group_share(struct group *group)
{
	if (group)
		group->users++;
	return group;
}

void group_begin(struct profile *profile, struct node *node)
{
	struct group *group = pool_take(&profile->pool, sizeof(*group));

	group->users = 1;
	group->outer = node->group;
	node->group = group;
}

void group_end(struct profile *profile, struct node *node)
{
	struct group *group = node->group;

	// That in which the task itself is ends after it.
	if (!group || group == node->member)
		return;
	node_join(profile, node, group->longest);
	node->group = group_share(group->outer);
	group_drop(profile, &group);
}

void task_wait_ended(struct profile *profile, struct node *node)
{
	node_join(profile, node, node->children);
	path_drop(&profile->pool, &node->children);
	domain_drop(profile, &node->domain);
}

// ---- Dependences -------------------------------------------------------------------------------

/** The classes that a task waits for by the class of its own dependence. */
static const bool waits_for[NUM_CLASSES][NUM_CLASSES] = {
	[READS] = { [WRITES] = true, [EXCLUDES] = true, [IN_SET] = true },
	[WRITES] = { true, true, true, true },
	[EXCLUDES] = { [READS] = true, [WRITES] = true, [IN_SET] = true },
	[IN_SET] = { [READS] = true, [WRITES] = true, [EXCLUDES] = true },
};

static enum dependence_class class_of(uint16_t type)
{
	switch (type) {
	case ompt_dependence_type_in:
		return READS;
	case ompt_dependence_type_out:
	case ompt_dependence_type_inout:
	case ompt_dependence_type_out_all_memory:
	case ompt_dependence_type_inout_all_memory:
		return WRITES;
	case ompt_dependence_type_mutexinoutset:
		return EXCLUDES;
	case ompt_dependence_type_inoutset:
		return IN_SET;
	default:
		return NUM_CLASSES; // of loops
	}
}

/** Find what depends on an address. */
static struct depended *depended_on(struct profile *profile, struct domain *domain,
				    uint64_t address)
{
	struct depended *depended = map_get(&domain->addresses, address);

	if (!depended) {
		depended = pool_take(&profile->pool, sizeof(*depended));
		map_add(&domain->addresses, &profile->pool, address, depended);
	}
	return depended;
}

void dependence_add(struct profile *profile, const struct trace_event *event)
{
	uint64_t latest = profile->room->threads[event->thread].latest;
	struct node *node = map_get(&profile->room->tasks, latest), *parent;
	enum dependence_class class = class_of(event->detail);

	if (!node || (uint32_t)latest != event->number || class == NUM_CLASSES || !node->parent)
		return;
	parent = node->parent;
	if (!parent->domain) {
		parent->domain = pool_take(&profile->pool, sizeof(*parent->domain));
		parent->domain->users = 1;
	}
	if (!node->siblings) {
		node->siblings = parent->domain;
		node->siblings->users++;
	}
	node->dependences = pool_enlarge(&profile->pool, node->dependences, node->num_dependences,
					 &node->max_dependences, sizeof(*node->dependences));
	struct dependence *dependence = &node->dependences[node->num_dependences++];
	*dependence = (struct dependence){ .class = class };
	if (event->detail >= ompt_dependence_type_out_all_memory)
		return;
	dependence->on = depended_on(profile, node->siblings, event->object);
	for (size_t i = 0; i < NUM_CLASSES; i++) {
		if (waits_for[class][i] && dependence->on->last[i])
			count_edge(profile, dependence->on->last[i] - 1, node->construct, true);
	}
	dependence->on->last[class] = node->construct + 1;
}

void dependences_join(struct profile *profile, struct node *node, struct node *follower)
{
	for (size_t i = 0; i < node->num_dependences; i++) {
		const struct dependence *dependence = &node->dependences[i];
		struct depended *depended = dependence->on;
		size_t index = 0;

		node_join(profile, follower, node->siblings->all);
		for (size_t k = 0; depended && k < NUM_CLASSES; k++) {
			if (waits_for[dependence->class][k])
				node_join(profile, follower, depended->longest[k]);
		}
		if (depended)
			continue;
		while ((depended = map_next(&node->siblings->addresses, &index))) {
			for (size_t k = 0; k < NUM_CLASSES; k++)
				node_join(profile, follower, depended->longest[k]);
		}
	}
}

void dependences_leave(struct profile *profile, struct node *node)
{
	for (size_t i = 0; i < node->num_dependences; i++) {
		const struct dependence *dependence = &node->dependences[i];

		path_join(&profile->pool,
			  dependence->on ? &dependence->on->longest[dependence->class] :
					   &node->siblings->all,
			  node->path);
	}
}
