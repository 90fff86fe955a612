// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers of an ELF file.

#include "services/internal.h"

#include "comment.h"

struct ompdbg_error *service_newest_gcc(void *context, uint64_t address, int *ret)
{
	struct ompdbg_object object;
	struct ompdbg_error *error = service_object_at(context, address, &object);

	if (error)
		return error;
	*ret = object.opened ? comment_newest_gcc(object.opened) : 0;
	return *ret ? NULL : &ompdbg_error_absent;
}
