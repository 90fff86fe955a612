// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef ABI_H
#define ABI_H

struct abi_row {
	const char *name;
	long value;
};

extern const struct abi_row abi_ours[], abi_theirs[];

#endif
