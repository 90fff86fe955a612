// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of copies.c and copies.cpp.
int cells[5], table[6];
int grid_parts[5] __asm__("_ZN4grid5partsE"), mesh_sums[6] __asm__("_ZN4Mesh4sumsE");
