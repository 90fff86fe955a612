// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal control variables and tool data (OpenMP 5.2, 20.5.10; 6.0, 41.11).

#include "api/handles.h"

/** An object, and whose it is. */
struct scoped_object {
	const struct api_space *space;
	const struct api_thread *thread; // if it is one: it is to be read again
	struct object object;
};

/**
 * Enumerate the ICVs, from ompd_icv_undefined on.
 * @param[out] next_icv_name owned by the caller.
 * @return ok; bad_input; nomem; stale_handle.
 */
ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current,
			      ompd_icv_id_t *next_id, const char **next_icv_name,
			      ompd_scope_t *next_scope, int *more)
{
	API_ENTER(space, ADDRESS_SPACE, handle);
	API_CHECK(next_id && next_icv_name && next_scope && more, "result pointer is NULL");
	// Ids are positions in the table of names plus one; 0 begins an enumeration.
	if (current >= icv_name_count)
		return reason(ompd_rc_bad_input, "unknown control variable %llu",
			      (unsigned long long)current + 1);
	*next_icv_name = target_strdup(&space->target, icv_names[current].name);
	if (!*next_icv_name)
		return ompd_rc_nomem;
	*next_scope = icv_names[current].scope;
	*next_id = current + 1;
	*more = current + 1 < icv_name_count;
	return ompd_rc_ok;
}

// The region of a parallel handle that stands for a league's or a target's initial team (6.0).
static ompd_rc_t check_generator(const struct api_parallel *parallel, ompd_scope_t scope)
{
	const struct object object = { .region = parallel->region };
	const ompd_word_t wanted = scope == ompd_scope_teams ? ompd_generator_teams :
							       ompd_generator_target;
	ompd_word_t generator;
	ompd_rc_t rc = icv_value(parallel->space->family, parallel->space->runtime,
				 ICV_team_generator, &object, &generator);

	if (rc == ompd_rc_ok && generator != wanted)
		return reason(ompd_rc_incompatible_handle, "the region is of another construct");
	return rc;
}

static ompd_rc_t find_object(void *handle, ompd_scope_t scope, struct scoped_object *ret)
{
	const struct api_parallel *parallel;
	const struct api_task *task;
	ompd_word_t implicit = 1;
	enum handle_kind kind;
	void *record;
	ompd_rc_t rc = api_enter_scope(handle, scope, &kind, &record);

	*ret = (struct scoped_object){ .space = NULL };
	if (rc != ompd_rc_ok)
		return rc;
	switch (kind) {
	case HANDLE_ADDRESS_SPACE:
		ret->space = record;
		return space_ready(record);
	case HANDLE_THREAD:
		ret->thread = record;
		ret->space = ret->thread->space;
		ret->object.thread = ret->thread->thread;
		return rc;
	case HANDLE_PARALLEL:
		parallel = record;
		ret->space = parallel->space;
		ret->object.region = parallel->region;
		return scope == ompd_scope_parallel ? rc : check_generator(parallel, scope);
	default:
		task = record;
		ret->space = task->space;
		ret->object.task = task->task;
		if (scope == ompd_scope_implicit_task)
			rc = icv_value(task->space->family, task->space->runtime, ICV_implicit_task,
				       &ret->object, &implicit);
		return implicit ?
			       rc :
			       reason(library_rc(ompd_rc_stale_handle, ompd_rc_incompatible_handle),
				      "the handle of an explicit task");
	}
}

static ompd_rc_t find_owner(void *handle, ompd_scope_t scope, ompd_icv_id_t id,
			    struct scoped_object *ret)
{
	ompd_rc_t rc = find_object(handle, scope, ret);

	// 6.0 has codes of its own for these routines (41.11.2, 41.11.3).
	if (rc == ompd_rc_incompatible_handle)
		return ompd_rc_incompatible;
	if (rc != ompd_rc_ok)
		return rc;
	if (id == ompd_icv_undefined || id > icv_name_count)
		return reason(ompd_rc_bad_input, "unknown control variable %llu",
			      (unsigned long long)id);
	if (scope != icv_names[id - 1].scope)
		return reason(library_rc(ompd_rc_bad_input, ompd_rc_incompatible),
			      "%s is enumerated with another scope", icv_names[id - 1].name);
	return ompd_rc_ok;
}

// Read the object again, if it is a thread.
static ompd_rc_t refresh(const struct scoped_object *owner)
{
	return owner->thread ? thread_read(owner->thread, THREAD_PLACE) : ompd_rc_ok;
}

static ompd_rc_t read_value(const struct scoped_object *owner, enum icv icv, ompd_word_t *ret)
{
	if (icv_is_absent(icv))
		return reason(ompd_rc_unsupported, "the runtime has no such variable");
	if (icv_form(icv) == ICV_FORM_text)
		return reason(ompd_rc_incompatible, "the value is a text, not an integer");
	ompd_rc_t rc = refresh(owner);

	return rc == ompd_rc_ok ? icv_value(owner->space->family, owner->space->runtime, icv,
					    &owner->object, ret) :
				  rc;
}

/**
 * Answer the value of an ICV as an integer.
 * @return ok; incomplete (the value has more items, of which this is the first); incompatible (no
 *         integer represents it; in 6.0 also: another scope than enumerated, or a handle of another
 *         one); bad_input (id; in 5.x: another scope than enumerated); unavailable and unsupported
 *         with a reason; stale_handle; error.
 */
ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
				  ompd_word_t *value)
{
	struct scoped_object owner;
	ompd_rc_t rc = find_owner(handle, scope, icv_id, &owner);

	if (rc != ompd_rc_ok)
		return rc;
	API_CHECK(value, "value pointer is NULL");
	return read_value(&owner, icv_names[icv_id - 1].icv, value);
}

ompd_rc_t ompd_ext_get_icv(void *handle, ompd_scope_t scope, const char *name, ompd_word_t *value)
{
	struct scoped_object owner;
	ompd_rc_t rc = find_object(handle, scope, &owner);

	if (rc != ompd_rc_ok)
		return rc;
	API_CHECK(name && value, "name or value pointer is NULL");
	const enum icv icv = icv_named(name);

	if (icv == ICV_NONE)
		return reason(ompd_rc_bad_input, "unknown control variable \"%.60s\"", name);
	return read_value(&owner, icv, value);
}

/** Answer the value of any ICV as text, which the caller owns. Codes as above, but never incomplete, nor
 * incompatible in 5.x. */
ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
					 const char **icv_string)
{
	char text[ICV_TEXT_MAX] = "";
	struct scoped_object owner;
	ompd_rc_t rc = find_owner(handle, scope, icv_id, &owner);

	if (rc != ompd_rc_ok)
		return rc;
	API_CHECK(icv_string, "value pointer is NULL");
	if (icv_is_absent(icv_names[icv_id - 1].icv))
		return reason(ompd_rc_unsupported, "the runtime has no such variable");
	rc = refresh(&owner);
	if (rc == ompd_rc_ok)
		rc = icv_text(owner.space->family, owner.space->runtime, icv_names[icv_id - 1].icv,
			      &owner.object, text);
	if (rc != ompd_rc_ok)
		return rc;
	reason_clear();
	*icv_string = target_strdup(&owner.space->target, text);
	return *icv_string ? ompd_rc_ok : ompd_rc_nomem;
}

/**
 * Answer what a tool (OMPT) stored for a thread, region or task: both members of the union.
 * @return ok; unsupported (a runtime without OMPT); needs_state_tracking (no tool, and no
 *         OMP_DEBUG=enabled); unavailable; bad_input; stale_handle; incompatible_handle; error.
 */
ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
			     ompd_address_t *ptr)
{
	struct scoped_object owner;
	uint64_t pointer = 0;
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	API_CHECK(scope >= ompd_scope_thread && value && ptr,
		  "result pointer is NULL, or the scope is invalid");
	rc = find_object(handle, scope, &owner);
	if (rc == ompd_rc_ok)
		rc = owner.space->family->tool_data(owner.space->runtime, &owner.object, &pointer);
	if (rc != ompd_rc_ok)
		return rc;
	*value = (ompd_word_t)pointer;
	*ptr = (ompd_address_t){ ompd_segment_none, pointer };
	return ompd_rc_ok;
}
