// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names tell, for Python.

#ifndef OMPDBG_BRIDGE_NAMES_H
#define OMPDBG_BRIDGE_NAMES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyMethodDef names_functions[];

#endif
