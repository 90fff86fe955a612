// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread that executes tasks where they are created: because the program says so, by an if clause and
// in a final task, and because there are more of them than the runtime puts off.

enum { TASKS = 20, MANY = 400 };

static volatile int sum;

static void work(void)
{
	for (int i = 0; i < 1000; i++)
		sum += i;
}

__attribute__((noinline)) void by_clause(void)
{
	for (int i = 0; i < TASKS; i++) {
#pragma omp task if (0)
		work();
	}
}

__attribute__((noinline)) void in_final_task(void)
{
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		work();
	}
}

__attribute__((noinline)) void too_many(void)
{
	for (int i = 0; i < MANY; i++) {
#pragma omp task
		work();
	}
}

int main(void)
{
#pragma omp parallel num_threads(1)
	{
		by_clause();
#pragma omp task final(1)
		in_final_task();
#pragma omp taskwait
		too_many();
	}
	return 0;
}
