// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, scopes and texts of the internal control variables.

#include <stdio.h>
#include <string.h>

#include "runtime/icv.h"

const struct icv_name icv_names[] = {
#define ICV_ROW(id, name, scope, form, ...) { name, ompd_scope_##scope, ICV_##id },
#define ICV_ALIAS(id, name, scope) { name, ompd_scope_##scope, ICV_##id },
#define ICV_UNLISTED(id, name, scope, form, ...)
#define ICV_ABSENT ICV_ROW
#include "runtime/icvs.def"
};

const size_t icv_name_count = sizeof(icv_names) / sizeof(icv_names[0]);

enum icv icv_named(const char *name)
{
	static const struct icv_name unlisted[] = {
#define ICV_ROW(id, name, scope, form, ...)
#define ICV_UNLISTED(id, name, scope, form, ...) { name, ompd_scope_##scope, ICV_##id },
#include "runtime/icvs.def"
	};

	for (size_t i = 0; i < icv_name_count; i++) {
		if (strcmp(icv_names[i].name, name) == 0)
			return icv_names[i].icv;
	}
	for (size_t i = 0; i < sizeof(unlisted) / sizeof(unlisted[0]); i++) {
		if (strcmp(unlisted[i].name, name) == 0)
			return unlisted[i].icv;
	}
	return ICV_NONE;
}

enum icv_form icv_form(enum icv icv)
{
	static const enum icv_form forms[] = {
#define ICV_ROW(id, name, scope, form, ...) [ICV_##id] = ICV_FORM_##form,
#define ICV_ABSENT ICV_ROW
#include "runtime/icvs.def"
	};

	return forms[icv];
}

bool icv_is_of_process(enum icv icv)
{
	static const ompd_scope_t scopes[] = {
#define ICV_ROW(id, name, scope, form, ...) [ICV_##id] = ompd_scope_##scope,
#define ICV_ABSENT ICV_ROW
#include "runtime/icvs.def"
	};

	return scopes[icv] == ompd_scope_address_space;
}

bool icv_is_absent(enum icv icv)
{
	static const bool absent[ICV_COUNT] = {
#define ICV_ROW(id, name, scope, form, ...)
#define ICV_ABSENT(id, name, scope, form) [ICV_##id] = true,
#include "runtime/icvs.def"
	};

	return absent[icv];
}

enum {
	WORDS_MAX = 9,
};

void icv_format(enum icv_form form, ompd_word_t value, char *text)
{
	static const char *const words[][WORDS_MAX] = {
		[ICV_FORM_boolean] = { "false", "true" },
		[ICV_FORM_enabled] = { "disabled", "enabled" },
		// The last two: places as KMP_AFFINITY has them; not decided.
		[ICV_FORM_bind] = { "false", "true", "primary", "close", "spread", "intel",
				    "default" },
		[ICV_FORM_wait_policy] = { "passive", "active" },
		[ICV_FORM_target_offload] = { "default", "mandatory", "disabled" },
		[ICV_FORM_allocator] = { "omp_null_allocator", "omp_default_mem_alloc",
					 "omp_large_cap_mem_alloc", "omp_const_mem_alloc",
					 "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",
					 "omp_cgroup_mem_alloc", "omp_pteam_mem_alloc",
					 "omp_thread_mem_alloc" },
		[ICV_FORM_team_generator] = { "program", "parallel", "teams", "target" },
	};

	if (form == ICV_FORM_wait_policy && value < 0)
		snprintf(text, ICV_TEXT_MAX, "undefined");
	else if (form < sizeof(words) / sizeof(words[0]) && value >= 0 && value < WORDS_MAX &&
		 words[form][value])
		snprintf(text, ICV_TEXT_MAX, "%s", words[form][value]);
	else
		snprintf(text, ICV_TEXT_MAX, "%lld", (long long)value);
}
