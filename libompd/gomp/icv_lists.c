// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs that are lists by level. A task keeps the element of its level; the rest is the runtime's.

#include "gomp/icv.h"

// The list as the runtime keeps it, in elements of @p size bytes.
static ompd_rc_t list_in_memory(const struct gomp_runtime *runtime, enum gomp_global list,
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

static ompd_rc_t nthreads_list(const struct gomp_runtime *runtime, struct icv_list *ret)
{
	ompd_rc_t rc = list_in_memory(runtime, GOMP_GLOBAL_gomp_nthreads_var_list,
				      GOMP_GLOBAL_gomp_nthreads_var_list_len, 8, ret);

	if (rc != ompd_rc_unsupported) // else nobody knows where it is
		return rc;
	return icv_list_in_environment(&runtime->target, "OMP_NUM_THREADS", NULL, 0, ret);
}

static ompd_rc_t bind_list(const struct gomp_runtime *runtime, struct icv_list *ret)
{
	static const struct environ_word words[] = {
		{ "master", 2 }, { "primary", 2 }, { "close", 3 }, { "spread", 4 }
	};

	ompd_rc_t rc = list_in_memory(runtime, GOMP_GLOBAL_gomp_bind_var_list,
				      GOMP_GLOBAL_gomp_bind_var_list_len, 1, ret);

	if (rc != ompd_rc_unsupported) // else nobody knows where it is
		return rc;
	return icv_list_in_environment(&runtime->target, "OMP_PROC_BIND", words,
				       sizeof(words) / sizeof(words[0]), ret);
}

static ompd_rc_t read_nthreads(const struct gomp_icv_query *query, ompd_word_t *first,
			       struct icv_list *list, struct gomp_region *region)
{
	uint64_t value;
	ompd_rc_t rc = gomp_icv_read(query, GOMP_FIELD_gomp_task_icv__nthreads_var, &value);

	if (rc == ompd_rc_ok)
		rc = gomp_icv_region(query, region);
	if (rc == ompd_rc_ok)
		rc = nthreads_list(query->runtime, list);
	if (rc == ompd_rc_ok)
		*first = (ompd_word_t)value;
	return rc;
}

GOMP_ICV_READER(nthreads)
{
	struct gomp_region region;
	struct icv_list list;
	ompd_rc_t rc = read_nthreads(query, ret, &list, &region);

	return rc == ompd_rc_ok ? icv_list_rc(&list, region.level) : rc;
}

GOMP_ICV_WRITER(nthreads)
{
	struct gomp_region region;
	struct icv_list list;
	ompd_word_t first;
	ompd_rc_t rc = read_nthreads(query, &first, &list, &region);

	if (rc == ompd_rc_ok)
		icv_list_format(&list, first, region.level, ICV_FORM_decimal, text);
	return rc;
}

static ompd_rc_t read_bind(const struct gomp_icv_query *query, ompd_word_t *first,
			   struct icv_list *list, struct gomp_region *region)
{
	uint64_t value;
	ompd_rc_t rc = gomp_icv_read(query, GOMP_FIELD_gomp_task_icv__bind_var, &value);

	list->length = 0;
	region->level = 0;
	if (rc != ompd_rc_ok)
		return rc;
	*first = gomp_icv_signed(value, 8);
	// False and true are elements of no list.
	if (*first < 2)
		return ompd_rc_ok;
	rc = gomp_icv_region(query, region);
	return rc == ompd_rc_ok ? bind_list(query->runtime, list) : rc;
}

GOMP_ICV_READER(bind)
{
	struct gomp_region region;
	struct icv_list list;
	ompd_rc_t rc = read_bind(query, ret, &list, &region);

	return rc == ompd_rc_ok ? icv_list_rc(&list, region.level) : rc;
}

GOMP_ICV_WRITER(bind)
{
	struct gomp_region region;
	struct icv_list list;
	ompd_word_t first;
	ompd_rc_t rc = read_bind(query, &first, &list, &region);

	if (rc == ompd_rc_ok)
		icv_list_format(&list, first, region.level, ICV_FORM_bind, text);
	return rc;
}
