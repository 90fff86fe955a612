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

static ompd_rc_t nthreads_list(const struct runtime *runtime, struct icv_list *ret)
{
	ompd_rc_t rc = list_in_memory(runtime, GOMP_GLOBAL_gomp_nthreads_var_list,
				      GOMP_GLOBAL_gomp_nthreads_var_list_len, 8, ret);

	if (rc != ompd_rc_unsupported) // else nobody knows where it is
		return rc;
	return icv_list_in_environment(&runtime->target, "OMP_NUM_THREADS", NULL, 0, ret);
}

static ompd_rc_t bind_list(const struct runtime *runtime, struct icv_list *ret)
{
	ompd_rc_t rc = list_in_memory(runtime, GOMP_GLOBAL_gomp_bind_var_list,
				      GOMP_GLOBAL_gomp_bind_var_list_len, 1, ret);

	if (rc != ompd_rc_unsupported) // else nobody knows where it is
		return rc;
	return icv_bind_list_in_environment(&runtime->target, ret);
}

static ompd_rc_t read_level(const struct runtime *runtime, const struct object *of,
			    struct icv_list *ret)
{
	struct region region;
	ompd_rc_t rc = gomp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok)
		ret->level = region.level;
	return rc;
}

static ompd_rc_t read_nthreads(const struct runtime *runtime, const struct object *of,
			       struct icv_list *ret)
{
	uint64_t value;
	ompd_rc_t rc = gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__nthreads_var, &value);

	if (rc == ompd_rc_ok)
		rc = read_level(runtime, of, ret);
	if (rc == ompd_rc_ok)
		rc = nthreads_list(runtime, ret);
	if (rc == ompd_rc_ok)
		ret->first = (ompd_word_t)value;
	return rc;
}

GOMP_ICV_READER(nthreads)
{
	struct icv_list list;

	return icv_list_value(read_nthreads(runtime, of, &list), &list, ret);
}

GOMP_ICV_WRITER(nthreads)
{
	struct icv_list list;

	return icv_list_text(read_nthreads(runtime, of, &list), &list, ICV_FORM_decimal, text);
}

static ompd_rc_t read_bind(const struct runtime *runtime, const struct object *of,
			   struct icv_list *ret)
{
	uint64_t value;
	ompd_rc_t rc = gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__bind_var, &value);

	ret->length = ret->level = 0;
	if (rc != ompd_rc_ok)
		return rc;
	ret->first = gomp_icv_signed(value, 8);
	// False and true are elements of no list.
	if (ret->first < 2)
		return ompd_rc_ok;
	rc = read_level(runtime, of, ret);
	return rc == ompd_rc_ok ? bind_list(runtime, ret) : rc;
}

GOMP_ICV_READER(bind)
{
	struct icv_list list;

	return icv_list_value(read_bind(runtime, of, &list), &list, ret);
}

GOMP_ICV_WRITER(bind)
{
	struct icv_list list;

	return icv_list_text(read_bind(runtime, of, &list), &list, ICV_FORM_bind, text);
}
