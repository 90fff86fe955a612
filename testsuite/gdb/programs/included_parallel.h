// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma omp parallel num_threads(1) shared(sum)
