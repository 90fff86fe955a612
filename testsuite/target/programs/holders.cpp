// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that know a lock by many names. Each prints the address of its lock and aborts.

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

struct omp_lock_t { // by its name, names do not lead into it
	int word, owner;
};

struct cell {
	double value;
	omp_lock_t own;
	omp_lock_t *other;
};

struct mesh {
	std::vector<cell> cells;
	cell *first;
	omp_lock_t pair[2];
};

struct unrelated {
	long numbers[4];
	const char *text;
};

static mesh whole;

[[gnu::noinline]] void stop(const volatile void *where)
{
	printf("%p\n", where);
	fflush(stdout);
	abort();
}

struct vertex {
	int number;
	omp_lock_t lock_;

	[[gnu::noinline]] void smooth(int turns)
	{
		number += turns;
		stop(&lock_);
		number--;
	}
};

[[gnu::noinline]] void variable()
{
	omp_lock_t mine = { 1, 2 };

	stop(&mine);
	mine.word++;
}

[[gnu::noinline]] void array()
{
	omp_lock_t locks[8] = {};
	unrelated none = { { 1, 2, 3, 4 }, "none" };

	stop(&locks[3]);
	printf("%p %p\n", (void *)locks, (void *)&none);
}

[[gnu::noinline]] void pointer(omp_lock_t *held)
{
	stop(held);
	held->word++;
}

[[gnu::noinline]] void index(omp_lock_t *locks, int i)
{
	stop(&locks[i]);
	locks[i].word++;
}

[[gnu::noinline]] void unknown_index(omp_lock_t *locks)
{
	stop(locks + 6);
	locks->word++;
}

[[gnu::noinline]] void reference(vertex &v)
{
	v.smooth(3);
	v.number++;
}

static std::mutex shared;

[[gnu::noinline]] void guard()
{
	std::lock_guard<std::mutex> guard(shared);

	stop(&shared);
}

[[gnu::noinline]] void elements(std::vector<cell> &cells)
{
	stop(&cells[2].own);
	cells[2].value++;
}

[[gnu::noinline]] void member_elements(mesh *m)
{
	stop(&m->cells[1].own);
	m->first++;
}

[[gnu::noinline]] void member_array(mesh *m)
{
	stop(&m->pair[1]);
	m->first++;
}

[[gnu::noinline]] void member_pointer(cell &c)
{
	stop(c.other);
	c.value++;
}

[[gnu::noinline]] void lengths(int count)
{
	omp_lock_t locks[count];

	for (int i = 0; i < count; i++)
		locks[i] = { i, i };
	stop(&locks[count - 2]);
	printf("%d\n", locks[1].word);
}

int main(int argc, char **argv)
{
	std::vector<omp_lock_t> heap(10);
	vertex v = { 1, {} };

	whole.cells.resize(4);
	whole.first = whole.cells.data();
	whole.first->other = &heap[5];
	switch (argc > 1 ? atoi(argv[1]) : 0) {
	case 0:
		variable();
		break;
	case 1:
		array();
		break;
	case 2:
		pointer(&heap[4]);
		break;
	case 3:
		index(heap.data(), 7);
		break;
	case 4:
		unknown_index(heap.data());
		break;
	case 5:
		reference(v);
		break;
	case 6:
		guard();
		break;
	case 7:
		elements(whole.cells);
		break;
	case 8:
		member_elements(&whole);
		break;
	case 9:
		member_array(&whole);
		break;
	case 10:
		member_pointer(whole.cells[0]);
		break;
	case 11:
		lengths(5);
		break;
	}
	return v.number;
}
