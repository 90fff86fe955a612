// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/icv.h"

ompd_rc_t kmp_icv_value(const struct runtime *runtime, enum icv icv, const struct object *of,
			ompd_word_t *ret)
{
	static ompd_rc_t (*const readers[ICV_COUNT])(const struct runtime *, const struct object *,
						     ompd_word_t *) = {
#define ICV_ROW(id, name, scope, form) [ICV_##id] = kmp_icv_##id,
#define ICV_TEXT(id, name, scope)
#include "runtime/icvs.def"
	};

	return readers[icv](runtime, of, ret);
}

ompd_rc_t kmp_icv_text(const struct runtime *runtime, enum icv icv, const struct object *of,
		       char *text)
{
	static ompd_rc_t (*const writers[ICV_COUNT])(const struct runtime *, const struct object *,
						     char *) = {
		[ICV_bind] = kmp_icv_write_bind,
		[ICV_nthreads] = kmp_icv_write_nthreads,
		[ICV_run_sched] = kmp_icv_write_run_sched,
#define ICV_ROW(id, name, scope, form)
#define ICV_TEXT(id, name, scope) [ICV_##id] = kmp_icv_write_##id,
#include "runtime/icvs.def"
	};
	ompd_word_t value = 0;

	if (writers[icv])
		return writers[icv](runtime, of, text);
	ompd_rc_t rc = kmp_icv_value(runtime, icv, of, &value);

	if (rc == ompd_rc_ok)
		icv_format(icv_form(icv), value, text);
	return rc;
}
