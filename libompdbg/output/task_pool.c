// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/task_pool.h"

static bool is_like(const struct tasks_alike *alike, const struct task *task)
{
	return alike->runtime == task->runtime && alike->parallel_id == task->info.parallel_id &&
	       alike->parent_id == task->info.parent_id && alike->function == task->info.function &&
	       alike->status == task->info.status && alike->kind == task->info.kind;
}

struct tasks_alike *tasks_alike(struct table *table, const struct task *task)
{
	const uint64_t prime = UINT64_C(0x100000001b3);
	struct arena *arena = &task->runtime->process->arena;
	const ompd_ext_task_info *info = &task->info;
	uint64_t hash = info->parallel_id;

	hash = hash * prime ^ info->parent_id;
	hash = hash * prime ^ info->function;
	hash = hash * prime ^ ((uint64_t)info->status << 32 | info->kind);
	struct tasks_alike **first = (struct tasks_alike **)table_put(table, arena, hash);
	for (struct tasks_alike *one = *first; one; one = one->next) {
		if (is_like(one, task))
			return one;
	}
	struct tasks_alike *found = ARENA_NEW(arena, struct tasks_alike);
	*found = (struct tasks_alike){
		.runtime = task->runtime,
		.parallel_id = info->parallel_id,
		.parent_id = info->parent_id,
		.function = info->function,
		.kind = info->kind,
		.status = info->status,
		.next = *first,
	};
	*first = found;
	return found;
}

static struct ompdbg_error *add_task(void *context, struct task *task)
{
	struct task_pool *pool = context;

	if (pool->total++ % 1024 == 0 && process_is_interrupted(pool->runtime->process))
		return interruption();
	if (!task_has_begun(task)) {
		struct tasks_alike *alike = tasks_alike(&pool->alike, task);
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
