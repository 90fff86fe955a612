// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/task_pool.h"

static struct tasks_alike *alike_of(struct task_pool *pool, const ompd_ext_task_info *info)
{
	uint64_t hash = info->parallel_id;
	struct tasks_alike **first;

	hash = hash * 31 + info->parent_id;
	hash = hash * 31 + info->function;
	hash = hash * 31 + info->status;
	first = (struct tasks_alike **)table_put(&pool->alike, pool->arena, hash * 31 + info->kind);
	for (struct tasks_alike *one = *first; one; one = one->next) {
		if (one->parallel_id == info->parallel_id && one->parent_id == info->parent_id &&
		    one->function == info->function && one->status == info->status &&
		    one->kind == info->kind)
			return one;
	}
	struct tasks_alike *found = ARENA_NEW(pool->arena, struct tasks_alike);
	found->parallel_id = info->parallel_id;
	found->parent_id = info->parent_id;
	found->function = info->function;
	found->status = info->status;
	found->kind = info->kind;
	found->next = *first;
	*first = found;
	return found;
}

static struct ompdbg_error *add_task(void *context, struct task *task)
{
	struct task_pool *pool = context;

	if (pool->total++ % 1024 == 0 && process_is_interrupted(pool->runtime->process))
		return &ompdbg_error_interrupted;
	if (!task_has_begun(task)) {
		struct tasks_alike *alike = alike_of(pool, &task->info);
		if (++alike->number > pool->keep) {
			if (alike->number == pool->keep + 1) {
				alike->first = task_keep(task);
				*ARENA_APPEND(pool->arena, pool->groups, pool->num_groups,
					      pool->group_capacity) = alike;
			}
			return NULL;
		}
	}
	ARENA_APPEND(pool->arena, pool->nodes, pool->count, pool->capacity)->task = task_keep(task);
	*table_put(&pool->by_id, pool->arena, task->info.id) = (void *)(uintptr_t)pool->count;
	return NULL;
}

struct task_node *task_pool_find(struct task_pool *pool, uint64_t id)
{
	size_t index = id ? (uintptr_t)table_get(&pool->by_id, id) : 0;

	return index ? &pool->nodes[index - 1] : NULL;
}

struct ompdbg_error *task_pool_read(struct runtime *runtime, uint64_t keep, struct task_pool *pool)
{
	struct ompdbg_error *error;

	*pool = (struct task_pool){ .runtime = runtime,
				    .arena = &runtime->process->arena,
				    .keep = keep };
	error = tasks_visit(runtime, add_task, pool, &pool->is_damaged, &pool->unreached);
	if (error)
		return error;
	for (size_t i = 0; i < pool->count; i++) {
		struct task_node *parent =
			task_pool_find(pool, pool->nodes[i].task->info.parent_id);
		if (parent)
			*ARENA_APPEND(pool->arena, parent->children, parent->num_children,
				      parent->capacity) = i;
	}
	for (size_t i = 0; i < pool->num_groups; i++) {
		struct task_node *parent = task_pool_find(pool, pool->groups[i]->parent_id);
		if (parent)
			*ARENA_APPEND(pool->arena, parent->more, parent->num_more,
				      parent->more_capacity) = pool->groups[i];
	}
	return NULL;
}

bool is_below_another(const struct task *task, uint64_t team)
{
	return task->info.parallel_id == team && task->info.kind != ompd_ext_task_implicit;
}

bool has_tasks_below(const struct task_pool *pool, const struct task_node *node)
{
	for (size_t i = 0; i < node->num_children; i++) {
		if (is_below_another(pool->nodes[node->children[i]].task,
				     node->task->info.parallel_id))
			return true;
	}
	return node->num_more != 0;
}
