// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "vectors.h"

#include <limits.h>

void vector_discard(void **vector, size_t count, enum handle_kind kind)
{
	for (size_t i = 0; i < count; i++)
		handle_release(vector[i], kind);
	front_free(vector);
}

ompd_rc_t vector_of_team(ompd_parallel_handle_t *parallel, vector_member_fn member,
			 enum handle_kind kind, void ***vector, int *num_handles)
{
	ompd_tword_t size;
	size_t count = 0;
	void **handles;
	ompd_rc_t rc = front_setting(parallel, "team-size-var", &size);

	if (rc == ompd_rc_ok && (size <= 0 || size > INT_MAX))
		rc = ompd_rc_error;
	if (rc != ompd_rc_ok)
		return rc;
	handles = front_alloc((size_t)size * sizeof(*handles));
	if (!handles)
		return ompd_rc_nomem;
	for (int i = 0; rc == ompd_rc_ok && i < (int)size; i++) {
		core_rc_t got = member((core_parallel_handle_t *)parallel, i, &handles[count]);

		if (got == core_rc_unavailable)
			continue;
		rc = handle_adopt(got, handles[count], kind, handle_space(parallel));
		count += rc == ompd_rc_ok;
	}
	if (rc != ompd_rc_ok || !vector)
		vector_discard(handles, count, kind);
	else
		*vector = handles;
	if (rc == ompd_rc_ok)
		*num_handles = (int)count;
	return rc;
}
