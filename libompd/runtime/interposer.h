// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that brings OMPT to libgomp, if it was preloaded into the program: the program calls
// its functions in place of libgomp's, and libgomp calls the program's code through it.

#ifndef OMPDBG_INTERPOSER_H
#define OMPDBG_INTERPOSER_H

#define INTERPOSER_FILE "libompt-gomp.so"
#define INTERPOSER_ROOT "ompdbg_gomp_ompt" // struct gomp_ompt_root

#endif
