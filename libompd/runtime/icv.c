// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values and texts of the internal control variables, from what families read.

#include <stdio.h>

#include "runtime/family.h"
#include "target/reason.h"

// ---- Schedules -------------------------------------------------------------------------------

// The kind; a chunk size comes after it.
static ompd_rc_t schedule_value(ompd_rc_t rc, const struct icv_schedule *schedule, ompd_word_t *ret)
{
	if (rc != ompd_rc_ok)
		return rc;
	*ret = schedule->kind;
	return schedule->chunk > 0 ? reason(ompd_rc_incomplete, "the schedule has a chunk size") :
				     ompd_rc_ok;
}

static ompd_rc_t schedule_text(ompd_rc_t rc, const struct icv_schedule *schedule, char *text)
{
	if (rc != ompd_rc_ok)
		return rc;
	const uint64_t kind = (uint64_t)schedule->kind & UINT32_MAX;
	const char *modifier = kind & ICV_MONOTONIC ? "monotonic:" : "";
	int used;

	if (schedule->name)
		used = snprintf(text, ICV_TEXT_MAX, "%s%s", modifier, schedule->name);
	else
		used = snprintf(text, ICV_TEXT_MAX, "%s%llu", modifier,
				(unsigned long long)(kind & ~(uint64_t)ICV_MONOTONIC));
	if (schedule->chunk > 0)
		snprintf(text + used, ICV_TEXT_MAX - used, ",%d", schedule->chunk);
	return ompd_rc_ok;
}

// ---- All variables ---------------------------------------------------------------------------

ompd_rc_t icv_value(const struct family *family, const struct runtime *runtime, enum icv icv,
		    const struct object *of, ompd_word_t *ret)
{
	const struct icv_access *access = &family->icvs[icv];
	struct icv_schedule schedule;
	struct icv_list list;

	if (access->list)
		return icv_list_value(access->list(runtime, icv, of, &list), &list, ret);
	if (access->schedule)
		return schedule_value(access->schedule(runtime, icv, of, &schedule), &schedule,
				      ret);
	return access->value(runtime, icv, of, ret);
}

ompd_rc_t icv_text(const struct family *family, const struct runtime *runtime, enum icv icv,
		   const struct object *of, char *text)
{
	const struct icv_access *access = &family->icvs[icv];
	struct icv_schedule schedule;
	struct icv_list list;
	ompd_word_t value = 0;

	if (access->text)
		return access->text(runtime, icv, of, text);
	if (access->list)
		return icv_list_text(access->list(runtime, icv, of, &list), &list, icv_form(icv),
				     text);
	if (access->schedule)
		return schedule_text(access->schedule(runtime, icv, of, &schedule), &schedule,
				     text);
	ompd_rc_t rc = access->value(runtime, icv, of, &value);

	if (rc == ompd_rc_ok)
		icv_format(icv_form(icv), value, text);
	return rc;
}

// ---- From the environment --------------------------------------------------------------------

static const struct environ_word offload_words[] = { { "mandatory", 1 }, { "disabled", 2 } };
static const struct environ_word policy_words[] = { { "active", 1 }, { "passive", 0 } };

const struct icv_environment icv_target_offload_environment =
	ICV_ENVIRONMENT("OMP_TARGET_OFFLOAD", offload_words, 0);
const struct icv_environment icv_wait_policy_environment =
	ICV_ENVIRONMENT("OMP_WAIT_POLICY", policy_words, -1);

ompd_rc_t icv_in_environment(const struct target *target, const struct icv_environment *environment,
			     ompd_word_t *ret)
{
	ompd_rc_t rc = environ_word(target, environment->variable, environment->words,
				    environment->count, environment->otherwise, ret);

	if (rc == ompd_rc_ok)
		return rc;
	return reason(rc, "neither the variable nor the program's environment can be found");
}
