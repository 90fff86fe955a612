// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the program of a core file has ended, for Python.

#ifndef OMPDBG_BRIDGE_CORE_END_H
#define OMPDBG_BRIDGE_CORE_END_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyMethodDef core_functions[];

#endif
