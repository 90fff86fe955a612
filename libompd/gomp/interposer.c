// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that brings OMPT to libgomp, if it was preloaded: what libgomp has of regions and tasks
// is then that library's, and leads to the program's (include/ompt/gomp.h).

#include "runtime/interposer.h"

#include <string.h>

#include "gomp/gomp.h"
#include "ompt/gomp.h"

enum {
	MAX_SIZE = 1 << 16, // of the root; a larger one is a damaged one
	MAX_OFFSET = 4096,
	WORD = 8,
};

struct gomp_interposer {
	bool is_known; // it was looked for
	ompd_rc_t rc;  // ok: it is there; unavailable: it is not; incompatible
	struct gomp_ompt_root root;
};

ompd_rc_t gomp_interposer_open(const struct target *target, struct gomp_interposer **ret)
{
	*ret = target_alloc(target, sizeof(**ret));
	return *ret ? ompd_rc_ok : ompd_rc_nomem;
}

static bool is_offset(uint32_t offset, unsigned int size)
{
	return offset <= MAX_OFFSET && offset % size == 0;
}

static bool is_understood(const struct gomp_ompt_root *root)
{
	return memcmp(root->magic, GOMP_OMPT_MAGIC, sizeof(root->magic)) == 0 &&
	       root->version == GOMP_OMPT_VERSION && root->size >= sizeof(*root) &&
	       root->size <= MAX_SIZE && is_offset(root->task_fn, WORD) &&
	       is_offset(root->task_data, WORD) && is_offset(root->thread_data, WORD) &&
	       is_offset(root->task_header_size, sizeof(uint32_t));
}

// Read the root. Before the program has begun, it is empty: nothing is known yet, as after an error.
static ompd_rc_t read_root(const struct target *target, struct gomp_interposer *ret)
{
	static const char empty[sizeof(ret->root.magic)];
	uint64_t address;

	ret->rc = target_symbol(target, INTERPOSER_ROOT, INTERPOSER_FILE, &address);
	if (ret->rc == ompd_rc_ok)
		ret->rc = target_read(target, address, &ret->root, sizeof(ret->root));
	if (ret->rc == ompd_rc_ok && memcmp(ret->root.magic, empty, sizeof(empty)) == 0)
		return ompd_rc_unavailable;
	if (ret->rc == ompd_rc_ok && !is_understood(&ret->root))
		ret->rc = ompd_rc_incompatible;
	ret->is_known = ret->rc == ompd_rc_ok || ret->rc == ompd_rc_unavailable ||
			ret->rc == ompd_rc_incompatible;
	return ret->rc;
}

static ompd_rc_t find_root(const struct runtime *runtime, const struct gomp_ompt_root **ret)
{
	struct gomp_interposer *interposer = runtime->interposer;

	*ret = &interposer->root;
	ompd_rc_t rc = interposer->is_known ? interposer->rc :
					      read_root(&runtime->target, interposer);

	if (rc == ompd_rc_incompatible)
		return reason(rc, INTERPOSER_FILE " is damaged, or of another version");
	return rc;
}

static bool is_among(uint64_t address, const uint64_t functions[GOMP_OMPT_TRAMPOLINES])
{
	for (size_t i = 0; address && i < GOMP_OMPT_TRAMPOLINES; i++) {
		if (functions[i] == address)
			return true;
	}
	return false;
}

// Find the block that stands in front of a task's data. unavailable: there is none.
static ompd_rc_t find_block(const struct runtime *runtime, const struct gomp_task_record *record,
			    uint64_t *block, const struct gomp_ompt_root **root)
{
	uint64_t fn = gomp_get(runtime, &record->record, 0, TASK(fn));
	ompd_rc_t rc = fn ? find_root(runtime, root) : ompd_rc_unavailable;

	if (rc != ompd_rc_ok)
		return rc;
	if (!is_among(fn, (*root)->task_body))
		return ompd_rc_unavailable;
	*block = gomp_get(runtime, &record->record, 0, TASK(fn_data));
	return ompd_rc_ok;
}

ompd_rc_t gomp_deferred_function(const struct runtime *runtime,
				 const struct gomp_task_record *record, uint64_t *ret)
{
	const struct gomp_ompt_root *root;
	uint64_t block;

	*ret = gomp_get(runtime, &record->record, 0, TASK(fn));
	ompd_rc_t rc = find_block(runtime, record, &block, &root);

	if (rc == ompd_rc_unavailable)
		return ompd_rc_ok;
	if (rc == ompd_rc_ok)
		rc = target_read_pointer(&runtime->target, block + root->task_fn, ret);
	if (rc == ompd_rc_ok && *ret)
		return ompd_rc_ok;
	*ret = 0;
	return rc == ompd_rc_ok ? reason(ompd_rc_error, "the task's function is damaged") : rc;
}

ompd_rc_t gomp_deferred_data(const struct runtime *runtime, const struct gomp_task_record *record,
			     uint64_t *ret)
{
	const struct gomp_ompt_root *root;
	uint64_t block, size = 0;

	*ret = gomp_get(runtime, &record->record, 0, TASK(fn_data));
	ompd_rc_t rc = find_block(runtime, record, &block, &root);
	if (rc == ompd_rc_unavailable)
		return ompd_rc_ok;
	if (rc == ompd_rc_ok)
		rc = target_read_uint(&runtime->target, block + root->task_header_size,
				      sizeof(uint32_t), &size);
	*ret = rc == ompd_rc_ok ? block + size : 0;
	return rc;
}

// ---- What a tool stored ----------------------------------------------------------------------

static ompd_rc_t task_data(const struct runtime *runtime, const struct task *task, uint64_t *ret)
{
	const struct gomp_ompt_root *root;
	struct gomp_task_record record;
	uint64_t block;
	ompd_rc_t rc = task->address ? gomp_read_task(runtime, task->address, &record) :
				       ompd_rc_unavailable;

	if (rc == ompd_rc_ok && !gomp_is_deferred(&record))
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = find_block(runtime, &record, &block, &root);
	if (rc == ompd_rc_unavailable)
		return reason(rc, "known of deferred tasks only");
	return rc == ompd_rc_ok ?
		       target_read_uint(&runtime->target, block + root->task_data, WORD, ret) :
		       rc;
}

static ompd_rc_t thread_data(const struct runtime *runtime, const struct gomp_ompt_root *root,
			     const struct thread *thread, uint64_t *ret)
{
	if (!root->thread_tpoff)
		return reason(ompd_rc_unavailable, "no tool was told of the thread");
	return target_read_uint(&runtime->target,
				gomp_pthread(runtime, thread->address) +
					(uint64_t)root->thread_tpoff + root->thread_data,
				WORD, ret);
}

ompd_rc_t gomp_tool_data(const struct runtime *runtime, const struct object *of, uint64_t *ret)
{
	const struct gomp_ompt_root *root;
	ompd_rc_t rc = find_root(runtime, &root);

	if (rc == ompd_rc_unavailable)
		return reason(ompd_rc_unsupported, "libgomp has no tool interface (OMPT)");
	if (rc != ompd_rc_ok)
		return rc;
	if (of->thread)
		return thread_data(runtime, root, of->thread, ret);
	if (of->task)
		return task_data(runtime, of->task, ret);
	return reason(ompd_rc_unavailable, "known of threads and deferred tasks only");
}
