// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Smooths a ring of cells. Each thread has a part of it, and shares a vertex with the next part.

#include <cstdio>
#include <omp.h>
#include <vector>

struct Vertex {
	omp_lock_t lock;
	double value = 0;
	Vertex() { omp_init_lock(&lock); }
	~Vertex() { omp_destroy_lock(&lock); }
};

class Guard {
public:
	explicit Guard(Vertex &vertex) : vertex_(vertex) { omp_set_lock(&vertex_.lock); }
	~Guard() { omp_unset_lock(&vertex_.lock); }
	Guard(const Guard &) = delete;
	Guard &operator=(const Guard &) = delete;

private:
	Vertex &vertex_;
};

class Mesh {
public:
	Mesh(size_t parts, size_t cells) : vertices(parts), parts_(parts, std::vector<double>(cells, 1.0)) {}
	void smooth(size_t part);
	std::vector<Vertex> vertices;

private:
	double inner(size_t part) const;
	std::vector<std::vector<double>> parts_;
};

double Mesh::inner(size_t part) const
{
	double sum = 0;

	for (double cell : parts_[part])
		sum += cell;
	return sum;
}

void Mesh::smooth(size_t part)
{
	Guard left(vertices[part]);
	const double sum = inner(part);
#pragma omp barrier
	Guard right(vertices[(part + 1) % vertices.size()]);

	vertices[part].value += sum / 2;
	vertices[(part + 1) % vertices.size()].value += sum / 2;
}

int main()
{
	const int threads = 4;
	Mesh mesh(threads, 1000);

#pragma omp parallel num_threads(threads)
	for (int step = 0; step < 10; step++) {
		mesh.smooth(omp_get_thread_num());
#pragma omp barrier
	}
	std::printf("%g\n", mesh.vertices[0].value);
}
