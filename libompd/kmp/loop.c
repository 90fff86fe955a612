// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop whose iterations a thread fetches from the runtime: its own record of it and that of the
// team (__kmp_dispatch_init, __kmp_dispatch_next). A thread that has left its loop has none.

#include "kmp/kmp.h"

#define PRIVATE(field) KMP_FIELD_dispatch_private_info_t__##field
#define SHARED(field) KMP_FIELD_dispatch_shared_info_t__##field
#define SCHED_FLAG(bit) KMP_FIELD_kmp_sched_flags_t__##bit

/** enum sched_type (kmp.h), to which compilers and the runtime are bound. */
enum {
	SCHED_STATIC_CHUNKED = 33,
	SCHED_DYNAMIC_CHUNKED = 35,
	SCHED_STATIC_GREEDY = 40,
	SCHED_STATIC_BALANCED = 41,
	SCHED_GUIDED_ITERATIVE = 42,
	SCHED_GUIDED_ANALYTICAL = 43,
	SCHED_STATIC_STEAL = 44,
	SCHED_STATIC_BALANCED_CHUNKED = 45,
	SCHED_GUIDED_SIMD = 46,
};

/** Values of omp_sched_t. */
enum { STATIC = 1, DYNAMIC, GUIDED };

/** The fields of a record whose numbers have 4 or 8 bytes. */
struct fields {
	enum kmp_field count, ub, tc, parm1, ordered_lower, ordered_upper;
	enum kmp_field iteration, ordered_iteration;
};

#define FIELDS(bits)                                                                              \
	{                                                                                         \
		.count = KMP_FIELD_dispatch_private_info##bits##_t__count,                        \
		.ub = KMP_FIELD_dispatch_private_info##bits##_t__ub,                              \
		.tc = KMP_FIELD_dispatch_private_info##bits##_t__tc,                              \
		.parm1 = KMP_FIELD_dispatch_private_info##bits##_t__parm1,                        \
		.ordered_lower = KMP_FIELD_dispatch_private_info##bits##_t__ordered_lower,        \
		.ordered_upper = KMP_FIELD_dispatch_private_info##bits##_t__ordered_upper,        \
		.iteration = KMP_FIELD_dispatch_shared_info##bits##_t__iteration,                 \
		.ordered_iteration = KMP_FIELD_dispatch_shared_info##bits##_t__ordered_iteration, \
	}

static const struct fields fields_of[] = { FIELDS(32), FIELDS(64) };

/** Where the records of a thread's loop are. */
struct loop {
	uint64_t own, shared; // records
	uint64_t own_numbers, shared_numbers;
	const struct fields *fields;
};

static ompd_rc_t find_loop(const struct runtime *runtime, uint64_t thread, struct loop *ret)
{
	uint64_t dispatch, size;
	ompd_rc_t rc = kmp_read(runtime, thread, INFO(th_dispatch), &dispatch);

	*ret = (struct loop){ 0 };
	if (rc == ompd_rc_ok && dispatch)
		rc = KMP_READ(runtime, dispatch,
			      WANT(KMP_FIELD_kmp_disp_t__th_dispatch_pr_current, &ret->own),
			      WANT(KMP_FIELD_kmp_disp_t__th_dispatch_sh_current, &ret->shared));
	if (rc != ompd_rc_ok)
		return rc;
	if (!ret->own || !ret->shared)
		return reason(ompd_rc_unavailable,
			      "the thread is in no loop whose iterations the runtime hands out");
	rc = kmp_read(runtime, ret->own, PRIVATE(type_size), &size);
	if (rc != ompd_rc_ok)
		return rc;
	if (size != 4 && size != 8)
		return reason(ompd_rc_error, "the record of the thread's loop is damaged");
	ret->fields = &fields_of[size == 8];
	ret->own_numbers = kmp_at(runtime, ret->own, PRIVATE(u));
	ret->shared_numbers = kmp_at(runtime, ret->shared, SHARED(u));
	return ompd_rc_ok;
}

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/** How the runtime counts what it has handed out. */
enum counting { NOT_COUNTED, CHUNKS, ITERATIONS, OWN_CHUNKS };

static const struct {
	uint32_t kind;
	uint32_t schedule;
	enum counting counting;
} schedules[] = {
	{ SCHED_STATIC_CHUNKED, STATIC, NOT_COUNTED },
	{ SCHED_DYNAMIC_CHUNKED, DYNAMIC, CHUNKS },
	{ SCHED_STATIC_GREEDY, STATIC, NOT_COUNTED },
	{ SCHED_STATIC_BALANCED, STATIC, NOT_COUNTED },
	{ SCHED_GUIDED_ITERATIVE, GUIDED, ITERATIONS },
	{ SCHED_GUIDED_ANALYTICAL, GUIDED, NOT_COUNTED },
	{ SCHED_STATIC_STEAL, DYNAMIC, OWN_CHUNKS },
	{ SCHED_STATIC_BALANCED_CHUNKED, STATIC, NOT_COUNTED },
	{ SCHED_GUIDED_SIMD, GUIDED, ITERATIONS },
};

static ompd_rc_t count_remaining(const struct runtime *runtime, const struct loop *loop,
				 enum counting counting, ompd_ext_loop_info *ret)
{
	uint64_t begin, end;
	ompd_rc_t rc;

	if (counting == OWN_CHUNKS) {
		rc = KMP_READ(runtime, loop->own_numbers, WANT(loop->fields->count, &begin),
			      WANT(loop->fields->ub, &end));
		if (rc == ompd_rc_ok)
			ret->flags |= ompd_ext_loop_own;
	} else {
		rc = kmp_read(runtime, loop->shared_numbers, loop->fields->iteration, &begin);
		end = UINT64_MAX;
	}
	if (rc != ompd_rc_ok)
		return rc;
	if (counting != ITERATIONS) {
		const uint64_t chunk = ret->chunk ? ret->chunk : 1;
		const uint64_t chunks = ret->total / chunk + (ret->total % chunk != 0);

		begin = least(begin, chunks) * chunk;
		end = least(end, chunks) * chunk;
	}
	end = least(end, ret->total);
	ret->remaining = begin < end ? end - begin : 0;
	ret->flags |= ompd_ext_loop_remaining;
	return ompd_rc_ok;
}

ompd_rc_t kmp_loop_info(const struct runtime *runtime, const struct thread *thread,
			ompd_ext_loop_info *ret)
{
	uint64_t schedule, flags;
	struct loop loop;
	ompd_rc_t rc = find_loop(runtime, thread->address, &loop);

	*ret = (ompd_ext_loop_info){ .id = loop.shared, .flags = ompd_ext_loop_total };
	if (rc == ompd_rc_ok)
		rc = KMP_READ(runtime, loop.own, WANT(PRIVATE(schedule), &schedule),
			      WANT(PRIVATE(flags), &flags));
	if (rc == ompd_rc_ok)
		rc = KMP_READ(runtime, loop.own_numbers, WANT(loop.fields->tc, &ret->total),
			      WANT(loop.fields->parm1, &ret->chunk));
	if (rc != ompd_rc_ok)
		return rc;
	if (kmp_flag(runtime, (uint32_t)flags, SCHED_FLAG(ordered)))
		ret->flags |= ompd_ext_loop_ordered;
	// GOMP_sections_start; no others pass kmp_nm_lower and what follows.
	if (kmp_flag(runtime, (uint32_t)flags, SCHED_FLAG(nomerge)))
		ret->flags |= ompd_ext_loop_sections;
	for (size_t i = 0; i < sizeof(schedules) / sizeof(schedules[0]); i++) {
		if (schedules[i].kind != schedule)
			continue;
		ret->schedule = schedules[i].schedule;
		if (schedules[i].counting != NOT_COUNTED)
			return count_remaining(runtime, &loop, schedules[i].counting, ret);
	}
	ret->chunk = 0;
	return ompd_rc_ok;
}

// Check of the thread at @p address whether its iterations are those of @p loop, and the one whose
// turn it is among them.
static ompd_rc_t has_turn(const struct runtime *runtime, uint64_t address, uint64_t shared,
			  bool *ret)
{
	struct loop loop;
	uint64_t lower, upper, turn;
	ompd_rc_t rc = find_loop(runtime, address, &loop);

	*ret = false;
	if (rc != ompd_rc_ok || loop.shared != shared)
		return kmp_or_none(rc);
	rc = KMP_READ(runtime, loop.own_numbers, WANT(loop.fields->ordered_lower, &lower),
		      WANT(loop.fields->ordered_upper, &upper));
	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, loop.shared_numbers, loop.fields->ordered_iteration, &turn);
	if (rc == ompd_rc_ok)
		*ret = lower <= turn && turn <= upper;
	return rc;
}

ompd_rc_t kmp_ordered_turn(const struct runtime *runtime, const struct thread *thread, int *ret)
{
	struct kmp_team team;
	struct loop loop;
	ompd_rc_t rc = find_loop(runtime, thread->address, &loop);

	if (rc == ompd_rc_ok)
		rc = kmp_read_team(runtime, thread->team, &team);
	for (uint32_t i = 0; rc == ompd_rc_ok && i < team.nproc; i++) {
		uint64_t member;
		bool turn = false;

		rc = kmp_read_element(runtime, team.threads, i, &member);
		if (rc == ompd_rc_ok)
			rc = has_turn(runtime, member, loop.shared, &turn);
		if (turn) {
			*ret = (int)i;
			return ompd_rc_ok;
		}
	}
	return rc != ompd_rc_ok ? rc :
				  reason(ompd_rc_unavailable, "no thread has fetched the iteration "
							      "whose turn it is");
}

ompd_rc_t kmp_task_counts(const struct runtime *runtime, const struct task *task,
			  ompd_ext_task_counts *ret)
{
	uint64_t group = 0, primary, task_team = 0;
	ompd_rc_t rc = KMP_READ(runtime, task->address,
				WANT(TASK(td_incomplete_child_tasks), &ret->children),
				WANT(TASK(td_taskgroup), &group));

	ret->taskgroup = ret->detached = 0;
	if (rc == ompd_rc_ok && group)
		rc = kmp_read(runtime, group, KMP_FIELD_kmp_taskgroup_t__count, &ret->taskgroup);
	if (rc == ompd_rc_ok)
		rc = kmp_read_element(runtime, task->region.team.threads, 0, &primary);
	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, primary, INFO(th_task_team), &task_team);
	if (rc == ompd_rc_ok && task_team)
		rc = kmp_read(runtime, task_team,
			      KMP_FIELD_kmp_base_task_team_t__tt_found_proxy_tasks, &ret->detached);
	return rc;
}
