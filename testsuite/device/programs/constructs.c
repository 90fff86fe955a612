// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case is a function; without an argument the program lists them.

#include <string.h>

#include "counts.h"

#define N 1000

static int a[N], b[N];

static void kernel(void)
{
	int sum = 0;

	count_target();
	count_map(sizeof(a));
	count_map_to(sizeof(a));
	count_kernel(1, 1);
	count_map_from(sizeof(a));
	count_unmap();
#pragma omp target map(tofrom : a)
	{
		for (int i = 0; i < N; i++)
			a[i] = i;
	}
	for (int i = 0; i < N; i++)
		sum += a[i];
	CHECK(sum == N * (N - 1) / 2);
	// By no means a host fallback: another way to a kernel on the host is not told on LLVM's runtime.
	for (int i = 0; i < 20; i++) {
		count_target();
		count_kernel(1, 1);
#pragma omp target
		{
		}
	}
}

static void to_and_from(void)
{
	count_target();
	count_map(sizeof(a));
	count_map_to(sizeof(a));
	count_map(100 * sizeof(int));
	count_kernel(1, 1);
	count_map_from(100 * sizeof(int));
	count_unmap();
	count_unmap();
#pragma omp target map(to : a) map(from : b [0:100])
	for (int i = 0; i < 100; i++)
		b[i] = a[i] + 1;
	for (int i = 0; i < 100; i++)
		CHECK(b[i] == a[i] + 1);
}

static void teams(void)
{
	int num_teams = 0, sum = 0;

	count_target();
	count_map(sizeof(int));
	count_map_to(sizeof(int));
	count_kernel(0, 1);
	count_map_from(sizeof(int));
	count_unmap();
#pragma omp target teams map(tofrom : num_teams)
	{
		if (omp_get_team_num() == 0)
			num_teams = omp_get_num_teams();
	}
	CHECK(num_teams >= 1);
	count_target();
	count_map(sizeof(int));
	count_map_to(sizeof(int));
	count_kernel(3, 3);
	count_map_from(sizeof(int));
	count_unmap();
#pragma omp target teams distribute parallel for num_teams(3) map(tofrom : sum) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += i;
	CHECK(sum == N * (N - 1) / 2);
	count_target();
	count_map(sizeof(int));
	count_map_to(sizeof(int));
	count_kernel(2, 2);
	count_map_from(sizeof(int));
	count_unmap();
#pragma omp target teams num_teams(2) map(tofrom : num_teams)
	{
		if (omp_get_team_num() == 0)
			num_teams = omp_get_num_teams();
	}
	if (shares_memory())
		CHECK(num_teams == 2);
}

static void data(void)
{
	count_enter();
	count_map(sizeof(a));
	count_map_to(sizeof(a));
	count_map(sizeof(b));
#pragma omp target data map(to : a) map(from : b)
	{
		for (int k = 0; k < 3; k++) {
			count_target();
			count_kernel(1, 1);
#pragma omp target map(to : a) map(from : b)
			for (int i = 0; i < N; i++)
				b[i] = a[i] + k;
		}
		// Data in data: what is there is not mapped again.
		count_enter();
#pragma omp target data map(tofrom : a)
		{
			count_target();
			count_kernel(1, 1);
#pragma omp target map(tofrom : a)
			a[0]++;
			count_exit();
		}
		count_exit();
		count_map_from(sizeof(b));
		count_unmap();
		count_unmap();
	}
}

static void enter_exit(void)
{
	count_enter();
	count_map(sizeof(a));
	count_map_to(sizeof(a));
#pragma omp target enter data map(to : a)
	count_target();
	count_kernel(1, 1);
#pragma omp target
	for (int i = 0; i < N; i++)
		a[i] = 7;
	count_update();
	count_map_from(sizeof(a));
#pragma omp target update from(a)
	CHECK(a[5] == 7);
	a[5] = 8;
	count_update();
	count_map_to(10 * sizeof(int));
#pragma omp target update to(a [0:10])
	count_exit();
	count_map_from(sizeof(a));
	count_unmap();
#pragma omp target exit data map(from : a)
	CHECK(a[5] == 8 && a[6] == 7);
	count_enter();
	count_map(sizeof(b));
#pragma omp target enter data map(alloc : b)
	count_exit();
	count_unmap();
#pragma omp target exit data map(release : b)
}

static void nowait(void)
{
	int c[4][100] = { 0 };

	for (int k = 0; k < 4; k++) {
		int *d = c[k];

		count_target();
		count_map(100 * sizeof(int));
		count_map_to(100 * sizeof(int));
		count_kernel(1, 1);
		count_map_from(100 * sizeof(int));
		count_unmap();
#pragma omp target map(tofrom : d [0:100]) nowait depend(out : c[k])
		for (int i = 0; i < 100; i++)
			d[i] += i;
		count_target();
		count_map(100 * sizeof(int));
		count_map_to(100 * sizeof(int));
		count_kernel(1, 1);
		count_map_from(100 * sizeof(int));
		count_unmap();
#pragma omp target map(tofrom : d [0:100]) nowait depend(inout : c[k])
		for (int i = 0; i < 100; i++)
			d[i] *= 2;
	}
#pragma omp taskwait
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 100; i++)
			CHECK(c[k][i] == 2 * i);
}

/** A kernel that waits while other threads run it, and which has a region in it. */
static void nowait_in_team(void)
{
	int sums[8] = { 0 };

#pragma omp parallel num_threads(4)
#pragma omp single
	for (int k = 0; k < 8; k++) {
		int *sum = &sums[k];

		count_target();
		count_map(sizeof(int));
		count_map_to(sizeof(int));
		count_kernel(1, 1);
		count_map_from(sizeof(int));
		count_unmap();
#pragma omp target map(tofrom : sum [0:1]) firstprivate(k) nowait
		{
			int s = 0;

#pragma omp parallel for reduction(+ : s)
			for (int i = 0; i < 100; i++)
				s += i + k;
			sum[0] = s;
		}
	}
	for (int k = 0; k < 8; k++)
		CHECK(sums[k] == 4950 + 100 * k);
}

/** Private copies that libgomp makes, aligned, also for kernels that wait. LLVM's runtime packs such copies:
 *  their sizes are its own affair. */
static void private_copies(void)
{
	struct {
		_Alignas(64) double values[9];
	} one = { .values = { 1, 2, 3 } }, two = one;
	double sums[3] = { 0 };
	char letter = 'x';

	if (!shares_memory())
		return;
	for (int k = 0; k < 2; k++) {
		count_target();
		count_kernel(1, 1);
	}
#pragma omp target firstprivate(one, letter) map(tofrom : sums)
	{
		one.values[0] = 10;
		sums[0] = one.values[0] + one.values[1] + (letter == 'x') + ((size_t)&one % 64);
	}
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target firstprivate(two, letter) map(tofrom : sums) nowait
		sums[1] = two.values[0] + two.values[2] + (letter == 'x') + ((size_t)&two % 64);
		two.values[2] = 50;
		letter = 'y';
	}
	CHECK(sums[0] == 13 && sums[1] == 5 && one.values[0] == 1);
}

static void threads(void)
{
#pragma omp parallel num_threads(8)
	for (int k = 0; k < 50; k++) {
		int mine[50];

		count_target();
		count_map(sizeof(mine));
		count_kernel(1, 1);
		count_map_from(sizeof(mine));
		count_unmap();
#pragma omp target map(from : mine)
		for (int i = 0; i < 50; i++)
			mine[i] = i;
		CHECK(mine[49] == 49);
	}
}

static void memory(void)
{
	int host = omp_get_initial_device(), device = shares_memory() ? host : 0;
	size_t bytes = sizeof(a);
	char *there = omp_target_alloc(bytes, device), *more;
	size_t volume[2] = { 4, 5 }, offsets[2] = { 1, 2 }, dimensions[2] = { 10, 10 };

	count_alloc(bytes);
	for (int i = 0; i < N; i++)
		a[i] = i;
	count_to(bytes);
	CHECK(!omp_target_memcpy(there, a, bytes, 0, 0, device, host));
	// On one device a copy goes to the device.
	(shares_memory() ? count_to : count_from)(100 * sizeof(int));
	CHECK(!omp_target_memcpy(b, there, 100 * sizeof(int), sizeof(int), 2 * sizeof(int), host,
				 device));
	CHECK(b[1] == 2 && b[100] == 101);
	// LLVM's runtime copies row by row.
	if (shares_memory())
		count_to(4 * 5 * sizeof(int));
	for (int row = 0; !shares_memory() && row < 4; row++)
		count_to(5 * sizeof(int));
	CHECK(!omp_target_memcpy_rect(there, a, sizeof(int), 2, volume, offsets, offsets,
				      dimensions, dimensions, device, host));
	// LLVM's runtime ends a program that names no device.
	if (shares_memory()) {
		CHECK(omp_target_memcpy(there, a, bytes, 0, 0, 99, host) != 0);
		CHECK(!omp_target_alloc(100, 99));
	}
	omp_target_free(NULL, device);
	count_free();
	omp_target_free(there, device);
	// A kernel with what a routine allocated.
	more = omp_target_alloc(16, device);
	count_alloc(16);
	count_target();
	count_kernel(1, 1);
#pragma omp target is_device_ptr(more)
	more[3] = 3;
	count_free();
	omp_target_free(more, device);
}

#ifdef HAS_ASYNC
int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int,
			    omp_depend_t *);
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *,
				 const size_t *, const size_t *, const size_t *, int, int, int,
				 omp_depend_t *);

/** Copies on the host alone: LLVM's runtime has no events for them. */
static void async(void)
{
	size_t volume[1] = { 10 }, offsets[1] = { 0 }, dimensions[1] = { N };
	int host = omp_get_initial_device();

	count_to(sizeof(a));
	CHECK(!omp_target_memcpy_async(b, a, sizeof(a), 0, 0, host, host, 0, NULL));
#pragma omp taskwait
	CHECK(!memcmp(a, b, sizeof(a)));
	a[9] = 77;
	count_to(10 * sizeof(int));
	CHECK(!omp_target_memcpy_rect_async(b, a, sizeof(int), 1, volume, offsets, offsets,
					    dimensions, dimensions, host, host, 0, NULL));
#pragma omp taskwait
	CHECK(b[9] == 77);
}
#endif

/** What the tool is told to trace, and not to. */
static void control(void)
{
	// LLVM's runtime obeys only after a region.
#pragma omp parallel num_threads(2)
	CHECK(omp_get_num_threads() == 2);
	// The device is there after its first use, and then not traced yet.
#pragma omp target
	{
	}
	CHECK(order(2) == 0 && order(3) == 0 && order(4) == 0);
	for (int round = 0; round < 3; round++) {
		CHECK(order(1) == 1 && order(1) == 0);
		kernel();
		CHECK(order(3) == 1 && order(3) == 1);
		CHECK(order(2) == 1 && order(2) == 1);
#pragma omp target
		{
		}
		CHECK(order(3) == 1);
		CHECK(order(5) == 1 && order(5) == 1);
		to_and_from();
		CHECK(order(4) == 1 && order(4) == 0);
#pragma omp target map(tofrom : a)
		a[0] = 0;
	}
}

/** Kernels on the host although there may be a device: LLVM's runtime does not tell about them. */
static void stand_in(void)
{
	int host = omp_get_initial_device();

	for (int i = 0; i < 2; i++) {
		if (shares_memory()) {
			count_target();
			count_kernel(1, 1);
		}
		if (i == 0) {
#pragma omp target if (0) map(tofrom : a)
			a[0] = 5;
		} else {
#pragma omp target device(host) map(tofrom : a)
			a[0]++;
		}
	}
	CHECK(a[0] == 6);
	// What makes LLVM's devices known.
	count_target();
	count_kernel(1, 1);
#pragma omp target
	{
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "kernel", kernel },
	{ "to_and_from", to_and_from },
	{ "data", data },
	{ "enter_exit", enter_exit },
	{ "nowait", nowait },
	{ "nowait_in_team", nowait_in_team },
	{ "private_copies", private_copies },
	{ "threads", threads },
	{ "memory", memory },
#ifndef OLD_LIBGOMP
	{ "teams", teams },
#ifdef HAS_ASYNC
	{ "async", async },
#endif
#endif
	{ "control", control },
	{ "stand_in", stand_in },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc < 2)
			puts(cases[i].name);
		else if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	write_counts();
	return 0;
}
