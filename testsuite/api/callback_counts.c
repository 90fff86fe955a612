// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: callback_counts LIBOMPD TARGET [ROUNDS]
//
// Print, as JSON, how many callbacks an OMPD library sends for each kind of question, and how much
// processor time ROUNDS of the questions about every thread take. LIBOMPD is any OMPD library of
// OpenMP 5: ours or LLVM's. TARGET is a core file, or the number of a process.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "callbacks.h"
#include "tr2_target.h"

static struct {
#define FUNCTION(name) __typeof__(name) *name;
#include "callback_counts.def"
} ompd;

// ---- Callbacks -------------------------------------------------------------------------------

static unsigned long thread_requests;

/** What OMPD calls a thread context is its index, and 1. */
static size_t thread_of(const ompd_thread_context_t *context)
{
	return (size_t)(uintptr_t)context - 1;
}

// Thread-local variables are found by their thread.
static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const char *name, ompd_address_t *address, const char *file_name)
{
	if (!thread)
		return plain_callbacks.symbol_addr_lookup(context, thread, name, address,
							  file_name);
	callback_counts.symbols++;
	address->segment = ompd_segment_none;
	if (tr2_thread_local(thread_of(thread), name, &address->address))
		return ompd_rc_ok;
	callback_counts.failed_symbols++;
	return ompd_rc_error;
}

static ompd_rc_t thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				ompd_size_t sizeof_thread_id, const void *thread_id,
				ompd_thread_context_t **ret)
{
	uint64_t id = 0;

	(void)context;
	thread_requests++;
	if (sizeof_thread_id > sizeof(id))
		return ompd_rc_bad_input;
	memcpy(&id, thread_id, sizeof_thread_id);
	for (size_t i = 0; i < tr2_num_threads(); i++) {
		if (id != (kind == ompd_thread_id_lwp ? (uint64_t)tr2_lwp(i) : tr2_pthread(i)))
			continue;
		*ret = (ompd_thread_context_t *)(uintptr_t)(i + 1);
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

// ---- Questions -------------------------------------------------------------------------------

static ompd_address_space_handle_t *space;

static void check(ompd_rc_t rc, const char *what)
{
	if (rc == ompd_rc_ok)
		return;
	fprintf(stderr, "%s: %d\n", what, rc);
	exit(1);
}

static void forget_counts(void)
{
	callback_counts = (struct callback_counts){ 0 };
	thread_requests = 0;
}

/** Print what was counted since the last call. */
static void print_counts(const char *name, int rc)
{
	const struct callback_counts *counts = &callback_counts;

	printf("\"%s\": {\"rc\": %d, \"reads\": %lu, \"failed_reads\": %lu, \"bytes\": %lu,"
	       " \"symbols\": %lu, \"failed_symbols\": %lu, \"threads\": %lu, \"others\": %lu}",
	       name, rc, counts->reads, counts->failed_reads, counts->bytes, counts->symbols,
	       counts->failed_symbols, thread_requests, counts->others);
	forget_counts();
}

static ompd_thread_id_t kind = ompd_thread_id_pthread;

static ompd_rc_t open_thread(size_t index, ompd_thread_handle_t **ret)
{
	uint64_t id = kind == ompd_thread_id_lwp ? (uint64_t)tr2_lwp(index) : tr2_pthread(index);

	return ompd.ompd_get_thread_handle(space, kind, sizeof(id), &id, ret);
}

/** Ask for the handle of a thread, its region and its state. @return Whether it has a region. */
static bool ask_thread(size_t index, bool printed)
{
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region;
	ompd_word_t state;
	ompd_wait_id_t wait;

	ompd_rc_t rc = open_thread(index, &thread);
	if (printed)
		print_counts("handle", rc);
	if (rc != ompd_rc_ok)
		return false;
	rc = ompd.ompd_get_curr_parallel_handle(thread, &region);
	bool found = rc == ompd_rc_ok;
	if (printed) {
		fputs(", ", stdout);
		print_counts("region", rc);
	}
	rc = ompd.ompd_get_state(thread, &state, &wait);
	if (printed) {
		fputs(", ", stdout);
		print_counts("state", rc);
	}
	if (found)
		ompd.ompd_rel_parallel_handle(region);
	ompd.ompd_rel_thread_handle(thread);
	return found;
}

static void ask_threads(const char *name)
{
	printf("\"%s\": [", name);
	for (size_t i = 0; i < tr2_num_threads(); i++) {
		fputs(i ? ",\n{" : "\n{", stdout);
		ask_thread(i, true);
		fputs("}", stdout);
	}
	fputs("],\n", stdout);
}

/** Ask for all control variables of a thread, of its region and of its task. */
static void ask_icvs(size_t index)
{
	void *handles[ompd_scope_task + 1] = { NULL };
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
	ompd_icv_id_t id = 0;
	ompd_scope_t scope;
	const char *name;
	int more = 1, asked = 0;

	check(open_thread(index, &thread), "thread");
	check(ompd.ompd_get_curr_parallel_handle(thread, &region), "region");
	check(ompd.ompd_get_curr_task_handle(thread, &task), "task");
	handles[ompd_scope_address_space] = space;
	handles[ompd_scope_thread] = thread;
	handles[ompd_scope_parallel] = region;
	handles[ompd_scope_implicit_task] = handles[ompd_scope_task] = task;
	forget_counts();
	while (more &&
	       ompd.ompd_enumerate_icvs(space, id, &id, &name, &scope, &more) == ompd_rc_ok) {
		void *handle = scope <= ompd_scope_task ? handles[scope] : NULL;
		ompd_word_t word;
		const char *text;

		tr2_free((char *)name);
		if (!handle)
			continue;
		asked++;
		ompd.ompd_get_icv_from_scope(handle, scope, id, &word);
		if (ompd.ompd_get_icv_string_from_scope(handle, scope, id, &text) == ompd_rc_ok)
			tr2_free((char *)text);
	}
	printf("\"num_icvs\": %d,\n", asked);
	print_counts("icvs", 0);
	fputs(",\n", stdout);
	ompd.ompd_rel_task_handle(task);
	ompd.ompd_rel_parallel_handle(region);
	ompd.ompd_rel_thread_handle(thread);
}

static void ask_variables(const char *name)
{
	const char *const *variables;

	check(ompd.ompd_get_display_control_vars(space, &variables), "control variables");
	print_counts(name, 0);
	fputs(",\n", stdout);
	check(ompd.ompd_rel_display_control_vars(&variables), "control variables");
}

/** Print the processor time for one thread of @p rounds over all of them, in nanoseconds. */
static void take_time(long rounds)
{
	struct timespec begin, end;
	long asked = 0;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	for (long round = 0; round < rounds; round++) {
		for (size_t i = 0; i < tr2_num_threads(); i++)
			asked += ask_thread(i, false);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	int64_t spent =
		(int64_t)(end.tv_sec - begin.tv_sec) * 1000000000 + (end.tv_nsec - begin.tv_nsec);
	printf("\"ns_per_thread\": %" PRId64 "\n", asked ? spent / asked : -1);
}

static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
#define FUNCTION(name) ompd.name = tr2_function(library, #name);
#include "callback_counts.def"
}

int main(int argc, char **argv)
{
	ompd_callbacks_t callbacks = plain_callbacks;
	ompd_word_t version;
	size_t in_region = 0;

	callbacks.symbol_addr_lookup = symbol_addr;
	callbacks.get_thread_context_for_thread_id = thread_context;
	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: %s LIBOMPD TARGET [ROUNDS]\n", argv[0]);
		return 2;
	}
	load(argv[1]);
	if (!tr2_open(argv[2]))
		return 1;
	check(ompd.ompd_get_api_version(&version), "version");
	check(ompd.ompd_initialize(version, &callbacks), "initialize");
	printf("{");
	ompd_rc_t rc = ompd.ompd_process_initialize(plain_context(), &space);
	print_counts("process", rc);
	check(rc, "process");
	fputs(",\n", stdout);
	ask_threads("first");
	ask_threads("again");
	kind = ompd_thread_id_lwp;
	ask_threads("first_by_lwp");
	ask_threads("again_by_lwp");
	kind = ompd_thread_id_pthread;
	while (in_region < tr2_num_threads() && !ask_thread(in_region, false))
		in_region++;
	ask_icvs(in_region);
	ask_variables("variables");
	ask_variables("variables_again");
	take_time(argc == 4 ? atol(argv[3]) : 0);
	puts("}");
	check(ompd.ompd_rel_address_space_handle(space), "release");
	check(ompd.ompd_finalize(), "finalize");
	tr2_close();
	return 0;
}
