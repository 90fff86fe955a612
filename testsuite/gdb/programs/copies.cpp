// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As copies.c, with names of C++: those of scopes are not hidden by variables of functions.
#include <cstdio>

// Of copies_elsewhere.c: here, debug information does not tell of them.
namespace grid
{
extern int parts[5];
}

struct Mesh {
	static int sums[6];
	int members[4];
	void sweep();
};

extern "C" void __attribute__((noinline)) inspect()
{
	__asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline)) fill(int *array, int count, int first)
{
	for (int i = 0; i < count; i++)
		array[i] = first + i;
}

template <typename T> static void __attribute__((noinline)) region(T from)
{
	int own[3], parts[2], sums[3];
	T generic[2];

	fill(parts, 2, 1);
	fill(sums, 3, 1);
#pragma omp parallel num_threads(1) private(own, generic) \
	reduction(+ : grid::parts [1:2], Mesh::sums [2:3])
	{
		fill(own, 3, 10);
		generic[0] = from;
		generic[1] = from + 1;
		grid::parts[1] = Mesh::sums[2] = 50;
		inspect();
		std::printf("%d %g\n", own[0], double(generic[1]));
	}
	std::printf("%d %d\n", parts[1], sums[1]);
}

void Mesh::sweep()
{
	int own[3];

	{
		int members[2]; // as many as the copy has

		fill(members, 2, 1);
		std::printf("%d\n", members[1]);
	}
#pragma omp for private(own) reduction(+ : members [1:2])
	for (int i = 0; i < 1; i++) {
		fill(own, 3, 10);
		members[1] = 50;
		inspect();
		std::printf("%d\n", own[0]);
	}
}

int main()
{
	Mesh mesh = {};

	region(5.5);
	region(7);
	mesh.sweep();
	return 0;
}
