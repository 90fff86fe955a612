// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Display control variables (OpenMP 5.2, 20.5.9).

#include <stdio.h>

#include "api/handles.h"
#include "target/environ.h"

static void free_strings(const struct target *target, const char **strings)
{
	for (size_t i = 0; strings && strings[i]; i++)
		target_free(target, (char *)strings[i]);
	target_free(target, strings);
}

enum {
	CONTROL_VAR_MAX = ICV_TEXT_MAX + 64,
};

// "NAME=value" with the value in force in the process: from the runtime's variable, if it has one;
// else from the environment that the process was started with; "undefined" if it is not there,
// "unknown" if the place of the variable is not known, or either cannot be read.
static void control_var_text(const struct api_space *space, const char *name, enum icv icv,
			     char *text)
{
	int used = snprintf(text, CONTROL_VAR_MAX, "%s=", name);
	char *value = text + used;
	ompd_rc_t rc = ompd_rc_unavailable;

	if (icv != ICV_NONE && (space->family->initial->task || icv_is_of_process(icv)))
		rc = icv_text(space->family, space->runtime, icv, space->family->initial, value);
	if (rc == ompd_rc_unavailable)
		rc = environ_get(&space->target, name, value, ICV_TEXT_MAX);
	if (rc != ompd_rc_ok)
		snprintf(value, ICV_TEXT_MAX, "%s",
			 rc == ompd_rc_unavailable ? "undefined" : "unknown");
}

/**
 * Return the variables that steer the runtime as "NAME=value", with the values in force in the
 * target; a null pointer ends the array. Released by ompd_rel_display_control_vars().
 * @return ok; bad_input; nomem; stale_handle.
 */
ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *address_space_handle,
					const char *const **control_vars)
{
	API_ENTER_RUNTIME(space, address_space_handle);
	API_CHECK(control_vars, "result pointer is NULL");
	const char *const *own = space->family->control_vars;
	const struct target *target = &space->target;
	size_t common = 0, count = 0;

	while (icv_control_vars[common].name)
		common++;
	while (own[count])
		count++;
	count += common;
	const char **strings = target_alloc(target, (count + 1) * sizeof(*strings));

	for (size_t i = 0; strings && i < count; i++) {
		char text[CONTROL_VAR_MAX];

		if (i < common)
			control_var_text(space, icv_control_vars[i].name, icv_control_vars[i].icv,
					 text);
		else
			control_var_text(space, own[i - common], ICV_NONE, text);
		strings[i] = target_strdup(target, text);
		if (!strings[i]) {
			free_strings(target, strings);
			return ompd_rc_nomem;
		}
	}
	if (!strings)
		return ompd_rc_nomem;
	reason_clear();
	*control_vars = strings;
	return ompd_rc_ok;
}

/** Release what ompd_get_display_control_vars() returned, and set *control_vars to NULL. */
ompd_rc_t ompd_rel_display_control_vars(const char *const **control_vars)
{
	const struct target target = { .callbacks = library_callbacks() };
	ompd_rc_t rc = api_enter();

	if (rc != ompd_rc_ok)
		return rc;
	if (!control_vars || !*control_vars)
		return reason(ompd_rc_bad_input, "control_vars is NULL, or points to NULL");
	free_strings(&target, (const char **)*control_vars);
	*control_vars = NULL;
	return ompd_rc_ok;
}
