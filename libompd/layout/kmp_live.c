// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold in the memory of a running libomp, wherever it stands: the number in a thread's
// record is its slot in the array of threads, its team has it among its threads, and so on. A row
// names two ways to one value. Fields that no exported function shows are held against it. What
// may be null in a healthy process, or left over from a region that has ended, refutes nothing.

#include <stdio.h>

#include "layout/kmp_layout.h"

enum { ROW_PATH = 12, SLOTS_MAX = 64, WITNESSES_MAX = 8, ADDRESS_MIN = 0x1000 };

// Steps of a way that are no fields. A field is its number plus one.
enum step {
	END = 0,
	LOAD = 0x8000,	 // the pointer there, which is never null while the thread has a team
	MAYBE,		 // the pointer there; if it is null, there is nothing to ask
	VALUE,		 // the number there, as wide as the last field
	BIT,		 // the same of a bit field of the word there
	GTID,		 // the thread's number in the array
	TID,		 // the element of an array of pointers with the thread's number in its team
	STATE,		 // ... with the number of the task team that it uses
	TASK_TID,	 // ... of the implicit tasks
	DATA_TID,	 // ... of the queues
	QUEUED,		 // the head of the queue there, if it is not empty
	DIFFERS,	 // whether the thread's current task is another one than that there
	NUMBER = 0x9000, // plus a byte
};

// Bits: all of them must hold.
enum condition {
	ALWAYS = 0,
	// The team's region is not over: what points out of it is not left over.
	WORKING = 1 << 0,
	ALONE = 1 << 1, // the thread is in no league, where it keeps the task team of an outer team
	IMPLICIT = 1 << 2, // the current task is
	EXPLICIT = 1 << 3, // likewise
	// The team has made tasks: the queues of its task team are its own since then. The thread has one.
	TASKS = 1 << 4,
	// Only while it works can it fail: when a team grows, its threads wait for the region with the
	// records of tasks that it had before.
	SETTLED = 1 << 5,
	// The thread has not the task team of the region around: a primary thread that forks its own
	// team has it until its team begins.
	BEGUN = 1 << 6,
	// The primary thread is in a task of the team: before, its implicit tasks are of an earlier region.
	STARTED = 1 << 7,
};

// When a row is refuted: a runtime may be stopped while threads change their team or their task.
enum weight {
	FIRM, // fails more often than it holds
	MOST, // likewise, of two threads at least
	ONE,  // holds for none of two threads at least
};

struct row {
	const char *what;
	uint8_t weight;	    // enum weight
	uint8_t conditions; // enum condition
	bool proves;	    // what it compares can't be equal by chance
	uint16_t left[ROW_PATH], right[ROW_PATH];
};

#define F(s, f) (KMP_FIELD_##s##__##f + 1)
#define INFO(f) F(kmp_base_info_t, f)
#define TEAM(f) INFO(th_team), LOAD, F(kmp_base_team_t, f)
#define ROOT(f) INFO(th_root), LOAD, F(kmp_base_root_t, f)
#define TASK(f) INFO(th_current_task), LOAD, F(kmp_taskdata_t, f)
#define TASK_TEAM(f) INFO(th_task_team), MAYBE, F(kmp_base_task_team_t, f)
#define QUEUE TASK_TEAM(tt_threads_data), MAYBE, DATA_TID

#define FLAG(f) TASK(td_flags), F(kmp_tasking_flags_t, f), BIT

static const struct row rows[] = {
	{ "ds_gtid",
	  FIRM,
	  ALWAYS,
	  true,
	  { INFO(th_info), F(kmp_desc_base_t, ds_gtid), VALUE },
	  { GTID } },
	{ "r_uber_thread",
	  FIRM,
	  ALWAYS,
	  true,
	  { ROOT(r_uber_thread), LOAD, INFO(th_root), LOAD },
	  { INFO(th_root), LOAD } },
	{ "r_root_team",
	  MOST,
	  ALWAYS,
	  true,
	  { ROOT(r_root_team), MAYBE, F(kmp_base_team_t, t_threads), LOAD, LOAD },
	  { ROOT(r_uber_thread), LOAD } },
	{ "r_root_team",
	  MOST,
	  ALWAYS,
	  false,
	  { ROOT(r_root_team), MAYBE, F(kmp_base_team_t, t_level), VALUE },
	  { NUMBER + 0 } },
	{ "r_hot_team",
	  MOST,
	  ALWAYS,
	  true,
	  { ROOT(r_hot_team), MAYBE, F(kmp_base_team_t, t_threads), LOAD, LOAD },
	  { ROOT(r_uber_thread), LOAD } },
	{ "t_threads", MOST, ALWAYS, true, { TEAM(t_threads), LOAD, TID, LOAD }, { END } },
	{ "t_nproc", ONE, ALWAYS, false, { INFO(th_team_nproc), VALUE }, { TEAM(t_nproc), VALUE } },
	{ "th_team_master",
	  ONE,
	  ALWAYS,
	  true,
	  { INFO(th_team_master), LOAD },
	  { TEAM(t_threads), LOAD, LOAD } },
	{ "t_task_team",
	  ONE,
	  WORKING | ALONE | BEGUN,
	  true,
	  { INFO(th_task_team), MAYBE },
	  { TEAM(t_task_team), STATE, MAYBE } },
	// Other threads' tasks may name that which encountered an earlier region.
	{ "t_parent",
	  ONE,
	  WORKING | STARTED,
	  true,
	  { TEAM(t_implicit_task_taskdata), LOAD, F(kmp_taskdata_t, td_parent), MAYBE,
	    F(kmp_taskdata_t, td_team), LOAD },
	  { TEAM(t_parent), LOAD } },
	{ "t_implicit_task_taskdata",
	  MOST,
	  IMPLICIT | SETTLED,
	  true,
	  { TEAM(t_implicit_task_taskdata), LOAD, TASK_TID },
	  { INFO(th_current_task), LOAD } },
	{ "tasktype",
	  MOST,
	  SETTLED,
	  false,
	  { FLAG(tasktype) },
	  { TEAM(t_implicit_task_taskdata), LOAD, TASK_TID, DIFFERS } },
	{ "td_team", MOST, SETTLED, true, { TASK(td_team), LOAD }, { INFO(th_team), LOAD } },
	{ "td_alloc_thread",
	  ONE,
	  EXPLICIT,
	  true,
	  { TASK(td_alloc_thread), LOAD, INFO(th_root), LOAD },
	  { INFO(th_root), LOAD } },
	{ "td_parent",
	  ONE,
	  EXPLICIT,
	  true,
	  { TASK(td_parent), LOAD, F(kmp_taskdata_t, td_team), LOAD },
	  { TASK(td_team), LOAD } },
	{ "td_thr",
	  MOST,
	  WORKING | TASKS,
	  true,
	  { QUEUE, F(kmp_base_thread_data_t, td_thr), LOAD },
	  { END } },
	{ "td_deque",
	  ONE,
	  WORKING | TASKS,
	  true,
	  { QUEUE, QUEUED, LOAD, F(kmp_taskdata_t, td_team), LOAD },
	  { INFO(th_team), LOAD } },
	{ "cg_root",
	  ONE,
	  WORKING,
	  true,
	  { INFO(th_cg_roots), LOAD, F(kmp_cg_root_t, cg_root), LOAD, INFO(th_root), LOAD },
	  { INFO(th_root), LOAD } },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

struct witness {
	const struct target *target;
	const struct kmp_layout *layout;
	uint64_t thread;
	uint32_t gtid, tid;
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

// A queue's numbers must fit each other.
static enum answer queue_head(const struct witness *witness, uint64_t data, uint64_t *ret)
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
	*ret = deque + 8 * head;
	return tasks ? HOLDS : NOT_ASKED;
}

static enum answer load(const struct witness *witness, bool maybe, uint64_t *value)
{
	if (target_read_pointer(witness->target, *value, value) != ompd_rc_ok)
		return FAILS;
	if (maybe && *value == 0)
		return NOT_ASKED;
	return *value < ADDRESS_MIN ? FAILS : HOLDS;
}

static enum answer number(const struct witness *witness, uint16_t how, enum kmp_field last,
			  uint64_t *value)
{
	const struct layout_field *place = &witness->layout->field[last];
	uint64_t start = *value - place->offset;
	bool read;

	if (how == VALUE) {
		read = read_field(witness, start, last, value);
	} else {
		read = target_read_uint(witness->target, start, 4, value) == ompd_rc_ok;
		*value = (*value & kmp_layout_bits(witness->layout, last)) != 0;
	}
	return read ? HOLDS : FAILS;
}

static enum answer step(const struct witness *witness, uint16_t how, enum kmp_field last,
			uint64_t *value)
{
	const struct kmp_layout *layout = witness->layout;
	uint64_t state, task;

	switch (how) {
	case LOAD:
	case MAYBE:
		return load(witness, how == MAYBE, value);
	case VALUE:
	case BIT:
		return number(witness, how, last, value);
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
	case QUEUED:
		return queue_head(witness, *value, value);
	case DIFFERS:
		if (!read_field(witness, witness->thread,
				KMP_FIELD_kmp_base_info_t__th_current_task, &task))
			return FAILS;
		*value = task != *value;
		return HOLDS;
	default:
		*value = how - NUMBER;
		return HOLDS;
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

static bool leads_to_team(const struct witness *witness, const uint16_t *path)
{
	static const uint16_t to_team[] = { INFO(th_team), LOAD, END };
	uint64_t found, team;

	return follow(witness, path, &found) == HOLDS && follow(witness, to_team, &team) == HOLDS &&
	       found == team;
}

#define PRIMARY TEAM(t_threads), LOAD, LOAD

// The primary thread has no other team: it has not ended the region, and is in none within it.
static bool is_working(const struct witness *witness)
{
	static const uint16_t to_its_team[] = { PRIMARY, INFO(th_team), LOAD, END };

	return leads_to_team(witness, to_its_team);
}

// The primary thread is in a task of the team.
static bool is_started(const struct witness *witness)
{
	static const uint16_t to_its_tasks_team[] = { PRIMARY, INFO(th_current_task),
						      LOAD,    F(kmp_taskdata_t, td_team),
						      LOAD,    END };

	return leads_to_team(witness, to_its_tasks_team);
}

// Tell whether a thread has one of the two task teams of the region around its own.
static bool is_of_parent(const struct witness *witness)
{
	static const uint16_t to_own[] = { INFO(th_task_team), MAYBE, END };
	static const uint16_t to_parents[] = { TEAM(t_parent), MAYBE,
					       F(kmp_base_team_t, t_task_team), END };
	uint64_t own, parents, task_team;

	if (follow(witness, to_own, &own) != HOLDS ||
	    follow(witness, to_parents, &parents) != HOLDS)
		return false;
	for (unsigned int state = 0; state < 2; state++) {
		if (target_read_pointer(witness->target, parents + 8 * (uint64_t)state,
					&task_team) == ompd_rc_ok &&
		    task_team == own)
			return true;
	}
	return false;
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

// A team that has grown may have the task team, with as many queues, of an earlier region.
static bool has_queue(const struct witness *witness)
{
	static const uint16_t to_tasks[] = { TASK_TEAM(tt_found_tasks), VALUE, END };
	static const uint16_t to_queues[] = { TASK_TEAM(tt_max_threads), VALUE, END };
	uint64_t tasks, queues;

	return follow(witness, to_tasks, &tasks) == HOLDS && tasks == 1 &&
	       follow(witness, to_queues, &queues) == HOLDS && witness->tid < queues;
}

static bool applies(const struct witness *witness, unsigned int conditions)
{
	static const uint16_t to_league[] = { INFO(th_teams_microtask), VALUE, END };
	uint64_t league;

	if ((conditions & WORKING) && !is_working(witness))
		return false;
	if ((conditions & ALONE) && follow(witness, to_league, &league) == HOLDS && league)
		return false;
	if ((conditions & TASKS) && !has_queue(witness))
		return false;
	if ((conditions & BEGUN) && is_of_parent(witness))
		return false;
	if ((conditions & STARTED) && !is_started(witness))
		return false;
	return !(conditions & (IMPLICIT | EXPLICIT)) ||
	       is_of_type(witness, (conditions & EXPLICIT) != 0);
}

static enum answer ask(const struct witness *witness, const struct row *row)
{
	uint64_t left, right;

	if (!applies(witness, row->conditions))
		return NOT_ASKED;
	enum answer answer = follow(witness, row->left, &left);

	if (answer == HOLDS)
		answer = follow(witness, row->right, &right);
	if (answer == HOLDS && left != right)
		answer = FAILS;
	return answer == FAILS && (row->conditions & SETTLED) && !is_working(witness) ? NOT_ASKED :
											answer;
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

static bool is_refuted(enum weight weight, unsigned int held, unsigned int failed)
{
	if (weight == ONE)
		return held == 0 && failed >= 2;
	return failed > held && (weight == FIRM || held + failed >= 2);
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

ompd_rc_t kmp_layout_check(const struct target *target, struct kmp_layout *layout, char *reason,
			   size_t reason_size)
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
		return ompd_rc_ok;
	for (uint32_t gtid = 0; gtid < capacity && gtid < SLOTS_MAX && witnesses < WITNESSES_MAX;
	     gtid++) {
		// Tasks of helpers are of other teams than those that made them.
		if (kmp_layout_is_helper(target, layout, gtid) || !summon(&witness, threads, gtid))
			continue;
		witnesses++;
		for (size_t i = 0; i < ROWS; i++) {
			enum answer answer = ask(&witness, &rows[i]);

			failed[i] += answer == FAILS;
			held[i] += answer == HOLDS;
		}
	}
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].proves && held[i] >= 2 && held[i] > failed[i]) {
			prove_path(layout, rows[i].left);
			prove_path(layout, rows[i].right);
		}
		if (!is_refuted((enum weight)rows[i].weight, held[i], failed[i]))
			continue;
		snprintf(reason, reason_size,
			 "the runtime's memory is not as the layout %s%s says: %s does not fit",
			 layout->source == LAYOUT_TABLE ? "of " : "", layout->releases,
			 rows[i].what);
		return ompd_rc_incompatible;
	}
	return ompd_rc_ok;
}
