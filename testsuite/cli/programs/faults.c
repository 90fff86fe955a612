// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: faults WAY
//
// Ends by an access to memory, in thread 2 of a team of four. Each way has a function of its own, whose
// last comment is what it accesses, and by which null pointer.

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

struct cell {
	int kind;
	double rho;
	struct cell *next;
};

struct mesh {
	long count;
	int *links;
	struct cell *cells;
	struct cell first;
	union {
		int whole;
		float part;
	} mixed;
};

static struct mesh good;
static struct mesh *volatile nowhere; // null
static struct mesh *volatile somewhere = &good;
static struct mesh *global;
static volatile double sink;

APART static void member(struct mesh *mesh)
{
	sink = mesh->count; // FAULT member: read mesh->count, mesh
}

APART static void inner_member(struct mesh *mesh)
{
	mesh->first.rho = sink; // FAULT inner_member: write mesh->first.rho, mesh
}

APART static void by_way(struct mesh *mesh)
{
	sink = mesh->cells->rho; // FAULT by_way: read mesh->cells->rho, mesh->cells
}

APART static void far_element(struct mesh *mesh, long index)
{
	sink = mesh->links[index]; // FAULT far_element: read mesh->links[INDEX], -
}

APART static void null_element(struct mesh *mesh, long index)
{
	mesh->links[index] = 1; // FAULT null_element: write mesh->links[3], mesh->links
}

APART static void pointed(int *number)
{
	*number = 7; // FAULT pointed: write *number, number
}

APART static void of_global(void)
{
	sink = global->cells->rho; // FAULT of_global: read global->cells->rho, global->cells
}

APART static void in_union(struct mesh *mesh)
{
	sink = mesh->mixed.part; // FAULT in_union: read -, -
}

APART static void by_number(uintptr_t where)
{
	sink = *(double *)where; // FAULT by_number: read -, -
}

APART static void call(void (*function)(void))
{
	function(); // FAULT call: jump -, -
}

static void work(const char *way)
{
	struct mesh *mesh = nowhere;

	if (strcmp(way, "member") == 0)
		member(mesh);
	if (strcmp(way, "inner_member") == 0)
		inner_member(mesh);
	if (strcmp(way, "by_way") == 0)
		by_way(somewhere);
	if (strcmp(way, "far_element") == 0) {
		somewhere->links = malloc(sizeof(int));
		far_element(somewhere, 1L << 40);
	}
	if (strcmp(way, "null_element") == 0)
		null_element(somewhere, 3);
	if (strcmp(way, "pointed") == 0)
		pointed(somewhere->links);
	if (strcmp(way, "of_global") == 0)
		of_global();
	if (strcmp(way, "in_union") == 0)
		in_union(mesh);
	if (strcmp(way, "by_number") == 0)
		by_number(8);
	if (strcmp(way, "call") == 0)
		call((void (*)(void))(void *)mesh);
	if (strcmp(way, "shared") == 0) {
#pragma omp parallel num_threads(2)
		{
			if (omp_get_thread_num() == 0)
				sink = mesh->count; // FAULT shared: read mesh->count, mesh
			sink += 1;
		}
	}
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	global = somewhere;
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 2)
			work(way);
#pragma omp barrier
	}
	return 0;
}
