// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child of a fork records anew; locks that it inherits stay known.

#include <omp.h>
#include <sys/wait.h>

#include "own_record.h"

static omp_lock_t mine, worker;

/** Look at what the child has, and record in it. */
static int be_child(uint64_t parent_pid)
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
#pragma omp parallel num_threads(2) reduction(+ : teams)
	{
		const struct record_thread *own = own_thread();

#pragma omp critical
		REQUIRE(count_holds(own) == (own == thread ? 2 : 1));
		teams += count_events(own, RECORD_IMPLICIT_BEGIN) >= 1;
	}
	REQUIRE(teams == 2);
	return 23;
}

int main(void)
{
	uint64_t pid = (uint64_t)getpid();
	uint64_t head;
	int status;

	omp_init_lock(&mine);
	omp_init_lock(&worker);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		omp_set_lock(&worker);
	omp_set_lock(&mine);
	for (int i = 0; i < 20; i++) {
		pid_t child;

		head = own_thread()->head;
		child = fork();
		REQUIRE(child >= 0);
		if (child == 0)
			_exit(be_child(pid));
		REQUIRE(waitpid(child, &status, 0) == child);
		REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 23);
		REQUIRE(own_root()->pid == pid);
		REQUIRE(own_thread()->head >= head);
		REQUIRE(count_holds(own_thread()) == 1);
	}
	return 0;
}
