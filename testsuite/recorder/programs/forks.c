// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child of a fork records anew; locks that it inherits stay known.

#include <omp.h>
#include <sys/wait.h>

#include "own_record.h"

static omp_lock_t mine, worker;

/** Look at what the child has, and record in it. */
static int be_child(uint64_t parent_pid, int threads)
{
	const struct record_root *root = own_root();
	const struct record_thread *thread = own_thread();
	int teams = 0;
	omp_lock_t own;

	REQUIRE(root->pid == (uint64_t)getpid() && root->pid != parent_pid);
	REQUIRE(thread->lwp == root->pid);
	REQUIRE(count_threads() == 1);
	REQUIRE(thread->head == 0);
	REQUIRE(count_holds(thread) == 1);
	// LLVM's runtime has forgotten the locks of the parent.
	omp_init_lock(&own);
	omp_set_lock(&own);
	REQUIRE(count_holds(thread) == 2);
	omp_unset_lock(&own);
	REQUIRE(count_holds(thread) == 1);
	REQUIRE(thread->head > 0);
#pragma omp parallel num_threads(threads) reduction(+ : teams)
	{
		const struct record_thread *own = own_thread();

#pragma omp critical
		REQUIRE(count_holds(own) == (own == thread ? 2 : 1));
		teams += count_events(own, RECORD_IMPLICIT_BEGIN) >= 1;
	}
	REQUIRE(teams == threads);
	return 23;
}

/** Fork some children that run a region of so many threads. */
static void fork_children(int threads)
{
	uint64_t pid = (uint64_t)getpid();

	for (int i = 0; i < 10; i++) {
		uint64_t head = own_thread()->head;
		pid_t child = fork();
		int status;

		REQUIRE(child >= 0);
		if (child == 0)
			_exit(be_child(pid, threads));
		REQUIRE(waitpid(child, &status, 0) == child);
		REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 23);
		REQUIRE(own_root()->pid == pid);
		REQUIRE(own_thread()->head >= head);
		REQUIRE(count_holds(own_thread()) == 1);
	}
}

int main(void)
{
	omp_init_lock(&mine);
	omp_init_lock(&worker);
	omp_set_lock(&mine);
	fork_children(2);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		omp_set_lock(&worker);
	fork_children(1); // GCC's runtime waits for the parent's other threads for ever
	return 0;
}
