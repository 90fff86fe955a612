// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section 11.4, literally.

#include "tr2_client.h"

void unwind_2016(void *library, FILE *out)
{
	(void)library;
	(void)out;
}
