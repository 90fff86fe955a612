// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads of this runtime call a library of another one, where they want the same critical construct.
// Who has it waits in the function of this file at a barrier of the region of this file.

void enter(void (*meet)(void));

static void meet(void)
{
#pragma omp barrier
}

int main(void)
{
#pragma omp parallel num_threads(2)
	enter(meet);
	return 0;
}
