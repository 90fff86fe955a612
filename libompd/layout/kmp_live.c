// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the memory of a running libomp shows: the number in a thread's record is its slot in the array
// of threads, its team has it among its threads, and so on. A row names two ways to one value that
// can't be equal by chance; where they meet, they prove fields that no exported function shows. Memory
// refutes nothing: a healthy process may be stopped where a pointer is null, or left over from a region
// that has ended, in all of its threads.

#include "layout/kmp_layout.h"

enum { ROW_PATH = 16, SLOTS_MAX = 64, WITNESSES_MAX = 8, ADDRESS_MIN = 0x1000 };

// Steps of a way that are no fields. A field is its number plus one.
enum step {
	END = 0,
	LOAD = 0x8000, // the pointer there, which is never null while the thread has a team
	MAYBE,	       // the pointer there; if it is null, there is nothing to ask
	VALUE,	       // the number there, as wide as the last field
	GTID,	       // the thread's number in the array
	TID,	       // the element of an array of pointers with the thread's number in its team
	STATE,	       // ... with the number of the task team that it uses
	TASK_TID,      // ... of the implicit tasks
	DATA_TID,      // ... of the queues
	BEHIND,	       // the kmp_task behind a kmp_taskdata
	BEFORE,	       // the kmp_taskdata before a kmp_task
	QUEUED,	       // an end of the queue there, if it has two
};

// Which threads have both ways.
enum condition {
	ANY,
	WORKING,  // whose region is not over: what points out of it is not left over
	IMPLICIT, // whose current task is
	EXPLICIT, // likewise
	CIRCLE,	  // likewise; one is enough, as the way leads back to where it came from
	QUEUE,	  // that works, and whose task team has made tasks, and a queue for it
};

struct row {
	enum condition condition;
	uint16_t left[ROW_PATH], right[ROW_PATH];
};

#define F(s, f) (KMP_FIELD_##s##__##f + 1)
#define INFO(f) F(kmp_base_info_t, f)
#define TEAM(f) INFO(th_team), LOAD, F(kmp_base_team_t, f)
#define ROOT(f) INFO(th_root), LOAD, F(kmp_base_root_t, f)
#define TASK(f) INFO(th_current_task), LOAD, F(kmp_taskdata_t, f)
#define TASK_TEAM(f) INFO(th_task_team), MAYBE, F(kmp_base_task_team_t, f)
#define NODE TASK(td_depnode), MAYBE
#define DEPENDER NODE, F(kmp_base_depnode_t, successors), MAYBE
#define OWN_NODE                                                                       \
	F(kmp_depnode_list_t, node), LOAD, F(kmp_base_depnode_t, task), MAYBE, BEFORE, \
		F(kmp_taskdata_t, td_depnode), LOAD
#define DATA TASK_TEAM(tt_threads_data), MAYBE, DATA_TID

static const struct row rows[] = {
	{ ANY, { INFO(th_info), F(kmp_desc_base_t, ds_gtid), VALUE }, { GTID } },
	{ ANY, { ROOT(r_uber_thread), LOAD, INFO(th_root), LOAD }, { INFO(th_root), LOAD } },
	{ ANY,
	  { ROOT(r_root_team), MAYBE, F(kmp_base_team_t, t_threads), LOAD, LOAD },
	  { ROOT(r_uber_thread), LOAD } },
	{ ANY,
	  { ROOT(r_hot_team), MAYBE, F(kmp_base_team_t, t_threads), LOAD, LOAD },
	  { ROOT(r_uber_thread), LOAD } },
	{ ANY, { TEAM(t_threads), LOAD, TID, LOAD }, { END } },
	{ ANY, { INFO(th_team_master), LOAD }, { TEAM(t_threads), LOAD, LOAD } },
	{ ANY, { INFO(th_task_team), MAYBE }, { TEAM(t_task_team), STATE, MAYBE } },
	{ WORKING,
	  { TEAM(t_implicit_task_taskdata), LOAD, F(kmp_taskdata_t, td_parent), MAYBE,
	    F(kmp_taskdata_t, td_team), LOAD },
	  { TEAM(t_parent), LOAD } },
	{ IMPLICIT,
	  { TEAM(t_implicit_task_taskdata), LOAD, TASK_TID },
	  { INFO(th_current_task), LOAD } },
	{ ANY, { TASK(td_team), LOAD }, { INFO(th_team), LOAD } },
	{ EXPLICIT, { TASK(td_alloc_thread), LOAD, INFO(th_root), LOAD }, { INFO(th_root), LOAD } },
	{ EXPLICIT,
	  { TASK(td_parent), LOAD, F(kmp_taskdata_t, td_team), LOAD },
	  { TASK(td_team), LOAD } },
	{ QUEUE, { DATA, F(kmp_base_thread_data_t, td_thr), LOAD }, { END } },
	{ QUEUE,
	  { DATA, QUEUED, LOAD, F(kmp_taskdata_t, td_team), LOAD },
	  { INFO(th_team), LOAD } },
	// A task's node names it, and its dependers' nodes, each of which names its task.
	{ CIRCLE,
	  { NODE, F(kmp_base_depnode_t, task), LOAD },
	  { INFO(th_current_task), LOAD, BEHIND } },
	{ CIRCLE, { DEPENDER, OWN_NODE }, { DEPENDER, F(kmp_depnode_list_t, node), LOAD } },
	{ CIRCLE,
	  { DEPENDER, F(kmp_depnode_list_t, next), MAYBE, OWN_NODE },
	  { DEPENDER, F(kmp_depnode_list_t, next), MAYBE, F(kmp_depnode_list_t, node), LOAD } },
	{ WORKING,
	  { INFO(th_cg_roots), LOAD, F(kmp_cg_root_t, cg_root), LOAD, INFO(th_root), LOAD },
	  { INFO(th_root), LOAD } },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

struct witness {
	const struct target *target;
	const struct kmp_layout *layout;
	uint64_t thread;
	uint32_t gtid, tid;
	bool at_tail; // which end of a queue is looked at
};

// A structure's field; false if it can't be read or the release has none.
static bool read_field(const struct witness *witness, uint64_t base, enum kmp_field field,
		       uint64_t *ret)
{
	const struct layout_field *place = &witness->layout->field[field];

	if (place->size != 1 && place->size != 2 && place->size != 4 && place->size != 8)
		return false;
	return target_read_uint(witness->target, base + place->offset, place->size, ret) ==
	       ompd_rc_ok;
}

enum answer { NOT_ASKED, HOLDS, FAILS };

// A queue's numbers must fit each other. One task is at both ends.
static enum answer queue_end(const struct witness *witness, uint64_t data, uint64_t *ret)
{
	uint64_t tasks, size, head, tail, deque;

	if (!read_field(witness, data, KMP_FIELD_kmp_base_thread_data_t__td_deque, &deque) ||
	    !read_field(witness, data, KMP_FIELD_kmp_base_thread_data_t__td_deque_ntasks, &tasks) ||
	    !read_field(witness, data, KMP_FIELD_kmp_base_thread_data_t__td_deque_size, &size) ||
	    !read_field(witness, data, KMP_FIELD_kmp_base_thread_data_t__td_deque_head, &head) ||
	    !read_field(witness, data, KMP_FIELD_kmp_base_thread_data_t__td_deque_tail, &tail))
		return FAILS;
	if (!deque && !tasks)
		return NOT_ASKED;
	if (deque % 8 || !size || (size & (size - 1)) || tasks > size ||
	    ((head + tasks) & (size - 1)) != tail)
		return FAILS;
	*ret = deque + 8 * (witness->at_tail ? (tail - 1) & (size - 1) : head);
	return tasks > (witness->at_tail ? 1 : 0) ? HOLDS : NOT_ASKED;
}

static enum answer load(const struct witness *witness, bool maybe, uint64_t *value)
{
	if (target_read_pointer(witness->target, *value, value) != ompd_rc_ok)
		return FAILS;
	if (maybe && *value == 0)
		return NOT_ASKED;
	return *value < ADDRESS_MIN ? FAILS : HOLDS;
}

static enum answer step(const struct witness *witness, uint16_t how, enum kmp_field last,
			uint64_t *value)
{
	const struct kmp_layout *layout = witness->layout;
	uint64_t state;

	switch (how) {
	case LOAD:
	case MAYBE:
		return load(witness, how == MAYBE, value);
	case VALUE:
		return read_field(witness, *value - layout->field[last].offset, last, value) ?
			       HOLDS :
			       FAILS;
	case GTID:
		*value = witness->gtid;
		return HOLDS;
	case TID:
		*value += 8 * (uint64_t)witness->tid;
		return HOLDS;
	case STATE:
		if (!read_field(witness, witness->thread, KMP_FIELD_kmp_base_info_t__th_task_state,
				&state))
			return FAILS;
		*value += 8 * (state & 1);
		return HOLDS;
	case TASK_TID:
		*value += (uint64_t)layout->struct_size[KMP_STRUCT_kmp_taskdata_t] * witness->tid;
		return HOLDS;
	case DATA_TID:
		*value +=
			(uint64_t)layout->struct_size[KMP_STRUCT_kmp_thread_data_t] * witness->tid;
		return HOLDS;
	case BEHIND:
		*value += layout->struct_size[KMP_STRUCT_kmp_taskdata_t];
		return HOLDS;
	case BEFORE:
		*value -= layout->struct_size[KMP_STRUCT_kmp_taskdata_t];
		return HOLDS;
	case QUEUED:
		return queue_end(witness, *value, value);
	default:
		return FAILS;
	}
}

static enum answer follow(const struct witness *witness, const uint16_t *path, uint64_t *value)
{
	enum kmp_field last = 0;

	*value = witness->thread;
	for (; *path != END; path++) {
		enum answer answer = HOLDS;

		if (*path < LOAD) {
			last = (enum kmp_field)(*path - 1);
			if (!witness->layout->field[last].size)
				return NOT_ASKED;
			*value += witness->layout->field[last].offset;
		} else {
			answer = step(witness, *path, last, value);
		}
		if (answer != HOLDS)
			return answer;
	}
	return HOLDS;
}

static bool is_of_type(const struct witness *witness, bool explicit)
{
	static const uint16_t to_flags[] = { TASK(td_flags), END };
	uint32_t bits = kmp_layout_bits(witness->layout, KMP_FIELD_kmp_tasking_flags_t__tasktype);
	uint64_t address, flags;

	return follow(witness, to_flags, &address) == HOLDS &&
	       target_read_uint(witness->target, address, 4, &flags) == ompd_rc_ok &&
	       ((flags & bits) != 0) == explicit;
}

// The primary thread has no other team: it has not ended the region, and is in none within it.
static bool is_working(const struct witness *witness)
{
	static const uint16_t to_team[] = { INFO(th_team), LOAD, END };
	static const uint16_t to_primarys[] = { TEAM(t_threads), LOAD, LOAD,
						INFO(th_team),	 LOAD, END };
	uint64_t own, primarys;

	return follow(witness, to_team, &own) == HOLDS &&
	       follow(witness, to_primarys, &primarys) == HOLDS && own == primarys;
}

// A team that has grown may have the task team, with as many queues, of an earlier region.
static bool has_queue(const struct witness *witness)
{
	static const uint16_t to_tasks[] = { TASK_TEAM(tt_found_tasks), VALUE, END };
	static const uint16_t to_queues[] = { TASK_TEAM(tt_max_threads), VALUE, END };
	uint64_t tasks, queues;

	return is_working(witness) && follow(witness, to_tasks, &tasks) == HOLDS && tasks == 1 &&
	       follow(witness, to_queues, &queues) == HOLDS && witness->tid < queues;
}

static bool applies(const struct witness *witness, enum condition condition)
{
	switch (condition) {
	case WORKING:
		return is_working(witness);
	case IMPLICIT:
	case EXPLICIT:
	case CIRCLE:
		return is_of_type(witness, condition != IMPLICIT);
	case QUEUE:
		return has_queue(witness);
	default:
		return true;
	}
}

static bool asks_for_queue(const struct row *row)
{
	for (size_t i = 0; i < ROW_PATH; i++) {
		if (row->left[i] == QUEUED)
			return true;
	}
	return false;
}

static enum answer ask(const struct witness *witness, const struct row *row)
{
	uint64_t left, right;

	if (!applies(witness, row->condition) || (witness->at_tail && !asks_for_queue(row)))
		return NOT_ASKED;
	enum answer answer = follow(witness, row->left, &left);

	if (answer == HOLDS)
		answer = follow(witness, row->right, &right);
	return answer == HOLDS && left != right ? FAILS : answer;
}

bool kmp_layout_is_helper(const struct target *target, const struct kmp_layout *layout,
			  uint32_t gtid)
{
	uint64_t enabled_at = layout->global[KMP_GLOBAL___kmp_enable_hidden_helper];
	uint64_t count_at = layout->global[KMP_GLOBAL___kmp_hidden_helper_threads_num];
	uint64_t enabled, count;

	return gtid > 0 && enabled_at && count_at &&
	       target_read_uint(target, enabled_at, 4, &enabled) == ompd_rc_ok && enabled &&
	       target_read_uint(target, count_at, 4, &count) == ompd_rc_ok && gtid <= count;
}

// Tell whether a worker is in its team. With KMP_HOT_TEAMS_MODE=1 a team keeps threads for which it has no
// use, and they it, also when its root is gone and others use its memory: what they point to is left over.
static bool is_member(const struct witness *witness, uint64_t team)
{
	uint64_t members, threads, member;

	return witness->tid == 0 ||
	       (read_field(witness, team, KMP_FIELD_kmp_base_team_t__t_nproc, &members) &&
		read_field(witness, team, KMP_FIELD_kmp_base_team_t__t_threads, &threads) &&
		target_read_pointer(witness->target, threads + 8 * (uint64_t)witness->tid,
				    &member) == ompd_rc_ok &&
		witness->tid < members && member == witness->thread);
}

// A thread of the array that is at work; false if there is none in that slot.
static bool summon(struct witness *witness, uint64_t threads, uint32_t gtid)
{
	static const uint16_t to_tid[] = { INFO(th_info), F(kmp_desc_base_t, ds_tid), VALUE, END };
	uint64_t team, in_pool, tid;

	if (target_read_pointer(witness->target, threads + 8 * (uint64_t)gtid, &witness->thread) !=
		    ompd_rc_ok ||
	    witness->thread < ADDRESS_MIN ||
	    !read_field(witness, witness->thread, KMP_FIELD_kmp_base_info_t__th_team, &team) ||
	    !read_field(witness, witness->thread, KMP_FIELD_kmp_base_info_t__th_in_pool,
			&in_pool) ||
	    !team || in_pool || follow(witness, to_tid, &tid) != HOLDS)
		return false;
	witness->gtid = gtid;
	witness->tid = (uint32_t)tid;
	return is_member(witness, team);
}

static void prove(struct kmp_layout *layout, enum kmp_field field)
{
	if (layout->field[field].size)
		layout->standing[field] = LAYOUT_PROVEN;
}

static void prove_path(struct kmp_layout *layout, const uint16_t *path)
{
	for (; *path != END; path++) {
		if (*path < LOAD)
			prove(layout, (enum kmp_field)(*path - 1));
		if (*path == TASK_TID)
			layout->struct_standing[KMP_STRUCT_kmp_taskdata_t] = LAYOUT_PROVEN;
		if (*path == DATA_TID)
			layout->struct_standing[KMP_STRUCT_kmp_thread_data_t] = LAYOUT_PROVEN;
		if (*path == STATE)
			prove(layout, KMP_FIELD_kmp_base_info_t__th_task_state);
		if (*path == QUEUED) {
			prove(layout, KMP_FIELD_kmp_base_thread_data_t__td_deque);
			prove(layout, KMP_FIELD_kmp_base_thread_data_t__td_deque_ntasks);
			prove(layout, KMP_FIELD_kmp_base_thread_data_t__td_deque_size);
			prove(layout, KMP_FIELD_kmp_base_thread_data_t__td_deque_head);
			prove(layout, KMP_FIELD_kmp_base_thread_data_t__td_deque_tail);
		}
	}
}

void kmp_layout_confirm(const struct target *target, struct kmp_layout *layout)
{
	const uint64_t *global = layout->global;
	unsigned int failed[ROWS] = { 0 }, held[ROWS] = { 0 }, witnesses = 0;
	struct witness witness = { .target = target, .layout = layout };
	uint64_t initialized, capacity, threads;

	if (!global[KMP_GLOBAL___kmp_threads] || !global[KMP_GLOBAL___kmp_threads_capacity] ||
	    !global[KMP_GLOBAL___kmp_init_serial] ||
	    target_read_uint(target, global[KMP_GLOBAL___kmp_init_serial], 4, &initialized) !=
		    ompd_rc_ok ||
	    !initialized ||
	    target_read_uint(target, global[KMP_GLOBAL___kmp_threads_capacity], 4, &capacity) !=
		    ompd_rc_ok ||
	    target_read_pointer(target, global[KMP_GLOBAL___kmp_threads], &threads) != ompd_rc_ok ||
	    threads < ADDRESS_MIN)
		return;
	for (uint32_t gtid = 0; gtid < capacity && gtid < SLOTS_MAX && witnesses < WITNESSES_MAX;
	     gtid++) {
		// Tasks of helpers are of other teams than those that made them.
		if (kmp_layout_is_helper(target, layout, gtid) || !summon(&witness, threads, gtid))
			continue;
		witnesses++;
		for (size_t i = 0; i < (size_t)2 * ROWS; i++) {
			witness.at_tail = i >= ROWS;
			enum answer answer = ask(&witness, &rows[i % ROWS]);

			failed[i % ROWS] += answer == FAILS;
			held[i % ROWS] += answer == HOLDS;
		}
	}
	for (size_t i = 0; i < ROWS; i++) {
		if (held[i] >= (rows[i].condition == CIRCLE ? 1 : 2) && held[i] > failed[i]) {
			prove_path(layout, rows[i].left);
			prove_path(layout, rows[i].right);
		}
	}
	kmp_layout_confirm_locks(target, layout);
}
