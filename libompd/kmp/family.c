// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API's operations on LLVM's runtime.

#include <stdio.h>

#include "api/family.h"
#include "kmp/icv.h"

// The API's names for what is here under its own.

static const struct kmp_runtime *of_runtime(const struct family_runtime *runtime)
{
	return (const struct kmp_runtime *)runtime;
}

static const struct kmp_region *of_region(const struct family_region *region)
{
	return (const struct kmp_region *)region;
}

static const struct kmp_task *of_task(const struct family_task *task)
{
	return (const struct kmp_task *)task;
}

static struct kmp_region *to_region(struct family_region *region)
{
	return (struct kmp_region *)region;
}

static struct kmp_task *to_task(struct family_task *task)
{
	return (struct kmp_task *)task;
}

static ompd_rc_t read_thread(const struct family_runtime *runtime, uint64_t address,
			     struct kmp_thread *ret)
{
	return kmp_read_thread(of_runtime(runtime), address, ret);
}

// ---- The runtime -----------------------------------------------------------------------------

static ompd_rc_t open(struct family_runtime *runtime, const struct target *target, const char *name)
{
	return kmp_open((struct kmp_runtime *)runtime, target, name);
}

static void close(struct family_runtime *runtime)
{
	kmp_close((struct kmp_runtime *)runtime);
}

static bool is_called(const struct family_runtime *runtime)
{
	const struct target *target = &of_runtime(runtime)->target;
	uint64_t called, own;

	return target_symbol(target, "omp_get_thread_num", NULL, &called) == ompd_rc_ok &&
	       target_symbol(target, "omp_get_thread_num", of_runtime(runtime)->layout.file_name,
			     &own) == ompd_rc_ok &&
	       called == own;
}

static const struct nptl *nptl(const struct family_runtime *runtime)
{
	return &of_runtime(runtime)->nptl;
}

// _OPENMP of Clang is that of OpenMP 5.0 up to LLVM 15, and 5.1 since.
static ompd_word_t omp_version(const struct family_runtime *runtime)
{
	return of_runtime(runtime)->layout.last_release < 16 ? 201811 : 202011;
}

static void describe(const struct family_runtime *runtime, char *text, size_t size)
{
	snprintf(text, size, "%s of %s, OpenMP %lld", of_runtime(runtime)->name,
		 of_runtime(runtime)->release, (long long)omp_version(runtime));
}

static void layout_info(const struct family_runtime *runtime, ompd_ext_layout_info *info)
{
	const struct kmp_layout *layout = &of_runtime(runtime)->layout;

	info->runtime = of_runtime(runtime)->name;
	info->release = of_runtime(runtime)->release;
	info->source = layout->source;
	info->probes_agreed = layout->probes_agreed;
	info->probes_silent = layout->probes_silent;
	for (unsigned int i = 0; i < KMP_FIELD_COUNT; i++)
		info->doubted += layout->standing[i] == LAYOUT_DOUBTED;
}

// ---- Threads ---------------------------------------------------------------------------------

static ompd_rc_t thread_of_pthread(const struct family_runtime *runtime, uint64_t pthread,
				   uint64_t *ret)
{
	return kmp_thread_of_pthread(of_runtime(runtime), pthread, ret);
}

static ompd_rc_t pthread_of_thread(const struct family_runtime *runtime, uint64_t thread,
				   uint64_t *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_pthread_of_thread(of_runtime(runtime), thread, ret) : rc;
}

static ompd_rc_t next_thread(const struct family_runtime *runtime, struct family_cursor *cursor,
			     uint64_t *ret)
{
	ompd_rc_t rc = kmp_next_thread(of_runtime(runtime), &cursor->next, ret);

	if (rc == ompd_rc_ok || rc == ompd_rc_unavailable)
		return rc;
	cursor->damaged = true;
	return ompd_rc_unavailable;
}

static ompd_rc_t thread_num(const struct family_runtime *runtime, uint64_t thread,
			    const struct family_region *region, int *ret)
{
	struct kmp_place place;
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	if (rc == ompd_rc_ok)
		rc = kmp_find_place(of_runtime(runtime), &read, of_region(region), &place);
	if (rc == ompd_rc_ok)
		*ret = (int)place.thread_num;
	return rc;
}

static ompd_rc_t thread_info(const struct family_runtime *runtime, uint64_t thread,
			     ompd_ext_thread_info *ret)
{
	static const uint32_t kinds[] = {
		[KMP_THREAD_INITIAL] = ompd_ext_thread_initial,
		[KMP_THREAD_WORKER] = ompd_ext_thread_worker,
		[KMP_THREAD_HELPER] = ompd_ext_thread_helper,
	};
	enum kmp_thread_kind kind;
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	if (rc == ompd_rc_ok)
		rc = kmp_thread_kind(of_runtime(runtime), &read, &kind);
	if (rc == ompd_rc_ok)
		*ret = (ompd_ext_thread_info){
			.kind = kinds[kind],
			.global_num = (int32_t)read.gtid,
		};
	return rc;
}

static ompd_rc_t state(const struct family_runtime *runtime, uint64_t thread, ompd_word_t *state,
		       ompd_wait_id_t *wait_id)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_state(of_runtime(runtime), &read, state, wait_id) : rc;
}

static ompd_rc_t state_tracking(const struct family_runtime *runtime)
{
	ompd_rc_t rc = kmp_tool_active(of_runtime(runtime));

	return rc == ompd_rc_unavailable ? ompd_rc_needs_state_tracking : rc;
}

// ---- Regions ---------------------------------------------------------------------------------

static ompd_rc_t current_region(const struct family_runtime *runtime, uint64_t thread,
				struct family_region *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_current_region(of_runtime(runtime), &read, to_region(ret)) :
				  rc;
}

static ompd_rc_t enclosing_region(const struct family_runtime *runtime,
				  const struct family_region *region, struct family_region *ret)
{
	return kmp_enclosing_region(of_runtime(runtime), of_region(region), to_region(ret));
}

static ompd_rc_t region_member(const struct family_runtime *runtime,
			       const struct family_region *region, uint32_t number, uint64_t *ret)
{
	struct kmp_thread thread;
	ompd_rc_t rc = kmp_region_member(of_runtime(runtime), of_region(region), number, &thread);

	if (rc == ompd_rc_ok)
		*ret = thread.address;
	return rc;
}

static uint64_t region_id(const struct family_region *region)
{
	return kmp_region_id(of_region(region));
}

static ompd_rc_t region_info(struct family_runtime *runtime, const struct family_region *region,
			     ompd_ext_parallel_info *ret)
{
	static const uint32_t kinds[] = {
		[KMP_REGION_PARALLEL] = ompd_ext_parallel_region,
		[KMP_REGION_INITIAL] = ompd_ext_parallel_initial,
		[KMP_REGION_LEAGUE] = ompd_ext_parallel_league,
	};
	struct kmp_runtime *kmp = (struct kmp_runtime *)runtime;

	*ret = (ompd_ext_parallel_info){
		.kind = kinds[of_region(region)->kind],
		.serialized = of_region(region)->kind == KMP_REGION_PARALLEL &&
			      of_region(region)->team.serialized,
	};
	ompd_rc_t rc = kmp_region_function(kmp, of_region(region), &ret->function);

	if (rc == ompd_rc_nomem)
		return rc;
	if (rc != ompd_rc_ok)
		ret->function = 0;
	if (kmp_region_source(kmp, of_region(region), &ret->source) != ompd_rc_ok)
		ret->source = 0;
	return ompd_rc_ok;
}

// ---- Tasks -----------------------------------------------------------------------------------

static ompd_rc_t current_task(const struct family_runtime *runtime, uint64_t thread,
			      struct family_task *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_current_task(of_runtime(runtime), &read, to_task(ret)) : rc;
}

static ompd_rc_t implicit_task(const struct family_runtime *runtime,
			       const struct family_region *region, uint32_t number,
			       struct family_task *ret)
{
	return kmp_implicit_task(of_runtime(runtime), of_region(region), number, to_task(ret));
}

static ompd_rc_t generating_task(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret)
{
	return kmp_generating_task(of_runtime(runtime), of_task(task), to_task(ret));
}

static ompd_rc_t scheduling_task(const struct family_runtime *runtime,
				 const struct family_task *task, struct family_task *ret)
{
	return kmp_scheduling_task(of_runtime(runtime), of_task(task), to_task(ret));
}

static void task_of_info(const struct family_region *region, const ompd_ext_task_info *info,
			 struct family_task *ret)
{
	// Implicit tasks of nested serialized regions have the number of theirs in their identity.
	*to_task(ret) = (struct kmp_task){
		.address = info->kind <= ompd_ext_task_implicit ?
				   info->id & (((uint64_t)1 << 47) - 1) :
				   info->id,
		.implicit = info->kind <= ompd_ext_task_implicit,
		.region = *of_region(region),
	};
}

static void task_region(const struct family_task *task, struct family_region *ret)
{
	*to_region(ret) = of_task(task)->region;
}

static uint64_t task_id(const struct family_task *task)
{
	return kmp_task_id(of_task(task));
}

static ompd_rc_t task_function(struct family_runtime *runtime, const struct family_task *task,
			       uint64_t *ret)
{
	return kmp_task_function((struct kmp_runtime *)runtime, of_task(task), ret);
}

static ompd_rc_t task_frame(const struct family_runtime *runtime, const struct family_task *task,
			    ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame)
{
	return kmp_task_frame(of_runtime(runtime), of_task(task), exit_frame, enter_frame);
}

static ompd_rc_t task_info(const struct family_runtime *runtime, const struct family_task *task,
			   ompd_ext_task_info *ret)
{
	return kmp_task_info(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t task_depends(const struct family_runtime *runtime, const struct family_task *task,
			      ompd_ext_depend *depends, size_t max, size_t *count)
{
	return kmp_task_depends(of_runtime(runtime), of_task(task), depends, max, count);
}

static ompd_rc_t task_dependers(const struct family_runtime *runtime,
				const struct family_task *task, uint64_t *ids, size_t max,
				size_t *count)
{
	return kmp_task_dependers(of_runtime(runtime), of_task(task), ids, max, count);
}

static ompd_rc_t walk_open(const struct family_runtime *runtime, const struct family_region *region,
			   struct family_walk **ret)
{
	struct kmp_task_walk *walk;
	ompd_rc_t rc = kmp_task_walk_open(of_runtime(runtime), of_region(region), &walk);

	if (rc == ompd_rc_ok)
		*ret = (struct family_walk *)walk;
	return rc;
}

static ompd_rc_t walk_next(struct family_walk *walk, ompd_ext_task_info *ret)
{
	return kmp_task_walk_next((struct kmp_task_walk *)walk, ret);
}

static bool walk_damaged(const struct family_walk *walk)
{
	return kmp_task_walk_damaged((const struct kmp_task_walk *)walk);
}

static ompd_rc_t walk_unreached(const struct family_walk *walk, uint32_t *ret)
{
	return kmp_task_walk_unreached((const struct kmp_task_walk *)walk, ret);
}

static void walk_close(struct family_walk *walk)
{
	kmp_task_walk_close((struct kmp_task_walk *)walk);
}

// ---- Waits -----------------------------------------------------------------------------------

static ompd_rc_t barrier_info(const struct family_runtime *runtime,
			      const struct family_region *region, ompd_ext_barrier_info *ret)
{
	(void)runtime;
	(void)region;
	(void)ret;
	return reason(ompd_rc_unavailable,
		      "threads that gather others at a barrier are not counted "
		      "before these have come");
}

static ompd_rc_t ordered_turn(const struct family_runtime *runtime, uint64_t thread, int *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_ordered_turn(of_runtime(runtime), &read, ret) : rc;
}

static ompd_rc_t loop_info(const struct family_runtime *runtime, uint64_t thread,
			   ompd_ext_loop_info *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_loop_info(of_runtime(runtime), &read, ret) : rc;
}

static ompd_rc_t task_counts(const struct family_runtime *runtime, const struct family_task *task,
			     ompd_ext_task_counts *ret)
{
	return kmp_task_counts(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t lock_info(const struct family_runtime *runtime, uint32_t kind, uint64_t address,
			   ompd_ext_lock_info *ret)
{
	return kmp_lock_info(of_runtime(runtime), kind, address, ret);
}

static ompd_rc_t classify_call(struct family_runtime *runtime, uint64_t return_address,
			       ompd_ext_wait_site *site)
{
	return kmp_classify_call((struct kmp_runtime *)runtime, return_address, site);
}

static ompd_rc_t classify_entry(struct family_runtime *runtime, uint64_t entry,
				ompd_ext_wait_site *site)
{
	return kmp_classify_entry((struct kmp_runtime *)runtime, entry, site);
}

static ompd_rc_t lock_argument(struct family_runtime *runtime, uint64_t return_address,
			       ompd_ext_argument *ret)
{
	return kmp_lock_argument((struct kmp_runtime *)runtime, return_address, ret);
}

static ompd_rc_t confirm_lock(const struct family_runtime *runtime, uint64_t thread, uint32_t kind,
			      uint64_t variable, const uint64_t *in_use, size_t in_use_count)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_confirm_lock(of_runtime(runtime), &read, kind, variable,
						   in_use, in_use_count) :
				  rc;
}

static ompd_rc_t classify_futex(const struct family_runtime *runtime, uint64_t thread,
				uint64_t futex, ompd_ext_wait_site *site)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	return rc == ompd_rc_ok ? kmp_classify_futex(of_runtime(runtime), &read, futex, site) : rc;
}

// ---- Variables -------------------------------------------------------------------------------

static ompd_rc_t make_query(const struct family_runtime *runtime, const struct family_query *query,
			    struct kmp_thread *thread, struct kmp_icv_query *ret)
{
	*ret = (struct kmp_icv_query){
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
	struct kmp_icv_query inner;
	struct kmp_thread thread;
	ompd_rc_t rc = make_query(runtime, query, &thread, &inner);

	return rc == ompd_rc_ok ? kmp_icv_value(icv, &inner, ret) : rc;
}

static ompd_rc_t icv_text(const struct family_runtime *runtime, enum icv icv,
			  const struct family_query *query, char *text)
{
	struct kmp_icv_query inner;
	struct kmp_thread thread;
	ompd_rc_t rc = make_query(runtime, query, &thread, &inner);

	return rc == ompd_rc_ok ? kmp_icv_text(icv, &inner, text) : rc;
}

static ompd_rc_t initial_icv_text(const struct family_runtime *runtime, enum icv icv, char *text)
{
	const struct kmp_icv_query query = { .runtime = of_runtime(runtime) };

	return kmp_icv_text(icv, &query, text);
}

// An ompt_data_t is a union of a number and a pointer.
static ompd_rc_t tool_data(const struct family_runtime *runtime, const struct family_query *query,
			   ompd_word_t *value, uint64_t *pointer)
{
	ompd_rc_t rc = kmp_tool_data(of_runtime(runtime), query->thread, of_region(query->region),
				     of_task(query->task), pointer);

	if (rc == ompd_rc_ok)
		*value = (ompd_word_t)*pointer;
	return rc;
}

static const char *const mutex_impls[] = {
	"kmp_mutex_impl_none",
	"kmp_mutex_impl_spin",
	"kmp_mutex_impl_queuing",
	"kmp_mutex_impl_speculative",
	NULL,
};
// Devices are not its own affair: it always answers with the host alone (ompt_get_num_devices).
static const struct family_ompt ompt = { .mutex_impls = mutex_impls, .num_devices = 1 };

static ompd_rc_t ompt_task_type(const struct family_runtime *runtime,
				const struct family_task *task, uint32_t *ret)
{
	return kmp_ompt_task_type(of_runtime(runtime), of_task(task), ret);
}

static ompd_rc_t task_memory(const struct family_runtime *runtime, const struct family_task *task,
			     uint64_t *address, uint64_t *size)
{
	return kmp_task_memory(of_runtime(runtime), of_task(task), address, size);
}

static const char *const names[] = { "libomp", "libiomp5", NULL };

const struct family kmp_family = {
	.names = names,
	.runtime_size = sizeof(struct kmp_runtime),
	.region_size = sizeof(struct kmp_region),
	.task_size = sizeof(struct kmp_task),
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
	.control_vars = kmp_control_vars,
	.tool_data = tool_data,
	.ompt = &ompt,
	.ompt_task_type = ompt_task_type,
	.task_memory = task_memory,
};
