// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of structures that this unit only declares, one for each thread of a team: that of thread 2 is
// another one. Stops in fixture_ready().
#include "declared.h"
#include "state.h"

#include <omp.h>

extern template struct shop::Mesh<double>;

static int __attribute__((noinline)) sweep(shop::Mesh<double> &mesh, twice *unclear)
{
	double mine = mesh.scale;
	shop::Mesh<double>::Cell cell;
	shop::Mesh<double>::Cell *last = &mesh.cells[1];
	shop::Named *base = &mesh;

	if (!mesh.number)
		state_reached(omp_get_num_threads() - 1);
	state_park();
	STATE_KEEP_FRAME();
	return int(mine) + cell.kind + last->kind + base->number + (unclear != nullptr);
}

int main(int argc, char **argv)
{
	int threads = state_number(argc, argv, 1, 4), sum = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
	{
		shop::Mesh<double> mesh(omp_get_thread_num());

		sum += sweep(mesh, a_twice());
	}
	return sum == 0;
}
