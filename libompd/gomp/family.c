// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API's operations on libgomp: the runtime, its threads, regions and variables.

#include <stdio.h>

#include "gomp/family.h"
#include "gomp/icv.h"

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

static const char *file_name(const struct family_runtime *runtime)
{
	(void)runtime;
	return "libgomp.so.1";
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
				   struct family_thread *ret)
{
	struct gomp_thread thread;

	*ret = to_thread(runtime, gomp_thread_of_pthread(of_runtime(runtime), pthread));
	return read_thread(runtime, ret, &thread);
}

static ompd_rc_t pthread_of_thread(const struct family_runtime *runtime,
				   const struct family_thread *thread, uint64_t *ret)
{
	(void)runtime;
	*ret = thread->pthread;
	return ompd_rc_ok;
}

static ompd_rc_t next_thread(const struct family_runtime *runtime, struct family_cursor *cursor,
			     struct family_thread *ret)
{
	const struct gomp_runtime *gomp = of_runtime(runtime);
	uint64_t pthread;

	if (!gomp->nptl.available)
		return reason(ompd_rc_unsupported, "cannot find glibc's thread descriptors");
	while (nptl_next(&gomp->nptl, &gomp->target, &cursor->nptl, &pthread) == ompd_rc_ok) {
		ompd_rc_t rc = thread_of_pthread(runtime, pthread, ret);

		if (rc == ompd_rc_ok)
			return rc;
		cursor->damaged |= rc != ompd_rc_unavailable;
	}
	cursor->damaged |= cursor->nptl.damaged;
	return ompd_rc_unavailable;
}

static ompd_rc_t thread_num(const struct family_runtime *runtime,
			    const struct family_thread *thread, const struct family_region *region,
			    int *ret)
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

static ompd_rc_t thread_info(const struct family_runtime *runtime,
			     const struct family_thread *thread, ompd_ext_thread_info *ret)
{
	struct gomp_thread read;
	uint64_t root;
	ompd_rc_t rc = read_thread(runtime, thread, &read);

	if (rc == ompd_rc_ok)
		rc = gomp_root_of(of_runtime(runtime), &read, &root);
	if (rc == ompd_rc_ok)
		*ret = (ompd_ext_thread_info){
			.kind = root == thread->address ? ompd_ext_thread_initial :
							  ompd_ext_thread_worker,
			.global_num = -1,
		};
	return rc;
}

static ompd_rc_t state(const struct family_runtime *runtime, const struct family_thread *thread,
		       ompd_word_t *state, ompd_wait_id_t *wait_id)
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

static ompd_rc_t current_region(const struct family_runtime *runtime,
				const struct family_thread *thread, struct family_region *ret)
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
			       const struct family_region *region, uint32_t number,
			       struct family_thread *ret)
{
	struct gomp_thread thread;
	ompd_rc_t rc = gomp_region_member(of_runtime(runtime), of_region(region), number, &thread);

	if (rc == ompd_rc_ok)
		*ret = to_thread(runtime, thread.address);
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
	ompd_rc_t rc = gomp_tool_data(of_runtime(runtime),
				      query->thread ? &query->thread->address : NULL,
				      query->task ? of_task(query->task) : NULL, pointer);

	if (rc == ompd_rc_ok)
		*value = (ompd_word_t)*pointer;
	return rc;
}

static const char *const names[] = { "libgomp", NULL };

const struct family gomp_family = {
	.names = names,
	.runtime_size = sizeof(struct gomp_runtime),
	.region_size = sizeof(struct gomp_region),
	.task_size = sizeof(struct gomp_task),
	.open = open,
	.close = close,
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
	.tasks = &gomp_family_tasks,
	.waits = &gomp_family_waits,
	.icv_value = icv_value,
	.icv_text = icv_text,
	.initial_icv_text = initial_icv_text,
	.control_vars = gomp_control_vars,
	.tool_data = tool_data,
};
