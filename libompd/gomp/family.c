// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API's operations on libgomp.

#include <stdio.h>

#include "api/family.h"
#include "gomp/icv.h"

// The API's names for what is here under its own.

static const struct gomp_runtime *of_runtime(const struct family_runtime *runtime)
{
	return (const struct gomp_runtime *)runtime;
}

static const struct gomp_region *of_region(const struct family_region *region)
{
	return (const struct gomp_region *)region;
}

static const struct gomp_task *of_task(const struct family_task *task)
{
	return (const struct gomp_task *)task;
}

static struct gomp_region *to_region(struct family_region *region)
{
	return (struct gomp_region *)region;
}

static struct gomp_task *to_task(struct family_task *task)
{
	return (struct gomp_task *)task;
}

static ompd_rc_t read_thread(const struct family_runtime *runtime, uint64_t address,
			     struct gomp_thread *ret)
{
	ompd_rc_t rc = gomp_read_thread(of_runtime(runtime), address, ret);

	return rc == ompd_rc_ok ? gomp_check_openmp_thread(of_runtime(runtime), ret) : rc;
}

// ---- The runtime -----------------------------------------------------------------------------

static ompd_rc_t open(struct family_runtime *runtime, const struct target *target, const char *name)
{
	(void)name; // there is but one
	return gomp_open((struct gomp_runtime *)runtime, target);
}

static void close(struct family_runtime *runtime)
{
	gomp_close((struct gomp_runtime *)runtime);
}

static bool is_called(const struct family_runtime *runtime)
{
	const struct target *target = &of_runtime(runtime)->target;
	uint64_t called, own;

	return target_symbol(target, "omp_get_thread_num", NULL, &called) == ompd_rc_ok &&
	       target_symbol(target, "omp_get_thread_num", "libgomp.so.1", &own) == ompd_rc_ok &&
	       called == own;
}

static const struct nptl *nptl(const struct family_runtime *runtime)
{
	return &of_runtime(runtime)->nptl;
}

static ompd_word_t omp_version(const struct family_runtime *runtime)
{
	return of_runtime(runtime)->omp_version;
}

static void describe(const struct family_runtime *runtime, char *text, size_t size)
{
	snprintf(text, size, "libgomp of %s, OpenMP %lld", of_runtime(runtime)->release,
		 (long long)of_runtime(runtime)->omp_version);
}

static void layout_info(const struct family_runtime *runtime, ompd_ext_layout_info *info)
{
	const struct gomp_layout *layout = &of_runtime(runtime)->layout;

	info->runtime = "libgomp";
	info->release = of_runtime(runtime)->release;
	info->source = layout->source;
	info->probes_agreed = layout->probes_agreed;
	info->probes_silent = layout->probes_silent;
}

// ---- Threads ---------------------------------------------------------------------------------

static ompd_rc_t thread_of_pthread(const struct family_runtime *runtime, uint64_t pthread,
				   uint64_t *ret)
{
	struct gomp_thread thread;

	*ret = gomp_thread_of_pthread(of_runtime(runtime), pthread);
	return read_thread(runtime, *ret, &thread);
}

static ompd_rc_t pthread_of_thread(const struct family_runtime *runtime, uint64_t thread,
				   uint64_t *ret)
{
	*ret = gomp_pthread_of_thread(of_runtime(runtime), thread);
	return ompd_rc_ok;
}

static ompd_rc_t next_thread(const struct family_runtime *runtime, struct family_cursor *cursor,
			     uint64_t *ret)
{
	const struct gomp_runtime *gomp = of_runtime(runtime);
	uint64_t pthread;

	if (!gomp->nptl.available)
		return reason(ompd_rc_unsupported,
			      "glibc's thread descriptors are not to be found");
	while (nptl_next(&gomp->nptl, &gomp->target, &cursor->nptl, &pthread) == ompd_rc_ok) {
		ompd_rc_t rc = thread_of_pthread(runtime, pthread, ret);

		if (rc == ompd_rc_ok)
			return rc;
		cursor->damaged |= rc != ompd_rc_unavailable;
	}
	cursor->damaged |= cursor->nptl.damaged;
	return ompd_rc_unavailable;
}

static ompd_rc_t thread_num(const struct family_runtime *runtime, uint64_t thread,
			    const struct family_region *region, int *ret)
{
	struct gomp_membership place;
	struct gomp_thread read;
	bool idle;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	if (rc == ompd_rc_ok)
		rc = gomp_is_idle(of_runtime(runtime), &read, &idle);
	if (rc == ompd_rc_ok && idle)
		return reason(ompd_rc_unavailable, "the thread is idle in its pool");
	if (rc == ompd_rc_ok)
		rc = gomp_find_membership(of_runtime(runtime), &read, of_region(region), &place);
	if (rc == ompd_rc_ok)
		*ret = (int)place.ts.team_id;
	return rc;
}

static ompd_rc_t thread_info(const struct family_runtime *runtime, uint64_t thread,
			     ompd_ext_thread_info *ret)
{
	struct gomp_thread read;
	uint64_t root;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	if (rc == ompd_rc_ok)
		rc = gomp_root_of(of_runtime(runtime), &read, &root);
	if (rc == ompd_rc_ok)
		*ret = (ompd_ext_thread_info){
			.kind = root == thread ? ompd_ext_thread_initial : ompd_ext_thread_worker,
			.global_num = -1,
		};
	return rc;
}

static ompd_rc_t state(const struct family_runtime *runtime, uint64_t thread, ompd_word_t *state,
		       ompd_wait_id_t *wait_id)
{
	struct gomp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? gomp_state(of_runtime(runtime), &read, state, wait_id) : rc;
}

static ompd_rc_t state_tracking(const struct family_runtime *runtime)
{
	(void)runtime;
	return reason(ompd_rc_unsupported, "libgomp has no tool interface (OMPT)");
}

// ---- Regions ---------------------------------------------------------------------------------

static ompd_rc_t current_region(const struct family_runtime *runtime, uint64_t thread,
				struct family_region *ret)
{
	struct gomp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? gomp_current_region(of_runtime(runtime), &read, to_region(ret)) :
				  rc;
}

static ompd_rc_t enclosing_region(const struct family_runtime *runtime,
				  const struct family_region *region, struct family_region *ret)
{
	return gomp_enclosing_region(of_runtime(runtime), of_region(region), to_region(ret));
}

static ompd_rc_t region_member(const struct family_runtime *runtime,
			       const struct family_region *region, uint32_t number, uint64_t *ret)
{
	struct gomp_thread thread;
	ompd_rc_t rc = gomp_region_member(of_runtime(runtime), of_region(region), number, &thread);

	if (rc == ompd_rc_ok)
		*ret = thread.address;
	return rc;
}

static uint64_t region_id(const struct family_region *region)
{
	return gomp_region_id(of_region(region));
}

static ompd_rc_t region_info(struct family_runtime *runtime, const struct family_region *region,
			     ompd_ext_parallel_info *ret)
{
	(void)runtime;
	*ret = (ompd_ext_parallel_info){
		.kind = of_region(region)->level ? ompd_ext_parallel_region :
						   ompd_ext_parallel_initial,
	};
	return ompd_rc_ok;
}

// ---- Tasks -----------------------------------------------------------------------------------

static ompd_rc_t current_task(const struct family_runtime *runtime, uint64_t thread,
			      struct family_task *ret)
{
	struct gomp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? gomp_current_task(of_runtime(runtime), &read, to_task(ret)) : rc;
}

static ompd_rc_t implicit_task(const struct family_runtime *runtime,
			       const struct family_region *region, uint32_t number,
			       struct family_task *ret)
{
	return gomp_implicit_task(of_runtime(runtime), of_region(region), number, to_task(ret));
}

static ompd_rc_t generating_task(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret)
{
	return gomp_generating_task(of_runtime(runtime), of_task(task), to_task(ret));
}

static ompd_rc_t scheduling_task(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret)
{
	return gomp_scheduling_task(of_runtime(runtime), of_task(task), to_task(ret));
}

static void task_of_info(const struct family_region *region, const ompd_ext_task_info *info,
			 struct family_task *ret)
{
	struct gomp_task *task = to_task(ret);

	*task = (struct gomp_task){
		.address = info->id,
		.region = *of_region(region),
		.orphan = info->kind == ompd_ext_task_explicit && !info->parent_id,
	};
	// The initial task without a record is the one whose identity is no address.
	if (info->id == gomp_task_id(&(struct gomp_task){ .region = *of_region(region) }))
		task->address = 0;
}

static void task_region(const struct family_task *task, struct family_region *ret)
{
	*to_region(ret) = of_task(task)->region;
}

static uint64_t task_id(const struct family_task *task)
{
	return gomp_task_id(of_task(task));
}

static ompd_rc_t task_function(struct family_runtime *runtime, const struct family_task *task,
			       uint64_t *ret)
{
	return gomp_task_function(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t task_frame(const struct family_runtime *runtime, const struct family_task *task,
			    ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame)
{
	(void)runtime;
	(void)task;
	(void)exit_frame;
	(void)enter_frame;
	return reason(ompd_rc_unavailable, "libgomp does not record the frames of tasks");
}

static ompd_rc_t task_info(const struct family_runtime *runtime, const struct family_task *task,
			   ompd_ext_task_info *ret)
{
	return gomp_task_info(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t task_depends(const struct family_runtime *runtime, const struct family_task *task,
			      ompd_ext_depend *depends, size_t max, size_t *count)
{
	return gomp_task_depends(of_runtime(runtime), of_task(task), depends, max, count);
}

static ompd_rc_t task_dependers(const struct family_runtime *runtime,
				const struct family_task *task, uint64_t *ids, size_t max,
				size_t *count)
{
	return gomp_task_dependers(of_runtime(runtime), of_task(task), ids, max, count);
}

static ompd_rc_t walk_open(const struct family_runtime *runtime, const struct family_region *region,
			   struct family_walk **ret)
{
	struct gomp_task_walk *walk;
	ompd_rc_t rc = gomp_task_walk_open(of_runtime(runtime), of_region(region), &walk);

	if (rc == ompd_rc_ok)
		*ret = (struct family_walk *)walk;
	return rc;
}

static ompd_rc_t walk_next(struct family_walk *walk, ompd_ext_task_info *ret)
{
	return gomp_task_walk_next((struct gomp_task_walk *)walk, ret);
}

static bool walk_damaged(const struct family_walk *walk)
{
	return gomp_task_walk_damaged((const struct gomp_task_walk *)walk);
}

static ompd_rc_t walk_unreached(const struct family_walk *walk, uint32_t *ret)
{
	return gomp_task_walk_unreached((const struct gomp_task_walk *)walk, ret);
}

static void walk_close(struct family_walk *walk)
{
	gomp_task_walk_close((struct gomp_task_walk *)walk);
}

// ---- Waits -----------------------------------------------------------------------------------

static ompd_rc_t lock_info(const struct family_runtime *runtime, uint32_t kind, uint64_t address,
			   ompd_ext_lock_info *ret)
{
	return gomp_lock_info(of_runtime(runtime), kind, address, ret);
}

static ompd_rc_t barrier_info(const struct family_runtime *runtime,
			      const struct family_region *region, ompd_ext_barrier_info *ret)
{
	return gomp_barrier_info(of_runtime(runtime), of_region(region), ret);
}

static ompd_rc_t ordered_turn(const struct family_runtime *runtime, uint64_t thread, int *ret)
{
	struct gomp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? gomp_ordered_turn(of_runtime(runtime), &read, ret) : rc;
}

static ompd_rc_t loop_info(const struct family_runtime *runtime, uint64_t thread,
			   ompd_ext_loop_info *ret)
{
	struct gomp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? gomp_loop_info(of_runtime(runtime), &read, ret) : rc;
}

static ompd_rc_t task_counts(const struct family_runtime *runtime, const struct family_task *task,
			     ompd_ext_task_counts *ret)
{
	(void)runtime;
	(void)task;
	(void)ret;
	return reason(ompd_rc_unavailable, "the runtime lists tasks and does not count them");
}

static ompd_rc_t lock_argument(struct family_runtime *runtime, uint64_t return_address,
			       ompd_ext_argument *ret)
{
	return gomp_lock_argument((struct gomp_runtime *)runtime, return_address, ret);
}

static ompd_rc_t confirm_lock(const struct family_runtime *runtime, uint64_t thread, uint32_t kind,
			      uint64_t variable, const uint64_t *in_use, size_t in_use_count)
{
	(void)runtime;
	(void)thread;
	(void)kind;
	(void)variable;
	(void)in_use;
	(void)in_use_count;
	return reason(ompd_rc_unavailable, "threads of libgomp sleep on what they wait for");
}

static ompd_rc_t classify_call(struct family_runtime *runtime, uint64_t return_address,
			       ompd_ext_wait_site *site)
{
	return gomp_classify_call((struct gomp_runtime *)runtime, return_address, site);
}

static ompd_rc_t classify_entry(struct family_runtime *runtime, uint64_t entry,
				ompd_ext_wait_site *site)
{
	return gomp_classify_entry((struct gomp_runtime *)runtime, entry, site);
}

static ompd_rc_t classify_futex(const struct family_runtime *runtime, uint64_t thread,
				uint64_t futex, ompd_ext_wait_site *site)
{
	struct gomp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? gomp_classify_futex(of_runtime(runtime), &read, futex, site) : rc;
}

// ---- Variables -------------------------------------------------------------------------------

static ompd_rc_t make_query(const struct family_runtime *runtime, const struct family_query *query,
			    struct gomp_thread *thread, struct gomp_icv_query *ret)
{
	*ret = (struct gomp_icv_query){
		.runtime = of_runtime(runtime),
		.thread = query->thread ? thread : NULL,
		.region = of_region(query->region),
		.task = of_task(query->task),
	};
	return query->thread ? read_thread(runtime, query->thread, thread) : ompd_rc_ok;
}

static ompd_rc_t icv_value(const struct family_runtime *runtime, enum icv icv,
			   const struct family_query *query, ompd_word_t *ret)
{
	struct gomp_icv_query inner;
	struct gomp_thread thread;
	ompd_rc_t rc = make_query(runtime, query, &thread, &inner);

	return rc == ompd_rc_ok ? gomp_icv_value(icv, &inner, ret) : rc;
}

static ompd_rc_t icv_text(const struct family_runtime *runtime, enum icv icv,
			  const struct family_query *query, char *text)
{
	struct gomp_icv_query inner;
	struct gomp_thread thread;
	ompd_rc_t rc = make_query(runtime, query, &thread, &inner);

	return rc == ompd_rc_ok ? gomp_icv_text(icv, &inner, text) : rc;
}

static ompd_rc_t initial_icv_text(const struct family_runtime *runtime, enum icv icv, char *text)
{
	// The task without a record: its values are those of the process.
	const struct gomp_task initial = { .region = { .nthreads = 1 } };
	const struct gomp_icv_query query = { .runtime = of_runtime(runtime), .task = &initial };

	return gomp_icv_text(icv, &query, text);
}

static ompd_rc_t tool_data(const struct family_runtime *runtime, const struct family_query *query,
			   ompd_word_t *value, uint64_t *pointer)
{
	(void)runtime;
	(void)query;
	(void)value;
	(void)pointer;
	return reason(ompd_rc_unavailable, "libgomp has no tool interface (OMPT)");
}

static ompd_rc_t task_memory(const struct family_runtime *runtime, const struct family_task *task,
			     uint64_t *address, uint64_t *size)
{
	(void)runtime;
	(void)task;
	(void)address;
	(void)size;
	return reason(ompd_rc_unavailable,
		      "libgomp does not keep how much memory it took for a task");
}

// What it would be, if libgomp told tools.
static ompd_rc_t ompt_task_type(const struct family_runtime *runtime,
				const struct family_task *task, uint32_t *ret)
{
	static const uint32_t kinds[] = {
		[ompd_ext_task_initial] = 0x1,
		[ompd_ext_task_implicit] = 0x2,
		[ompd_ext_task_explicit] = 0x4,
		[ompd_ext_task_target] = 0x8,
	};
	ompd_ext_task_info info;
	ompd_rc_t rc = task_info(runtime, task, &info);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = kinds[info.kind] | (info.flags & ompd_ext_task_undeferred ? 0x08000000 : 0) |
	       (info.flags & ompd_ext_task_untied ? 0x10000000 : 0) |
	       (info.flags & ompd_ext_task_final ? 0x20000000 : 0);
	return ompd_rc_ok;
}

static const char *const names[] = { "libgomp", NULL };

const struct family gomp_family = {
	.names = names,
	.runtime_size = sizeof(struct gomp_runtime),
	.region_size = sizeof(struct gomp_region),
	.task_size = sizeof(struct gomp_task),
	.open = open,
	.close = close,
	.is_called = is_called,
	.nptl = nptl,
	.omp_version = omp_version,
	.describe = describe,
	.layout_info = layout_info,
	.thread_of_pthread = thread_of_pthread,
	.pthread_of_thread = pthread_of_thread,
	.next_thread = next_thread,
	.thread_num = thread_num,
	.thread_info = thread_info,
	.state = state,
	.state_tracking = state_tracking,
	.current_region = current_region,
	.enclosing_region = enclosing_region,
	.region_member = region_member,
	.region_id = region_id,
	.region_info = region_info,
	.current_task = current_task,
	.implicit_task = implicit_task,
	.generating_task = generating_task,
	.scheduling_task = scheduling_task,
	.task_of_info = task_of_info,
	.task_region = task_region,
	.task_id = task_id,
	.task_function = task_function,
	.task_frame = task_frame,
	.task_info = task_info,
	.task_depends = task_depends,
	.task_dependers = task_dependers,
	.walk_open = walk_open,
	.walk_next = walk_next,
	.walk_damaged = walk_damaged,
	.walk_unreached = walk_unreached,
	.walk_close = walk_close,
	.lock_info = lock_info,
	.barrier_info = barrier_info,
	.ordered_turn = ordered_turn,
	.loop_info = loop_info,
	.task_counts = task_counts,
	.lock_argument = lock_argument,
	.confirm_lock = confirm_lock,
	.classify_call = classify_call,
	.classify_entry = classify_entry,
	.classify_futex = classify_futex,
	.icv_value = icv_value,
	.icv_text = icv_text,
	.initial_icv_text = initial_icv_text,
	.control_vars = gomp_control_vars,
	.tool_data = tool_data,
	.ompt_task_type = ompt_task_type,
	.task_memory = task_memory,
};
