// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the graph of waits is made.

#ifndef OMPDBG_EDGES_H
#define OMPDBG_EDGES_H

#include "diagnose/room.h"

/** Add an edge to what a thread waits for. Valid until the next one is added. */
struct edge *edge_add(struct graph *graph, struct wait_node *node, enum edge_kind kind,
		      struct thread *thread, bool is_certain);

/** Add what a thread waits for in a taskwait, taskgroup or for dependences (task_edges.c). */
void add_task_edges(struct graph *graph, struct wait_node *node, uint32_t kind);
/** Add the tasks that are left to be done where all threads have come to a barrier. */
void add_edges_to_left_tasks(struct graph *graph, struct wait_node *node, struct region *region);

#endif
