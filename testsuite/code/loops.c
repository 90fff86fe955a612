// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that only read (spin_*) and others (work_*), for test_spin.c and ../python/test_spinning.py.

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN volatile int flag, other;
HIDDEN int plain;
HIDDEN atomic_int counter;
HIDDEN volatile struct {
	int a, b;
} pairs[4];
volatile int exported; // found through a table of addresses

struct node {
	struct node *next;
	int value;
};

void spin_flag(void)
{
	while (!flag)
		;
}

void spin_exported(void)
{
	while (!exported)
		;
}

void spin_flag_yields(void)
{
	while (flag < 3)
		sched_yield();
}

void spin_flag_sleeps(void)
{
	do {
		usleep(10);
	} while (flag != 7);
}

void spin_flag_other(void)
{
	while (flag == 0 || other == 0)
		__builtin_ia32_pause();
}

void spin_plain_fence(void)
{
	while (!plain)
		__sync_synchronize();
}

void spin_counter(void)
{
	while (atomic_load_explicit(&counter, memory_order_acquire) != 3)
		;
}

void spin_unnamed(int i, volatile const int *where)
{
	while (pairs[i].b == 0 && *where < 4)
		;
}

void spin_result(void)
{
	while (usleep(0))
		sched_yield();
}

void spin_in_work(int *results, int count)
{
	for (int i = 0; i < count; i++) {
		while (!flag)
			;
		results[i] = flag;
	}
}

long work_sum(const int *values)
{
	long sum = 0;

	for (int i = 0; i < 1000000; i++)
		sum += values[i];
	return sum;
}

long work_counts(void)
{
	long turns = 0;

	while (!flag)
		turns++;
	return turns;
}

int work_list(const struct node *node)
{
	while (node->value != 5)
		node = node->next;
	return node->value;
}

void work_stores(int *where)
{
	while (!flag)
		*where = other;
}

void work_calls(void (*function)(void))
{
	while (!flag)
		function();
}

unsigned int work_shifts(unsigned int value)
{
	while (value != 1)
		value = value % 2 ? value * 3 + 1 : value / 2;
	return value;
}

void work_waits(void)
{
	while (!flag)
		pause();
}

void work_toggles(void)
{
	__asm__ volatile("1: test %%al, %%al; sete %%al; cmpl $0, %0; je 1b" ::"m"(flag) : "al");
}

void work_pointer(void)
{
	__asm__ volatile("1: movl $1, 8(%%rbp); cmpl $0, %0; je 1b" ::"m"(flag) : "memory");
}

void work_indexed(void)
{
	__asm__ volatile("1: movl $1, -8(,%%rbp,4); cmpl $0, %0; je 1b" ::"m"(flag) : "memory");
}
