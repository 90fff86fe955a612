// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of services, and how questions, texts and failures pass between C and Python.

#include "services.h"

#include <stdarg.h>
#include <string.h>

#include "base/foreign.h"

// ---- Failures ----------------------------------------------------------------------------------

/** Keep an exception that is no answer of GDB's: it ends the command, so that no mistake is hidden. */
static void keep_failure(struct gdb_services *services, PyObject *type, PyObject *value,
			 PyObject *traceback)
{
	if (services->failure[0]) {
		Py_XDECREF(type);
		Py_XDECREF(value);
		Py_XDECREF(traceback);
		return;
	}
	services->failure[0] = type;
	services->failure[1] = value;
	services->failure[2] = traceback;
}

/** Make an error with the words of an exception. */
static struct ompdbg_error *in_words(PyObject *value)
{
	PyObject *text = value ? PyObject_Str(value) : NULL;
	PyObject *bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "replace") : NULL;
	const char *words = bytes ? PyBytes_AsString(bytes) : NULL;
	size_t length = words ? strcspn(words, "\n") : 0;

	while (length && words[length - 1] == '.')
		length--;
	struct ompdbg_error *error =
		length ? ompdbg_error_create(OMPDBG_FAILED, "%.*s", (int)length, words) :
			 ompdbg_error_create(OMPDBG_FAILED, "GDB could not tell");
	Py_XDECREF(bytes);
	Py_XDECREF(text);
	PyErr_Clear();
	return error;
}

struct ompdbg_error *ask_failed(struct gdb_services *services)
{
	PyObject *type, *value, *traceback;

	if (!PyErr_ExceptionMatches(PyExc_Exception)) {
		PyErr_Clear(); // KeyboardInterrupt
		services->is_interrupted = true;
		return &ompdbg_error_interrupted;
	}
	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	PyObject *expected = PyObject_GetAttrString(services->bridge, "errors");
	bool is_expected = expected && PyErr_GivenExceptionMatches(type, expected);
	Py_XDECREF(expected);
	struct ompdbg_error *error = in_words(value);
	if (is_expected) {
		Py_XDECREF(type);
		Py_XDECREF(value);
		Py_XDECREF(traceback);
	} else {
		keep_failure(services, type, value, traceback);
	}
	return error;
}

struct ompdbg_error *ask_allowed(const struct gdb_services *services)
{
	if (services->is_interrupted)
		return &ompdbg_error_interrupted;
	if (!services->bridge)
		return ompdbg_error_create(OMPDBG_FAILED, "the connection to GDB is closed");
	return NULL;
}

// ---- Answers -----------------------------------------------------------------------------------

const char *kept_text(struct gdb_services *services, PyObject *text)
{
	if (!text || text == Py_None)
		return NULL;
	PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
	if (!bytes) {
		PyErr_Clear(); // halves of characters
		bytes = PyUnicode_AsEncodedString(text, "utf-8", "replace");
	}
	const char *found = bytes ? PyBytes_AsString(bytes) : NULL;
	if (!found) {
		PyErr_Clear();
		Py_XDECREF(bytes);
		return NULL;
	}
	char *kept = string_table_get(&services->texts, found);
	if (!kept) {
		kept = arena_strdup(&services->stop, found);
		*string_table_put(&services->texts, &services->stop, kept) = kept;
	}
	Py_DECREF(bytes);
	return kept;
}

struct ompdbg_error *ask_tuple(struct gdb_services *services, PyObject *answer, const char *format,
			       ...)
{
	va_list places;
	bool is_tuple;

	if (!answer)
		return ask_failed(services);
	if (answer == Py_None)
		return &ompdbg_error_absent;
	va_start(places, format);
	is_tuple = PyArg_VaParse(answer, format, places);
	va_end(places);
	return is_tuple ? NULL : ask_failed(services);
}

struct ompdbg_error *ask_number(struct gdb_services *services, PyObject *answer, uint64_t *ret)
{
	struct ompdbg_error *error = answer == Py_None ? &ompdbg_error_absent : NULL;

	if (answer && !error)
		*ret = PyLong_AsUnsignedLongLong(answer);
	Py_XDECREF(answer);
	return PyErr_Occurred() ? ask_failed(services) : error;
}

struct ompdbg_error *ask_text(struct gdb_services *services, PyObject *answer, const char **ret)
{
	if (!answer)
		return ask_failed(services);
	*ret = kept_text(services, answer);
	Py_DECREF(answer);
	return *ret ? NULL : &ompdbg_error_absent;
}

// ---- The user ----------------------------------------------------------------------------------

static bool interrupted(void *context)
{
	struct gdb_services *services = context;

	if (!services->is_interrupted && PyErr_CheckSignals() < 0) {
		PyErr_Clear();
		services->is_interrupted = true;
	}
	return services->is_interrupted;
}

static void log_line(void *context, const char *line)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	if (!error) {
		PyObject *done = ASK(services, "log", "y", line);

		if (!done)
			error = ask_failed(services);
		Py_XDECREF(done);
	}
	ompdbg_error_destroy(error);
}

static const char *program(void *context)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	if (!error && !services->program)
		error = ask_text(services, ASK(services, "program", NULL), &services->program);
	ompdbg_error_destroy(error);
	return services->program ? services->program : "";
}

// ---- The table ---------------------------------------------------------------------------------

void gdb_services_init(struct gdb_services *services, PyObject *bridge)
{
	Py_INCREF(bridge);
	*services = (struct gdb_services){
		.bridge = bridge,
		.table = {
			.size = sizeof(services->table),
			.context = services,
			.read_memory = gdb_read_memory,
			.threads = gdb_threads,
			.registers = gdb_registers,
			.unwind = gdb_unwind,
			.frame_register = gdb_frame_register,
			.frame_place = gdb_frame_place,
			.variables = gdb_variables,
			.program = program,
			.object_at = gdb_object_at,
			.symbol_address = gdb_symbol_address,
			.symbol_at = gdb_symbol_at,
			.function_at = gdb_function_at,
			.function_named = gdb_function_named,
			.variable_at = gdb_variable_at,
			.frame_name = gdb_frame_name,
			.layout = gdb_layout,
			.newest_gcc = gdb_newest_gcc,
			.interrupted = interrupted,
			.log = log_line,
			.code_place = gdb_code_place,
			.stop_time = gdb_stop_time,
			.source_path = gdb_source_path,
			.evaluate = gdb_evaluate,
			.variable_storage = gdb_variable_storage,
			.access_name = gdb_access_name,
			.task_variables = gdb_task_variables,
			.file_address = gdb_file_address,
		},
	};
}

void gdb_services_forget(struct gdb_services *services)
{
	stacks_forget(services);
	alike_forget(services);
	gdb_files_forget(services);
	services->has_threads = false;
	services->program = NULL;
	services->registers = (struct table){ 0 };
	services->direct_known = false;
	services->is_interrupted = false;
	services->texts = (struct string_table){ 0 };
	arena_deinit(&services->stop);
	services->stop = (struct arena){ 0 };
	for (size_t i = 0; i < 3; i++)
		Py_CLEAR(services->failure[i]);
}

void gdb_services_deinit(struct gdb_services *services)
{
	gdb_services_forget(services);
	alike_close(services);
	direct_deinit(&services->direct);
	Py_CLEAR(services->bridge);
}
