// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions for devices share.

#ifndef OMPT_GOMP_TARGET_H
#define OMPT_GOMP_TARGET_H

#include "state.h"

/** Return the number of the host as a device. */
int gomp_host_device(void);
/** Note that a device is used: the tool hears of the host when it first is. */
void gomp_use_device(int device);

#endif
