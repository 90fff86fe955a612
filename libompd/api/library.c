// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library itself (OpenMP 5.2, 20.5.1).

#include "api/handles.h"
#include "config.h"

enum {
	OLDEST_VERSION = 201811, // OpenMP 5.0, the first with OMPD
	NEWEST_VERSION = 202411, // OpenMP 6.0
};

static ompd_callbacks_t callbacks;
static ompd_word_t version; // that the debugger asked for; 0: not initialized

const ompd_callbacks_t *library_callbacks(void)
{
	return version ? &callbacks : NULL;
}

bool library_is_6_0(void)
{
	return version >= NEWEST_VERSION;
}

ompd_rc_t library_rc(ompd_rc_t in_5, ompd_rc_t in_6)
{
	return library_is_6_0() ? in_6 : in_5;
}

/**
 * Make the callbacks known. The table is copied.
 * @return ok; bad_input (no table, or a callback that reading needs is missing); unsupported (a
 *         version of the interface before 5.0 or after 6.0); error (called twice).
 */
ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *table)
{
	reason_clear();
	if (version)
		return reason(ompd_rc_error, "the library is already initialized");
	if (!table)
		return reason(ompd_rc_bad_input, "the table of callbacks is NULL");
	if (api_version < OLDEST_VERSION || api_version > NEWEST_VERSION)
		return reason(ompd_rc_unsupported, "version %lld of the interface is not supported",
			      (long long)api_version);
	if (!table->alloc_memory || !table->free_memory || !table->sizeof_type ||
	    !table->symbol_addr_lookup || !table->read_memory || !table->read_string ||
	    !table->device_to_host)
		return reason(ompd_rc_bad_input, "a callback is missing");
	callbacks = *table;
	version = api_version;
	return ompd_rc_ok;
}

/** Answer the _OPENMP value of the newest standard that the library implements. */
ompd_rc_t ompd_get_api_version(ompd_word_t *api_version)
{
	reason_clear();
	API_CHECK(api_version, "version pointer is NULL");
	*api_version = NEWEST_VERSION;
	return ompd_rc_ok;
}

/** Return the library's name and version. The string is the library's. */
ompd_rc_t ompd_get_version_string(const char **string)
{
	reason_clear();
	API_CHECK(string, "string pointer is NULL");
	*string = "ompdbg " OMPDBG_VERSION ", OMPD of OpenMP 6.0";
	return ompd_rc_ok;
}

/**
 * Release the handles that the debugger has not, and forget the callbacks. unsupported: the library
 * is not initialized.
 */
ompd_rc_t ompd_finalize(void)
{
	reason_clear();
	if (!version)
		return reason(ompd_rc_unsupported, "the library is not initialized");
	handle_close_all();
	version = 0;
	return ompd_rc_ok;
}

const char *ompd_ext_last_reason(void)
{
	return reason_text();
}
