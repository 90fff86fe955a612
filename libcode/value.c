// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "value.h"

bool code_value_equal(const struct code_value *a, const struct code_value *b)
{
	if (a->base == CODE_NO_VALUE || a->base != b->base || a->depth != b->depth)
		return false;
	if (a->base == CODE_HELD && a->reg != b->reg)
		return false;
	for (unsigned int i = 0; i <= a->depth; i++)
		if (a->offset[i] != b->offset[i])
			return false;
	return true;
}

struct code_value code_number(int64_t number)
{
	struct code_value value = { .base = CODE_FIXED };

	value.offset[0] = number;
	return value;
}

struct code_value code_value_plus(struct code_value value, int64_t number)
{
	int64_t *last = &value.offset[value.depth];

	*last = (int64_t)((uint64_t)*last + (uint64_t)number);
	return value;
}

struct code_value code_value_load(const struct code_value *address)
{
	struct code_value value = { .base = CODE_NO_VALUE };

	if (address->base == CODE_NO_VALUE || address->depth == CODE_DEPTH)
		return value;
	value = *address;
	value.depth++;
	value.offset[value.depth] = 0;
	return value;
}
