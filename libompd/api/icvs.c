// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal control variables and tool data (OpenMP 5.2, 20.5.10).

#include "api/handles.h"
#include "gomp/icv.h"

/** A query with the storage that it points to. */
struct scoped_query {
	struct gomp_icv_query query;
	const struct gomp_icv *icv;
	struct gomp_thread thread;
};

// Ids are positions in the table plus one; 0 begins an enumeration.
static const struct gomp_icv *find_icv(ompd_icv_id_t id)
{
	return id >= 1 && id <= gomp_icv_count ? &gomp_icvs[id - 1] : NULL;
}

/**
 * Enumerates the ICVs, from @p current 0 on.
 * @param[out] next_icv_name owned by the caller.
 * @return ok; bad_input; nomem; stale_handle.
 */
ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current,
			      ompd_icv_id_t *next_id, const char **next_icv_name,
			      ompd_scope_t *next_scope, int *more)
{
	API_ENTER(handle, ADDRESS_SPACE);
	if (!next_id || !next_icv_name || !next_scope || !more)
		return reason(ompd_rc_bad_input, "no place for the result");
	if (current >= gomp_icv_count)
		return reason(ompd_rc_bad_input, "no variable with id %llu",
			      (unsigned long long)current + 1);
	*next_icv_name = target_strdup(&handle->runtime.target, gomp_icvs[current].name);
	if (!*next_icv_name)
		return ompd_rc_nomem;
	*next_scope = gomp_icvs[current].scope;
	*next_id = current + 1;
	*more = *next_id < gomp_icv_count;
	return ompd_rc_ok;
}

// Checks the handle against its scope and the scope against the variable: a variable is asked of
// its home scope or of one that determines it (a thread has one current task and region; a task
// one region; anything one process).
static ompd_rc_t make_query(void *handle, ompd_scope_t scope, ompd_icv_id_t id,
			    struct scoped_query *ret)
{
	ompd_rc_t rc;

	*ret = (struct scoped_query){ .icv = find_icv(id) };
	switch (scope) {
	case ompd_scope_global:
	case ompd_scope_address_space:
		rc = api_enter_handle(handle, HANDLE_ADDRESS_SPACE);
		if (rc == ompd_rc_ok)
			ret->query.runtime = &((ompd_address_space_handle_t *)handle)->runtime;
		break;
	case ompd_scope_thread:
		rc = api_enter_handle(handle, HANDLE_THREAD);
		if (rc == ompd_rc_ok)
			rc = handle_read_thread(handle, &ret->thread);
		if (rc == ompd_rc_ok) {
			ret->query.runtime = &((ompd_thread_handle_t *)handle)->space->runtime;
			ret->query.thread = &ret->thread;
		}
		break;
	case ompd_scope_parallel:
		rc = api_enter_handle(handle, HANDLE_PARALLEL);
		if (rc == ompd_rc_ok) {
			ret->query.runtime = &((ompd_parallel_handle_t *)handle)->space->runtime;
			ret->query.region = &((ompd_parallel_handle_t *)handle)->region;
		}
		break;
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		rc = api_enter_handle(handle, HANDLE_TASK);
		if (rc == ompd_rc_ok) {
			ret->query.runtime = &((ompd_task_handle_t *)handle)->space->runtime;
			ret->query.task = &((ompd_task_handle_t *)handle)->task;
		}
		break;
	default:
		return reason(ompd_rc_bad_input, "no such scope");
	}
	if (rc == ompd_rc_ok && !ret->icv)
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
	ompd_rc_t rc = make_query(handle, scope, icv_id, &query);

	if (rc != ompd_rc_ok)
		return rc;
	if (!icv_value)
		return reason(ompd_rc_bad_input, "no place for the value");
	return query.icv->read(&query.query, icv_value);
}

/** Value of any ICV as text, which the caller owns. Codes as above, but never incomplete. */
ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
					 const char **icv_string)
{
	char text[GOMP_ICV_TEXT_MAX] = "";
	struct scoped_query query;
	ompd_rc_t rc = make_query(handle, scope, icv_id, &query);

	if (rc != ompd_rc_ok)
		return rc;
	if (!icv_string)
		return reason(ompd_rc_bad_input, "no place for the value");
	rc = gomp_icv_text(query.icv, &query.query, text);
	if (rc != ompd_rc_ok)
		return rc;
	reason_clear();
	*icv_string = target_strdup(&query.query.runtime->target, text);
	return *icv_string ? ompd_rc_ok : ompd_rc_nomem;
}

/** libgomp has no tool interface, and keeps no tool data: unavailable. */
ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
			     ompd_address_t *ptr)
{
	static const enum handle_kind kinds[] = {
		[ompd_scope_thread] = HANDLE_THREAD,
		[ompd_scope_parallel] = HANDLE_PARALLEL,
		[ompd_scope_implicit_task] = HANDLE_TASK,
		[ompd_scope_task] = HANDLE_TASK,
	};
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	if (scope < ompd_scope_thread || scope > ompd_scope_task || !value || !ptr)
		return reason(ompd_rc_bad_input, "no place for the result, or no such scope");
	rc = api_enter_handle(handle, kinds[scope]);
	if (rc != ompd_rc_ok)
		return rc;
	return reason(ompd_rc_unavailable, "libgomp has no tool interface (OMPT)");
}
