// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each entry point, asked of a target that holds still, while one callback after another fails:
// what libompd answers then is an error, or the same as before. Nothing is leaked.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fault_questions.h"
#include "host.h"
#include "task_list.h"

enum {
	MAX_FAULTS = 5000,  // fail the first so many calls, then some of the others
	MAX_READS = 500000, // by one question; more means that it does not end
	SEEDS = 300,
};

static long lookups_until_failure; // 0: none fails
static unsigned int corrupt_seed, corrupt_rarity;
static long faults, refusals, same_answers;

// ---- Callbacks that fail ---------------------------------------------------------------------

static ompd_rc_t failing_lookup(ompd_address_space_context_t *context,
				ompd_thread_context_t *thread_context, const char *name,
				ompd_address_t *address, const char *file_name)
{
	if (lookups_until_failure && --lookups_until_failure == 0)
		return ompd_rc_callback_error;
	return host_callbacks.symbol_addr_lookup(context, thread_context, name, address, file_name);
}

static ompd_rc_t corrupting_read(ompd_address_space_context_t *context,
				 ompd_thread_context_t *thread_context,
				 const ompd_address_t *address, ompd_size_t size, void *buffer)
{
	ompd_rc_t rc = host_callbacks.read_memory(context, thread_context, address, size, buffer);
	uint8_t *bytes = buffer;

	if (host_reads > MAX_READS)
		fail_msg("a question that does not end, seed %u of rarity %u", corrupt_seed,
			 corrupt_rarity);
	for (ompd_size_t i = 0; corrupt_rarity && rc == ompd_rc_ok && i < size; i++) {
		if ((unsigned int)rand_r(&corrupt_seed) % corrupt_rarity == 0)
			bytes[i] ^= (uint8_t)(1 << rand_r(&corrupt_seed) % 8);
	}
	return rc;
}

static ompd_callbacks_t failing_callbacks(void)
{
	ompd_callbacks_t table = host_callbacks;

	table.symbol_addr_lookup = failing_lookup;
	table.read_memory = corrupting_read;
	return table;
}

// ---- A target that holds still ---------------------------------------------------------------

static int first_address, second_address;
static volatile bool may_go;

static void task_body(void *data)
{
	(void)data;
}

static void wait_until_told(void)
{
	while (!may_go)
		usleep(500);
}

static void create_tasks(void)
{
	for (int i = 0; i < 12; i++)
		task_create(&(struct task_spec){
			.body = task_body,
			.priority = i % 3,
			.depends = { &first_address, &second_address },
			.num_depends = i % 3,
		});
}

// Calls @p test in the primary thread of a nested region, in an undeferred task, with tasks queued
// and blocked at both levels. All other threads wait outside of the runtime.
static void within_regions(void (*test)(const struct handles *handles))
{
	may_go = false;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
	{
#pragma omp master
		{
			create_tasks();
#pragma omp parallel num_threads(2)
			{
#pragma omp master
				{
					create_tasks();
#pragma omp task if (0)
					{
						struct handles handles;

						open_handles(&handles);
						test(&handles);
						close_handles(&handles);
					}
					may_go = true;
				}
				wait_until_told();
			}
		}
		wait_until_told();
	}
}

// ---- Faults ----------------------------------------------------------------------------------

// An error, or the same answer.
static void judge(const struct question *question, int variant, const struct answer *expected,
		  const struct answer *got, const char *fault, long n)
{
	faults++;
	if (got->rc != ompd_rc_ok) {
		refusals++;
		return;
	}
	if (expected->rc == got->rc && answers_agree(got, expected)) {
		same_answers++;
		return;
	}
	fail_msg("%s(%d): with %s %ld failing it answers ok, and something else (%d)",
		 question->name, variant, fault, n, expected->rc);
}

static void with_fault(const struct handles *handles, long *countdown, const char *fault)
{
	static struct answer expected, got;

	for (size_t i = 0; i < question_count; i++) {
		for (int variant = 0; variant < questions[i].variants; variant++) {
			bool fired = true;

			ask(&questions[i], handles, variant, &expected);
			long blocks = here_blocks; // with what it caches

			ask(&questions[i], handles, variant, &got);
			assert_int_equal(here_blocks, blocks);
			assert_string_equal(got.text, expected.text);
			for (long n = 1; fired; n += n < MAX_FAULTS ? 1 : 97) {
				*countdown = n;
				host_reads = 0;
				ask(&questions[i], handles, variant, &got);
				fired = *countdown == 0;
				*countdown = 0;
				judge(&questions[i], variant, &expected, &got, fault, n);
				if (here_blocks != blocks)
					fail_msg("%s(%d) leaks with %s %ld failing",
						 questions[i].name, variant, fault, n);
				if (fired && countdown == &host_fail_allocation &&
				    got.rc != ompd_rc_nomem)
					fail_msg("%s(%d): no memory, and it answers %d",
						 questions[i].name, variant, got.rc);
			}
		}
	}
}

static void fail_allocations(const struct handles *handles)
{
	with_fault(handles, &host_fail_allocation, "allocation");
}

static void fail_reads(const struct handles *handles)
{
	with_fault(handles, &host_fail_read, "read");
}

static void fail_lookups(const struct handles *handles)
{
	with_fault(handles, &lookups_until_failure, "symbol");
}

static void corrupt_reads(const struct handles *handles)
{
	static const unsigned int rarities[] = { 8, 100, 2000 };
	static struct answer got;

	for (size_t i = 0; i < question_count; i++) {
		for (int variant = 0; variant < questions[i].variants; variant++) {
			ask(&questions[i], handles, variant, &got); // what it caches, it has now
			for (unsigned int seed = 0; seed < SEEDS; seed++) {
				long blocks = here_blocks;

				host_reads = 0;
				corrupt_seed = seed;
				corrupt_rarity = rarities[seed % 3];
				ask(&questions[i], handles, variant, &got);
				corrupt_rarity = 0;
				faults++;
				if (here_blocks != blocks)
					fail_msg("%s(%d) leaks with seed %u", questions[i].name,
						 variant, seed);
			}
		}
	}
}

static void no_memory(void **state)
{
	(void)state;
	within_regions(fail_allocations);
}

static void unreadable(void **state)
{
	(void)state;
	within_regions(fail_reads);
}

static void no_symbols(void **state)
{
	(void)state;
	within_regions(fail_lookups);
}

static void corrupted(void **state)
{
	(void)state;
	within_regions(corrupt_reads);
}

static int initialize(void **state)
{
	const ompd_callbacks_t table = failing_callbacks();

	(void)state;
	faults = refusals = same_answers = 0;
	return ompd_initialize(202111, &table) != ompd_rc_ok;
}

static int finalize(void **state)
{
	(void)state;
	fprintf(stderr, "%ld faults: %ld refusals, %ld answers as without\n", faults, refusals,
		same_answers);
	return ompd_finalize() != ompd_rc_ok || here_blocks != 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_memory, initialize, finalize),
		cmocka_unit_test_setup_teardown(unreadable, initialize, finalize),
		cmocka_unit_test_setup_teardown(no_symbols, initialize, finalize),
		cmocka_unit_test_setup_teardown(corrupted, initialize, finalize),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
