// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/icv.h"

ompd_rc_t gomp_icv_value(enum icv icv, const struct gomp_icv_query *query, ompd_word_t *ret)
{
	static ompd_rc_t (*const readers[])(const struct gomp_icv_query *, ompd_word_t *) = {
#define ICV_ROW(id, name, scope, form) [ICV_##id] = gomp_icv_##id,
#include "runtime/icvs.def"
	};

	return readers[icv](query, ret);
}

ompd_rc_t gomp_icv_text(enum icv icv, const struct gomp_icv_query *query, char *text)
{
	ompd_word_t value = 0;
	ompd_rc_t rc = gomp_icv_value(icv, query, &value);

	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return rc;
	switch (icv) {
	case ICV_affinity_format:
		return gomp_icv_format_affinity_format(query, value, text);
	case ICV_nthreads:
		return gomp_icv_format_nthreads(query, value, text);
	case ICV_place_partition:
		return gomp_icv_format_place_partition(query, value, text);
	case ICV_run_sched:
		return gomp_icv_format_run_sched(query, value, text);
	default:
		icv_format(icv_form(icv), value, text);
		return ompd_rc_ok;
	}
}
