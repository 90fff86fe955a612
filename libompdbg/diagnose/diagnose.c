// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The diagnosis: all rules, in the order in which their findings are told.

#include "diagnose/room.h"

struct thread_list graph_chain(struct graph *graph, struct thread *thread)
{
	struct thread_list list = { 0 };

	thread_list_add(&list, &graph->process->arena, thread);
	for (size_t i = 0; i < list.count; i++) {
		const struct wait_node *node = graph_node(graph, list.all[i]);
		for (size_t k = 0; k < node->num_edges; k++) {
			if (node->edges[k].thread)
				thread_list_add(&list, &graph->process->arena,
						node->edges[k].thread);
		}
	}
	return list;
}

static bool concerns(const struct finding *finding, const struct thread_list *threads)
{
	for (size_t i = 0; i < finding->waiters.count; i++) {
		if (thread_list_has(threads, finding->waiters.all[i]))
			return true;
	}
	return false;
}

struct finding *diagnose(struct process *process, struct thread *thread, size_t *count)
{
	struct graph *graph = process_graph(process);
	struct finding_list list = { 0 };

	find_deadlocks(graph, &list);
	find_ended_owners(graph, &list);
	find_lost_threads(graph, &list);
	find_different_barriers(graph, &list);
	find_events(graph, &list);
	find_held_locks(graph, &list);
	find_awaited_tasks(graph, &list);
	find_queued_tasks(graph, &list);
	find_incomplete_barriers(graph, &list);
	find_unknown_causes(graph, &list);
	find_spins(graph, &list);
	if (thread) {
		struct thread_list chain = graph_chain(graph, thread);
		size_t kept = 0;
		for (size_t i = 0; i < list.count; i++) {
			if (concerns(&list.findings[i], &chain))
				list.findings[kept++] = list.findings[i];
		}
		list.count = kept;
	}
	for (size_t i = 0; i < list.count; i++)
		list.findings[i].severity = finding_severity(graph, &list.findings[i]);
	join_awaited_tasks(graph, &list);
	for (size_t i = 0; i < list.count; i++)
		finding_describe(graph, &list.findings[i]);
	*count = list.count;
	return list.findings;
}
