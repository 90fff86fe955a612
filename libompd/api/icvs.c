// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal control variables and tool data (OpenMP 5.2, 20.5.10).

#include "api/handles.h"

/** A query, and of whom. */
struct scoped_query {
	const struct api_space *space;
	struct family_query query;
};

/**
 * Enumerates the ICVs, from @p current 0 on.
 * @param[out] next_icv_name owned by the caller.
 * @return ok; bad_input; nomem; stale_handle.
 */
ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current,
			      ompd_icv_id_t *next_id, const char **next_icv_name,
			      ompd_scope_t *next_scope, int *more)
{
	API_ENTER(space, ADDRESS_SPACE, handle);
	if (!next_id || !next_icv_name || !next_scope || !more)
		return reason(ompd_rc_bad_input, "no place for the result");
	// Ids are positions in the table of names plus one; 0 begins an enumeration.
	if (current >= icv_name_count)
		return reason(ompd_rc_bad_input, "no variable with id %llu",
			      (unsigned long long)current + 1);
	*next_icv_name = target_strdup(&space->target, icv_names[current].name);
	if (!*next_icv_name)
		return ompd_rc_nomem;
	*next_scope = icv_names[current].scope;
	*next_id = current + 1;
	*more = current + 1 < icv_name_count;
	return ompd_rc_ok;
}

// Checks the handle against its scope: a variable is asked of its home scope or of one that
// determines it (a thread has one current task and region; a task one region; anything one
// process).
static ompd_rc_t make_query(void *handle, ompd_scope_t scope, struct scoped_query *ret)
{
	void *record;
	ompd_rc_t rc;

	*ret = (struct scoped_query){ .space = NULL };
	switch (scope) {
	case ompd_scope_global:
	case ompd_scope_address_space:
		rc = api_enter_handle(handle, HANDLE_ADDRESS_SPACE, &record);
		if (rc == ompd_rc_ok)
			rc = space_ready(record);
		if (rc == ompd_rc_ok)
			ret->space = record;
		return rc;
	case ompd_scope_thread:
		rc = api_enter_handle(handle, HANDLE_THREAD, &record);
		if (rc == ompd_rc_ok) {
			ret->space = ((struct api_thread *)record)->space;
			ret->query.thread = ((struct api_thread *)record)->thread;
		}
		return rc;
	case ompd_scope_parallel:
		rc = api_enter_handle(handle, HANDLE_PARALLEL, &record);
		if (rc == ompd_rc_ok) {
			ret->space = ((struct api_parallel *)record)->space;
			ret->query.region = ((struct api_parallel *)record)->region;
		}
		return rc;
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		rc = api_enter_handle(handle, HANDLE_TASK, &record);
		if (rc == ompd_rc_ok) {
			ret->space = ((struct api_task *)record)->space;
			ret->query.task = ((struct api_task *)record)->task;
		}
		return rc;
	default:
		return reason(ompd_rc_bad_input, "no such scope");
	}
}

static ompd_rc_t make_icv_query(void *handle, ompd_scope_t scope, ompd_icv_id_t id,
				struct scoped_query *ret)
{
	ompd_rc_t rc = make_query(handle, scope, ret);

	if (rc == ompd_rc_ok && (id == 0 || id > icv_name_count))
		return reason(ompd_rc_bad_input, "no variable with id %llu",
			      (unsigned long long)id);
	return rc;
}

/**
 * Value of an ICV as an integer.
 * @return ok; incomplete (the value is a list, of which this is the first); unavailable and
 *         unsupported with a reason; bad_input (id, scope, kind of handle); stale_handle; error.
 */
ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
				  ompd_word_t *icv_value)
{
	struct scoped_query query;
	ompd_rc_t rc = make_icv_query(handle, scope, icv_id, &query);

	if (rc != ompd_rc_ok)
		return rc;
	if (!icv_value)
		return reason(ompd_rc_bad_input, "no place for the value");
	return query.space->family->icv_value(query.space->runtime, icv_names[icv_id - 1].icv,
					      &query.query, icv_value);
}

ompd_rc_t ompd_ext_get_icv(void *handle, ompd_scope_t scope, const char *name, ompd_word_t *value)
{
	struct scoped_query query;
	ompd_rc_t rc = make_query(handle, scope, &query);

	if (rc != ompd_rc_ok)
		return rc;
	if (!name || !value)
		return reason(ompd_rc_bad_input, "no name, or no place for the value");
	const enum icv icv = icv_named(name);

	if (icv == ICV_NONE)
		return reason(ompd_rc_bad_input, "no variable %.60s", name);
	return query.space->family->icv_value(query.space->runtime, icv, &query.query, value);
}

/** Value of any ICV as text, which the caller owns. Codes as above, but never incomplete. */
ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
					 const char **icv_string)
{
	char text[ICV_TEXT_MAX] = "";
	struct scoped_query query;
	ompd_rc_t rc = make_icv_query(handle, scope, icv_id, &query);

	if (rc != ompd_rc_ok)
		return rc;
	if (!icv_string)
		return reason(ompd_rc_bad_input, "no place for the value");
	rc = query.space->family->icv_text(query.space->runtime, icv_names[icv_id - 1].icv,
					   &query.query, text);
	if (rc != ompd_rc_ok)
		return rc;
	reason_clear();
	*icv_string = target_strdup(&query.space->target, text);
	return *icv_string ? ompd_rc_ok : ompd_rc_nomem;
}

/**
 * What a tool (OMPT) stored for a thread, region or task: both members of the union.
 * @return ok; unavailable (no tool, or a runtime without OMPT); bad_input; stale_handle; error.
 */
ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
			     ompd_address_t *ptr)
{
	struct scoped_query query;
	uint64_t pointer = 0;
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	if (scope < ompd_scope_thread || scope > ompd_scope_task || !value || !ptr)
		return reason(ompd_rc_bad_input, "no place for the result, or no such scope");
	rc = make_query(handle, scope, &query);
	if (rc == ompd_rc_ok)
		rc = query.space->family->tool_data(query.space->runtime, &query.query, value,
						    &pointer);
	if (rc == ompd_rc_ok)
		*ptr = (ompd_address_t){ ompd_segment_none, pointer };
	return rc;
}
