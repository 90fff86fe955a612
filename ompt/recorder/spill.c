// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that writes the trace, and what other threads have to do with it.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spill.h"
#include "spill_system.h"

#define PERIOD_NS \
	10000000 // what was not written for longer is; and is lost if the program is killed
#define PATIENCE_NS 100000000 // then a waiting thread looks for itself
#define LOOKS_PER_SECOND 4    // for modules
#define AT_ONCE 1024	      // events, after which the thread that waits for room gets some
#define STACK (size_t)65536
#define THREAD_DATA 8192 // for debuggers, which look for a thread's descriptor
#define NAME "ompdbg-trace"
#define SUFFIXES 1000
#define SUFFIX 64 // bytes that a suffix has at most
#define LINE 160

enum {
	SPILL_OFF,
	SPILL_FORKED,	// the trace is the parent's
	SPILL_STARTING, // a thread starts the writer
	SPILL_ON,
};

static struct {
	uint32_t state;	    // SPILL_...; atomic
	uint32_t bell;	    // changes when there is something to write; atomic
	uint32_t is_asleep; // the writer; atomic
	uint32_t wanted;    // number of the latest flush that was asked for; atomic
	uint32_t served;    // number of the latest flush that was done; atomic
	uint32_t ending;    // the program ends; atomic
	uint32_t changing;  // modules change now; atomic
	int64_t pid;
	int is_child;	// of a fork
	uint32_t forks; // how many there were on the way to this process
	int error;	// of the start
	char path[PATH_MAX];
	char file[PATH_MAX]; // of this process: `path`, or that and a suffix
	char *stack;
	uint64_t modules_at; // ticks, when to look for modules again
} writer;

// ---- What both sides use -----------------------------------------------------------------------

/** Wait until a word changes from a value, or so many ns. */
static void wait_for(uint32_t *word, uint32_t value, int64_t ns)
{
	int64_t timeout[2] = { 0, ns };

	system_call(SYS_futex, POINTER(word), FUTEX_WAIT_PRIVATE, (long)value, POINTER(timeout));
}

/** Wake all who wait for a word. */
static void wake(uint32_t *word)
{
	system_call(SYS_futex, POINTER(word), FUTEX_WAKE_PRIVATE, INT_MAX, 0);
}

/** Let the writer come. */
static void ring_bell(void)
{
	__atomic_add_fetch(&writer.bell, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&writer.is_asleep, __ATOMIC_SEQ_CST))
		wake(&writer.bell);
}

static uint32_t state_now(void)
{
	return __atomic_load_n(&writer.state, __ATOMIC_ACQUIRE);
}

static void set_state(uint32_t state)
{
	__atomic_store_n(&writer.state, state, __ATOMIC_SEQ_CST);
	wake(&writer.state);
}

/** Return the low half of a thread's `tail`, to wait for. */
static uint32_t *tail_word(struct spill *spill)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (uint32_t *)(void *)&spill->tail;
#else
	return (uint32_t *)(void *)&spill->tail + 1;
#endif
}

bool spill_is_wanted(void)
{
	return state_now() != SPILL_OFF;
}

uint64_t spill_ticks(void)
{
	int64_t time[2] = { 0, 0 };

	if (recorder.tsc)
		return ticks();
	system_call(SYS_clock_gettime, 1, POINTER(time), 0, 0); // CLOCK_MONOTONIC
	return (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
}

// ---- The writer --------------------------------------------------------------------------------

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

/** Close the files of the program, of which the thread has copies. */
static void close_files(void)
{
#ifdef SYS_close_range
	if (!system_call(SYS_close_range, 0, INT_MAX, 0, 0))
		return;
#endif
	for (int file = 0; file < 65536; file++)
		system_call(SYS_close, file, 0, 0, 0);
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

/** Write until the program ends. */
static void write_trace(void)
{
	system_call(SYS_prctl, 15, POINTER(NAME), 0, 0); // PR_SET_NAME
	close_files();
	writer.error = begin_file();
	if (writer.error) {
		set_state(SPILL_OFF);
		system_call(SYS_exit, 0, 0, 0, 0);
	}
	writer.modules_at = 0;
	set_state(SPILL_ON);
	for (;;) {
		uint32_t bell = __atomic_load_n(&writer.bell, __ATOMIC_SEQ_CST);
		uint32_t wanted = __atomic_load_n(&writer.wanted, __ATOMIC_SEQ_CST);
		bool is_end = __atomic_load_n(&writer.ending, __ATOMIC_SEQ_CST);
		bool is_wanted = wanted != writer.served, some;

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

// ---- The start ---------------------------------------------------------------------------------

/** Tell the user of an error, in one line. */
static void tell(int error)
{
	char line[LINE + PATH_MAX];
	int size = snprintf(line, sizeof(line), "ompdbg: %s: cannot write the trace: %s\n",
			    writer.file, strerror(error));

	if (size > 0 && write(STDERR_FILENO, line, strlen(line)) < 0)
		return; // there is nobody else to tell
}

/** Start the thread for a file; return an errno, or 0. */
static int start_thread(void)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD |
				    CLONE_SYSVSEM | CLONE_SETTLS;
	uint64_t all = UINT64_MAX, mask;
	long result;

	if (!writer.stack) {
		writer.stack = mmap(NULL, STACK + THREAD_DATA, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
		if (writer.stack == MAP_FAILED) {
			writer.stack = NULL;
			return errno;
		}
	}
	writer.error = 0;
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, POINTER(&all), POINTER(&mask), sizeof(mask));
	result = spill_clone(flags, writer.stack + STACK, writer.stack + STACK, write_trace);
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, POINTER(&mask), 0, sizeof(mask));
	if (result < 0)
		return (int)-result;
	while (state_now() == SPILL_STARTING)
		wait_for(&writer.state, SPILL_STARTING, PATIENCE_NS);
	return writer.error;
}

/** Start the trace. The state is SPILL_STARTING. */
static void start(bool is_child)
{
	int error;

	writer.pid = getpid();
	writer.is_child = is_child;
	writer.is_asleep = 0;
	writer.ending = 0;
	modules_forget();
	error = start_thread();
	if (!error)
		return;
	set_state(SPILL_OFF);
	tell(error);
}

void spill_begin(const char *path)
{
	int saved_errno = errno;

	if (!path || !*path)
		return;
	strncpy(writer.file, path, sizeof(writer.file) - 1);
	if (strlen(path) >= sizeof(writer.path) - SUFFIX) {
		tell(ENAMETOOLONG);
		return;
	}
	memcpy(writer.path, path, strlen(path) + 1);
	writer.state = SPILL_STARTING;
	start(false);
	errno = saved_errno;
}

// ---- Threads that write events -----------------------------------------------------------------

/** Wait until a ring has room. */
static void wait_for_room(struct spill *spill, uint64_t tail)
{
	__atomic_store_n(&spill->waiting, 1, __ATOMIC_SEQ_CST);
	ring_bell();
	if (__atomic_load_n(&spill->tail, __ATOMIC_SEQ_CST) == tail && state_now() == SPILL_ON)
		wait_for(tail_word(spill), (uint32_t)tail, PATIENCE_NS);
	__atomic_store_n(&spill->waiting, 0, __ATOMIC_SEQ_CST);
}

/** Start the trace of a child of fork. */
static void start_after_fork(void)
{
	uint32_t expected = SPILL_FORKED;

	if (__atomic_compare_exchange_n(&writer.state, &expected, SPILL_STARTING, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		start(true);
	while (state_now() == SPILL_STARTING)
		wait_for(&writer.state, SPILL_STARTING, PATIENCE_NS);
}

/** Wait for the writer where a thread has no room, and find when to come back. */
static void find_limit(struct thread *thread)
{
	struct spill *spill = thread->spill;
	uint64_t head = thread->shown.head, size = thread->ring_mask + 1;

	// The first event here: what is before it is another thread's, or that of a process that forked
	// while it wrote an event.
	if (spill && !thread->limit)
		__atomic_store_n(&spill->tail, head, __ATOMIC_RELEASE);
	if (state_now() == SPILL_FORKED || state_now() == SPILL_STARTING)
		start_after_fork();
	thread->limit = UINT64_MAX;
	while (spill && state_now() == SPILL_ON) {
		uint64_t tail = __atomic_load_n(&spill->tail, __ATOMIC_ACQUIRE);

		if (head - tail < size / 2) {
			thread->limit = tail + size / 2;
			break;
		}
		if (head - tail < size) {
			ring_bell();
			thread->limit = tail + size - 1;
			break;
		}
		wait_for_room(spill, tail);
	}
}

/** Let a thread write its next event when the writer has made room. */
void make_room(struct thread *thread)
{
	int saved_errno = errno;

	for (;;) {
		uint32_t forks = __atomic_load_n(&writer.forks, __ATOMIC_RELAXED);

		ordered();
		find_limit(thread);
		ordered();
		if (forks == __atomic_load_n(&writer.forks, __ATOMIC_RELAXED))
			break;
		// The handler of a signal has forked, and the child's ring is empty.
		thread->limit = 0;
	}
	errno = saved_errno;
}

uint64_t spill_bytes(void)
{
	return writer.path[0] ? sizeof(struct spill) : 0;
}

void spill_begin_thread(struct thread *thread)
{
	thread->limit = UINT64_MAX;
	if (!thread->spill || state_now() == SPILL_OFF)
		return;
	thread->spill->lost_before = thread->shown.lost_events;
	thread->spill->dropped_before = thread->shown.dropped_tasks;
	thread->spill->has_begun = false;
	thread->spill->chunk_at = 0;
	__atomic_store_n(&thread->spill->tail, 0, __ATOMIC_RELEASE);
	thread->limit = 0;
}

bool spill_end_thread(struct thread *thread)
{
	if (!thread->spill || state_now() != SPILL_ON)
		return false;
	__atomic_store_n(&thread->spill->ended, 1, __ATOMIC_RELEASE);
	return true;
}

// ---- The end, and fork -------------------------------------------------------------------------

/** Check whether there is a trace of this process. A child of vfork has its parent's memory. */
static bool is_mine(void)
{
	return state_now() == SPILL_ON && writer.pid == system_call(SYS_getpid, 0, 0, 0, 0);
}

void spill_flush(void)
{
	uint32_t wanted, served;
	int saved_errno = errno;

	if (!is_mine())
		return;
	wanted = __atomic_add_fetch(&writer.wanted, 1, __ATOMIC_SEQ_CST);
	ring_bell();
	while (state_now() == SPILL_ON &&
	       (int32_t)((served = __atomic_load_n(&writer.served, __ATOMIC_SEQ_CST)) - wanted) < 0)
		wait_for(&writer.served, served, PATIENCE_NS);
	errno = saved_errno;
}

void spill_flush_modules(void)
{
	if (!is_mine())
		return;
	__atomic_store_n(&writer.changing, 1, __ATOMIC_SEQ_CST);
	spill_flush();
}

void spill_end(void)
{
	if (!is_mine())
		return;
	// LLVM's runtime ends after this library: what it says is still written.
	if (__atomic_exchange_n(&writer.ending, 1, __ATOMIC_SEQ_CST))
		return;
	spill_flush();
	if (trace_file.error)
		tell(trace_file.error);
}

void spill_after_fork(void)
{
	struct thread *thread;

	if (writer.path[0] && writer.state != SPILL_OFF)
		writer.state = SPILL_FORKED;
	writer.wanted = writer.served = writer.bell = 0;
	writer.forks++;
	for (thread = first_thread(); thread;
	     thread = (struct thread *)(uintptr_t)thread->shown.next) {
		if (!thread->spill)
			continue;
		thread->spill->ended = thread->spill->waiting = 0;
		spill_begin_thread(thread);
	}
}
