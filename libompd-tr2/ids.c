// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ids.h"

#include <stdio.h>

enum { ID_MAX = 48 };

ompd_rc_t string_id_of(void *handle, const char *what, core_scope_t scope, char **ret)
{
	uint64_t id;
	ompd_rc_t rc = front_rc(core_ext_get_handle_id(handle, scope, &id));
	char *text = rc == ompd_rc_ok ? front_alloc(ID_MAX) : NULL;

	if (rc == ompd_rc_ok && !text)
		rc = ompd_rc_nomem;
	if (rc != ompd_rc_ok)
		return rc;
	snprintf(text, ID_MAX, "%s_%llx", what, (unsigned long long)id);
	*ret = text;
	return ompd_rc_ok;
}
