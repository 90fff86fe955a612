// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names: files, symbols, functions, variables and structures, as GDB knows them.

#include "services.h"

#include "comment.h"

/** Take a number that is there or not. */
static struct ompdbg_error *take_number(struct gdb_services *services, PyObject *answer,
					uint64_t *ret)
{
	struct ompdbg_error *error = NULL;

	if (!answer)
		return ask_failed(services);
	if (answer == Py_None)
		error = &ompdbg_error_absent;
	else
		*ret = PyLong_AsUnsignedLongLong(answer);
	Py_DECREF(answer);
	return PyErr_Occurred() ? ask_failed(services) : error;
}

struct ompdbg_error *gdb_object_at(void *context, uint64_t address, struct ompdbg_object *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);
	PyObject *answer, *path, *opened;
	int is_program;

	if (error)
		return error;
	answer = ASK(services, "object_at", "K", (unsigned long long)address);
	error = ask_tuple(services, answer, "OOp", &path, &opened, &is_program);
	if (!error)
		*ret = (struct ompdbg_object){ kept_text(services, path),
					       kept_text(services, opened), is_program };
	Py_XDECREF(answer);
	return error;
}

struct ompdbg_error *gdb_symbol_address(void *context, const char *name, const char *object,
					int thread, uint64_t *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	return error ? error :
		       take_number(services,
				   ASK(services, "symbol_address", "yyi", name, object, thread),
				   ret);
}

struct ompdbg_error *gdb_symbol_at(void *context, uint64_t address, struct ompdbg_symbol *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);
	PyObject *answer, *name, *object;
	unsigned long long offset;

	if (error)
		return error;
	answer = ASK(services, "symbol_at", "K", (unsigned long long)address);
	error = ask_tuple(services, answer, "OKO", &name, &offset, &object);
	if (!error)
		*ret = (struct ompdbg_symbol){ kept_text(services, name), offset,
					       kept_text(services, object) };
	Py_XDECREF(answer);
	return error;
}

static struct ompdbg_error *take_function(struct gdb_services *services, PyObject *answer,
					  struct ompdbg_function *ret)
{
	PyObject *name, *symbol, *file;
	unsigned long long start;
	int line;
	struct ompdbg_error *error =
		ask_tuple(services, answer, "OOKOi", &name, &symbol, &start, &file, &line);

	if (!error)
		*ret = (struct ompdbg_function){ kept_text(services, name),
						 kept_text(services, symbol), start,
						 kept_text(services, file), line };
	Py_XDECREF(answer);
	return error;
}

struct ompdbg_error *gdb_function_at(void *context, uint64_t address, struct ompdbg_function *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	return error ? error :
		       take_function(services,
				     ASK(services, "function_at", "K", (unsigned long long)address),
				     ret);
}

struct ompdbg_error *gdb_code_place(void *context, uint64_t address, struct ompdbg_function *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	return error ? error :
		       take_function(services,
				     ASK(services, "code_place", "K", (unsigned long long)address),
				     ret);
}

struct ompdbg_error *gdb_stop_time(void *context, uint64_t *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	return error ? error : take_number(services, ASK(services, "stop_time", NULL), ret);
}

struct ompdbg_error *gdb_function_named(void *context, const char *symbol,
					struct ompdbg_function *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	return error ? error :
		       take_function(services, ASK(services, "function_named", "y", symbol), ret);
}

struct ompdbg_error *gdb_variable_at(void *context, uint64_t address, bool is_lock, uint64_t near,
				     const char **ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);

	if (error)
		return error;
	PyObject *name = ASK(services, "variable_at", "KOK", (unsigned long long)address,
			     is_lock ? Py_True : Py_False, (unsigned long long)near);
	if (!name)
		return ask_failed(services);
	*ret = kept_text(services, name);
	Py_DECREF(name);
	return *ret ? NULL : &ompdbg_error_absent;
}

struct ompdbg_error *gdb_layout(void *context, const char *structure, const char *field,
				const char *object, struct ompdbg_layout *ret)
{
	struct gdb_services *services = context;
	struct ompdbg_error *error = ask_allowed(services);
	unsigned long long offset, size;
	unsigned int bit_offset, bit_size;

	if (error)
		return error;
	PyObject *answer = ASK(services, "layout", "yyy", structure, field, object);
	error = ask_tuple(services, answer, "KKII", &offset, &size, &bit_offset, &bit_size);
	if (!error)
		*ret = (struct ompdbg_layout){ offset, size, bit_offset, bit_size };
	Py_XDECREF(answer);
	return error;
}

struct ompdbg_error *gdb_newest_gcc(void *context, uint64_t address, int *ret)
{
	struct ompdbg_object object = { 0 };
	struct ompdbg_error *error = gdb_object_at(context, address, &object);

	if (error)
		return error;
	*ret = object.opened ? comment_newest_gcc(object.opened) : 0;
	return *ret ? NULL : &ompdbg_error_absent;
}
