// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A debugger without a program: the services of libompdbg over a recorded target.

#ifndef RECORDED_SERVICES_H
#define RECORDED_SERVICES_H

#include "../../fuzz/recorded_target.h"
#include "ompdbg/services.h"

/** Choose a target, and fill the table of services for it. It replaces that of the target before. */
struct ompdbg_services recorded_services(struct recorded_target *target);

#endif
