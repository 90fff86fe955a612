// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory: that of a stopped process of this machine directly, else through GDB.

#include "services.h"

#include <string.h>

enum { SAMPLE = 4096 }; // bytes of the comparison of both ways

/** Copy what GDB has read. @return false: these are not @p size bytes. */
static bool copy_bytes(PyObject *object, void *buffer, size_t size)
{
	char *data;
	Py_ssize_t length;

	if (PyBytes_AsStringAndSize(object, &data, &length) < 0)
		return false;
	if ((size_t)length != size) {
		PyErr_Format(PyExc_ValueError, "read_memory() returned %zd bytes instead of %zu",
			     length, size);
		return false;
	}
	memcpy(buffer, data, size);
	return true;
}

/** Read through GDB. An address in place of bytes is the first that GDB could not read. */
static struct ompdbg_error *read_by_gdb(struct gdb_services *services, uint64_t address,
					void *buffer, size_t size)
{
	PyObject *answer = ASK(services, "read_memory", "KK", (unsigned long long)address,
			       (unsigned long long)size);
	struct ompdbg_error *error = NULL;
	uint64_t first;

	if (answer && PyLong_Check(answer)) {
		error = ask_number(services, answer, &first);
		return error ? error : ompdbg_error_unreadable(first);
	}
	if (!answer || !copy_bytes(answer, buffer, size))
		error = ask_failed(services);
	Py_XDECREF(answer);
	return error;
}

/**
 * Open the process, once until the program moves. What its mappings were before is believed: what is
 * no longer mapped can't be read, and what was not is looked up again.
 */
static void open_direct(struct gdb_services *services)
{
	services->direct_known = true;
	if (services->direct_refused)
		return;
	uint64_t number = 0;
	ompdbg_error_destroy(ask_number(services, ASK(services, "direct_pid", NULL), &number));
	pid_t pid = (pid_t)number;
	services->direct_aged = pid > 0 && pid == services->direct.pid;
	if (services->direct_aged) {
		direct_close_file(&services->direct);
		return;
	}
	direct_deinit(&services->direct);
	if (pid > 0)
		direct_init(&services->direct, pid);
}

pid_t direct_process(struct gdb_services *services)
{
	if (!services->direct_known)
		open_direct(services);
	return services->direct.pid;
}

/** Find the extent that holds an address; NULL if it is not to be read directly. */
static const struct direct_extent *extent_of(struct gdb_services *services, uint64_t address)
{
	if (services->direct_aged && !direct_find(&services->direct, address)) {
		pid_t pid = services->direct.pid;

		services->direct_aged = false;
		direct_deinit(&services->direct);
		direct_init(&services->direct, pid);
	}
	return direct_find(&services->direct, address);
}

/** Check that what is read directly is what GDB reads: once a process, so that a wrong process
 *  identifier costs speed and not truth. */
static bool verify_direct(struct gdb_services *services, uint64_t address, const void *bytes,
			  size_t size)
{
	uint8_t expected[SAMPLE];

	if (services->direct_verified == services->direct.pid)
		return true;
	if (size > sizeof(expected))
		size = sizeof(expected);
	struct ompdbg_error *error = read_by_gdb(services, address, expected, size);
	if (error && error->code == OMPDBG_INTERRUPTED)
		return false; // asked again next time
	bool is_same = !error && memcmp(bytes, expected, size) == 0;
	ompdbg_error_destroy(error);
	if (is_same) {
		services->direct_verified = services->direct.pid;
		return true;
	}
	services->direct_refused = true;
	direct_deinit(&services->direct);
	return false;
}

static bool read_directly(struct gdb_services *services, uint64_t address, void *buffer,
			  size_t size)
{
	const struct direct_extent *extent =
		direct_process(services) ? extent_of(services, address) : NULL;

	if (!extent || size > extent->end - address)
		return false;
	bool is_read = extent->is_code ?
			       gdb_files_read_code(services, address, buffer, size) :
			       direct_read(&services->direct, address, buffer, size) == size;
	if (!is_read || !verify_direct(services, address, buffer, size))
		return false;
	services->num_direct++;
	return true;
}

struct ompdbg_error *gdb_read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	if (error || !size || read_directly(services, address, buffer, size))
		return error;
	error = ask_allowed(services);
	return error ? error : read_by_gdb(services, address, buffer, size);
}
