// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's tests for OMPT take from LLVM's omp.h and GCC's lacks.

#ifndef LLVM_OMP_H
#define LLVM_OMP_H

#include <stdlib.h>
#include <string.h>

typedef enum omp_control_tool_t {
	omp_control_tool_start = 1,
	omp_control_tool_pause = 2,
	omp_control_tool_flush = 3,
	omp_control_tool_end = 4,
} omp_control_tool_t;

#ifdef __cplusplus
extern "C"
#endif
	int
	omp_control_tool(int command, int modifier, void *arg);

#endif
