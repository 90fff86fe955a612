// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API's operations on LLVM's runtime: the runtime, its threads, regions and variables.

#include <stdio.h>

#include "kmp/family.h"
#include "kmp/icv.h"

// ---- The runtime -----------------------------------------------------------------------------

static ompd_rc_t open(struct family_runtime *runtime, const struct target *target, const char *name)
{
	return kmp_open((struct kmp_runtime *)runtime, target, name);
}

static void close(struct family_runtime *runtime)
{
	kmp_close((struct kmp_runtime *)runtime);
}

static ompd_rc_t ready(struct family_runtime *runtime)
{
	return kmp_ready((struct kmp_runtime *)runtime);
}

static const char *file_name(const struct family_runtime *runtime)
{
	return of_runtime(runtime)->layout.file_name;
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
				   struct family_thread *ret)
{
	return kmp_thread_of_pthread(of_runtime(runtime), pthread, ret);
}

static ompd_rc_t pthread_of_thread(const struct family_runtime *runtime,
				   const struct family_thread *thread, uint64_t *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	if (rc == ompd_rc_ok && !read.pthread)
		return reason(ompd_rc_unavailable, "the thread has not been started yet");
	if (rc == ompd_rc_ok)
		*ret = read.pthread;
	return rc;
}

static ompd_rc_t next_thread(const struct family_runtime *runtime, struct family_cursor *cursor,
			     struct family_thread *ret)
{
	uint64_t address;
	ompd_rc_t rc = kmp_next_thread(of_runtime(runtime), &cursor->next, &address);

	if (rc == ompd_rc_ok)
		*ret = kmp_found_thread(of_runtime(runtime), address);
	if (rc == ompd_rc_ok || rc == ompd_rc_unavailable)
		return rc;
	cursor->damaged = true;
	return ompd_rc_unavailable;
}

static ompd_rc_t thread_num(const struct family_runtime *runtime,
			    const struct family_thread *thread, const struct family_region *region,
			    int *ret)
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

static ompd_rc_t thread_info(const struct family_runtime *runtime,
			     const struct family_thread *thread, ompd_ext_thread_info *ret)
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

static ompd_rc_t state(const struct family_runtime *runtime, const struct family_thread *thread,
		       ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	const enum kmp_part waits = thread->primary ? KMP_PART_TASK : KMP_PART_WAIT;
	const enum kmp_part part = of_runtime(runtime)->seen->without_tool ? waits : KMP_PART_STATE;
	struct kmp_thread read;
	ompd_rc_t rc = kmp_find_thread_again(of_runtime(runtime), thread, part, &read);

	return rc == ompd_rc_ok ? kmp_state(of_runtime(runtime), &read, state, wait_id) : rc;
}

static ompd_rc_t state_tracking(const struct family_runtime *runtime)
{
	return kmp_tool_active(of_runtime(runtime));
}

// ---- Regions ---------------------------------------------------------------------------------

static ompd_rc_t current_region(const struct family_runtime *runtime,
				const struct family_thread *thread, struct family_region *ret)
{
	struct kmp_thread read;
	ompd_rc_t rc = kmp_find_thread_again(of_runtime(runtime), thread,
					     thread->primary ? KMP_PART_TASK : KMP_PART_PLACE,
					     &read);

	return rc == ompd_rc_ok ? kmp_current_region(of_runtime(runtime), &read, to_region(ret)) :
				  rc;
}

static ompd_rc_t enclosing_region(const struct family_runtime *runtime,
				  const struct family_region *region, struct family_region *ret)
{
	return kmp_enclosing_region(of_runtime(runtime), of_region(region), to_region(ret));
}

static ompd_rc_t region_member(const struct family_runtime *runtime,
			       const struct family_region *region, uint32_t number,
			       struct family_thread *ret)
{
	struct kmp_thread thread;
	ompd_rc_t rc = kmp_region_member(of_runtime(runtime), of_region(region), number, &thread);

	if (rc == ompd_rc_ok)
		*ret = kmp_found_thread(of_runtime(runtime), thread.address);
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

	if (rc == ompd_rc_unavailable || rc == ompd_rc_unsupported)
		ret->function = 0;
	else if (rc != ompd_rc_ok)
		return rc;
	rc = kmp_region_source(kmp, of_region(region), &ret->source);
	if (rc == ompd_rc_unsupported)
		ret->source = 0;
	else if (rc != ompd_rc_ok)
		return rc;
	reason_clear();
	return ompd_rc_ok;
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

static const char *const names[] = { "libomp", "libiomp5", NULL };

const struct family kmp_family = {
	.names = names,
	.runtime_size = sizeof(struct kmp_runtime),
	.region_size = sizeof(struct kmp_region),
	.task_size = sizeof(struct kmp_task),
	.open = open,
	.close = close,
	.ready = ready,
	.file_name = file_name,
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
	.tasks = &kmp_family_tasks,
	.waits = &kmp_family_waits,
	.icv_value = icv_value,
	.icv_text = icv_text,
	.initial_icv_text = initial_icv_text,
	.control_vars = kmp_control_vars,
	.tool_data = tool_data,
	.ompt = &ompt,
};
