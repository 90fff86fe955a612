// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the cache gets pages from: a process of this machine directly, else the services.

#include "plugin.h"

#include <stdlib.h>

/** Copies what read_memory() returned. @return false with an exception if it has another size. */
static bool copy_bytes(PyObject *object, void *buffer, size_t size)
{
	PyObject *bytes = PyBytes_FromObject(object); // the same object if it is bytes
	char *data;
	Py_ssize_t length;

	if (!bytes || PyBytes_AsStringAndSize(bytes, &data, &length) < 0) {
		Py_XDECREF(bytes);
		return false;
	}
	bool whole = (size_t)length == size;
	if (whole)
		memcpy(buffer, data, size);
	else
		PyErr_Format(PyExc_ValueError, "read_memory() returned %zd bytes instead of %zu",
			     length, size);
	Py_DECREF(bytes);
	return whole;
}

static ssize_t read_by_services(struct space *space, uint64_t address, void *buffer, size_t size,
				enum cache_effort effort)
{
	if (call.interrupted || !space->services)
		return -1;
	space->stats.fetches++;
	PyObject *bytes = PyObject_CallMethod(space->services, "read_memory", "KK",
					      (unsigned long long)address,
					      (unsigned long long)size);
	bool ok = bytes && copy_bytes(bytes, buffer, size);
	Py_XDECREF(bytes);
	if (ok) {
		space->stats.fetched += size;
		return (ssize_t)size;
	}
	if (effort == CACHE_TRY && PyErr_ExceptionMatches(PyExc_Exception)) {
		PyErr_Clear();
		return 0;
	}
	call_keep_exception();
	return call.interrupted ? -1 : 0;
}

/**
 * Opens the process that the services name, once until the target moves. What its mappings were
 * before is believed: what is no longer mapped can't be read, and what was not is looked up again.
 */
static void open_direct(struct space *space)
{
	space->direct_known = true;
	if (space->direct_refused)
		return;
	PyObject *number = PyObject_CallMethod(space->services, "direct_pid", NULL);
	long pid = number ? PyLong_AsLong(number) : -1;

	Py_XDECREF(number);
	if (PyErr_Occurred())
		call_keep_exception();
	space->direct_aged = pid > 0 && pid == space->direct.pid;
	if (space->direct_aged)
		return;
	direct_deinit(&space->direct);
	if (pid > 0 && pid <= INT_MAX)
		direct_init(&space->direct, (pid_t)pid);
}

/** The extent that holds @p address; NULL if it is not read directly. */
static const struct direct_extent *extent_of(struct space *space, uint64_t address)
{
	if (space->direct_aged && !direct_knows(&space->direct, address)) {
		pid_t pid = space->direct.pid;

		space->direct_aged = false;
		direct_deinit(&space->direct);
		direct_init(&space->direct, pid);
	}
	return direct_find(&space->direct, address);
}

/**
 * Whether a page read directly is what the services read: asked once a process, so that a wrong
 * process identifier costs speed and not truth.
 */
static bool verify_direct(struct space *space, uint64_t address, const void *page)
{
	uint8_t expected[CACHE_PAGE];

	if (space->direct_verified == space->direct.pid)
		return true;
	ssize_t got = read_by_services(space, address, expected, sizeof(expected), CACHE_TRY);
	if (got < 0)
		return false; // interrupted: asked again next time
	if (got == CACHE_PAGE && memcmp(page, expected, sizeof(expected)) == 0) {
		space->direct_verified = space->direct.pid;
		return true;
	}
	space->direct_refused = true;
	direct_deinit(&space->direct);
	return false;
}

static ssize_t read_directly(struct space *space, uint64_t address, void *buffer, size_t size)
{
	if (!space->direct_known && space->services)
		open_direct(space);
	const struct direct_extent *extent = extent_of(space, address);
	if (!extent || size > extent->end - address)
		return 0;
	size_t got = direct_read(&space->direct, address, buffer, size);
	if (got < CACHE_PAGE || !verify_direct(space, address, buffer))
		return 0;
	space->stats.fetches++;
	space->stats.direct++;
	space->stats.fetched += got;
	return (ssize_t)got;
}

static ssize_t fetch_read(void *context, uint64_t address, void *buffer, size_t size,
			  enum cache_effort effort)
{
	struct space *space = context;

	if (PyErr_CheckSignals() < 0) {
		call_keep_exception();
		return -1;
	}
	if (effort == CACHE_TRY) {
		ssize_t got = read_directly(space, address, buffer, size);

		if (got)
			return got;
	}
	return read_by_services(space, address, buffer, size, effort);
}

/** Reads ahead neither across the end of a mapping nor from data into code. */
static void fetch_bounds(void *context, uint64_t address, uint64_t *start, uint64_t *end)
{
	struct space *space = context;
	const struct direct_extent *extent =
		space->direct_known ? direct_find(&space->direct, address) : NULL;

	if (extent) {
		*start = extent->start;
		*end = extent->end;
	}
}

const struct cache_source fetch_source = { .read = fetch_read, .bounds = fetch_bounds };

void fetch_forget(struct space *space)
{
	space->direct_known = false;
}
