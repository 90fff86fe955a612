// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs that are lists by level. A task keeps the element of its level; the rest is the runtime's.

#include "gomp/icv.h"

// The list as the runtime keeps it, in elements of @p size bytes.
static ompd_rc_t list_in_memory(const struct runtime *runtime, enum gomp_global list,
				enum gomp_global length, unsigned int size, struct icv_list *ret)
{
	uint64_t address, count, value;
	ompd_rc_t rc = gomp_read_global(runtime, list, 8, &address);

	ret->length = 0;
	if (rc == ompd_rc_ok)
		rc = gomp_read_global(runtime, length, 8, &count);
	if (rc != ompd_rc_ok || address == 0)
		return rc;
	while (rc == ompd_rc_ok && ret->length < count && ret->length < ICV_LIST_MAX) {
		rc = target_read_uint(&runtime->target, address + size * ret->length, size, &value);
		if (rc == ompd_rc_ok)
			ret->values[ret->length++] = (ompd_word_t)value;
	}
	return rc;
}

ICV_LIST(gomp_icv_list)
{
	const bool bind = icv == ICV_bind;
	struct region region;
	uint64_t value;
	ompd_rc_t rc = gomp_icv_read(runtime, of, bind ? ICV(bind_var) : ICV(nthreads_var), &value);

	ret->length = ret->level = 0;
	if (rc != ompd_rc_ok)
		return rc;
	ret->first = bind ? icv_signed(value, 1) : (ompd_word_t)value;
	// False and true are elements of no list.
	if (bind && ret->first < 2)
		return ompd_rc_ok;
	rc = gomp_region_of(runtime, of, &region);
	if (rc != ompd_rc_ok)
		return rc;
	ret->level = region.level;
	rc = bind ? list_in_memory(runtime, GOMP_GLOBAL_gomp_bind_var_list,
				   GOMP_GLOBAL_gomp_bind_var_list_len, 1, ret) :
		    list_in_memory(runtime, GOMP_GLOBAL_gomp_nthreads_var_list,
				   GOMP_GLOBAL_gomp_nthreads_var_list_len, 8, ret);
	if (rc != ompd_rc_unsupported) // else nobody knows where it is
		return rc;
	return icv_list_in_environment(&runtime->target, icv, ret);
}
