// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that writes the trace.

#include <errno.h>
#include <fcntl.h>
#include <sched.h>

#include "spill_writer.h"

#define PERIOD_NS \
	10000000 // what was not written for longer is; and is lost if the program is killed
#define LOOKS_PER_SECOND 4 // for modules
#define AT_ONCE 1024	   // events, after which the thread that waits for room gets some
#define NAME "ompdbg-trace"
#define SUFFIXES 1000

uint64_t spill_ticks(void)
{
	int64_t time[2] = { 0, 0 };

	if (recorder.tsc)
		return ticks();
	system_call(SYS_clock_gettime, 1, POINTER(time), 0, 0); // CLOCK_MONOTONIC
	return (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
}

static unsigned char encoded[TRACE_MAX_CHUNK + TRACE_MAX_EVENT];

/** Return a time of the trace. */
static uint64_t units(uint64_t time)
{
	return time > trace_file.start ? (time - trace_file.start) >> trace_file.shift : 0;
}

/** Append a number to a text; return where it ends. */
static char *put_number(char *at, uint64_t number)
{
	char digits[24];
	int length = 0;

	do
		digits[length++] = (char)('0' + number % 10);
	while (number /= 10);
	while (length > 0)
		*at++ = digits[--length];
	return at;
}

/** Read the system's name of a thread. */
static void read_name(struct trace_thread_state *state)
{
	static const char front[] = "/proc/self/task/", back[] = "/comm";
	char path[sizeof(front) + sizeof(back) + 24];
	long file, size;

	copy_bytes(path, front, sizeof(front));
	copy_bytes(put_number(path + sizeof(front) - 1, state->lwp), back, sizeof(back));
	file = system_call(SYS_openat, AT_FDCWD, POINTER(path), O_RDONLY | O_CLOEXEC, 0);
	if (file < 0)
		return;
	size = system_call(SYS_read, file, POINTER(state->name), sizeof(state->name) - 1, 0);
	system_call(SYS_close, file, 0, 0, 0);
	for (long i = 0; i < (long)sizeof(state->name); i++)
		if (i >= size || state->name[i] == '\n')
			state->name[i] = '\0';
}

/** Write what is known of a thread. @p is_late: also if only its name may have changed. */
static void put_thread(struct thread *thread, struct spill *spill, bool is_late, bool has_ended)
{
	const struct record_thread *shown = &thread->shown;
	struct trace_thread_state *state = &spill->state;
	uint64_t lost_events = shown->lost_events - spill->lost_before;
	uint64_t lost_tasks = shown->dropped_tasks - spill->dropped_before;
	bool is_new = !spill->has_begun;

	if (is_new) {
		clear_bytes(state, sizeof(*state));
		state->number = shown->number;
		state->lwp = shown->lwp;
		state->begun = thread->ring[spill->tail & thread->ring_mask].time;
		spill->has_begun = true;
		spill->next_size = 0;
	} else if (!is_late && state->lost_events == lost_events &&
		   state->lost_tasks == lost_tasks && state->type == shown->type) {
		return;
	}
	state->lost_events = lost_events;
	state->lost_tasks = lost_tasks;
	state->type = shown->type;
	if (has_ended)
		state->ended = shown->ended; // the system may use its number again
	else
		read_name(state);
	if (is_new)
		spill->state_at = file_append(TRACE_THREAD, state, sizeof(*state));
	else
		file_rewrite(spill->state_at, TRACE_THREAD, state, sizeof(*state));
}

/** Give the thread room up to an event. */
static void move_tail(struct spill *spill, uint64_t tail)
{
	__atomic_store_n(&spill->tail, tail, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&spill->waiting, __ATOMIC_SEQ_CST))
		wake(tail_word(spill));
}

/** Look for modules if an event comes from code that is in none. */
static void look_for(uint64_t code)
{
	static uint64_t last_miss;

	if (!code || modules_have(code) || code == last_miss)
		return;
	modules_look();
	if (!modules_have(code))
		last_miss = code; // made at run time, say
}

/** Copy events of a ring to the file, as many as fit into a chunk; return the first that was not. */
static uint64_t copy_events(struct thread *thread, struct spill *spill, uint64_t tail,
			    uint64_t head)
{
	unsigned char *out = encoded;
	uint64_t first = tail, defined, room;

	if (!spill->chunk_at)
		file_begin_chunk(spill, units(thread->ring[tail & thread->ring_mask].time));
	room = spill->chunk.size - sizeof(spill->chunk) - spill->chunk.used;
	while (tail < head && (uint64_t)(out - encoded) + TRACE_MAX_EVENT <= room) {
		const struct record_event *event = &thread->ring[tail & thread->ring_mask];

		defined = spill->encoder.num_templates;
		out = encoder_put(&spill->encoder, event, units(event->time), out);
		if (UNLIKELY(defined != spill->encoder.num_templates))
			look_for(event->code);
		tail++;
		if (!(tail % AT_ONCE))
			move_tail(spill, tail);
	}
	move_tail(spill, tail);
	if (tail > first)
		file_put_events(spill, encoded, (uint32_t)(out - encoded), tail - first,
				spill->encoder.time);
	if (tail < head)
		file_end_chunk(spill);
	return tail;
}

/** Copy what a thread has written; return whether there was something. */
static bool copy_thread(struct thread *thread)
{
	struct spill *spill = thread->spill;
	bool has_ended, is_new = false;
	uint64_t head, tail;

	if (!spill)
		return false;
	// In this order: the block may just be taken by another thread, which sets `head`, then `tail`.
	has_ended = __atomic_load_n(&spill->ended, __ATOMIC_ACQUIRE);
	tail = __atomic_load_n(&spill->tail, __ATOMIC_ACQUIRE);
	head = __atomic_load_n(&thread->shown.head, __ATOMIC_ACQUIRE);
	if (tail < head || has_ended) {
		is_new = true;
		put_thread(thread, spill, false, false);
		while (tail < head)
			tail = copy_events(thread, spill, tail, head);
	}
	if (has_ended) {
		file_end_chunk(spill);
		put_thread(thread, spill, true, true);
		__atomic_store_n(&spill->ended, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&thread->claimed, 0, __ATOMIC_RELEASE);
	}
	return is_new;
}

/** Copy what there is; return whether there was something. */
static bool copy_all(void)
{
	struct thread *thread;
	bool some = false;

	for (thread = first_thread(); thread;
	     thread = (struct thread *)(uintptr_t)thread->shown.next)
		some |= copy_thread(thread);
	return some;
}

/** Write what is otherwise written late: the program ends. */
static void finish(void)
{
	struct thread *thread;

	for (thread = first_thread(); thread;
	     thread = (struct thread *)(uintptr_t)thread->shown.next) {
		struct spill *spill = thread->spill;

		if (!spill || !spill->has_begun || spill->state.ended)
			continue;
		file_end_chunk(spill);
		put_thread(thread, spill, true, false);
	}
	modules_look();
}

/** Sleep until there is something to do. */
static void sleep_now(uint32_t bell)
{
	__atomic_store_n(&writer.is_asleep, 1, __ATOMIC_SEQ_CST);
	wait_for(&writer.bell, bell, PERIOD_NS);
	__atomic_store_n(&writer.is_asleep, 0, __ATOMIC_SEQ_CST);
}

/** Look for modules now and then, and when they change; return whether it was time. */
static bool look_at_times(void)
{
	uint64_t now = spill_ticks();

	if (!__atomic_exchange_n(&writer.changing, 0, __ATOMIC_SEQ_CST) && now < writer.modules_at)
		return false;
	modules_look();
	writer.modules_at = now + ompdbg_record.ticks_per_second / LOOKS_PER_SECOND;
	return true;
}

/** Have other files than the program has: none. @return an errno; 0. */
static int part_from_files(void)
{
	long result = system_call(SYS_unshare, CLONE_FILES, 0, 0, 0);

	if (result < 0)
		return (int)-result;
#ifdef SYS_close_range
	if (!system_call(SYS_close_range, 0, INT_MAX, 0, 0))
		return 0;
#endif
	for (int file = 0; file < 65536; file++)
		system_call(SYS_close, file, 0, 0, 0);
	return 0;
}

/** Create the file: one that is not there yet. */
static int begin_file(void)
{
	int error = EEXIST;

	for (int i = writer.is_child; i < SUFFIXES && error == EEXIST; i++) {
		char *at = writer.file;

		for (const char *path = writer.path; *path;)
			*at++ = *path++;
		if (i > 0) {
			*at++ = '.';
			at = put_number(at, (uint64_t)writer.pid);
		}
		if (i > 1) {
			*at++ = '.';
			at = put_number(at, (uint64_t)i);
		}
		*at = '\0';
		error = file_begin(writer.file);
	}
	return error;
}

/** End the trace because of an error. */
static void give_up(int error)
{
	writer.error = error;
	set_state(SPILL_OFF);
	system_call(SYS_exit, 0, 0, 0, 0);
}

/** Change the rights of this thread as the program has changed its own. */
static void follow_rights(void)
{
	const struct rights_call *call = &writer.call;
	uint32_t wanted = __atomic_load_n(&writer.calls_wanted, __ATOMIC_SEQ_CST);

	if (wanted == writer.calls_made)
		return;
	long result = system_call(call->number, call->a, call->b, call->c, 0);
	if (result < 0)
		give_up((int)-result);
	__atomic_store_n(&writer.calls_made, wanted, __ATOMIC_SEQ_CST);
	wake(&writer.calls_made);
}

void write_trace(void)
{
	system_call(SYS_prctl, 15, POINTER(NAME), 0, 0); // PR_SET_NAME
	int error = part_from_files();
	if (!error)
		error = begin_file();
	if (error)
		give_up(error);
	modules_begin();
	writer.modules_at = 0;
	set_state(SPILL_ON);
	for (;;) {
		uint32_t bell = __atomic_load_n(&writer.bell, __ATOMIC_SEQ_CST);
		uint32_t wanted = __atomic_load_n(&writer.wanted, __ATOMIC_SEQ_CST);
		bool is_end = __atomic_load_n(&writer.ending, __ATOMIC_SEQ_CST);
		bool is_wanted = wanted != writer.served, some;

		follow_rights();
		some = look_at_times(); // then the file tells that the program still runs
		some |= copy_all();
		if (is_end && is_wanted)
			finish();
		if (some || is_wanted)
			file_put_state(is_end ? TRACE_EXIT : TRACE_UNENDED);
		__atomic_store_n(&writer.served, wanted, __ATOMIC_SEQ_CST);
		wake(&writer.served);
		sleep_now(bell);
	}
}
