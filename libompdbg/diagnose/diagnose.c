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
	static void (*const rules[])(struct graph * graph) = {
		find_signal,
		find_deadlocks,
		find_ended_owners,
		find_lost_threads,
		find_different_barriers,
		find_events,
		find_held_locks,
		find_awaited_tasks,
		find_queued_tasks,
		find_incomplete_barriers,
		find_unknown_causes,
		find_spins,
	};
	struct graph *graph = process_graph(process);

	graph->findings = NULL;
	graph->num_findings = graph->capacity = 0;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		rules[i](graph);
	for (size_t i = 0; i < graph->num_findings; i++)
		graph->findings[i].severity = finding_severity(graph, &graph->findings[i]);
	if (!is_suspicious(worst_finding(graph->findings, graph->num_findings)))
		find_sleepers(graph);
	if (thread) {
		struct thread_list chain = graph_chain(graph, thread);
		size_t kept = 0;
		for (size_t i = 0; i < graph->num_findings; i++) {
			if (concerns(&graph->findings[i], &chain))
				graph->findings[kept++] = graph->findings[i];
		}
		graph->num_findings = kept;
	}
	join_awaited_tasks(graph);
	for (size_t i = 0; i < graph->num_findings; i++)
		finding_describe(graph, &graph->findings[i]);
	*count = graph->num_findings;
	return graph->findings;
}
