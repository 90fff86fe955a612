// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As variables.c: constructs in a member function of a template, and in a lambda within a task.
#include "variables.h"
#include "state.h"

#include <omp.h>

namespace shop
{
struct Pair {
	double x, y;
};

class Mesh
{
      public:
	template <typename T> T sweep(T &seed, const int &step, int count);

      private:
	int cells = 12;
};

#define SWEEP "shop::Mesh::sweep<double>"
static const char DEEP[] = "parallel region of " SWEEP
			   "(double&, int const&, int)::{lambda(int)#1}::operator()(int) const";
static const char TASK[] = "task of " SWEEP, REGION[] = "parallel region of " SWEEP;

template <typename T> T Mesh::sweep(T &seed, const int &step, int count)
{
	T result = 50;
	int copies = 5;
	Pair pair = { 1, 2 };

#pragma omp parallel num_threads(2) firstprivate(copies, pair) reduction(+ : result)
	{
		copies += omp_get_thread_num();
		result += 4;
		pair.y = copies;
		use(&copies);
		use(&pair);
		use(&result);
		if (omp_get_thread_num() == 1) {
			saw_integer(REGION, "copies", "int", copies);
			saw_integer(REGION, "count", "int", count);
			saw_integer(REGION, "step", "const int &", step);
			saw_real(REGION, "seed", "double &", seed);
			saw_real(REGION, "result", "double", result);
			saw_pair(REGION, "pair", "shop::Pair", pair.x, pair.y);
			saw_pointer(REGION, "this", "", this);
#pragma omp task if (0) shared(result) firstprivate(copies)
			{
				copies *= 10;
				use(&copies);
				saw_integer(TASK, "copies", "int", copies);
				saw_integer(TASK, "count", "int", count);
				saw_integer(TASK, "step", "const int &", step);
				saw_real(TASK, "seed", "double &", seed);
				saw_real(TASK, "result", "double", result);
				saw_pointer(TASK, "this", "", this);
				auto body = [&](int extra) {
					int local = extra + count;
#pragma omp parallel num_threads(1) firstprivate(local)
					{
						local += cells + copies;
						use(&local);
						saw_integer(DEEP, "local", "int", local);
						saw_integer(DEEP, "extra", "int", extra);
						saw_integer(DEEP, "copies", "int", copies);
						saw_pointer(DEEP, "this", "", this);
						state_rest(1);
						inspect();
						use(&local);
					}
					use(&local);
				};
				body(7);
				use(&body);
			}
		}
#pragma omp barrier
		use(&copies);
		use(&pair);
		use(&result);
		seed += step;
	}
	return result;
}
} // namespace shop

int main()
{
	shop::Mesh mesh;
	double seed = 2.25;

	return mesh.sweep(seed, 3, 9) == 0;
}
