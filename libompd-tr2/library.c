// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialization and finalization (section 4), and the control variables for display (section 13).

#include "config.h"
#include "front.h"

enum {
	VERSION = 2001,	       // "Version 2.001"
	CORE_VERSION = 202111, // the interface that the core is asked by
};

ompd_rc_t front_rc(core_rc_t rc)
{
	// What 2016 has no code for: incomplete, callback_error.
	return rc <= core_rc_nomem ? (ompd_rc_t)rc : ompd_rc_error;
}

/** Section 4.1: the version of the interface, 2001 for 2.001. bad_input: no place for it. */
ompd_rc_t ompd_get_version(int *version)
{
	if (!version)
		return ompd_rc_bad_input;
	*version = VERSION;
	return ompd_rc_ok;
}

/** Section 4.1: what the library is. The string is its own, and lives as long as it is loaded. */
ompd_rc_t ompd_get_version_string(const char **string)
{
	if (!string)
		return ompd_rc_bad_input;
	*string = "ompdbg " OMPDBG_VERSION ", OMPD 2.001 (2016)";
	return ompd_rc_ok;
}

/**
 * Section 4.1: makes the callbacks known; the table is copied.
 * @return ok; bad_input (no table, or a callback that reading needs is missing); error (called
 *         twice).
 */
ompd_rc_t ompd_initialize(const ompd_callbacks_t *callbacks)
{
	if (callbacks_theirs())
		return ompd_rc_error;
	ompd_rc_t rc = callbacks_open(callbacks);

	if (rc == ompd_rc_ok && core_initialize(CORE_VERSION, callbacks_for_core()) != core_rc_ok)
		rc = ompd_rc_error;
	if (rc != ompd_rc_ok)
		callbacks_close();
	return rc;
}

/**
 * Section 4.2: opens a process or core file. Where several runtimes are in it, the one that the
 * program calls.
 * @return ok; incompatible (no OpenMP runtime, or one that the library does not know enough of);
 *         bad_input; nomem; error (not initialized); or what a callback returned.
 */
ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
				  ompd_address_space_handle_t **handle)
{
	core_address_space_handle_t *space;

	if (!callbacks_theirs())
		return ompd_rc_error;
	if (!context || !handle)
		return ompd_rc_bad_input;
	core_rc_t rc = core_process_initialize((core_address_space_context_t *)context, &space);

	// Types of other sizes are unsupported to the core.
	if (rc == core_rc_unavailable || rc == core_rc_unsupported)
		return ompd_rc_incompatible;
	ompd_rc_t given = handle_adopt(rc, space, HANDLE_ADDRESS_SPACE, space);

	if (given == ompd_rc_ok)
		*handle = (ompd_address_space_handle_t *)space;
	return given;
}

/** End the work on a process (sections 4.3 and 7.1). Its other handles are stale from here on, and
 * can still be released. */
ompd_rc_t ompd_release_address_space_handle(ompd_address_space_handle_t *handle)
{
	return handle_release(handle, HANDLE_ADDRESS_SPACE);
}

/** Section 4.4: to be called before the library is unloaded. error: not initialized. */
ompd_rc_t ompd_finalize(void)
{
	if (!callbacks_theirs())
		return ompd_rc_error;
	handles_close();
	core_rc_t rc = core_finalize();

	callbacks_close();
	return front_rc(rc);
}

/**
 * Section 13: the variables that steer the runtime, as "name=value"; a null pointer ends the
 * vector. To be released by ompd_release_display_control_vars().
 * @return ok; bad_input; stale_handle; nomem.
 */
ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *handle,
					const char *const **control_var_values)
{
	const char *const *variables;

	FRONT_ENTER(handle, HANDLE_ADDRESS_SPACE, control_var_values);
	core_rc_t rc =
		core_get_display_control_vars((core_address_space_handle_t *)handle, &variables);

	return HANDLE_GIVE(rc, (void *)variables, VARIABLES, handle, control_var_values);
}

/** Section 13: releases what ompd_get_display_control_vars() returned. bad_input: anything else,
 * or what was released. */
ompd_rc_t ompd_release_display_control_vars(const char *const *control_var_values)
{
	ompd_rc_t rc = handle_release((void *)control_var_values, HANDLE_VARIABLES);

	return rc == ompd_rc_stale_handle ? ompd_rc_bad_input : rc;
}
