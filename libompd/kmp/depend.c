// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences. A task with depend clauses has a node, which lists the nodes that wait for it. Its
// parent keeps a hash of the variables, with the last nodes that named each: earlier ones are
// forgotten, so that of the clauses of a task only those are known that no later sibling repeated.

#include "kmp/tasks.h"

enum {
	MAX_BUCKETS = 1 << 20, // of a hash; more are taken for damage
};

// Flags of a depend clause, as the compiler passes them (kmp_depend_info).
enum {
	DEPEND_IN = 1,
	DEPEND_MUTEX = 4,
	DEPEND_SET = 8,
};

#define ENTRY(field) KMP_FIELD_kmp_dephash_entry_t__##field
#define LIST(field) KMP_FIELD_kmp_depnode_list_t__##field
#define NODE(field) KMP_FIELD_kmp_base_depnode_t__##field

ompd_rc_t kmp_dephash_open(const struct runtime *runtime, uint64_t parent, struct kmp_dephash *ret)
{
	uint64_t hash;
	ompd_rc_t rc = kmp_read(runtime, parent, TASK(td_dephash), &hash);

	*ret = (struct kmp_dephash){ .list = DEPHASH_OUT };
	if (rc == ompd_rc_ok && hash == 0)
		return reason(ompd_rc_unavailable, "the task has no children with dependences");
	if (rc == ompd_rc_ok)
		rc = KMP_READ(runtime, hash, WANT(KMP_FIELD_kmp_dephash_t__buckets, &ret->buckets),
			      WANT(KMP_FIELD_kmp_dephash_t__size, &ret->size));
	if (rc == ompd_rc_ok && kmp_has(runtime, KMP_FIELD_kmp_dephash_t__last_all))
		rc = kmp_read(runtime, hash, KMP_FIELD_kmp_dephash_t__last_all, &ret->all);
	if (rc == ompd_rc_ok && ret->size > MAX_BUCKETS)
		return reason(ompd_rc_error, "a task's hash of dependences is damaged");
	return rc;
}

// Go to the next list of an entry, and to the next entry after the last list.
static ompd_rc_t next_list(const struct runtime *runtime, struct kmp_dephash *hash)
{
	switch (hash->list) {
	case DEPHASH_OUT:
		hash->list = DEPHASH_SET;
		hash->nodes = (struct cycle){ 0 };
		return kmp_read(runtime, hash->entry, ENTRY(last_set), &hash->node);
	case DEPHASH_SET:
		hash->list = DEPHASH_PREVIOUS;
		hash->nodes = (struct cycle){ 0 };
		return kmp_read(runtime, hash->entry, ENTRY(prev_set), &hash->node);
	default:
		return kmp_read(runtime, hash->entry, ENTRY(next_in_bucket), &hash->entry);
	}
}

static enum ompd_ext_depend_kind kind_of(uint64_t flag, bool previous)
{
	// The kind of an earlier set is not kept, only that it is another than the later one's.
	if (previous)
		return ompd_ext_depend_other;
	return flag == DEPEND_IN    ? ompd_ext_depend_in :
	       flag == DEPEND_SET   ? ompd_ext_depend_inoutset :
	       flag == DEPEND_MUTEX ? ompd_ext_depend_mutexinoutset :
				      ompd_ext_depend_other;
}

// The node in turn of the entry's list. stale_handle: the list is at its end.
static ompd_rc_t take_node(const struct runtime *runtime, struct kmp_dephash *hash,
			   struct kmp_depnode *ret)
{
	uint64_t flag;

	if (hash->list == DEPHASH_OUT && cycle_closed(&hash->entries, hash->entry))
		return ompd_rc_error;
	ompd_rc_t rc = kmp_read(runtime, hash->entry, ENTRY(addr), &ret->variable);

	if (rc == ompd_rc_ok && hash->list == DEPHASH_OUT) {
		rc = kmp_read(runtime, hash->entry, ENTRY(last_out), &ret->address);
		ret->kind = ompd_ext_depend_out;
		if (rc == ompd_rc_ok)
			rc = next_list(runtime, hash);
		return rc == ompd_rc_ok && !ret->address ? ompd_rc_stale_handle : rc;
	}
	if (rc != ompd_rc_ok)
		return rc;
	if (!hash->node) {
		bool last = hash->list == DEPHASH_PREVIOUS;

		rc = next_list(runtime, hash);
		if (last)
			hash->list = DEPHASH_OUT;
		return rc == ompd_rc_ok ? ompd_rc_stale_handle : rc;
	}
	uint64_t node = hash->node;

	if (cycle_closed(&hash->nodes, node))
		return ompd_rc_error;
	rc = KMP_READ(runtime, node, WANT(LIST(node), &ret->address),
		      WANT(LIST(next), &hash->node));
	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, hash->entry, ENTRY(last_flag), &flag);
	if (rc == ompd_rc_ok)
		ret->kind = kind_of(flag, hash->list == DEPHASH_PREVIOUS);
	return rc;
}

// Take the next bucket. They are many, and most are empty.
static ompd_rc_t read_bucket(const struct runtime *runtime, struct kmp_dephash *hash)
{
	uint64_t place = hash->next % KMP_DEPHASH_CHUNK, count = hash->size - hash->next;

	if (count > KMP_DEPHASH_CHUNK)
		count = KMP_DEPHASH_CHUNK;
	if (place == 0) {
		ompd_rc_t rc = target_read(&runtime->target, hash->buckets + 8 * hash->next,
					   hash->chunk, 8 * count);

		if (rc != ompd_rc_ok)
			return reason(rc, "a task's hash of dependences cannot be read");
	}
	hash->entry = target_uint(&hash->chunk[place], 8);
	hash->entries = (struct cycle){ 0 };
	hash->list = DEPHASH_OUT;
	hash->next++;
	return ompd_rc_ok;
}

ompd_rc_t kmp_dephash_next(const struct runtime *runtime, struct kmp_dephash *hash,
			   struct kmp_depnode *ret)
{
	if (hash->all) {
		*ret = (struct kmp_depnode){ .address = hash->all,
					     .kind = ompd_ext_depend_all_memory };
		hash->all = 0;
		return ompd_rc_ok;
	}
	for (;;) {
		ompd_rc_t rc;

		if (hash->entry) {
			rc = take_node(runtime, hash, ret);
			if (rc == ompd_rc_ok)
				return rc;
			// The other buckets are as good as they were.
			if (rc != ompd_rc_stale_handle) {
				hash->damaged = true;
				hash->entry = 0;
			}
			continue;
		}
		if (hash->next == hash->size)
			return hash->damaged ? reason(ompd_rc_error,
						      "a task's hash of dependences is damaged") :
					       ompd_rc_unavailable;
		rc = read_bucket(runtime, hash);
		if (rc != ompd_rc_ok)
			return rc;
	}
}

ompd_rc_t kmp_depnode_task(const struct runtime *runtime, uint64_t node, uint64_t *ret)
{
	uint64_t task;
	ompd_rc_t rc = kmp_read(runtime, node, NODE(task), &task);

	if (rc == ompd_rc_ok)
		*ret = task ? kmp_taskdata_of(runtime, task) : 0;
	return rc;
}

// The node of an explicit task; unavailable if it has none.
static ompd_rc_t node_of_task(const struct runtime *runtime, uint64_t task, uint64_t *ret)
{
	ompd_rc_t rc = kmp_read(runtime, task, TASK(td_depnode), ret);

	return rc == ompd_rc_ok && *ret == 0 ?
		       reason(ompd_rc_unavailable, "the task has no dependences") :
		       rc;
}

ompd_rc_t kmp_task_predecessors(const struct runtime *runtime, uint64_t task, int32_t *ret)
{
	uint64_t node;
	ompd_rc_t rc = node_of_task(runtime, task, &node);

	*ret = 0;
	if (rc == ompd_rc_unavailable)
		return ompd_rc_ok;
	return rc == ompd_rc_ok ? kmp_read_int(runtime, node, NODE(npredecessors), ret) : rc;
}

ompd_rc_t kmp_task_depends(const struct runtime *runtime, const struct task *task,
			   ompd_ext_depend *depends, size_t max, size_t *count)
{
	struct kmp_task_record record;
	struct kmp_dephash hash;
	struct kmp_depnode node;
	uint64_t own;
	ompd_rc_t rc;

	*count = 0;
	if (task->implicit)
		return ompd_rc_ok;
	rc = kmp_read_task(runtime, task->address, &record);
	if (rc == ompd_rc_ok)
		rc = node_of_task(runtime, task->address, &own);
	if (rc == ompd_rc_ok)
		rc = kmp_dephash_open(runtime, record.parent, &hash);
	if (rc != ompd_rc_ok)
		return kmp_or_none(rc);
	while ((rc = kmp_dephash_next(runtime, &hash, &node)) == ompd_rc_ok) {
		if (node.address != own)
			continue;
		if (*count < max)
			depends[*count] =
				(ompd_ext_depend){ .address = node.variable, .kind = node.kind };
		++*count;
	}
	return rc == ompd_rc_unavailable ?
		       reason(ompd_rc_incomplete,
			      "the runtime does not keep what clauses of later tasks repeat") :
		       rc;
}

ompd_rc_t kmp_successors_open(const struct runtime *runtime, uint64_t task,
			      struct kmp_successors *ret)
{
	uint64_t node;
	ompd_rc_t rc = node_of_task(runtime, task, &node);

	*ret = (struct kmp_successors){ .entry = 0 };
	return rc == ompd_rc_ok ? kmp_read(runtime, node, NODE(successors), &ret->entry) : rc;
}

ompd_rc_t kmp_successors_next(const struct runtime *runtime, struct kmp_successors *list,
			      uint64_t *ret)
{
	for (;;) {
		ompd_rc_t rc = ompd_rc_ok;
		uint64_t node;

		if (list->entry && list->was_taken)
			rc = kmp_read(runtime, list->entry, LIST(next), &list->entry);
		if (rc != ompd_rc_ok || !list->entry)
			return rc == ompd_rc_ok ? ompd_rc_unavailable : rc;
		list->was_taken = true;
		if (cycle_closed(&list->cycle, list->entry))
			return reason(ompd_rc_error, "the task's list of dependers is damaged");
		rc = kmp_read(runtime, list->entry, LIST(node), &node);
		if (rc == ompd_rc_ok)
			rc = kmp_depnode_task(runtime, node, ret);
		// A node without a task is that of a taskwait, or of a task that is not deferred.
		if (rc != ompd_rc_ok || *ret)
			return rc;
	}
}

ompd_rc_t kmp_task_dependers(const struct runtime *runtime, const struct task *task, uint64_t *ids,
			     size_t max, size_t *count)
{
	struct kmp_successors list;
	uint64_t depender;
	ompd_rc_t rc;

	*count = 0;
	if (task->implicit)
		return ompd_rc_ok;
	rc = kmp_successors_open(runtime, task->address, &list);
	while (rc == ompd_rc_ok) {
		rc = kmp_successors_next(runtime, &list, &depender);
		if (rc != ompd_rc_ok)
			break;
		if (*count < max)
			ids[*count] = depender;
		++*count;
	}
	return kmp_or_none(rc);
}
